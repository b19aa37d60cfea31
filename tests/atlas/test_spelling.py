from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from geobias.atlas.spelling import spelling_key


@given(st.text(), st.text())
def test_spaces_and_punctuation_around_a_name_do_not_matter(a: str, b: str) -> None:
    assert spelling_key(f" {a}, {b}! ") == spelling_key(f"{a} , {b}")
