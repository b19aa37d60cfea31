"""Tables over several models: each model is one unit, whatever it answered."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from geobias.atlas.economies import economies
from geobias.errors import BadRequest
from geobias.measures.over_models import (
    average_model,
    contrast_over_models,
)
from geobias.probes.pooling import Pool
from geobias.probes.pooling import pool_of as pool_of_probe
from geobias.probes.worldbench.answers import FigureAnswers
from geobias.probes.worldbench.probe import WorldBench
from geobias.probes.worldbench.relations import correlations
from geobias.probes.worldbench.scores import ERROR, frame_of, rank_table
from tests.probes.worldbench.answering import row, run_of

PLACES = [
    *("KEN", "UGA", "MLI", "NGA", "GHA", "RWA"),
    *("FRA", "DEU", "ITA", "ESP", "PRT", "NLD"),
]
INDICATORS = ("population", "gdp", "unemployment")


def answers_of(
    model: str, level: float, gap: float = 0.1, *, places: list[str] = PLACES, **settings: Any
) -> FigureAnswers:
    """A model whose error is `level`, and `gap` more about Africa; a little noise of its own."""
    dice = np.random.default_rng(sum(map(ord, model)))
    rows = []
    for place in places:
        for indicator in INDICATORS:
            more = gap * (economies()[place].region == "Sub-Saharan Africa")
            error = level + more + dice.normal(0, 0.01)
            rows.append(row(place, indicator=indicator, error=error, trial=f"{indicator}/{place}"))
    run = run_of(model, **settings)
    return FigureAnswers(model=model, frame=frame_of(rows, model), records=run, figures=None)


def pool_of(answers: list[FigureAnswers]) -> Pool[FigureAnswers]:
    return pool_of_probe(WorldBench(), ERROR, answers)


@pytest.fixture(scope="module")
def frame() -> pl.DataFrame:
    levels = {"a": 0.2, "b": 0.3, "c": 0.5, "d": 0.4}
    return pool_of([answers_of(name, level) for name, level in levels.items()]).frame


def test_runs_that_ask_for_other_years_are_not_pooled() -> None:
    with pytest.raises(BadRequest, match="differ in year: none and 2016"):
        pool_of([answers_of("a", 0.2), answers_of("b", 0.2, year=2016)])


def test_a_trend_of_one_model_alone_does_not_hold_for_others() -> None:
    gaps = {"a": 0.4, "b": 0.0, "c": 0.0, "d": 0.0}
    places = ["MLI", "UGA", "RWA", "TCD", "BDI", *PLACES[6:]]  # poor ones of Africa, rich others
    pool = pool_of([answers_of(name, 0.3, gap, places=places) for name, gap in gaps.items()])
    found = contrast_over_models(pool.frame, ERROR, ERROR.contrasts[0])
    two = pool.frame.filter(pl.col("model").is_in(["a", "b"]))
    these = contrast_over_models(two, ERROR, ERROR.contrasts[0])
    assert (found.over, these.over) == ("models and countries", "countries")
    assert (found.found.p or 0) > 0.2
    assert (these.found.p or 1) < 0.05


def test_ranks_over_models_have_a_mean_rank_with_its_interval(frame: pl.DataFrame) -> None:
    table = rank_table(frame, "region", "model")
    first = table.row(0, named=True)
    assert (first["group"], first["rank"], first["compared"]) == ("Europe & Central Asia", 1, 4)
    assert first["rank_high"] > 1


def test_the_correlation_of_pairs_has_its_interval(frame: pl.DataFrame) -> None:
    means = dict(
        average_model(frame, ERROR).group_by("country").agg(pl.col("error").mean()).iter_rows()
    )
    found = correlations(frame, {"own": means}).row(0, named=True)
    assert found["pearson"] == pytest.approx(1)
    assert found["pairs"] == 12
    assert found["pair_pearson_low"] < found["pair_pearson"] < found["pair_pearson_high"]


def test_a_converted_answer_and_a_plain_one_answer_the_same_question() -> None:
    """One model said it in kilograms, the other in tonnes."""
    rows = [row(error=0.2), row(error=0.4, converted="kg → tonnes")]
    frame = pl.concat(frame_of([one], model) for one, model in zip(rows, "ab", strict=True))
    average = average_model(frame, ERROR)
    assert average["error"].to_list() == [pytest.approx(0.3)]
