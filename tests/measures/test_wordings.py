"""Where variance comes from, against what was planted."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from geobias.measures.estimates import group_table
from geobias.measures.measure import Measure
from geobias.measures.wordings import crossed_components
from tests.studies import ends, fewest, studies


def test_a_table_by_hand() -> None:
    """Two units, two conditions: mean squares 4 (units), 1 (conditions) and 0 (rest)."""
    found = crossed_components([1, 2, 3, 4], ["i"] * 4, [0, 0, 1, 1], [0, 1, 0, 1])
    assert found.variances == pytest.approx(((4 - 0) / 2, (1 - 0) / 2, 0, 0))
    assert not found.drawn
    assert found.share.value == pytest.approx(0.5 / 2.5)
    assert found.share.low is None
    assert found.share.reason


def test_the_interval_holds_the_planted_share() -> None:
    """The jackknife over both is meant to be a little wide: never in fewer than 95%."""
    dice, held, drawn = np.random.default_rng(1), 0, studies(40, 400)
    index = [one.ravel() for one in np.indices((3, 27, 3))]
    for _ in range(drawn):
        values = dice.normal(0, 5, (3, 1, 1)) + dice.normal(0, 0.2, (3, 27, 1))
        values = values + dice.normal(0, 0.1, (3, 1, 3)) + dice.normal(0, 0.2, (3, 27, 3))
        low, high = ends(crossed_components(values.ravel(), *index).share)
        held += low <= (0.1**2 + 0.2**2) / (0.2**2 + 0.1**2 + 0.2**2) <= high
    assert held >= fewest(drawn)


def test_draws_are_told_from_the_interaction() -> None:
    dice = np.random.default_rng(2)
    shape = (3, 60, 4)
    cells = dice.normal(0, 1, (3, 60, 1)) + dice.normal(0, 0.5, shape)
    values = cells[..., None] + dice.normal(0, 2, (*shape, 5))
    index = [one.ravel() for one in np.indices(values.shape)]
    found = crossed_components(values.ravel(), *index[:3]).variances
    assert found is not None
    assert found.draw == pytest.approx(4, rel=0.1)
    assert found.interaction == pytest.approx(0.25, abs=0.15)


@pytest.mark.parametrize(
    ("values", "conditions", "why"),
    [
        ([1.0, 2.0], [0, 0], "one wording alone"),
        ([1.0, 2.0], [0, 1], "fewer than two units have a value in every wording"),
        ([3.0, 3.0, 3.0, 3.0], [0, 1, 0, 1], "all values are equal"),
        ([], [], "one wording alone"),
    ],
)
def test_what_is_undefined_says_why(values: list[float], conditions: list[int], why: str) -> None:
    units = [i // 2 for i in range(len(values))]
    found = crossed_components(values, ["i"] * len(values), units, conditions)
    assert found.share.value is None
    assert found.share.reason == why


def test_a_table_by_wording_has_a_row_for_each_wording() -> None:
    error = Measure(
        name="error", label="Error", value="error", unit="", better="low", item="indicator"
    )
    rows = [
        {"country": country, "indicator": item, "wording": wording, "error": 0.1 + 0.2 * wording}
        for country in ("FRA", "KEN", "IND")
        for item in ("area", "births")
        for wording in (0, 1)
    ]
    found = group_table(pl.DataFrame(rows), error, "wording")
    assert dict(found.select("group", "mean").iter_rows()) == pytest.approx({"0": 0.1, "1": 0.3})
    assert found["asked"].to_list() == [6, 6]
