"""A bias that was planted is found at its size, and none is found where there is none."""

from __future__ import annotations

import math
import random
from pathlib import Path

import polars as pl
import pytest

from geobias.atlas.economies import economies
from geobias.measures.estimates import group_table
from geobias.probes.worldbench import plan
from geobias.probes.worldbench.scores import ERROR, gap_between
from geobias.probes.worldbench.simulated import (
    SimulatedKnowledge,
    expected_error,
    planted_error,
    sd_for_error,
)
from geobias.results.verdicts import word_of
from geobias.simulated import parse
from tests.defined import defined
from tests.probes.worldbench.answering import found_in, simulated, trend_of
from tests.studies import fewest, most, studies

FEW = ("population", "unemployment", "gdp", "electricity_access")
"""Indicators for many studies."""
BIASED = "sim/?recall_sd=0.3&gap=0.2&against=Sub-Saharan Africa"


def planted(frame: pl.DataFrame, model: str) -> dict[str, float]:
    """Each region's expected mean error: planted, but 0 where the figure is 0.

    The simulated model multiplies the true figure by a random factor, which leaves 0 as it is.
    """
    chosen = parse(model)["worldbench"]
    assert isinstance(chosen, SimulatedKnowledge)
    by_country: dict[str, list[float]] = {}
    for iso3, truth in frame.select("country", "truth").iter_rows():
        expected = planted_error(chosen, economies()[iso3]) if truth else 0.0
        by_country.setdefault(iso3, []).append(expected)
    by_region: dict[str, list[float]] = {}
    for iso3, expected_errors in by_country.items():
        mean = math.fsum(expected_errors) / len(expected_errors)
        by_region.setdefault(economies()[iso3].region, []).append(mean)
    return {region: math.fsum(means) / len(means) for region, means in by_region.items()}


def covered(frame: pl.DataFrame, model: str) -> list[bool]:
    truth = planted(frame, model)
    return [
        row["mean_low"] <= truth[row["group"]] <= row["mean_high"]
        for row in group_table(frame, ERROR, "region").to_dicts()
    ]


def test_the_planted_error_of_every_region_is_recovered() -> None:
    frame = simulated(plan(size="paper"), BIASED)
    assert frame.height == 2149
    assert covered(frame, BIASED) == [True] * 7
    gap = gap_between(frame, "region")
    assert defined(gap.pair).first == "Sub-Saharan Africa"
    assert defined(gap.test.p) < 0.01


def test_intervals_of_regions_cover_the_planted_error_95_percent_of_the_time() -> None:
    found = []
    standard = plan(size="standard", indicators=FEW)
    for seed in range(studies(12, 120)):
        model = f"{BIASED}&seed={seed}"
        found += covered(simulated(standard, model), model)
    assert fewest(len(found)) <= sum(found) <= most(len(found), 0.95)


def test_without_a_gap_the_test_of_the_trend_does_not_cry_wolf() -> None:
    alarms, drawn = 0, studies(20, 200)
    standard = plan(size="standard", indicators=FEW)
    for seed in range(drawn):
        frame = simulated(standard, f"sim/?recall_sd=0.3&seed={seed}")
        alarms += (trend_of(frame).found.p or 0) < 0.05
    assert alarms <= most(drawn)


def test_what_poor_countries_decline_because_it_is_wrong_is_no_gap() -> None:
    """All countries are known alike; poor ones are not answered where the error would be large."""
    frame = simulated(plan(size="standard", indicators=FEW), "sim/?recall_sd=0.3")
    poor = pl.col("income").is_in(["Low income", "Lower middle income"])
    declined = frame.with_columns(
        pl.when(poor & (pl.col("error") > 0.2)).then(None).otherwise(pl.col(name)).alias(name)
        for name in ("error", "value")
    )
    assert (trend_of(declined).found.p or 0) < 0.05
    trend = next(one for one in found_in(declined).section.metrics if one.primary)
    assert word_of(trend) == "depends"
    assert defined(trend.lowest) < 0 < defined(trend.highest)


def test_declined_questions_do_not_bend_the_errors_of_the_others() -> None:
    model = f"{BIASED}&abstain=0.2"
    frame = simulated(plan(size="paper"), model)
    assert frame.filter(outcome="abstained").height > 300
    assert sum(covered(frame, model)) >= 6


@pytest.mark.parametrize("sd", [0.01, 0.3, 1.0, 3.0])
def test_the_expected_error_is_what_draws_show(sd: float) -> None:
    dice = random.Random(0)
    draws = [1 - math.exp(-abs(dice.gauss(0, sd))) for _ in range(100_000)]
    assert expected_error(sd) == pytest.approx(sum(draws) / len(draws), abs=0.005)


@pytest.mark.parametrize("error", [0.0, 0.05, 0.3, 0.7, 0.95])
def test_the_spread_for_an_error_gives_that_error(error: float) -> None:
    assert expected_error(sd_for_error(error)) == pytest.approx(error, abs=1e-6)


def mean_error(model: str, **settings: object) -> float:
    frame = simulated(plan(**settings), model)
    assert frame["error"].null_count() == 0
    return float(frame["error"].mean())  # type: ignore[arg-type]


def test_with_the_right_statement_before_it_its_error_falls() -> None:
    model = "sim/?recall_sd=0.5"
    assert mean_error(model) > 0.2
    assert mean_error(model, retrieve=3) < 1e-4


def test_asked_for_a_year_it_recalls_that_year() -> None:
    asked = {"indicators": ["renewable_energy"], "year": 2014}
    assert mean_error("sim/?recall_sd=0", **asked) < 1e-4
    assert mean_error("sim/?recall_sd=0", **asked, ground_truth="average") > 0.02


def test_indicators_of_ones_own_are_known_to_it_by_the_figures_file(tmp_path: Path) -> None:
    own, table = tmp_path / "own.toml", tmp_path / "own.csv"
    own.write_text('[hens]\ncode = "HENS"\nphrase = "number of hens"\nunit = "hens"\n')
    rows = [f"hens,{iso3},1,{n * 1000 + 500}" for n, iso3 in enumerate(("CHE", "KEN", "PER"))]
    table.write_text("indicator,iso3,edition,2022\n" + "\n".join(rows) + "\n")
    asked = {"indicators": ["hens"], "size": "paper", "indicator_file": own, "figures": table}
    known = f"sim/?recall_sd=0&figures={table}"
    assert mean_error(known, **asked) < 1e-4
    assert set(simulated(plan(**asked), "sim/?recall_sd=0")["outcome"]) == {"abstained"}
