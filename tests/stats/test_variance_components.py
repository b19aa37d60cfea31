"""Where variance comes from, against what was planted."""

from __future__ import annotations

import numpy as np
import pytest

from geobias.stats.variance_components import Components, crossed_components


def drawn(
    dice: np.random.Generator, shape: tuple[int, int, int], sds: tuple[float, float, float]
) -> Components:
    strata, units, conditions = shape
    values = (
        dice.normal(0, 5, (strata, 1, 1))
        + dice.normal(0, sds[0], (strata, units, 1))
        + dice.normal(0, sds[1], (strata, 1, conditions))
        + dice.normal(0, sds[2], shape)
    )
    return crossed_components(values.ravel(), *(index.ravel() for index in np.indices(shape)))


def test_a_table_by_hand() -> None:
    """Two units, two conditions: mean squares 4 (units), 1 (conditions) and 0 (rest)."""
    found = crossed_components([1, 2, 3, 4], ["i"] * 4, [0, 0, 1, 1], [0, 1, 0, 1])
    assert found.variances["unit"] == pytest.approx((4 - 0) / 2)
    assert found.variances["condition"] == pytest.approx((1 - 0) / 2)
    assert found.variances["interaction"] == 0
    assert found.variances["draw"] is None
    assert found.outside.value == pytest.approx(0.5 / 2.5)
    assert found.outside.low is None
    assert found.outside.reason == "2 units: no interval"


def test_what_was_planted_is_found_on_average() -> None:
    dice = np.random.default_rng(0)
    found = [drawn(dice, (3, 40, 6), (2.0, 1.0, 1.5)).variances for _ in range(25)]
    for name, planted in (("unit", 4.0), ("condition", 1.0), ("interaction", 2.25)):
        every = [one[name] for one in found]
        assert np.mean([x for x in every if x is not None]) == pytest.approx(planted, rel=0.25)


def test_the_interval_holds_the_planted_share() -> None:
    """In at least 36 of 40; the jackknife over both is meant to be a little wide."""
    dice = np.random.default_rng(1)
    sds = (0.2, 0.1, 0.2)
    share = (0.1**2 + 0.2**2) / sum(sd**2 for sd in sds)
    every = [drawn(dice, (3, 27, 3), sds).outside for _ in range(40)]
    held = [one.low is not None and one.low <= share <= (one.high or 0) for one in every]
    assert sum(held) >= 36


def test_draws_are_told_from_the_interaction() -> None:
    dice = np.random.default_rng(2)
    shape = (3, 60, 4)
    cells = dice.normal(0, 1, (3, 60, 1)) + dice.normal(0, 0.5, shape)
    values = cells[..., None] + dice.normal(0, 2, (*shape, 5))
    index = [one.ravel() for one in np.indices(values.shape)]
    found = crossed_components(values.ravel(), *index[:3]).variances
    assert found["draw"] == pytest.approx(4, rel=0.1)
    assert found["interaction"] == pytest.approx(0.25, abs=0.15)


def test_units_without_a_value_in_every_condition_are_left_out() -> None:
    values = [1, 2, 3, 4, 100, np.nan]
    found = crossed_components(values, ["i"] * 6, [0, 0, 1, 1, 2, 2], [0, 1, 0, 1, 0, 1])
    assert (found.units, found.cells) == (2, 4)


@pytest.mark.parametrize(
    ("values", "conditions", "why"),
    [
        ([1.0, 2.0], [0, 0], "one condition alone"),
        ([1.0, 2.0], [0, 1], "under two units have a value in every condition"),
        ([3.0, 3.0, 3.0, 3.0], [0, 1, 0, 1], "no value differs from another"),
        ([], [], "one condition alone"),
    ],
)
def test_what_is_undefined_says_why(values: list[float], conditions: list[int], why: str) -> None:
    units = [i // 2 for i in range(len(values))]
    found = crossed_components(values, ["i"] * len(values), units, conditions)
    assert found.outside.value is None
    assert found.outside.reason == why
