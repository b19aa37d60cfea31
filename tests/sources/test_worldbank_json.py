from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.errors import BadDownload
from geobias.sources.worldbank import (
    EconomyRow,
    FigureRow,
    PageHeading,
    ServiceSaysNo,
    read_page,
    served_economy,
)

from .standin import AGGREGATE, UNCLASSIFIED, economy, figure_row, refusal

JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text() | st.integers(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


def written(*parts: Any) -> bytes:
    return json.dumps(list(parts)).encode()


def test_a_page_of_figures() -> None:
    head = {"page": 2, "pages": 3, "per_page": 1, "total": 3, "lastupdated": "2026-01-28"}
    row = figure_row("SP.POP.TOTL", "KEN", 2024, 56432944, [economy("KEN", "KE", "Kenya")])
    number, heading, rows = read_page(written(head, [row]), FigureRow)
    assert (number, heading) == (2, PageHeading(pages=3, total=3, edition="2026-01-28"))
    assert (rows[0].place, rows[0].date, rows[0].value) == ("KEN", "2024", 56432944.0)


def test_numbers_of_the_head_may_be_text() -> None:
    head = {"page": "1", "pages": "1", "per_page": "400", "total": "0"}
    assert read_page(written(head, []), FigureRow) == (1, PageHeading(1, 0, ""), [])


def test_nothing_at_all_is_a_page_without_rows() -> None:
    head = {"page": 0, "pages": 0, "per_page": None, "total": 0, "lastupdated": None}
    assert read_page(written(head, None), FigureRow) == (0, PageHeading(0, 0, ""), [])


def test_a_null_is_no_figure_and_zero_is_one() -> None:
    rows = [figure_row("A", "KEN", year, value, []) for year, value in ((1, None), (2, 0))]
    _, _, read = read_page(written({"page": 1, "pages": 1, "total": 2}, rows), FigureRow)
    assert [row.value for row in read] == [None, 0.0]


@pytest.mark.parametrize(("number", "gone"), [("120", True), ("175", True), ("199", False)])
def test_a_message_says_whether_there_is_no_such_indicator(number: str, gone: bool) -> None:
    with pytest.raises(ServiceSaysNo, match="Invalid value: The provided value") as caught:
        read_page(written(*refusal(number, "Invalid value", "The provided\nvalue.")), FigureRow)
    assert caught.value.no_such_indicator is gone
    assert "\n" not in str(caught.value)


def test_an_economy_has_region_income_and_capital() -> None:
    _, _, rows = read_page(written({"total": 1}, [economy("KEN", "KE", "Kenya")]), EconomyRow)
    one = served_economy(rows[0])
    assert (one.iso3, one.iso2, one.name) == ("KEN", "KE", "Kenya")
    assert (one.region, one.income) == ("Sub-Saharan Africa", "Low income")
    assert one.capital == "The capital of Kenya"


def test_an_aggregate_is_in_no_region_and_an_unclassified_economy_has_no_income() -> None:
    given_rows = [
        economy("WLD", "1W", "World", region=AGGREGATE, capitalCity=""),
        economy("VEN", "VE", "Venezuela, RB", incomeLevel=UNCLASSIFIED),
    ]
    _, _, rows = read_page(written({"total": 2}, given_rows), EconomyRow)
    world, venezuela = map(served_economy, rows)
    assert (world.aggregate, world.region, world.income, world.capital) == (True, None, None, None)
    assert (venezuela.aggregate, venezuela.income) == (False, None)


@given(JSON)
def test_any_json_is_a_page_or_refused(value: Any) -> None:
    raw = json.dumps(value).encode()
    try:
        number, heading, rows = read_page(raw, FigureRow)
    except (BadDownload, ServiceSaysNo):
        return
    assert isinstance(number, int)
    assert isinstance(heading, PageHeading)
    assert isinstance(rows, list)


@given(st.binary())
def test_any_bytes_are_a_page_or_refused(raw: bytes) -> None:
    with pytest.raises(BadDownload, match="another shape"):
        read_page(raw, FigureRow)
