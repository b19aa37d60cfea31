"""Text from elsewhere is made safe, numbers get a true minus, and a reply its mark."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from geobias.results import formatting
from geobias.results.descriptions import marked_part
from geobias.results.formatting import one_line, printable, setting_text


def test_numbers_have_one_minus_sign_and_hyphens_stay() -> None:
    text = "bias -0.04 [-0.12, 0.04] of gpt-4, 2020-22, a -.5"
    assert formatting.with_true_minus(text) == ("bias −0.04 [−0.12, 0.04] of gpt-4, 2020-22, a −.5")


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


def test_an_indicator_of_ones_own_is_shown_without_what_is_not_set() -> None:
    own = {"id": "life", "unit": "years", "low": None, "series": "", "decimals": 0}
    assert setting_text(own) == "id life, unit years, decimals 0"


def test_what_a_reader_quoted_marks_nothing_in_the_reply() -> None:
    record = {"span_start": 0, "span_end": 4, "read_by": "rules"}
    assert marked_part(record) == (0, 4)
    assert marked_part(record | {"read_by": "reader"}) is None
