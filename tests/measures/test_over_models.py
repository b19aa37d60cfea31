"""Any measure over several models: of shares, of values around 0, without items, and whatever a
probe works out itself."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from geobias import open_run, run
from geobias.atlas.economies import economies
from geobias.measures.measure import Contrasted, Measure, by_half, by_income
from geobias.measures.over_models import (
    average_model,
    contrast_over_models,
    country_table_over_models,
    group_table_over_models,
    model_matrix,
    whole_over_models,
)
from geobias.measures.showing_models import metrics_over_models, tables_over_models
from geobias.probes import derived
from geobias.probes.registry import find_probe, plan_of
from geobias.report.findings import collect
from geobias.stats.estimates import Estimate
from tests.defined import defined

POOR = ("MLI", "UGA", "RWA", "TCD", "BDI", "MOZ")
RICH = ("FRA", "DEU", "ITA", "ESP", "PRT", "NLD")
ITEMS = ("a", "b")


def answers(**levels: float) -> pl.DataFrame:
    """Models at these levels, 0.1 above them for poor countries and 0.2 for the second item."""
    rows = [
        {
            "model": model,
            "country": iso3,
            "item": item,
            "value": level + 0.1 * (iso3 in POOR) + 0.2 * (item == "b") + 0.004 * (i % 3),
            "right": i % 2 == 0,
            "region": economies()[iso3].region,
            "income": economies()[iso3].income,
            "north_south": economies()[iso3].north_south,
        }
        for model, level in levels.items()
        for i, iso3 in enumerate((*POOR, *RICH))
        for item in ITEMS
    ]
    return pl.DataFrame(rows)


def measure(**more: object) -> Measure:
    facts: dict[str, object] = {
        "name": "level",
        "label": "Mean level",
        "value": "value",
        "unit": "level, 0 to 1",
        "better": "low",
        "item": "item",
        "contrasts": (by_income("Poor minus rich"),),
        "primary": "income_trend",
    }
    return Measure(**(facts | more))  # type: ignore[arg-type]


THREE = {"x": 0.1, "y": 0.3, "z": 0.5}


def test_a_mean_is_over_models_and_units_and_each_model_weighs_alike() -> None:
    frame = answers(**THREE)
    few = frame.filter((pl.col("model") != "z") | pl.col("country").is_in(["MLI", "FRA"]))
    found, models, over = whole_over_models(frame, measure())
    assert (models, over) == (3, "models and countries")
    assert found.value == pytest.approx(0.3 + 0.05 + 0.1 + 0.004)
    assert (found.high or 0) - (found.low or 0) > 0.3
    assert whole_over_models(few, measure()).found.value == pytest.approx(0.454, abs=0.01)


def test_under_three_models_the_interval_is_of_these_very_models() -> None:
    frame = answers(x=0.1, y=0.5)
    found, _, over = whole_over_models(frame, measure())
    assert over == "countries"
    assert (found.high or 1) - (found.low or 0) < 0.2
    assert contrast_over_models(frame, measure(), measure().contrasts[0]).over == "countries"


def test_a_contrast_that_all_models_share_holds_for_others() -> None:
    one = measure()
    found, _, over = contrast_over_models(answers(x=0.29, y=0.3, z=0.31), one, one.contrasts[0])
    assert over == "models and countries"
    assert found.value == pytest.approx(0.1, abs=1e-3)
    assert defined(found.p) < 0.001


def test_a_contrast_of_one_model_alone_does_not_hold_for_others() -> None:
    one, poor = measure(), pl.col("country").is_in(POOR)
    alone = pl.when(pl.col("model") == "x").then(0.3).otherwise(-0.1)
    frame = answers(x=0.3, y=0.3, z=0.3).with_columns(value=pl.col("value") + poor * alone)
    found = contrast_over_models(frame, one, one.contrasts[0])
    these = contrast_over_models(frame.filter(pl.col("model") != "z"), one, one.contrasts[0])
    assert (found.over, these.over) == ("models and countries", "countries")
    assert (found.found.p or 0) > 0.2
    assert (these.found.p or 1) < 0.05


def test_groups_and_items_have_their_means_over_models() -> None:
    frame = answers(**THREE)
    incomes = dict(
        group_table_over_models(frame, measure(), "income").select("group", "mean").iter_rows()
    )
    assert incomes["Low income"] - incomes["High income"] == pytest.approx(0.1, abs=1e-3)
    items = group_table_over_models(frame, measure(), "item")
    assert items["group"].to_list() == ["b", "a"]
    assert items["models"].to_list() == [3, 3]


def test_values_around_0_are_so_over_models_too() -> None:
    relative = measure(relative=True, better="zero", bounds=(0.0, 1.0))
    names = [one.name for one in metrics_over_models("p", answers(**THREE), relative)]
    assert names == ["p.income_trend"]
    means = group_table_over_models(answers(**THREE), relative, "income")["mean"]
    assert means.min() < 0 < means.max()  # type: ignore[operator]


def test_a_share_stays_a_share() -> None:
    share = measure(value="right", better="high", contrasts=(), primary="")
    found = whole_over_models(answers(**THREE), share).found
    assert found.value == pytest.approx(0.5)
    assert 0 <= (found.low or 0) < (found.high or 1) <= 1


def test_a_measure_without_items_has_countries_and_groups_all_the_same() -> None:
    frame = answers(**THREE).filter(item="a")
    plain = measure(item="")
    table = country_table_over_models(frame, plain)
    assert table.height == len(POOR) + len(RICH)
    assert set(table["over"]) == {"models"}
    kept = {name for name, _ in tables_over_models(frame, plain)}
    by = ("income", "country", "model_and_region", "region")
    assert kept == {f"all_level_by_{group}" for group in by}


def test_what_a_measure_works_out_itself_is_averaged_over_models() -> None:
    def largest(rows: pl.DataFrame, value: str, by: str) -> Estimate:
        return Estimate(float(rows[value].max()), None, None, rows.height)  # type: ignore[arg-type]

    own = measure(estimate=largest, contrasts=(), primary="")
    found, models, over = whole_over_models(answers(**THREE), own)
    assert (models, over) == (3, "models")
    assert found.value == pytest.approx(0.3 + 0.1 + 0.2 + 0.008)
    assert found.low is not None


def test_so_is_a_contrast_of_its_own() -> None:
    def twice(rows: pl.DataFrame, value: str, most: float) -> Contrasted:
        double = 2 * float(rows["value"].mean())  # type: ignore[arg-type]
        return Contrasted(Estimate(double, None, None, 5))

    contrast = replace(by_half("north_south", "North minus South"), estimate=twice)
    one = measure(contrasts=(contrast,), primary="north_south")
    found, models, over = contrast_over_models(answers(x=0.1, y=0.11, z=0.12), one, contrast)
    assert (models, over) == (3, "models")
    assert found.value == pytest.approx(2 * (0.11 + 0.154))


def test_models_stand_side_by_side_from_the_least_to_the_largest() -> None:
    table = model_matrix(answers(x=0.5, y=0.1), measure(), "item")
    assert table["model"].to_list() == ["y", "x", "all models"]
    assert table.columns == ["model", "all", "a", "b"]
    assert table["a"].to_list()[2] == pytest.approx(table["a"].head(2).mean())


def test_who_answers_about_a_country_moves_it_little() -> None:
    frame = answers(good=0.0, poor=0.6)
    silent = (pl.col("model") == "good") & (pl.col("country") == "MLI")
    kept = frame.with_columns(pl.when(~silent).then("value").alias("value"))
    before, after = (
        average_model(one, measure()).filter(country="MLI")["value"].mean() for one in (frame, kept)
    )
    assert after == pytest.approx(before, abs=0.02)


def test_nothing_answered_is_undefined_and_no_crash() -> None:
    nothing = answers(**THREE).with_columns(value=pl.lit(None, pl.Float64))
    found = whole_over_models(nothing, measure()).found
    assert found.value is None
    assert contrast_over_models(nothing, measure(), measure().contrasts[0]).found.p is None
    assert group_table_over_models(nothing, measure(), "region")["mean"].null_count() == 2
    assert dict(tables_over_models(nothing, measure()))


@pytest.mark.parametrize("name", ["worldbench", "namebbq", "geo20q", "ratings"])
def test_every_probe_is_pooled_over_models(name: str, tmp_path: Path) -> None:
    probe = find_probe(name)
    settings = {"judge_questions": 0} if name == "geo20q" else {}
    with ExitStack() as stack:
        runs = [
            stack.enter_context(
                open_run(run([plan_of(probe, settings)], model, tmp_path / f"{i}.geobias").path)
            )
            for i, model in enumerate(("sim/fair", "sim/biased", "sim/?seed=3"))
        ]
        findings = collect(runs)
    [section] = findings.over_models
    assert section.probe == name
    lead = defined(derived.lead_of(probe))
    first = f"{name}.{lead.primary if lead.relative else lead.name}"
    [pooled] = [one for one in section.metrics if one.name == first]
    assert pooled.value is not None
    assert "The interval is over" in pooled.note
    assert "models" in pooled.note
