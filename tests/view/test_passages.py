from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from geobias.report.page.text import harmless
from geobias.view.trial import passage, snippet

HARMFUL = set(map(chr, [*range(32), 127, *range(0x202A, 0x202F), *range(0x2066, 0x206A)])) - {
    "\n",
    "\t",
}


@given(st.text())
def test_text_is_harmless_and_keeps_its_places(text: str) -> None:
    shown = harmless(text)
    assert len(shown) == len(text)
    assert not HARMFUL & set(shown)
    shown.encode()


@given(st.text(), st.integers(-5, 50), st.integers(-5, 50))
def test_the_parts_make_up_the_whole(text: str, start: int, end: int) -> None:
    found = passage(text, (start, end))
    assert found.before + found.marked + found.after == text
    if 0 <= start < end <= len(text):
        assert found.marked == text[start:end]


@given(st.text(max_size=500), st.lists(st.text(max_size=8), max_size=3))
def test_a_snippet_is_never_longer_than_it_should_be(text: str, words: list[str]) -> None:
    found = snippet(text, words)
    assert len(found.before + found.marked + found.after) <= 220 + 8 + len("…  … (500 characters)")


def test_a_snippet_shows_the_word_that_was_searched() -> None:
    found = snippet("x " * 300 + "The Nile is long", ["nile"])
    assert found.marked == "Nile"
    assert found.before.startswith("… ")
