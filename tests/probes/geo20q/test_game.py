"""Games against a scripted guesser and judge, over real sockets."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import geobias
from geobias.atlas.entities import entities
from geobias.errors import Stopped
from geobias.probes.geo20q.elsewhere import guessed_elsewhere
from geobias.probes.geo20q.naming import shipped_names
from geobias.probes.geo20q.transcript import turns
from tests.labelled import table_beside
from tests.probes.geo20q.scripts import Play, Script, planned
from tests.servers import completion, http

Server = Callable[..., Any]
WIN = "Is it the Eiffel Tower?"


def questions(count: int) -> list[str]:
    return [f"Is it one of {n} things?" for n in range(count)]


def test_a_game_is_won_at_the_turn_that_names_the_entity(play: Play) -> None:
    script = Script([*questions(4), WIN])
    game = play(script)
    assert (game["canonical"], game["canonical_turns"], game["outcome"]) == ("won", 5, "played")
    assert script.asked == ["guesser", "judge"] * 4 + ["guesser"]  # no judge on the last turn
    assert (game["no"], game["calls"], game["unlimited"]) == (4, 9, "")


def test_the_judge_sees_the_entity_and_this_question_alone(play: Play) -> None:
    script = Script(["Sure!\nIs it big? Yes. Is it red?", "Is it old?", WIN])
    play(script)
    heard = zip(script.prompts, script.asked, strict=True)
    [first, second] = [prompt for prompt, role in heard if role == "judge"]
    assert len(first) == len(second) == 1
    assert first[0]["content"].endswith("For the thing Eiffel Tower, Is it big? (Yes/No/Maybe)")
    assert "Is it big?" not in second[0]["content"]


def test_the_guesser_sees_its_instruction_its_questions_and_the_judges_words(play: Play) -> None:
    script = Script(["Sure!\nIs it big? Yes. Is it red?", "Is it old?", WIN], "no, sorry")
    play(script, system="Be quick.")
    said = [(m["role"], m["content"]) for m in script.prompts[-1]]
    assert said[0] == ("system", "Be quick.")
    assert said[1][1].startswith("Your task is to ask a series of questions to deduce the entity")
    assert said[2:] == [
        ("assistant", "Is it big?"),
        ("user", "No."),
        ("assistant", "Is it old?"),
        ("user", "No."),
    ]


def test_the_viewer_marks_a_mention_and_the_turn_that_wins(play: Play, tmp_path: Path) -> None:
    game = play(Script(["Is it taller than the Eiffel Tower?", WIN]))
    with geobias.open_run(tmp_path / "game 0" / "game.geobias") as run:
        chat = turns(game, [reply for record, reply in run.replies() if reply.text != "I"])
    assert [(one.won, "mention" in dict(one.marks)) for one in chat] == [
        (False, True),
        (True, False),
    ]
    assert {one.asked[slice(*(one.marked or ()))] for one in chat} == {"Eiffel Tower"}


def test_a_game_is_won_on_the_final_guess(play: Play) -> None:
    script = Script(questions(25), final="My guess: the Eiffel Tower")
    game = play(script)
    assert (game["canonical"], game["canonical_turns"]) == ("won", 20)
    assert script.asked.count("guesser") == 19
    assert script.asked[-1] == "final"
    assert script.prompts[-1][-1]["content"] == "No. You must guess now, what's it?"
    assert game["final_guess"] == "My guess: the Eiffel Tower"


@pytest.mark.parametrize(
    ("final", "ending"),
    [
        ("Okay, I am ready to guess.\n\nMy guess is the Eiffel Tower.", "won"),
        ("Alright!\n\nThe Eiffel Tower.", "won"),
        ("Final answer\nEiffel Tower", "won"),
        ("Hmm, what could it be? It's the Eiffel Tower!", "won"),
        ("The Taj Mahal, or the Eiffel Tower.", "lost"),
        ("Is it the Taj Mahal?\nIs it the Eiffel Tower?", "lost"),
    ],
)
def test_a_final_guess_wins_that_names_nobody_else(
    raw_server: Server, tmp_path: Path, final: str, ending: str
) -> None:
    script = Script(questions(3), final=final)
    plan = planned(tmp_path, setting="canonical", turns=2)
    geobias.run([plan], raw_server(script).url, tmp_path / "r.geobias")
    with geobias.open_run(tmp_path / "r.geobias") as run:
        [game] = [game for game in run.records("geo20q") if game["entity"] == "eiffel-tower"]
    assert game["canonical"] == ending
    wrong = ("", "") if ending == "won" else ("taj-mahal", "IND")
    assert (game["guessed"], game["guessed_country"]) == wrong


def test_a_game_that_is_given_up_is_so_in_both_settings(play: Play) -> None:
    script = Script(["Is it big?", "I give up."])
    game = play(script, setting="both")
    assert (game["canonical"], game["canonical_turns"]) == ("gave_up", 2)
    assert (game["unlimited"], game["unlimited_turns"]) == ("gave_up", 2)
    assert script.asked == ["guesser", "judge", "guesser"]


@pytest.mark.parametrize("turn", ["I'm stuck and have no idea.", "That was too hard for me."])
@pytest.mark.parametrize(("said", "ending"), [("Yes.", "gave_up"), ("No.", "won")])
def test_a_turn_in_doubt_and_one_that_asks_nothing_are_put_to_a_model(
    play: Play, said: str, ending: str, turn: str
) -> None:
    def judge(prompt: str) -> str:
        return said if "give up" in prompt else "No."

    game = play(Script([turn, WIN], judge))
    assert game["canonical"] == ending


def test_an_unlimited_game_may_be_won_at_the_last_of_150_turns(play: Play) -> None:
    script = Script([*questions(149), WIN])
    game = play(script, setting="unlimited")
    assert (game["unlimited"], game["unlimited_turns"]) == ("won", 150)
    assert (game["canonical"], game["canonical_turns"]) == ("", None)
    assert "final" not in script.asked


def test_both_settings_share_nineteen_turns_and_fork_with_one_call(play: Play) -> None:
    script = Script([*questions(24), WIN], final="Is it the Louvre?")
    game = play(script, setting="both")
    assert (game["canonical"], game["canonical_turns"]) == ("lost", 20)
    assert (game["unlimited"], game["unlimited_turns"]) == ("won", 25)
    assert script.asked.count("final") == 1
    assert script.asked.count("guesser") == 25
    assert script.asked.count("judge") == 24
    after = script.prompts[script.asked.index("final") + 1]
    assert after[-1]["content"] == "No."  # the unlimited game never hears of a last guess
    assert len(after) == 39


def test_a_game_won_before_the_fork_is_won_in_both_settings(play: Play) -> None:
    script = Script([*questions(3), WIN])
    game = play(script, setting="both")
    assert game["canonical"] == game["unlimited"] == "won"
    assert game["canonical_turns"] == game["unlimited_turns"] == 4
    assert "final" not in script.asked


@pytest.mark.parametrize(
    ("entity", "said", "wins"),
    [
        ("eiffel-tower", "Is it La Dame De Fer?", True),
        ("sao-paulo-cathedral", "Is it the Sao Paulo cathedral?", True),
        ("jack-ma", "Is he from Jamaica?", False),
        ("jack-ma", "Is it Ma Yun?", True),
        ("eiffel-tower", "Is it an Eiffel-like towering thing?", False),
    ],
)
def test_aliases_and_accents_win_and_near_misses_do_not(
    play: Play, entity: str, said: str, wins: bool
) -> None:
    game = play(Script([said]), entity, turns=3)
    assert game["canonical"] == ("won" if wins else "lost")


def test_a_mention_wins_by_the_published_rule_and_is_not_put_to_the_referee(play: Play) -> None:
    script = Script(["Is it taller than the Eiffel Tower?", "Is it old?", WIN], "Yes.")
    game = play(script, referee=True)
    assert (game["canonical"], game["canonical_turns"], game["doubtful"]) == ("won", 3, 0)
    assert (game["canonical_mention"], game["canonical_mention_turns"]) == ("won", 1)


def test_a_mention_after_the_fork_is_of_the_unlimited_game_alone(play: Play) -> None:
    script = Script([*questions(2), "Is it near the Eiffel Tower?", *questions(3)], final="Rome?")
    game = play(script, setting="both", turns=3, most_turns=5)
    assert (game["canonical"], game["canonical_mention"]) == ("lost", "lost")
    assert (game["unlimited"], game["unlimited_mention"]) == ("lost", "won")
    assert game["unlimited_mention_turns"] == 3


DOUBTFUL = "Eiffel Tower it shall be?"
A_PART = "Is it Eiffel's iron lady?"


@pytest.mark.parametrize(("said", "ending"), [("Yes.", "won"), ("No.", "lost")])
@pytest.mark.parametrize("turn", [DOUBTFUL, A_PART])
def test_a_referee_decides_another_mention_and_a_part_of_the_name_that_the_judge_affirms(
    play: Play, turn: str, said: str, ending: str
) -> None:
    def judge(prompt: str) -> str:
        return said if "proposes" in prompt else "Yes." if "iron lady" in prompt else "No."

    script = Script([turn, *questions(5)], judge)
    game = play(script, turns=3, referee=True)
    assert (game["canonical"], game["doubtful"]) == (ending, 1)
    assert game["refereed"] == (ending == "won")


def test_without_a_referee_nobody_is_asked_and_what_is_left_open_is_counted(play: Play) -> None:
    script = Script([DOUBTFUL, *questions(5)])
    game = play(script, turns=3)
    assert (game["canonical"], game["doubtful"], game["refereed"]) == ("lost", 1, None)
    assert game["canonical_mention"] == "won"
    assert not any("proposes" in prompt[-1]["content"] for prompt in script.prompts)


def test_a_referee_places_a_final_guess_that_is_in_no_table(play: Play) -> None:
    def judge(prompt: str) -> str:
        return "**Iceland**." if "Which country" in prompt else "No."

    script = Script(questions(5), judge, final="Is it Harpa of Reykjavik?")
    game = play(script, turns=3, referee=True)
    assert game["guessed_country"] == "ISL"
    alone = play(Script(questions(5)), turns=3)
    assert (alone["guessed"], alone["guessed_country"]) == ("", "")


def test_a_judge_that_refuses_or_says_nothing_useful_costs_a_maybe(play: Play) -> None:
    said = iter(["I'm sorry, I cannot help.", "Bananas."])
    script = Script(["Is it big?", "Is it old?", WIN], lambda _: next(said))
    game = play(script)
    assert (game["unread"], game["canonical"]) == (2, "won")
    assert [m["content"] for m in script.prompts[-1]][2::2] == ["Maybe.", "Maybe."]


@pytest.mark.parametrize(
    ("bad", "outcome"),
    [
        (completion(""), "empty"),
        (http(400, '{"error": {"message": "no", "code": "content_filter"}}'), "filtered"),
    ],
)
def test_a_side_without_text_breaks_the_game(play: Play, bad: bytes, outcome: str) -> None:
    by_judge = play(Script(["Is it big?"], bad), setting="both")
    assert (by_judge["canonical"], by_judge["unlimited"]) == ("broken", "broken")
    assert by_judge["outcome"] == outcome
    script = Script(["Is it big?", bad])
    by_guesser = play(script, setting="both")
    assert (by_guesser["canonical_turns"], by_guesser["outcome"]) == (2, outcome)


def test_a_broken_final_guess_leaves_the_unlimited_game_alone(play: Play) -> None:
    script = Script([*questions(4), WIN], final=completion(""))
    game = play(script, setting="both", turns=3)
    assert (game["canonical"], game["unlimited"], game["outcome"]) == ("broken", "won", "played")


def test_a_game_that_was_stopped_goes_on_where_it_was(raw_server: Server, tmp_path: Path) -> None:
    script = Script([*questions(10), WIN])
    url = raw_server(script).url
    plan = planned(tmp_path, type="things", setting="both", turns=5, most_turns=30)
    out = tmp_path / "r.geobias"
    with pytest.raises(Stopped):
        geobias.run([plan], url, out, options=geobias.Options(max_calls=16))
    assert len(script.asked) == 13  # and 3 of whether it knows the targets
    geobias.run([plan], url, out)
    with geobias.open_run(out) as run:
        games = {game["entity"]: game for game in run.records("geo20q")}
        kept = sum(spent.calls for spent in run.spent().values())
    assert kept == len(script.asked) + 3
    assert games["eiffel-tower"]["unlimited_turns"] == 11


def test_sampled_repeats_are_independent_games(raw_server: Server, tmp_path: Path) -> None:
    script = Script([WIN])
    asked = {"type": "people", "setting": "canonical", "turns": 2}
    plan = planned(tmp_path, **asked, repeats=3, temperature=0.8)
    geobias.run([plan], raw_server(script).url, tmp_path / "r.geobias")
    # Two guesses in each game, but the greedy judge answers the same question once.
    assert script.asked.count("guesser") + script.asked.count("final") == 6
    assert script.asked.count("judge") == 1


@pytest.mark.parametrize("row", table_beside(__file__, "guesses.csv"))
def test_a_guess_beyond_the_table_has_a_country(row: dict[str, str]) -> None:
    target, names = entities()["wangari-maathai"], shipped_names("en")
    found = guessed_elsewhere(row["text"], target, names, final=row["final"] == "yes")
    assert found == (row["name"], row["country"])


def test_wrong_guesses_of_every_turn_are_noted(play: Play) -> None:
    lines = ["Is it Abel Tasman?", "Is he a man?", "Is he tall?", "Is he old?"]
    game = play(Script(lines), "jack-ma", turns=4)
    assert (game["guessed"], game["guessed_country"]) == ("Abel Tasman", "NLD")
