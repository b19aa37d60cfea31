from __future__ import annotations

import polars as pl
import pytest

from geobias.probes import worldbench
from geobias.probes.worldbench.scores import frame_of
from geobias.probes.worldbench.screens import screens, shuffled_baseline, variety
from geobias.probes.worldbench.trials import absolute_relative_error
from geobias.results.findings import reasons
from tests.probes.worldbench.answering import row, silent, simulated
from tests.wording import reads_as


@pytest.fixture(scope="module")
def fair() -> pl.DataFrame:
    return simulated(worldbench.plan(size="standard"), "sim/fair")


def failed(frame: pl.DataFrame) -> list[str]:
    return [screen.name for screen in screens(frame) if not screen.ok]


def test_a_model_that_knows_passes_every_screen(fair: pl.DataFrame) -> None:
    assert failed(fair) == []


def test_one_number_for_every_country_fails_though_all_is_parsed(fair: pl.DataFrame) -> None:
    same = fair.with_columns(value=pl.lit(50.0))
    reads_as("WorldBench: screens that one number for all fails", failed(same))


@pytest.mark.parametrize("most", [0.05, 0.1])
def test_one_typical_figure_a_little_up_or_down_fails(fair: pl.DataFrame, most: float) -> None:
    middle = pl.col("truth").median().over("indicator")
    wobble = 1 + most * (pl.int_range(pl.len()) % 11 - 5) / 5
    assert "variety of answers" in failed(fair.with_columns(value=middle * wobble))


def test_typical_figures_for_half_of_the_countries_pass(fair: pl.DataFrame) -> None:
    middle = pl.col("truth").median().over("indicator")
    known = pl.col("country").hash(seed=1) % 2 == 0
    half = fair.with_columns(value=pl.when(known).then("value").otherwise(middle))
    assert failed(half) == []


def test_answers_for_other_countries_are_no_better_than_dealt_ones(fair: pl.DataFrame) -> None:
    mixed = fair.with_columns(pl.col("value").shuffle(seed=1).over("indicator"))
    assert failed(mixed) == ["better than shuffled answers"]


def test_few_readable_replies_fail_and_say_how_few() -> None:
    frame = frame_of([row(), silent("FRA"), silent("DEU"), silent("UGA", "unparsed")])
    assert any("1 of 4 replies" in why for why in reasons(screens(frame)))


def test_no_replies_at_all_fail_without_a_number() -> None:
    found = screens(frame_of([]))
    assert [screen.value for screen in found] == [None, None, None]
    assert not all(screen.ok for screen in found)


def test_half_the_world_at_100_percent_is_no_lack_of_variety() -> None:
    rows = [
        row("KEN", indicator="electricity_access", truth=t, value=t)
        for t in [100.0] * 10 + [float(n) for n in range(50, 60)]
    ]
    assert variety(frame_of(rows)) == {"electricity_access": 1.0}


@pytest.mark.parametrize(
    "countries", [["KEN"], ["KEN", "FRA"], ["KEN", "FRA", "PER"], ["KEN", "FRA", "PER", "IND"]]
)
def test_under_five_countries_nothing_is_held_against_a_model(countries: list[str]) -> None:
    rows = [row(name, truth=10.0**i, value=10.0**i) for i, name in enumerate(countries)]
    last = screens(frame_of(rows))[-1]
    assert (last.ok, last.value) == (True, None)
    assert f"about {len(countries)} countr" in last.says


def test_answers_are_dealt_within_each_indicator() -> None:
    rows = [
        row(country, indicator=name, truth=size, value=size)
        for country, size in (("KEN", 1.0), ("FRA", 2.0), ("IND", 4.0))
        for name in ("population", "gdp")
    ]
    found = shuffled_baseline(frame_of(rows))
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
    found = shuffled_baseline(frame_of(rows))
    assert found.chance == pytest.approx(found.value)
    assert found.p == 1
