"""The paper's numbers, and which of them a run is set beside."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from geobias.atlas.figures import Figures, figures
from geobias.errors import BadRequest
from geobias.probes.worldbench.answers import FigureAnswers
from geobias.probes.worldbench.published import (
    GROUPS_TABLE,
    MODELS_TABLE,
    beside_groups,
    paper_column,
    place_among_models,
    published,
)
from geobias.probes.worldbench.scores import frame_of
from geobias.trials import StoredRecord
from tests.probes.worldbench.answering import row


def placed(*rows: StoredRecord, known: Figures | None = None) -> pl.DataFrame:
    """A model's answers among the paper's."""
    return place_among_models([FigureAnswers(model="mine", frame=frame_of(rows), figures=known)])


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
    found = placed(row("KEN", error=0.1), row("FRA", error=0.5), known=figures())
    assert found.filter(here=True)["mean_disparity_regions"].to_list() == [None]
    assert found.filter(here=False)["mean_disparity_regions"].null_count() == 0


def test_disparities_of_nearly_all_economies_are() -> None:
    everybody = sorted(figures().truths("population", "average"))[1:]
    rows = [row(name, error=0.1 if name < "M" else 0.3) for name in everybody]
    assert placed(*rows, known=figures()).filter(here=True)["mean_disparity_regions"].item() > 0


def test_several_runs_stand_among_the_same_models() -> None:
    made = [
        FigureAnswers(
            model=name, frame=frame_of([row("KEN", indicator="gdp", error=error)]), figures=None
        )
        for name, error in (("a", 0.1), ("b", 0.9))
    ]
    found = place_among_models(made)
    assert found.height == 22
    assert found.filter(here=True)["model"].to_list() == ["a", "b"]


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


def test_the_models_behind_an_average_are_counted() -> None:
    names = published(MODELS_TABLE)["model"].unique()
    closed = [name for name in names if name.startswith(("OpenAI", "Google", "Cohere"))]
    usual, open_ones = (paper_column({"example_country": one}).models for one in ("CHE", "MLI"))
    assert f"over {len(names) - 1} models" in usual
    assert f"over {len(names) - len(closed)} models" in open_ones
