"""Which of the paper's columns a run is set beside, and which samples and examples runs have."""

from __future__ import annotations

from typing import Any

import pytest

from geobias.atlas.economies import economy
from geobias.atlas.figures import Figures
from geobias.probes.worldbench import plan
from geobias.probes.worldbench.published import (
    GROUPS_TABLE,
    beside_groups,
    models_in_words,
    paper_column,
    published,
)
from geobias.probes.worldbench.scores import frame_of
from geobias.probes.worldbench.years import years_table
from tests.probes.worldbench.answering import row
from tests.wording import reads_as


def countries(**settings: Any) -> set[str]:
    return {trial.name.split("/")[2] for trial in plan(**settings).trials()}


@pytest.mark.parametrize(
    ("settings", "condition"),
    [
        ({}, "default"),
        ({"year": 2016, "ground_truth": "2016"}, "year 2016 in the question"),
        ({"year": 2021, "ground_truth": "2021"}, "year 2021 in the question"),
        ({"example_country": "MLI"}, "example Mali, open models"),
        ({"example_country": "COL"}, "example Colombia, open models"),
    ],
)
def test_a_run_is_set_beside_the_column_made_as_it_was(
    settings: dict[str, Any], condition: str
) -> None:
    assert paper_column(settings).condition == condition
    assert condition in published(GROUPS_TABLE)["condition"]


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"retrieve": 3}, "retrieve 3"),
        ({"year": 2019, "ground_truth": "2019"}, "year 2019"),
        (
            {"year": 2016, "ground_truth": "2016", "example_country": "MLI"},
            "year 2016, example Mali",
        ),
        ({"example_country": "KEN"}, "example Kenya"),
        ({"ground_truth": "latest"}, "ground_truth latest"),
        ({"figures": "abcd"}, "figures of one's own"),
    ],
)
def test_where_no_column_was_the_reason_is_said(settings: dict[str, Any], why: str) -> None:
    column = paper_column(settings)
    assert column.condition == ""
    assert why in column.words
    found = beside_groups(frame_of([row("KEN", error=0.1)]), column.condition)
    assert found["published_mean"].null_count() == found.height


def test_the_papers_table_5_is_shipped_whole() -> None:
    table = published(GROUPS_TABLE)
    mali = table.filter(condition="example Mali, open models")
    assert mali.height == 22
    cell = mali.filter(group="Low income", statistic="median")["value"]
    assert cell.to_list() == [0.474]
    named = table.filter(condition="year 2016 in the question", statistic="median")
    assert named.filter(group="North America")["value"].to_list() == [0.133]


def test_the_models_behind_an_average_are_named() -> None:
    usual, open_ones = map(models_in_words, ("default", "example Mali, open models"))
    assert "over 19 models" in usual
    assert "over 15 models" in open_ones
    assert not {"OpenAI", "Google", "Cohere"} & set(open_ones.split())


@pytest.mark.parametrize("example", ["Mali", "Colombia", "Kenya", "Japan"])
@pytest.mark.parametrize("size", ["quick", "standard"])
def test_the_sample_is_the_same_whatever_the_example_country(size: str, example: str) -> None:
    usual = countries(size=size)
    assert countries(size=size, example_country=example) == usual - {economy(example).iso3}


@pytest.mark.parametrize("size", ["quick", "standard"])
def test_the_most_populous_of_each_region_are_in_every_sample(size: str) -> None:
    largest = {"CHN", "IDN", "RUS", "TUR", "BRA", "MEX", "EGY", "IRN", "USA", "CAN", "IND", "PAK"}
    largest |= {"NGA", "ETH"}
    assert largest <= countries(size=size)
    if size == "standard":
        assert {"JPN", "DEU", "COL", "DZA", "BGD", "COD"} <= countries(size=size)


def test_a_year_without_a_swiss_figure_has_another_example_there() -> None:
    made = plan(size="paper", year=2021)
    reads_as("WorldBench: another example country", made.notes)
    asked = {trial.name.removesuffix("/0") for trial in made.trials()}
    assert "worldbench/renewable_energy/MLI" not in asked
    assert "worldbench/population/MLI" in asked
    assert "worldbench/population/CHE" not in asked
    assert "worldbench/renewable_energy/CHE" not in asked


WITH_AGGREGATES = Figures(
    years=(2020, 2021, 2022),
    editions={},
    rows={"population": {"KEN": (10.0, 10.0, None), "WLD": (1.0, 9.0, None)}},
)


def test_aggregates_count_in_no_year() -> None:
    found = years_table(WITH_AGGREGATES, (2020, 2021)).row(0, named=True)
    assert (found["2020"], found["2021"]) == (0.0, 0.0)
