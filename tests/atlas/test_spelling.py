from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.atlas.spelling import spelling_key


@given(st.text(), st.text())
def test_spaces_and_punctuation_around_a_name_do_not_matter(a: str, b: str) -> None:
    assert spelling_key(f" {a}, {b}! ") == spelling_key(f"{a} , {b}")


@pytest.mark.parametrize(
    "spellings",
    [
        ("St. Lucia", "St Lucia", "Saint Lucia"),
        ("The Gambia", "Gambia, The", "Gambia"),
        ("Côte d'Ivoire", "Cote dIvoire"),
        ("U.S.A.", "USA"),
    ],
)
def test_spellings_of_one_name_have_one_key(spellings: tuple[str, ...]) -> None:
    assert len(set(map(spelling_key, spellings))) == 1


def test_two_different_names_keep_different_keys() -> None:
    assert spelling_key("Niger") != spelling_key("Nigeria")
