from __future__ import annotations

from geobias.trials import Ask, Dialogue

DIALOGUE = Dialogue().user("How many?")


def test_greedy_asks_are_the_same_whoever_draws() -> None:
    one = Ask(dialogue=DIALOGUE, draw="trial 1")
    other = Ask(dialogue=DIALOGUE, draw="trial 2")
    assert one.digest("m") == other.digest("m")


def test_sampled_asks_with_different_draws_stay_independent() -> None:
    one = Ask(dialogue=DIALOGUE, temperature=0.8, draw="trial 1")
    other = Ask(dialogue=DIALOGUE, temperature=0.8, draw="trial 2")
    assert one.digest("m") != other.digest("m")


def test_everything_that_may_change_the_reply_changes_the_digest() -> None:
    asks = [
        Ask(dialogue=DIALOGUE),
        Ask(dialogue=DIALOGUE.user("More?")),
        Ask(dialogue=DIALOGUE, max_tokens=65),
        Ask(dialogue=DIALOGUE, stop=("\n",)),
        Ask(dialogue=DIALOGUE, seed=1),
        Ask(dialogue=DIALOGUE, temperature=0.1),
        Ask(dialogue=DIALOGUE, options=("a", "b")),
        Ask(dialogue=DIALOGUE, effort="low"),
    ]
    digests = {ask.digest("m") for ask in asks} | {asks[0].digest("other model")}
    assert len(digests) == len(asks) + 1
    assert Ask(dialogue=DIALOGUE, lead="(").digest("m") in digests


def test_sampling_is_written_so_that_a_person_can_read_it() -> None:
    ask = Ask(dialogue=DIALOGUE, temperature=0.8, max_tokens=6, seed=3, draw="game 1")
    assert ask.sampling() == "t=0.8 max=6 seed=3 draw=game 1"
