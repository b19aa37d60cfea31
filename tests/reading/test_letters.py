"""A pattern that ignores case also matches İ, ı, ſ and the Kelvin sign, which `lower` keeps."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.probes.namebbq.recognition import nationality_in
from geobias.probes.worldbench.cited import cited_source
from geobias.reading.choices import Options, mentioned, read_choice
from geobias.reading.numbers import read_number
from geobias.reading.numerals import Asked
from geobias.reading.units import spellings, unit_at
from geobias.reading.words import entries, words

ALIKE = {"i": "iIİı", "s": "sSſ", "k": "kK\u212a"}
UNITS = [*words("currencies"), *(one for name in ("share", "length") for one in spellings(name))]
SOURCES = [name for names in entries("sources").values() for name in names.split("|")]


def in_other_letters(texts: list[str]) -> st.SearchStrategy[tuple[str, str]]:
    """Draw a text, and the same text with letters that are alike for a pattern."""

    def changed(text: str) -> st.SearchStrategy[tuple[str, str]]:
        letters = [st.sampled_from(ALIKE.get(one, one + one.swapcase()[:1])) for one in text]
        return st.tuples(st.just(text), st.tuples(*letters).map("".join))

    return st.sampled_from(texts).flatmap(changed)


@given(in_other_letters(UNITS))
def test_a_unit_is_the_same_in_any_letters(pair: tuple[str, str]) -> None:
    text, changed = pair
    assert unit_at(changed) == unit_at(text)
    assert read_number(f"13,4 {changed}", Asked(changed)).outcome == "read"


@given(in_other_letters(SOURCES))
def test_a_source_is_the_same_in_any_letters(pair: tuple[str, str]) -> None:
    text, changed = pair
    assert cited_source(changed) in (cited_source(text.upper()), None)


@pytest.mark.parametrize("letter", "iIİı")
def test_a_label_is_the_same_in_any_letters(letter: str) -> None:
    options = Options(tuple(f"answer number {place}" for place in range(9)))
    assert read_choice(f"({letter})", options).value == 8
    assert mentioned(f"({letter})", options) <= {8}


def test_a_people_in_other_letters_is_not_the_one_asked_about() -> None:
    assert nationality_in("Nıgerian", "Danish", "DNK")[1] == ("NGA",)
