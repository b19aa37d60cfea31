from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from geobias.atlas.economies import economies
from geobias.atlas.groupings import groups_of
from geobias.measures.comparing import changed_alike
from geobias.measures.countries import country_table
from geobias.measures.estimates import group_table
from geobias.measures.over_models import average_model
from geobias.measures.questions import unit_means
from geobias.probes import derived
from geobias.probes.worldbench import plan
from geobias.probes.worldbench.paper import gap
from geobias.probes.worldbench.probe import WorldBench
from geobias.probes.worldbench.relations import correlations
from geobias.probes.worldbench.scores import (
    ERROR,
    MEDIAN,
    frame_of,
    gap_between,
    rank_table,
    region_disparity,
    with_further,
)
from geobias.results.tables import metric_of
from tests.defined import defined
from tests.probes.worldbench.answering import found_in, row, silent, simulated, trend_of
from tests.wording import reads_as


def test_a_group_mean_weighs_countries_and_not_questions() -> None:
    frame = frame_of([row("KEN", error=0.0), row("KEN", error=0.0), row("UGA", error=1.0)])
    (found,) = group_table(frame, ERROR, "region").to_dicts()
    assert (found["mean"], found["countries"], found["answered"]) == (0.5, 2, 3)


def test_a_group_median_is_over_questions() -> None:
    two = [row("KEN", indicator=name, error=0.0) for name in ("population", "gdp")]
    frame = frame_of([*two, row("UGA", error=1.0)])
    assert group_table(frame, MEDIAN, "region")["mean"].to_list() == [0.0]


def test_a_group_without_an_answer_is_undefined_and_not_zero() -> None:
    frame = frame_of([row("KEN", error=0.2), silent("FRA")])
    last = group_table(frame, ERROR, "region").to_dicts()[-1]
    assert (last["group"], last["mean"], last["answered"], last["asked"]) == (
        "Europe & Central Asia",
        None,
        0,
        1,
    )


def test_a_group_without_an_interval_says_why() -> None:
    frame = frame_of([row("KEN", error=0.1), row("UGA", error=0.3), row("FRA", error=0.2)])
    notes = group_table(frame, ERROR, "region")["note"].unique().to_list()
    assert (len(notes), all(notes)) == (2, True)
    assert group_table(frame, ERROR, "all")["note"].to_list() == [""]


def test_a_country_that_is_declined_throughout_counts_as_one_piece_of_evidence() -> None:
    names = [f"indicator {i}" for i in range(10)]
    frame = frame_of(
        [row(c, indicator=name) for c in ("KEN", "UGA") for name in names]
        + [silent("FRA", indicator=name) for name in names]
    )
    found = defined(metric_of(found_in(frame).section, "worldbench.declined"))
    assert found.value == pytest.approx(1 / 3)
    assert (found.high or 0) > 0.9  # 30 independent questions would say 0.51


def noise(seed: int = 0) -> list[dict[str, object]]:
    dice = np.random.default_rng(seed)
    return [
        row(error=float(error)) | {"country": one.iso3, "region": one.region, "income": one.income}
        for one, error in zip(economies().values(), dice.beta(2, 4, 218), strict=False)
    ]


def test_a_gap_of_noise_is_no_difference() -> None:
    frame = frame_of(noise())
    found, widest = trend_of(frame).found, region_disparity(frame)
    assert (widest.value or 0) > 0
    assert (found.low or 0) < 0 < (found.high or 0)
    tests = (gap_between(frame, "region").test.p, found.p, widest.p)
    assert all(p is not None and p > 0.05 for p in tests)


def test_declining_hard_questions_does_not_make_a_region_better() -> None:
    rows = []
    for i, code in enumerate(("KEN", "UGA", "MLI", "FRA", "DEU", "ITA")):
        rows.append(row(code, indicator="gdp", error=0.1 + 0.01 * i))
        if row(code)["region"] != "Sub-Saharan Africa":
            rows.append(row(code, indicator="unemployment", error=0.7 + 0.01 * i))
    rows += [
        row("IND", indicator=name, error=e) for name, e in (("gdp", 0.1), ("unemployment", 0.7))
    ]
    means = dict(group_table(frame_of(rows), ERROR, "region").select("group", "mean").iter_rows())
    assert means["Sub-Saharan Africa"] == pytest.approx(0.11 + 0.3)


def test_a_group_with_many_questions_declined_says_so() -> None:
    rows = [row(code, error=0.1 * i) for i, code in enumerate(("KEN", "UGA", "MLI"))]
    frame = frame_of([*rows, silent("TCD")])
    assert group_table(frame, ERROR, "region")["note"].item().startswith("25% of")


def test_ranks_are_shares_of_the_indicators_and_shared_by_groups_that_tie() -> None:
    rows = []
    for name, kenya, france in (("gdp", 0.9, 0.1), ("population", 0.2, 0.3)):
        rows += [row("KEN", indicator=name, error=kenya), row("FRA", indicator=name, error=france)]
    found = rank_table(frame_of(rows), "region").to_dicts()
    assert [(r["1"], r["2"], r["compared"]) for r in found] == [(0.5, 0.5, 2), (0.5, 0.5, 2)]
    frame = frame_of([row("KEN", error=0.2), row("FRA", error=0.2), row("IND", error=0.5)])
    tied = {r["group"]: (r["1"], r["2"], r["3"]) for r in rank_table(frame, "region").to_dicts()}
    assert tied["South Asia"] == (0, 0, 1)
    assert tied["Sub-Saharan Africa"] == tied["Europe & Central Asia"] == (1, 0, 0)


