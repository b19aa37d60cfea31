"""Tables over several models: each model is one unit, whatever it answered."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from geobias.atlas.economies import economies
from geobias.errors import BadRequest
from geobias.probes.probe import RunRecords
from geobias.probes.worldbench import over_models
from geobias.probes.worldbench.answers import FigureAnswers, pool_of
from geobias.probes.worldbench.countries import (
    correlations,
    countries_over_models,
    country_extremes,
)
from geobias.probes.worldbench.published import MODELS_TABLE, published
from geobias.probes.worldbench.scores import frame_of, group_errors, rank_table
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


@pytest.fixture(scope="module")
def frame() -> pl.DataFrame:
    levels = {"a": 0.2, "b": 0.3, "c": 0.5, "d": 0.4}
    return pool_of([answers_of(name, level) for name, level in levels.items()]).frame


def of_group(table: pl.DataFrame, group: str) -> dict[str, Any]:
    return table.filter(group=group).row(0, named=True)


def test_the_pooled_mean_is_the_mean_of_the_models_own(frame: pl.DataFrame) -> None:
    pooled = of_group(over_models.group_errors(frame, "region"), "Sub-Saharan Africa")
    own = [
        of_group(group_errors(part, "region"), "Sub-Saharan Africa")["mean"]
        for part in frame.partition_by("model")
    ]
    assert pooled["mean"] == pytest.approx(sum(own) / 4)


def test_the_interval_allows_for_how_models_vary(frame: pl.DataFrame) -> None:
    pooled = of_group(over_models.group_errors(frame, "all"), "all")
    one_by_one = of_group(group_errors(frame.filter(model="a"), "all"), "all")
    assert pooled["over"] == "models and countries"
    wide, narrow = (r["mean_high"] - r["mean_low"] for r in (pooled, one_by_one))
    assert wide > 2 * narrow


def test_two_models_say_nothing_of_how_models_vary() -> None:
    pool = pool_of([answers_of("a", 0.2), answers_of("b", 0.6)])
    found = of_group(over_models.group_errors(pool.frame, "all"), "all")
    assert found["over"] == "countries"
    assert found["mean_high"] - found["mean_low"] < 0.2
    assert "Three models or more give intervals over models and countries" in pool.notes[-1]


def test_a_model_that_answers_less_weighs_no_less() -> None:
    few = answers_of("b", 0.6, gap=0.0)
    kept = pl.col("country").is_in(["KEN", "FRA", "DEU"]) | pl.lit(False)
    blank = few.frame.with_columns(error=pl.when(kept).then("error"))
    parts = [answers_of("a", 0.2, gap=0.0).frame, blank]
    found = of_group(over_models.group_errors(pl.concat(parts), "all"), "all")
    assert found["mean"] == pytest.approx(0.4, abs=0.02)


def test_who_answers_about_a_country_moves_it_little() -> None:
    # Only the poor model answers about Kenya: that makes the model poor, not Kenya.
    good, poor = answers_of("good", 0.1, gap=0.0), answers_of("poor", 0.7, gap=0.0)
    kenya = pl.col("country") == "KEN"
    silenced = good.frame.with_columns(error=pl.when(~kenya).then("error"))
    average = over_models.average_model(pl.concat([silenced, poor.frame]))
    assert average.filter(country="KEN")["error"].mean() == pytest.approx(0.4, abs=0.05)


def test_runs_of_one_model_are_one_model() -> None:
    runs = [answers_of(name, 0.2, asked="same") for name in ("x", "x (2)", "x (3)")]
    pool = pool_of(runs)
    assert pool.models == ["same"]
    assert "runs of one model count as one model" in " ".join(pool.notes)


def test_a_model_under_two_conditions_counts_for_each_and_that_is_said() -> None:
    runs = [answers_of("x", 0.2, asked="same"), answers_of("y", 0.1, asked="same", retrieve=3)]
    pool = pool_of(runs)
    assert pool.models == ["same (retrieve none)", "same (retrieve 3)"]
    assert "Such runs are no independent sample." in " ".join(pool.notes)


def test_runs_that_ask_for_other_years_are_not_pooled() -> None:
    with pytest.raises(BadRequest, match="differ in year: none and 2016"):
        pool_of([answers_of("a", 0.2), answers_of("b", 0.2, year=2016)])


def test_runs_of_other_sizes_are_pooled_over_what_all_asked() -> None:
    pool = pool_of([answers_of("a", 0.2), answers_of("b", 0.2, places=PLACES[3:])])
    assert pool.frame["country"].n_unique() == len(PLACES) - 3
    assert "Pooled over the 27 questions that all runs asked" in pool.notes[0]


def test_what_else_differs_is_named() -> None:
    pool = pool_of([answers_of("a", 0.2, retrieve=0), answers_of("b", 0.2, retrieve=3)])
    assert "The pooled runs differ in retrieve: 0 and 3." in pool.notes


def test_a_gap_that_all_models_share_holds_for_other_models_too(frame: pl.DataFrame) -> None:
    found = over_models.disparities(frame, "region").row(0, named=True)
    assert found["disparity"] == pytest.approx(0.1, abs=0.02)
    assert found["each_disparity"] == pytest.approx(0.1, abs=0.02)
    pair = over_models.pairs(frame, "region").row(0, named=True)
    assert (pair["more"], pair["less"]) == ("Sub-Saharan Africa", "Europe & Central Asia")
    assert pair["difference_low"] < 0.1 < pair["difference_high"]
    assert pair["p"] < 0.01


def test_a_trend_of_one_model_alone_does_not() -> None:
    gaps = {"a": 0.4, "b": 0.0, "c": 0.0, "d": 0.0}
    places = ["MLI", "UGA", "RWA", "TCD", "BDI", *PLACES[6:]]  # poor ones of Africa, rich others
    pool = pool_of([answers_of(name, 0.3, gap, places=places) for name, gap in gaps.items()])
    found = over_models.disparities(pool.frame, "income").row(0, named=True)
    assert found["trend_p"] < 0.05
    assert found["trend_models"] == pytest.approx(found["trend"], abs=0.01)
    assert found["p_models"] > 0.2


def test_rates_are_over_models_too() -> None:
    rows = [row(place, error=0.1) for place in PLACES[:6]]
    quiet = [silent(place) for place in PLACES[:6]]
    frames = [frame_of(rows, "a"), frame_of(rows, "b"), frame_of(quiet, "c")]
    found = of_group(over_models.rates(pl.concat(frames), "all"), "all")
    assert found["parsed"] == pytest.approx(2 / 3)
    assert found["parsed_low"] < 0.2


def test_ranks_over_models_have_a_mean_rank_with_its_interval(frame: pl.DataFrame) -> None:
    table = rank_table(frame, "region", "model")
    first = table.row(0, named=True)
    assert (first["group"], first["rank"], first["compared"]) == ("Europe & Central Asia", 1, 4)
    assert first["rank_high"] > 1


def test_countries_are_ranked_by_the_plain_error_as_in_the_paper(frame: pl.DataFrame) -> None:
    table = countries_over_models(frame)
    plain = dict(table.select("country", "plain").iter_rows())
    found = country_extremes(table, 3, "plain")
    ranked = found.filter(end="best")["country"].to_list()
    assert ranked == sorted(plain, key=lambda iso3: plain[iso3])[:3]
    assert found["models"].to_list() == [4] * 6


def test_the_matrix_has_a_row_for_each_model_and_one_for_all(frame: pl.DataFrame) -> None:
    table = over_models.wide(over_models.error_matrix(frame, "indicator"))
    assert table["model"].to_list() == ["a", "b", "d", "c", "all models"]
    assert table.columns[:2] == ["model", "all"]
    last = table.row(-1, named=True)
    assert last["gdp"] == pytest.approx(table["gdp"].head(4).mean())


def test_the_whole_of_a_matrix_is_the_mean_of_its_cells_where_questions_are_missing(
    frame: pl.DataFrame,
) -> None:
    few = pl.col("country").is_in(["KEN", "FRA", "UGA"])
    part = frame.filter((pl.col("indicator") != "gdp") | few).with_columns(
        error=pl.when(indicator="gdp").then(0.9).otherwise(pl.col("error"))
    )
    table = over_models.wide(over_models.error_matrix(part, "indicator"))
    last = table.row(-1, named=True)
    assert last["all"] == pytest.approx(table["all"].head(4).mean())
    assert last["all"] == pytest.approx(np.mean([last[one] for one in INDICATORS]))


def test_the_matrix_of_disparities_is_the_papers_number(frame: pl.DataFrame) -> None:
    cells = over_models.disparity_matrix(frame, "region")
    one = cells.filter(model="a", column="gdp").row(0, named=True)
    own = frame.filter(model="a", indicator="gdp").group_by("region").agg(pl.col("error").mean())
    spread = own["error"].to_list()
    assert one["value"] == pytest.approx(max(spread) - min(spread))


def test_published_models_are_pooled_beside_and_named() -> None:
    cells = over_models.published_matrix("abs_rel_error", ["population"])
    assert cells["model"].n_unique() == 21
    assert "OpenAI GPT 4 (published)" in cells["model"]
    pooled = cells.filter(model="published models", column="population").row(0, named=True)
    printed = published(MODELS_TABLE).filter(indicator="population")["abs_rel_error"]
    assert pooled["value"] == pytest.approx(printed.mean())
    assert pooled["n"] == 20
    assert pooled["value_low"] < pooled["value"] < pooled["value_high"]


def test_a_correlation_within_income_groups_can_turn_its_sign(frame: pl.DataFrame) -> None:
    # Rich and poor differ in both; among the rich, and among the poor, they go the other way.
    means = dict(
        over_models.average_model(frame).group_by("country").agg(pl.col("error").mean()).iter_rows()
    )
    poor = {iso3 for iso3 in means if economies()[iso3].income != "High income"}
    values = {iso3: (10.0 if iso3 in poor else 0.0) - 20 * means[iso3] for iso3 in means}
    found = correlations(frame, {"own": values}).row(0, named=True)
    assert found["pearson"] > 0.8
    assert found["given_income"] < -0.8
    assert found["pairs"] == 12
    assert found["pair_pearson_low"] < found["pair_pearson"] < found["pair_pearson_high"]


def test_a_converted_answer_and_a_plain_one_answer_the_same_question() -> None:
    """One model said it in kilograms, the other in tonnes."""
    rows = [row(error=0.2), row(error=0.4, converted="kg → tonnes")]
    frame = pl.concat(frame_of([one], model) for one, model in zip(rows, "ab", strict=True))
    average = over_models.average_model(frame)
    assert average["error"].to_list() == [pytest.approx(0.3)]
