from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

import geobias
from geobias.atlas.economies import economies, economy
from geobias.atlas.indicators import indicators
from geobias.probes.plan import Plan
from geobias.probes.worldbench import plan
from geobias.probes.worldbench.choosing import QUICK_INDICATORS
from geobias.report.findings import collect
from geobias.runfile import RunReader
from tests.wording import reads_as

OWN_INDICATOR = """
[bicycles]
code = "X.BIKE"
phrase = "number of bicycles"
unit = "bicycles"
"""
OWN_FIGURES = """indicator,iso3,edition,2020,2021,2022
bicycles,CHE,2024,1,2,3
bicycles,KEN,2024,4,,6
bicycles,YEM,2024,0,0,0
"""


def countries(made: Plan) -> set[str]:
    return {trial.name.split("/")[2] for trial in made.trials()}


def test_the_papers_size_asks_everything_but_the_example() -> None:
    # 2,160 pairs of indicator and economy have a figure in 2020-22; Switzerland has all eleven.
    assert plan(size="paper").count == 2160 - 11


@pytest.mark.parametrize(
    ("size", "chosen", "each"), [("quick", QUICK_INDICATORS, 4), ("standard", indicators(), 8)]
)
def test_a_size_has_its_indicators_and_as_many_economies_of_each_region(
    size: str, chosen: Iterable[str], each: int
) -> None:
    made = plan(size=size)
    counts = Counter(economies()[iso3].region for iso3 in countries(made))
    assert made.settings["indicators"] == list(chosen)
    assert counts.pop("North America") == 3
    assert set(counts.values()) == {each}


@pytest.mark.parametrize("example", ["Mali", "Colombia", "Kenya", "Japan"])
@pytest.mark.parametrize("size", ["quick", "standard"])
def test_the_sample_is_the_same_whatever_the_example_country(size: str, example: str) -> None:
    usual = countries(plan(size=size))
    assert countries(plan(size=size, example_country=example)) == usual - {economy(example).iso3}


@pytest.mark.parametrize("size", ["quick", "standard"])
def test_the_most_populous_of_each_region_are_in_every_sample(size: str) -> None:
    asked = countries(plan(size=size))
    largest = {"CHN", "IDN", "RUS", "TUR", "BRA", "MEX", "EGY", "IRN", "USA", "CAN", "IND", "PAK"}
    largest |= {"NGA", "ETH"}
    assert largest <= asked
    if size == "standard":
        assert {"JPN", "DEU", "COL", "DZA", "BGD", "COD"} <= asked


def test_a_year_without_a_swiss_figure_has_another_example_there() -> None:
    made = plan(size="paper", year=2021)
    reads_as("WorldBench: another example country", made.notes)
    asked = {trial.name.removesuffix("/0") for trial in made.trials()}
    assert "worldbench/renewable_energy/MLI" not in asked
    assert "worldbench/population/MLI" in asked
    assert "worldbench/population/CHE" not in asked
    assert "worldbench/renewable_energy/CHE" not in asked


def test_a_regions_incomes_have_their_share_of_the_sample() -> None:
    chosen = countries(plan(size="standard", regions=["Sub-Saharan Africa"]))
    counts = Counter(economies()[iso3].income for iso3 in chosen)
    # Of 48 economies 22 are of low income, 19 and 6 of the middle, and one of high.
    assert counts["Low income"] == 4
    assert counts["Lower middle income"] == 3


def test_the_sample_does_not_depend_on_the_seed() -> None:
    assert countries(plan(seed=1)) == countries(plan(seed=2))


def test_a_run_says_by_which_classification_it_groups_and_asks_the_same() -> None:
    older, newer = plan(size="standard"), plan(size="standard", classification="2026")
    assert countries(older) == countries(newer)
    assert (older.settings["classification"], newer.settings["classification"]) == ("2024", "2026")
    assert set(newer.editions) - set(older.editions) == {"groupings.csv"}
    asked = countries(plan(size="paper", regions=["South Asia"], classification="2026"))
    assert asked == {"BGD", "BTN", "IND", "LKA", "MDV", "NPL"}


def test_named_countries_are_asked_about_at_any_size() -> None:
    assert countries(plan(countries=["Kenya", "TUV"])) == {"KEN", "TUV"}


def test_indicators_without_figures_of_the_year_are_passed_over() -> None:
    made = plan(size="paper", year=2021, example_country="Mali")
    assert "co2_emissions" not in made.settings["indicators"]
    assert "population" in made.settings["indicators"]


def own_file(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_own_indicators_are_asked_with_their_own_figures(tmp_path: Path) -> None:
    own = own_file(tmp_path, "own.toml", OWN_INDICATOR)
    figures = own_file(tmp_path, "figures.csv", OWN_FIGURES)
    made = plan(size="paper", figures=figures, indicator_file=own, indicators=["bicycles"])
    assert countries(made) == {"KEN", "YEM"}
    both = plan(size="paper", figures=figures, indicator_file=own)
    assert both.count == plan(size="paper").count + made.count
    assert made.settings["indicator_file"][0]["phrase"] == "number of bicycles"
    assert made.settings["figures"] != "shipped"


def own_table(folder: Path, *rows: str) -> Path:
    head = [
        "indicator,iso3,edition,2021,2022",
        "population,CHE,2024,8,8",
        "population,KEN,2024,5,5",
    ]
    return own_file(folder, "own.csv", "\n".join([*head, *rows, ""]))


def test_rows_of_a_table_that_nothing_is_asked_about_are_counted_and_named(tmp_path: Path) -> None:
    rows = ["population,ZZZ,2024,,2", "population,OWID_WRL,2024,,2", "rice,UGA,2024,,2"]
    made = plan(figures=own_table(tmp_path, *rows))
    reads_as("WorldBench: rows of figures left out", made.notes)
    assert plan().notes == ()
    run = tmp_path / "run.geobias"
    geobias.run([made], "sim/fair", run)
    with RunReader(run) as reader:
        assert reader.manifest().notes == {"worldbench": list(made.notes)}
        [section] = collect([reader]).sections
    assert section.notes[:2] == list(made.notes)
