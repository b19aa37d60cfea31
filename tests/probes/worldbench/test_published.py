"""The paper's numbers, and which of them a run is set beside."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from geobias.atlas.figures import figures
from geobias.atlas.indicators import indicators
from geobias.atlas.table import SHIPPED
from geobias.errors import BadRequest
from geobias.probes.worldbench.answers import FigureAnswers
from geobias.probes.worldbench.published import (
    GROUPS_TABLE,
    MODELS_TABLE,
    beside_groups,
    models_in_words,
    paper_column,
    place_among_models,
    published,
)
from geobias.probes.worldbench.scores import frame_of
from geobias.trials import StoredRecord
from tests.probes.worldbench.answering import row

YEARS_TABLE = "published_worldbench_years.csv"
CORRELATIONS_TABLE = "published_worldbench_correlations.csv"


def placed(*rows: StoredRecord) -> pl.DataFrame:
    """A model's answers among the paper's."""
    return place_among_models([FigureAnswers(model="mine", frame=frame_of(rows), figures=None)])


@pytest.mark.parametrize("name", [MODELS_TABLE, GROUPS_TABLE, YEARS_TABLE, CORRELATIONS_TABLE])
def test_every_published_table_has_its_source_stated(name: str) -> None:
    assert f"`{name}`" in (SHIPPED / "README.md").read_text(encoding="utf-8")


def test_a_run_is_compared_on_the_indicators_it_asked_for() -> None:
    found = placed(row("KEN", indicator="gdp", error=0.16))
    ranks = dict(found.select("model", "rank").iter_rows())
    assert (ranks["Google Gemini"], ranks["mine"], ranks["OpenAI GPT 4"]) == (1, 2, 3)


def test_indicators_the_paper_does_not_have_cannot_be_compared() -> None:
    with pytest.raises(BadRequest, match="paper's indicators"):
        placed(row("KEN", indicator="bicycles", error=0.1))


def test_groups_stand_beside_the_twenty_models() -> None:
    found = beside_groups(frame_of([row("KEN", error=0.1)]))
    assert found.filter(group="Sub-Saharan Africa")["published_mean"].to_list() == [0.475]


def test_disparities_of_a_sample_are_not_set_beside_the_papers() -> None:
    found = placed(row("KEN", error=0.1), row("FRA", error=0.5))
    mine = found.filter(here=True).row(0, named=True)
    assert (mine["mean_disparity_regions"], mine["disparity_incomes"]) == (None, None)
    assert "2 of 217" in mine["note"]
    assert found.filter(here=False)["mean_disparity_regions"].null_count() == 0


def test_disparities_of_nearly_all_economies_are() -> None:
    everybody = sorted(figures().truths("population", "average"))[1:]
    rows = [row(name, error=0.1 if name < "M" else 0.3) for name in everybody]
    mine = placed(*rows).filter(here=True).row(0, named=True)
    assert mine["note"] == ""
    assert mine["mean_disparity_regions"] > 0
    assert mine["disparity_regions"] == mine["mean_disparity_regions"]  # one indicator


def test_what_the_text_says_of_figure_7_stands_beside_a_run_of_all_indicators() -> None:
    rows = [row("KEN", indicator=name, error=0.1) for name in indicators()]
    found = placed(*rows)
    printed = dict(
        found.drop_nulls("disparity_incomes").select("model", "disparity_incomes").rows()
    )
    assert printed == {"Cohere": 0.15, "Cohere + RAG": 0.02}
    # The mean of Figure 14's cells is another number: no more than its own order agrees.
    means = dict(found.select("model", "mean_disparity_incomes").rows())
    assert means["Cohere"] == pytest.approx(0.191, abs=0.001)
    assert means["Cohere + RAG"] == pytest.approx(0.087, abs=0.001)


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
