"""Tables over several models: each model is one unit, whatever it answered."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from geobias.atlas.economies import economies
from geobias.errors import BadRequest
from geobias.measures.estimates import group_table
from geobias.measures.over_models import (
    average_model,
    contrast_over_models,
    country_table_over_models,
    group_table_over_models,
    model_matrix,
    whole_over_models,
)
from geobias.probes import derived
from geobias.probes.pooling import Pool
from geobias.probes.pooling import pool_of as pool_of_probe
from geobias.probes.probe import RunRecords
from geobias.probes.worldbench.answers import FigureAnswers
from geobias.probes.worldbench.measures import MEASURES
from geobias.probes.worldbench.probe import WorldBench
from geobias.probes.worldbench.relations import correlations
from geobias.probes.worldbench.scores import ERROR, MEDIAN, frame_of, rank_table
from geobias.results.findings import Replies, Section
from tests.probes.worldbench.answering import row, silent

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
    records = RunRecords(
        model=model,
        models={"model": settings.pop("asked", model)},
        settings=settings,
        editions={},
        planned={},
        notes=(),
        rows=lambda name: (),
    )
    return FigureAnswers(model=model, frame=frame_of(rows, model), records=records, figures=None)


def pool_of(answers: list[FigureAnswers]) -> Pool[FigureAnswers]:
    return pool_of_probe(WorldBench(), ERROR, answers)


@pytest.fixture(scope="module")
def frame() -> pl.DataFrame:
    levels = {"a": 0.2, "b": 0.3, "c": 0.5, "d": 0.4}
    return pool_of([answers_of(name, level) for name, level in levels.items()]).frame


def of_group(table: pl.DataFrame, group: str) -> dict[str, Any]:
    return table.filter(group=group).row(0, named=True)


def test_the_pooled_mean_is_the_mean_of_the_models_own(frame: pl.DataFrame) -> None:
    pooled = of_group(group_table_over_models(frame, ERROR, "region"), "Sub-Saharan Africa")
    own = [
        of_group(group_table(part, ERROR, "region"), "Sub-Saharan Africa")["mean"]
        for part in frame.partition_by("model")
    ]
    assert pooled["mean"] == pytest.approx(sum(own) / 4)


def test_the_interval_allows_for_how_models_vary(frame: pl.DataFrame) -> None:
    pooled = of_group(group_table_over_models(frame, ERROR, "all"), "all")
    one_by_one = of_group(group_table(frame.filter(model="a"), ERROR, "all"), "all")
    assert pooled["over"] == "models and countries"
    wide, narrow = (r["mean_high"] - r["mean_low"] for r in (pooled, one_by_one))
    assert wide > 2 * narrow


def test_two_models_say_nothing_of_how_models_vary() -> None:
    pool = pool_of([answers_of("a", 0.2), answers_of("b", 0.6)])
    found = of_group(group_table_over_models(pool.frame, ERROR, "all"), "all")
    assert found["over"] == "countries"
    assert found["mean_high"] - found["mean_low"] < 0.2
    assert "Three models" in pool.notes[-1]


def test_a_model_that_answers_less_weighs_no_less() -> None:
    few = answers_of("b", 0.6, gap=0.0)
    kept = pl.col("country").is_in(["KEN", "FRA", "DEU"]) | pl.lit(False)
    blank = few.frame.with_columns(error=pl.when(kept).then("error"))
    parts = [answers_of("a", 0.2, gap=0.0).frame, blank]
    found = of_group(group_table_over_models(pl.concat(parts), ERROR, "all"), "all")
    assert found["mean"] == pytest.approx(0.4, abs=0.02)


def test_who_answers_about_a_country_moves_it_little() -> None:
    # Only the poor model answers about Kenya: that makes the model poor, not Kenya.
    good, poor = answers_of("good", 0.1, gap=0.0), answers_of("poor", 0.7, gap=0.0)
    kenya = pl.col("country") == "KEN"
    silenced = good.frame.with_columns(error=pl.when(~kenya).then("error"))
    average = average_model(pl.concat([silenced, poor.frame]), ERROR)
    assert average.filter(country="KEN")["error"].mean() == pytest.approx(0.4, abs=0.05)


def test_runs_that_ask_for_other_years_are_not_pooled() -> None:
    with pytest.raises(BadRequest, match="differ in year: none and 2016"):
        pool_of([answers_of("a", 0.2), answers_of("b", 0.2, year=2016)])


def test_the_gap_over_models_is_the_mean_of_their_own(frame: pl.DataFrame) -> None:
    [regions] = [one for one in MEASURES if one.name == "region_disparity"]
    found = whole_over_models(frame, regions)
    assert found.over == "models"
    assert found.found.estimate.value == pytest.approx(0.1, abs=0.02)
    assert found.found.estimate.n == 4


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


def test_shares_are_over_models_too() -> None:
    rows = [row(place, error=0.1) for place in PLACES[:6]]
    quiet = [silent(place) for place in PLACES[:6]]
    frames = [frame_of(rows, "a"), frame_of(rows, "b"), frame_of(quiet, "c")]
    probe = WorldBench()
    whole = derived.with_outcomes(probe, pl.concat(frames))
    [answered] = [one for one in derived.all_measures(probe) if one.name == "answered"]
    found = whole_over_models(whole, answered).found.estimate
    assert found.value == pytest.approx(2 / 3)
    assert (found.low or 0) < 0.2


def test_ranks_over_models_have_a_mean_rank_with_its_interval(frame: pl.DataFrame) -> None:
    table = rank_table(frame, "region", "model")
    first = table.row(0, named=True)
    assert (first["group"], first["rank"], first["compared"]) == ("Europe & Central Asia", 1, 4)
    assert first["rank_high"] > 1


def test_countries_have_a_mean_over_models_and_items(frame: pl.DataFrame) -> None:
    table = country_table_over_models(frame, ERROR)
    assert table["models"].to_list() == [4] * len(PLACES)
    assert set(table["over"]) == {"models and indicators"}
    plain = frame.filter(country="KEN")["error"].mean()
    assert table.filter(country="KEN")["mean"].item() == pytest.approx(plain)


def test_the_matrix_has_a_row_for_each_model_and_one_for_all(frame: pl.DataFrame) -> None:
    table = model_matrix(frame, ERROR, "indicator")
    assert table["model"].to_list() == ["a", "b", "d", "c", "all models"]
    assert table.columns[:2] == ["model", "all"]
    last = table.row(-1, named=True)
    assert last["gdp"] == pytest.approx(table["gdp"].head(4).mean())
    assert last["all"] == pytest.approx(table["all"].head(4).mean())


def test_what_is_no_mean_over_countries_is_averaged_over_models(frame: pl.DataFrame) -> None:
    own = [part["error"].median() for part in frame.partition_by("model")]
    found = whole_over_models(frame, MEDIAN)
    assert found.over == "models"
    assert found.found.estimate.value == pytest.approx(sum(map(float, own)) / 4)  # type: ignore[arg-type]


def test_the_report_of_several_models_has_their_numbers_together() -> None:
    probe = WorldBench()
    every = [answers_of(name, level) for name, level in (("a", 0.2), ("b", 0.3), ("c", 0.5))]
    nothing = Replies(planned=0, asked=0, read=0, declined=0, unread=0, no_text=0, missing=0)
    sections = [
        Section(
            probe="worldbench", title="", model=one.model, run="", measurable=True, why_not=[],
            screens=[], replies=nothing, metrics=[], tables={}, notes=[],
        )
        for one in every
    ]  # fmt: skip
    found = derived.over_models(probe, every, sections)
    assert found is not None
    metrics = {one.name: one for one in found.section.metrics}
    assert metrics["worldbench.error"].value == pytest.approx(0.35, abs=0.1)
    assert metrics["worldbench.error"].counted == "models"
    names = ("all_error_by_region", "all_error_by_country", "all_error_by_model_and_indicator")
    assert {*names, "all_ranks_region"} <= found.section.tables.keys()
    assert "3 models is 0." in found.sentences[0].text


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
