"""How the guesser's and the judge's replies are read."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from geobias.atlas.entities import LANGUAGES
from geobias.probes.geo20q.languages import load_language
from geobias.probes.geo20q.replies import gives_up, is_yes_no, read_answer, turn_of
from geobias.trials import Reply
from tests.defined import defined
from tests.labelled import by, table_beside


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_words_that_a_language_tells_its_judge_to_say_are_read_as_such(code: str) -> None:
    language = load_language(code)
    for prompts in (language.people, language.things):
        for answer in ("yes", "no", "maybe"):
            assert read_answer(prompts.answer_word(answer), language) == answer


@pytest.mark.parametrize(
    ("reply", "asked"),
    [
        ("Is it alive?", "Is it alive?"),
        ("Is it alive?\nYes.\nIs it big?", "Is it alive?"),
        ("Sure! Let's play.\n\n**Is it alive?**", "Is it alive?"),
        ("Is it alive? Yes. Is it big? No.", "Is it alive?"),
        ('"Is it alive?"', "Is it alive?"),
        ("<think>Is it alive? Perhaps.</think>\nIs it big?", "Is it big?"),
        ("Final guess:\nThe Nile", "Final guess: The Nile"),
        ("Is it alive?<|im_end|>", "Is it alive?"),
        ("Thank you.\nI see.\nIs it big", "Thank you. I see. Is it big"),
    ],
)
def test_a_turn_is_the_first_question_of_a_reply(reply: str, asked: str) -> None:
    turn = defined(turn_of(Reply(reply)))
    assert turn.question == asked


@pytest.mark.parametrize("reply", ["", " \n", "...", "<think>Is it", "**", "?"])
def test_a_reply_without_words_of_its_own_is_no_turn(reply: str) -> None:
    assert turn_of(Reply(reply)) is None


def test_a_guess_before_the_question_mark_counts_and_later_ones_do_not() -> None:
    turn = defined(turn_of(Reply("It's the Eiffel Tower. Right? Or the Nile?")))
    assert "Eiffel" in turn.text
    assert "Nile" not in turn.text


@given(st.text(), st.sampled_from(LANGUAGES))
def test_no_reply_makes_the_readers_fail(reply: str, code: str) -> None:
    language = load_language(code)
    read_answer(reply, language)
    turn = turn_of(Reply(reply))
    assume(turn is not None)
    assert turn is not None
    assert "\n" not in turn.question
    assert turn.question.strip()
    gives_up(turn, language)
    is_yes_no(turn.question, language)


@pytest.mark.parametrize(
    ("language", "rows"), by("language", table_beside(__file__, "giving_up.csv"))
)
def test_giving_up_is_told_from_asking_on(language: str, rows: list[dict[str, str]]) -> None:
    for row in rows:
        turn = defined(turn_of(Reply(row["turn"])))
        assert gives_up(turn, load_language(language)) == row["gives up"], row["turn"]


@pytest.mark.parametrize(
    ("language", "rows"), by("language", table_beside(__file__, "yes_no_questions.csv"))
)
def test_a_yes_no_question_is_told_from_an_open_one(
    language: str, rows: list[dict[str, str]]
) -> None:
    for row in rows:
        asks = row["yes/no"] == "yes"
        assert is_yes_no(row["question"], load_language(language)) == asks, row["question"]


@pytest.mark.parametrize(
    ("language", "rows"), by("language", table_beside(__file__, "judges_words.csv"))
)
def test_a_reply_is_read_as_it_is_meant_or_not_at_all(
    language: str, rows: list[dict[str, str]]
) -> None:
    read = [read_answer(row["reply"], load_language(language)) for row in rows]
    meant = [row["meant"] if row["meant"] in ("yes", "no", "maybe") else "" for row in rows]
    misread = [
        row for row, answer, one in zip(rows, read, meant, strict=True) if answer not in ("", one)
    ]
    assert misread == []
    assert sum(map(bool, read)) >= 0.5 * sum(map(bool, meant))
