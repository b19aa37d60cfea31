from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from geobias.probes import worldbench
from geobias.probes.worldbench.error import absolute_relative_errors
from geobias.probes.worldbench.findings import verdict
from geobias.probes.worldbench.scores import GROUPINGS, disparities, frame_of, group_errors
from geobias.probes.worldbench.shuffled_baseline import shuffled_baseline, with_baseline
from tests.probes.worldbench.answering import found_in, row, simulated


@pytest.fixture(scope="module")
def biased() -> pl.DataFrame:
    return simulated(worldbench.plan(size="standard"), "sim/biased")


def test_answers_dealt_at_random_keep_a_countrys_answers_together() -> None:
    rows = [
        row(country, indicator=name, truth=size, value=size)
        for country, size in (("KEN", 1.0), ("FRA", 2.0), ("IND", 4.0))
        for name in ("population", "gdp")
    ]
    found = shuffled_baseline(frame_of(rows), draws=500)
    assert found.value == 0
    # Of the six deals one gives everybody their own answers back.
    assert found.p == pytest.approx(1 / 6, abs=0.05)


def test_the_mean_beside_dealt_answers_is_the_mean_error_of_the_tables() -> None:
    rows = [
        row("KEN", truth=2.0, value=1.0, error=0.5),
        row("KEN", indicator="gdp", truth=4.0, value=1.0, error=0.75),
        row("KEN", indicator="gdp", repeat=1, truth=4.0, value=4.0),
        row("FRA", truth=10.0, value=9.0, error=0.1),
    ]
    frame = frame_of(rows)
    assert shuffled_baseline(frame).value == pytest.approx(
        group_errors(frame, "all")["mean"].item()
    )


def test_a_planted_gap_is_not_taken_for_the_worlds_figures(biased: pl.DataFrame) -> None:
    found = shuffled_baseline(biased)
    for by in GROUPINGS:
        gap = disparities(biased, by, per_indicator=False)["disparity"].item()
        assert found.gaps[by].rest_p == pytest.approx(0, abs=0.02)
        assert abs(found.gaps[by].figures or 1) < 0.1 * gap
    said = [one.text for one in found_in(biased).sentences if one.text.startswith("By ")]
    assert len(said) == len(GROUPINGS)
    assert all("], more than chance gives (" in one for one in said)


def test_a_gap_of_answers_that_fit_no_country_is_the_worlds_figures() -> None:
    """One number for all, in a world whose poor countries have figures far from it."""
    rows: list[dict[str, Any]] = []
    for name in (
        "KEN",
        "UGA",
        "MLI",
        "TCD",
        "BEN",
        "TGO",
        "FRA",
        "DEU",
        "ITA",
        "ESP",
        "AUT",
        "BEL",
    ):
        poor = row(name)["region"] == "Sub-Saharan Africa"
        for i, indicator in enumerate(("population", "gdp", "co2_emissions")):
            truth = 10.0 + len(rows) % 5 + i if poor else 95.0 + len(rows) % 5 + i
            error = float(absolute_relative_errors(np.array([100.0]), np.array([truth]))[0])
            rows.append(row(name, indicator=indicator, truth=truth, value=100.0, error=error))
    frame = frame_of(rows)
    gap, table = (
        shuffled_baseline(frame).gaps["region"],
        disparities(frame, "region", per_indicator=False),
    )
    assert table["p"].item() < 0.01
    assert gap.dealt == pytest.approx(table["disparity"].item())
    assert gap.figures == pytest.approx(table["disparity"].item(), rel=0.05)
    assert gap.dealt_p == 1
    assert gap.rest_p is not None
    assert gap.rest_p > 0.2
    low, high = table["corrected_low"].item(), table["corrected_high"].item()
    assert verdict(table["p"].item(), low, high, gap.rest_p) == "not clearly more than"


def test_dealt_gaps_stand_in_the_row_of_all_questions(biased: pl.DataFrame) -> None:
    found = shuffled_baseline(biased, draws=50)
    table = with_baseline(disparities(biased, "region", draws=50), found, "region")
    first = table.row(0, named=True)
    assert (first["indicator"], first["dealt"]) == ("all", found.gaps["region"].dealt)
    assert first["dealt_low"] < first["dealt"] < first["dealt_high"]
    assert table["dealt"].null_count() == table.height - 1


def test_one_region_has_no_dealt_gap() -> None:
    assert (
        shuffled_baseline(frame_of([row("KEN"), row("UGA", truth=3.0)])).gaps["region"].dealt
        is None
    )
