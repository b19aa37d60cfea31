"""Numbers beside the primary one, against computations by hand."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from scipy import stats

from geobias.atlas.economies import economies
from geobias.measures.measure import Measure, by_half
from geobias.measures.methods import ratios

ERROR = Measure(
    name="error",
    label="Mean error",
    value="error",
    unit="error",
    better="low",
    contrasts=(by_half("north_south", "North minus South"),),
)
NORTH = [0.62, 0.48, 0.75, 0.60, 0.55, 0.66]
SOUTH = [0.41, 0.35, 0.52, 0.30, 0.44, 0.38, 0.49]


def asked(north: list[float], south: list[float]) -> pl.DataFrame:
    halves = {"Global North": north, "Global South": south}
    rows = [
        {"country": one.iso3, "north_south": half, "error": error}
        for half, errors in halves.items()
        for one, error in zip(
            (e for e in economies().values() if e.north_south == half), errors, strict=False
        )
    ]
    return pl.DataFrame(rows)


def test_how_many_times_a_mean_another_is_has_the_delta_methods_interval() -> None:
    [row] = ratios(asked(NORTH, SOUTH), [ERROR]).to_dicts()
    means = [np.mean(side) for side in (NORTH, SOUTH)]
    # The variance of a logarithm is that of the mean over the mean squared.
    parts = [np.var(side, ddof=1) / len(side) / np.mean(side) ** 2 for side in (NORTH, SOUTH)]
    freedom = sum(parts) ** 2 / sum(
        part**2 / (len(side) - 1) for part, side in zip(parts, (NORTH, SOUTH), strict=True)
    )
    log, half = math.log(means[0] / means[1]), stats.t.ppf(0.975, freedom) * math.sqrt(sum(parts))
    assert (row["measure"], row["first"], row["second"]) == (
        "Mean error",
        "Global North",
        "Global South",
    )
    assert row["times"] == pytest.approx(means[0] / means[1])
    assert row["times_low"] == pytest.approx(math.exp(log - half))
    assert row["times_high"] == pytest.approx(math.exp(log + half))
    assert row["p"] == pytest.approx(2 * stats.t.sf(log / math.sqrt(sum(parts)), freedom))
    assert row["countries"] == 13


@pytest.mark.parametrize(
    ("north", "south", "why"),
    [([0.0] * 6, SOUTH, "a mean is not above 0"), (NORTH[:2], SOUTH, "a group of under 3 units")],
)
def test_a_ratio_without_a_meaning_says_why(
    north: list[float], south: list[float], why: str
) -> None:
    [row] = ratios(asked(north, south), [ERROR]).to_dicts()
    assert (row["times"], row["p"], row["note"]) == (None, None, why)
