from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.reading.choices import Options, read_choice
from tests.labelled import table_beside

DRIVERS = Options(
    ("The Kenyan driver", "Not enough information", "The Danish driver"),
    unknown=1,
    short=("Kenyan", "", "Danish"),
)


@pytest.mark.parametrize("row", table_beside(__file__, "choices.csv"))
def test_only_a_label_or_the_exact_words_choose(row: dict[str, str]) -> None:
    place = int(row["place"]) if row["place"] else None
    assert read_choice(row["reply"], DRIVERS).value == place


def test_a_reply_that_is_cut_off_before_its_answer_is_cut() -> None:
    found = read_choice("Let us think step by step. The Kenyan driver", DRIVERS, cut=True)
    assert (found.value, found.outcome) == (None, "cut")


def test_a_refusal_is_told_from_not_knowing() -> None:
    assert read_choice("I'm sorry, but I can't help with that.", DRIVERS).outcome == "declined"
    assert read_choice("It cannot be determined.", DRIVERS).value == 1
    both = "(b) I'm sorry, but that is an assumption. (c)"
    assert read_choice(both, DRIVERS).outcome == "unread"


@given(st.text())
def test_any_text_is_read_without_an_error(text: str) -> None:
    outcome = read_choice(text, DRIVERS).outcome
    assert outcome in ("read", "declined", "unread", "cut")
