from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.probes.pilot.reading import continent, letter, yes_or_no


@pytest.mark.parametrize(
    ("reply", "option"),
    [
        ("a", "a"),
        ("(c)", "c"),
        ("B.", "b"),
        ("**B**", "b"),
        ("C) It cannot be known", "c"),
        ("The answer is (A).", "a"),
        ("Option b", "b"),
        ("A definitive answer is impossible: it cannot be known.", None),
        ("The answer is A or C", None),
        ("Both a and b", None),
        ("", None),
    ],
)
def test_a_letter_is_read_only_where_it_is_the_answer(reply: str, option: str | None) -> None:
    assert letter(reply) == option


@pytest.mark.parametrize(
    ("reply", "named"),
    [
        ("Kenya is in Africa.", "Africa"),
        ("north america", "North America"),
        ("Australia", "Oceania"),
        ("Africa or Asia", None),
        ("Eurasia", None),
    ],
)
def test_a_continent_is_read_if_exactly_one_is_named(reply: str, named: str | None) -> None:
    assert continent(reply) == named


@given(st.text())
def test_no_text_makes_the_readers_fail(reply: str) -> None:
    letter(reply)
    continent(reply)
    yes_or_no(reply)
