from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from geobias.trials import Ask, Dialogue, Reply

messages = st.lists(st.tuples(st.sampled_from(["system", "user", "assistant"]), st.text()))


def build(said: list[tuple[str, str]]) -> Dialogue:
    dialogue = Dialogue()
    for role, content in said:
        dialogue = getattr(dialogue, role)(content)
    return dialogue


def storable(text: str) -> str:
    return text.encode(errors="replace").decode()


@given(messages)
def test_the_wire_carries_exactly_the_messages(said: list[tuple[str, str]]) -> None:
    wire = json.loads(bytes(build(said).wire()))
    assert [(m["role"], m["content"]) for m in wire] == [(r, storable(c)) for r, c in said]


@given(messages, st.text(), st.text())
def test_two_continuations_of_one_history_do_not_mix_on_the_wire(
    said: list[tuple[str, str]], one: str, other: str
) -> None:
    trunk = build(said)
    left, right = trunk.user(one), trunk.user(other)
    left.wire()
    right.wire()
    deeper = left.assistant("x").user(other)
    for dialogue in (right, deeper, left, trunk):
        wire = json.loads(bytes(dialogue.wire()))
        assert [m["content"] for m in wire] == [m.content for m in dialogue.messages()]


@given(messages, messages)
def test_different_histories_have_different_digests(
    one: list[tuple[str, str]], other: list[tuple[str, str]]
) -> None:
    same = [(r, storable(c)) for r, c in one] == [(r, storable(c)) for r, c in other]
    assert (build(one).digest == build(other).digest) == same


def test_a_lone_surrogate_is_replaced_since_no_wire_could_carry_it() -> None:
    assert Dialogue().user("a\ud800").content == "a?"


def test_a_reply_carries_the_digest_of_what_it_answers() -> None:
    dialogue = Dialogue().user("q").reply(Reply("r", digest=b"d" * 16))
    assert (dialogue.content, dialogue.answers) == ("r", b"d" * 16)


def test_only_a_part_of_a_reply_may_go_on() -> None:
    reply = Reply("Is it big? Yes.", digest=b"d" * 16)
    dialogue = Dialogue().user("q").reply(reply, "Is it big?")
    assert (dialogue.content, dialogue.answers, dialogue.cut) == ("Is it big?", b"d" * 16, True)
    assert not Dialogue().user("q").reply(reply, reply.text).cut


def test_a_very_long_dialogue_can_be_built_and_let_go() -> None:
    dialogue = Dialogue()
    for number in range(100_000):
        dialogue = dialogue.user(str(number))
    assert len(dialogue) == 100_000
    del dialogue


DIALOGUE = Dialogue().user("How many?")


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
