from __future__ import annotations

import polars as pl
import pytest

from geobias.probes import worldbench
from geobias.probes.worldbench.scores import frame_of
from geobias.probes.worldbench.screens import screens, variety
from geobias.results.findings import reasons
from tests.probes.worldbench.answering import row, silent, simulated


@pytest.fixture(scope="module")
def fair() -> pl.DataFrame:
    return simulated(worldbench.plan(size="standard"), "sim/fair")


def failed(frame: pl.DataFrame) -> list[str]:
    return [screen.name for screen in screens(frame) if not screen.ok]


def test_a_model_that_knows_passes_every_screen(fair: pl.DataFrame) -> None:
    assert failed(fair) == []


def test_one_number_for_every_country_fails_though_all_is_parsed(fair: pl.DataFrame) -> None:
    same = fair.with_columns(value=pl.lit(50.0))
    assert failed(same) == [
        "variety of answers",
        "one typical figure",
        "better than shuffled answers",
    ]


def test_one_typical_figure_a_little_up_or_down_fails(fair: pl.DataFrame) -> None:
    middle = pl.col("truth").median().over("indicator")
    wobble = 1 + 0.05 * (pl.int_range(pl.len()) % 11 - 5) / 5
    assert "one typical figure" in failed(fair.with_columns(value=middle * wobble))


def test_typical_figures_for_half_of_the_countries_pass(fair: pl.DataFrame) -> None:
    middle = pl.col("truth").median().over("indicator")
    known = pl.col("country").hash(seed=1) % 2 == 0
    half = fair.with_columns(value=pl.when(known).then("value").otherwise(middle))
    assert "one typical figure" not in failed(half)


def test_answers_for_other_countries_are_no_better_than_dealt_ones(fair: pl.DataFrame) -> None:
    mixed = fair.with_columns(pl.col("value").shuffle(seed=1).over("indicator"))
    assert failed(mixed) == ["better than shuffled answers"]


def test_few_readable_replies_fail_and_say_how_few() -> None:
    frame = frame_of([row(), silent("FRA"), silent("DEU"), silent("UGA", "unparsed")])
    assert "a number could be read from only 1 of 4 replies" in reasons(screens(frame))


def test_no_replies_at_all_fail_without_a_number() -> None:
    found = screens(frame_of([]))
    assert [screen.value for screen in found] == [None, None, None, None]
    assert not all(screen.ok for screen in found)


def test_half_the_world_at_100_percent_is_no_lack_of_variety() -> None:
    rows = [
        row("KEN", indicator="electricity_access", truth=t, value=t)
        for t in [100.0] * 10 + [float(n) for n in range(50, 60)]
    ]
    table = variety(frame_of(rows))
    assert table["commonest"].to_list() == [10]
    assert table["ratio"].to_list() == [1.0]


def test_under_ten_answers_variety_is_not_judged() -> None:
    rows = [row(name, value=5.0, truth=float(i)) for i, name in enumerate(("KEN", "FRA"))]
    assert variety(frame_of(rows))["ratio"].to_list() == [None]
    assert "variety of answers" not in failed(frame_of(rows))


@pytest.mark.parametrize(
    "countries", [["KEN"], ["KEN", "FRA"], ["KEN", "FRA", "PER"], ["KEN", "FRA", "PER", "IND"]]
)
def test_under_five_countries_nothing_is_held_against_a_model(countries: list[str]) -> None:
    rows = [row(name, truth=10.0**i, value=10.0**i) for i, name in enumerate(countries)]
    last = screens(frame_of(rows))[-1]
    assert (last.ok, last.value) == (True, None)
    assert f"answers about {len(countries)} countries: too few to tell" in last.says


def test_five_countries_that_are_known_can_be_told_from_chance() -> None:
    names = ("KEN", "FRA", "PER", "IND", "BRA")
    rows = [row(name, truth=10.0**i, value=10.0**i) for i, name in enumerate(names)]
    assert failed(frame_of(rows)) == []