def test_a_summary_says_when_there_is_nothing_to_compare() -> None:
    section = found_in(frame_of([row("KEN")])).section
    gap = defined(metric_of(section, "worldbench.region_disparity"))
    assert gap.value is None
    reads_as("WorldBench: no disparity of regions", gap.undefined_because)
    summary = defined(derived.summary(WorldBench(), section))
    assert [line["answered"] for line in summary.rows] == [1]


def test_a_country_has_one_mean_in_every_table_however_its_repeats_were_read() -> None:
    rows = [row("KEN", error=0.9)]
    rows += [row("KEN", indicator="gdp", repeat=n, error=0.1) for n in range(5)]
    rows += [row("FRA", error=0.2), row("UGA", error=0.3)]
    frame = frame_of(rows)
    tables = [
        group_table(frame, ERROR, "country").filter(group="KEN")["mean"],
        country_table(frame, ERROR).filter(country="KEN")["mean"],
        unit_means(frame, ERROR).filter(country="KEN")["value"],
    ]
    assert len({round(table.item(), 9) for table in tables}) == 1


def test_replies_without_a_score_are_counted_by_what_became_of_them() -> None:
    rows = [row(), silent("FRA"), silent("DEU"), silent("UGA", "unparsed"), silent("PER", "empty")]
    left = [one.text for one in found_in(frame_of(rows)).sentences if "gave no score" in one.text]
    reads_as("WorldBench: questions without a score", left)
    assert not any("gave no score" in one.text for one in found_in(frame_of([row()])).sentences)


def test_further_measures_are_of_the_answers_themselves() -> None:
    rows = [
        row("KEN", truth=100.0, value=200.0),
        row("UGA", truth=100.0, value=109.0),
        row("MLI", truth=100.0, value=124.0),
        row("FRA", truth=0.0, value=0.0),
        silent("DEU"),
    ]
    found = with_further(frame_of(rows))
    assert found["within_10"].to_list() == [False, True, False, True, None]
    assert found["within_25"].to_list() == [False, True, True, True, None]
    assert found["log_ratio"].drop_nulls().to_list() == pytest.approx(
        [0.30103, 0.03743, 0.09342], abs=1e-4
    )


def test_countries_have_groups_of_fiscal_2026_too() -> None:
    regions, incomes = groups_of("region_fy2026"), groups_of("income_fy2026")
    assert regions["PAK"] == regions["MAR"] != groups_of("region")["PAK"]
    assert (incomes["RUS"], incomes["ETH"]) == ("High income", None)
    changed = {iso3 for iso3, one in groups_of("income").items() if incomes[iso3] != one}
    assert len(changed) == 13


def test_the_papers_gap_is_of_all_groups_and_of_errors_as_they_are() -> None:
    """North America has one economy here, and one indicator is harder than the other."""
    rows = [
        *(row(iso3, error=0.2) for iso3 in ("KEN", "UGA", "MLI", "NGA", "GHA")),
        *(row(iso3, indicator="gdp", error=0.6) for iso3 in ("KEN", "UGA", "MLI", "NGA", "GHA")),
        row("USA", error=0.1),
    ]
    found = gap(frame_of(rows), "region")
    assert found.disparity.value == pytest.approx(0.4 - 0.1)
    assert 0 < defined(found.baseline) < 0.4
    assert gap_between(frame_of(rows), "region").pair is None


@pytest.mark.parametrize(("more", "differs"), [(0.0, False), (0.3, True)])
def test_a_change_is_held_against_the_same_change_in_all_regions(
    more: float, differs: bool
) -> None:
    dice = np.random.default_rng(1)
    rows = [
        {
            "country": f"{region}{number}",
            "indicator": indicator,
            "region": region,
            "error": 0.3,
            "error_2": 0.4 + more * (region == "A") + float(dice.normal(0, 0.05)),
        }
        for region in "ABC"
        for number in range(12)
        for indicator in ("gdp", "population")
    ]
    frame = pl.DataFrame(rows)
    found = changed_alike(frame, "worldbench.error", ERROR, "region")
    assert (found.by, found.group, found.n, found.items) == ("alike", "region", 36, 72)
    assert (defined(found.p) < 0.001) == differs


def test_regions_that_differ_without_a_clear_widest_gap_are_not_called_alike() -> None:
    """Welch's test over all regions rejects here, and that of the widest gap does not."""
    asked = plan(indicators=["population"], size="standard")
    found = found_in(simulated(asked, "sim/?recall_sd=0.3&seed=42"))
    (said,) = [one.text for one in found.sentences if "Regions" in one.text]
    reads_as("WorldBench: regions differ without a clear widest gap", said)


# Several models: each is one unit.

AFRICA, EUROPE = (
    ("KEN", "UGA", "MLI", "NGA", "GHA", "RWA"),
    ("FRA", "DEU", "ITA", "ESP", "PRT", "NLD"),
)


@pytest.fixture(scope="module")
def frame() -> pl.DataFrame:
    """Four models whose errors are 0.1 larger about Africa; a little noise besides."""
    dice = np.random.default_rng(1)
    return pl.concat(
        frame_of(
            [
                row(
                    place,
                    indicator=name,
                    error=level + 0.1 * (place in AFRICA) + dice.normal(0, 0.01),
                )
                for place in (*AFRICA, *EUROPE)
                for name in ("population", "gdp", "unemployment")
            ],
            model,
        )
        for model, level in {"a": 0.2, "b": 0.3, "c": 0.5, "d": 0.4}.items()
    )


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
