from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.errors import BadDownload, BadRequest
from geobias.sources.worldbank import NoSuchSeries, read_series

from .standin import figure_row, refusal

CODE = "SP.POP.TOTL"
JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text() | st.integers(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


def written(*parts: Any) -> bytes:
    return json.dumps(list(parts)).encode()


def test_a_page_of_figures() -> None:
    head = {"page": "1", "pages": 1, "per_page": None, "total": "1", "lastupdated": "2026-01-28"}
    row = figure_row(CODE, "KEN", 2024, 56432944)
    series = read_series(written(head, [row]), CODE)
    assert (series.edition, series.figures) == ("2026-01-28", {"KEN": {2024: 56432944.0}})


@pytest.mark.parametrize(
    ("number", "kind"), [("120", NoSuchSeries), ("175", NoSuchSeries), ("199", BadDownload)]
)
def test_a_message_says_whether_there_is_no_such_indicator(number: str, kind: Any) -> None:
    with pytest.raises(kind, match="Invalid value: The provided value") as caught:
        read_series(written(*refusal(number, "Invalid value", "The provided\nvalue.")), CODE)
    assert "\n" not in str(caught.value)


@given(JSON)
def test_any_json_is_refused(value: Any) -> None:
    with pytest.raises((BadDownload, BadRequest)):
        read_series(json.dumps(value).encode(), CODE)
