from __future__ import annotations

import polars as pl
import pytest

from geobias.probes import worldbench
from geobias.probes.worldbench.scores import disparities, frame_of
from geobias.probes.worldbench.screens import shuffled_baseline, with_baseline
from geobias.probes.worldbench.trials import absolute_relative_error
from tests.probes.worldbench.answering import found_in, row, simulated


@pytest.fixture(scope="module")
def biased() -> pl.DataFrame:
    asked = worldbench.plan(size="standard", indicators=["population", "gdp"])
    return simulated(asked, "sim/?recall_sd=0.3&gap=0.6&against=Low income")


def test_answers_are_dealt_within_each_indicator() -> None:
    rows = [
        row(country, indicator=name, truth=size, value=size)
        for country, size in (("KEN", 1.0), ("FRA", 2.0), ("IND", 4.0))
        for name in ("population", "gdp")
    ]
    found = shuffled_baseline(frame_of(rows), draws=2000)
    assert found.value == 0
    # One deal of six gives everybody their own answers back, for each of two indicators.
    assert found.p == pytest.approx(1 / 36, abs=0.02)


def test_one_number_for_all_has_the_same_error_in_every_deal_whatever_is_missing() -> None:
    truths = {"KEN": 7.0, "FRA": 60.0, "IND": 300.0, "BRA": 40.0, "PER": 3.0}
    rows = [
        row(code, indicator=name, truth=t, value=42.0, error=absolute_relative_error(42.0, t))
        for code, t in truths.items()
        for name in ("population", "gdp")
        if (code, name) != ("PER", "gdp")
    ]
    found = shuffled_baseline(frame_of(rows), draws=100)
    assert found.chance == pytest.approx(found.value)
    assert found.p == 1


def test_a_planted_gap_is_told_in_words(biased: pl.DataFrame) -> None:
    said = [one.text for one in found_in(biased).sentences]
    assert any(one.startswith("Income groups differ: their spread") for one in said)


def test_dealt_gaps_stand_in_the_row_of_all_questions(biased: pl.DataFrame) -> None:
    found = shuffled_baseline(biased, draws=50)
    table = with_baseline(disparities(biased, "region", draws=50), found, "region")
    first = table.row(0, named=True)
    assert (first["indicator"], first["dealt"]) == ("all", found.gaps["region"].dealt)
    assert first["dealt_low"] < first["dealt"] < first["dealt_high"]
    assert table["dealt"].null_count() == table.height - 1


def test_one_region_has_no_dealt_gap() -> None:
    two = frame_of([row("KEN"), row("UGA", truth=3.0)])
    assert shuffled_baseline(two).gaps["region"].dealt is None
