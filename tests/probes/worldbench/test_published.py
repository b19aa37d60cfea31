from __future__ import annotations

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
    place_among_models,
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
