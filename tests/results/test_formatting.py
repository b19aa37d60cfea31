"""Numbers, durations and ids as people read them."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.results import formatting
from geobias.results.formatting import one_line, printable


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.4, "under 1 s"), (45, "45 s"), (62, "1 min 2 s"), (8916, "2 h 28 min"), (90000, "1 d 1 h")],
)
def test_a_duration_is_told_in_the_units_that_matter(seconds: float, words: str) -> None:
    assert formatting.duration(seconds) == words


def test_numbers_have_one_minus_sign_and_hyphens_stay() -> None:
    text = "bias -0.04 [-0.12, 0.04] of gpt-4, 2020-22, a -.5"
    assert formatting.with_true_minus(text) == ("bias −0.04 [−0.12, 0.04] of gpt-4, 2020-22, a −.5")


@pytest.mark.parametrize(
    ("n", "unit", "words"),
    [(1, "templates", "1 template"), (1, "games won", "1 game won"), (1, "economies", "1 economy"),
     (0, "games", "0 games"), (1234, "questions", "1,234 questions")],
)  # fmt: skip
def test_one_of_something_is_singular(n: int, unit: str, words: str) -> None:
    assert formatting.counted(n, unit) == words


def test_heads_and_notes_of_tables_are_english() -> None:
    assert formatting.column_head("p_holm") == "p, adjusted (Holm)"
    assert formatting.column_head("gave_up_share") == "Gave up share"
    assert formatting.column_head("EAS") == "EAS"
    assert formatting.words("gdp_ppp_per_person_employed") == "GDP per person employed (PPP)"
    assert formatting.note_in_words("`p_holm` allows for all rows.") == (
        "“p, adjusted (Holm)” allows for all rows."
    )


@pytest.mark.parametrize(
    ("value", "said"), [(0.151, "0.15"), (0.0123, "0.012"), (4.9e-4, "0.00049")]
)
def test_a_small_half_width_is_not_written_as_nothing(value: float, said: str) -> None:
    assert formatting.two_digits(value) == said


@given(st.text())
def test_no_text_can_control_the_terminal(text: str) -> None:
    shown = printable(text)
    assert all(unicodedata.category(c) != "Cc" or c in "\n\t" for c in shown)
    assert "\n" not in one_line(text)


def test_escape_sequences_are_made_visible() -> None:
    assert printable("\x1b[31mred\x1b]0;title\x07") == "\ufffd[31mred\ufffd]0;title\ufffd"


def test_spaces_and_joiners_of_other_scripts_stay() -> None:
    text = "1\u00a0234 人口\u3000約 می\u200cخواهم"
    assert printable(text) == text
