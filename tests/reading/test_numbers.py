from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.reading.numbers import read_number
from geobias.reading.numerals import Asked
from tests.labelled import table_beside

PEOPLE = Asked("people", phrase="total population", low=1000, high=2e9)
SHARE = Asked("%", phrase="unemployment as a percent of the total labor force", low=0, high=100)


@given(st.integers(2100, 2_000_000_000), st.decimals(0, 100, places=2))
def test_numbers_and_shares_are_read_however_they_are_written(value: int, share: object) -> None:
    for written in (f"{value}", f"{value:,}", f"**{value:,}**", f"Answer: {value:,} people."):
        assert read_number(written, PEOPLE).value == value
    for written in (f"{share}%", f"{share} percent", f"It is about {share}%."):
        assert read_number(written, SHARE).value == float(str(share))


@given(st.text())
def test_any_text_is_read_without_an_error(text: str) -> None:
    assert read_number(text, PEOPLE).outcome in ("read", "declined", "unread", "cut")


@pytest.mark.parametrize("row", table_beside(__file__, "numbers.csv"))
def test_one_plain_number_is_read_whatever_surrounds_it_and_nothing_else(
    row: dict[str, str],
) -> None:
    value = float(row["value"]) if row["value"] else None
    assert read_number(row["reply"], PEOPLE).value == value


@pytest.mark.parametrize(
    ("reply", "unit"),
    [
        ("5.7 percentage points", "%"),
        ("1. Kenya 2. Peru", "%"),
        ("They are: 1. Silver (stříbro), 2. Wood.", "materials"),
        ("She was one of six children.", "siblings"),
    ],
)
def test_a_difference_and_the_number_of_a_list_are_unread(reply: str, unit: str) -> None:
    assert read_number(reply, SHARE if unit == "%" else Asked(unit)).outcome == "unread"


@pytest.mark.parametrize(
    ("reply", "unit", "value"),
    [("ten months", "months", 10), ("only one candidate", "candidates", 1), ("one ton", "tons", 1)],
)
def test_a_small_number_in_words_is_read_where_it_stands_alone_with_its_unit(
    reply: str, unit: str, value: int
) -> None:
    assert read_number(reply, Asked(unit, question=f"One of them: how many {unit}?")).value == value


def test_a_reply_that_is_cut_off_is_no_answer() -> None:
    assert read_number("The population of Kenya is 53", PEOPLE, cut=True).outcome == "cut"
    assert read_number("To work this out, let us first", PEOPLE, cut=True).outcome == "cut"


def test_a_number_of_the_question_is_an_answer_only_where_it_stands_alone() -> None:
    asked = Asked("songs", question="How many songs has Part 3?")
    assert read_number("3.", asked).value == 3
    assert read_number("Part 3 has some.", asked).value is None


def test_a_number_after_a_version_is_unread() -> None:
    asked = Asked("patch", question="In which patch?")
    assert read_number("In 1.4.0.5. That was for its 10. birthday.", asked).value is None
    assert read_number("It is 17.190.747", asked).value is None
