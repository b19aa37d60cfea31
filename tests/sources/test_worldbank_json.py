from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.errors import BadDownload
from geobias.sources.worldbank import (
    FigureRow,
    Head,
    ServiceSaysNo,
    read_rows,
)

from .standin import economy, figure_row, refusal

JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text() | st.integers(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


def written(*parts: Any) -> bytes:
    return json.dumps(list(parts)).encode()


def test_a_page_of_figures() -> None:
    head = {"page": 1, "pages": 1, "per_page": 9, "total": 1, "lastupdated": "2026-01-28"}
    row = figure_row("SP.POP.TOTL", "KEN", 2024, 56432944, [economy("KEN", "KE", "Kenya")])
    read, rows = read_rows(written(head, [row]), FigureRow)
    assert read == Head(pages=1, total=1, lastupdated="2026-01-28")
    assert (rows[0].place, rows[0].date, rows[0].value) == ("KEN", "2024", 56432944.0)


@pytest.mark.parametrize(
    ("head", "rows"),
    [
        ({"page": "1", "pages": "1", "per_page": "400", "total": "0"}, []),
        ({"page": 1, "pages": 1, "per_page": None, "total": 0, "lastupdated": None}, None),
    ],
    ids=["numbers as text", "null for no rows"],
)
def test_a_page_without_rows(head: dict[str, Any], rows: list[Any] | None) -> None:
    assert read_rows(written(head, rows), FigureRow) == (Head(pages=1), [])


@pytest.mark.parametrize(("number", "gone"), [("120", True), ("175", True), ("199", False)])
def test_a_message_says_whether_there_is_no_such_indicator(number: str, gone: bool) -> None:
    with pytest.raises(ServiceSaysNo, match="Invalid value: The provided value") as caught:
        read_rows(written(*refusal(number, "Invalid value", "The provided\nvalue.")), FigureRow)
    assert caught.value.no_such_indicator is gone
    assert "\n" not in str(caught.value)


@given(JSON)
def test_any_json_is_a_page_or_refused(value: Any) -> None:
    raw = json.dumps(value).encode()
    try:
        head, rows = read_rows(raw, FigureRow)
    except (BadDownload, ServiceSaysNo):
        return
    assert isinstance(head, Head)
    assert isinstance(rows, list)
