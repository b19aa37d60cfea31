from __future__ import annotations

from typing import Any

import msgspec
import polars as pl
import pytest

from geobias.atlas.economies import economy
from geobias.atlas.figures import Figures, Series, figures
from geobias.probes.worldbench import plan
from geobias.probes.worldbench.relations import consistency, correlations, indicator_values
from geobias.probes.worldbench.scores import frame_of
from geobias.probes.worldbench.years import citation_summary, citations, years_fit, years_table
from geobias.probes.worldbench.years import figures as drawn
from geobias.results.charts import Plane
from geobias.results.tables import table_from
from tests.probes.answering import answered, rows
from tests.probes.worldbench.answering import row, simulated
from tests.report.made import findings


def cells(table: pl.DataFrame, indicator: str) -> tuple[float | None, ...]:
    return table.row(by_predicate=pl.col("indicator") == indicator)[1:]


def some(**rows: tuple[float | None, ...]) -> Figures:
    figures = {
        iso3: {year: one for year, one in enumerate(row, start=2018) if one is not None}
        for iso3, row in rows.items()
    }
    return Figures({"x": Series("", 2022, figures)})


def test_an_economy_without_an_average_is_not_in_the_cell() -> None:
    table = years_table(
        some(KEN=(1.0, None, 2.0, None, None), UGA=(9.0, None, None, None, None)), years=(2018,)
    )
    assert table.columns == ["indicator", "2018", "average"]
    assert cells(table, "x")[0] == 0.5


def test_a_year_in_which_no_economy_has_a_figure_is_undefined() -> None:
    table = years_table(some(KEN=(1.0, None, 1.0, None, None)), years=(2018, 2019))
    assert cells(table, "x") == (0.0, None, 0.0)
    assert cells(table, "average")[1] is None


# The replies of the paper's Figure 10, and what it says of each.
FIGURE_10 = [
    (
        "gdp_ppp_per_person_employed",
        "Jordan",
        "According to the World Bank data from 2019, the GDP at purchasing power parity (PPP) per "
        "person employed for Jordan was $3,551.72.",
        0.919,
        0.917,
        "wrong",
    ),
    (
        "education_expenditure",
        "Kazakhstan",
        "4.63 (Source: World Bank, 2019)",
        0.383,
        0.0397,
        "right figure, other year",
    ),
    (
        "gdp",
        "Mexico",
        "116,714,731,179.486982 [Source: World Bank 2020 estimates]",
        0.896,
        0.895,
        "off by a power of ten",
    ),
]


@pytest.mark.parametrize(
    ("indicator", "country", "reply", "of_year", "of_any_year", "verdict"), FIGURE_10
)
def test_the_papers_examples_come_out_as_printed(
    indicator: str, country: str, reply: str, of_year: float, of_any_year: float, verdict: str
) -> None:
    made = plan(indicators=[indicator], countries=[country])
    frame = frame_of(rows(answered(made, lambda _: reply)))
    (found,) = citations(frame, figures()).to_dicts()
    assert found["source"] == "World Bank"
    assert found["country"] == economy(country).iso3
    assert found["error_of_year"] == pytest.approx(of_year, abs=5e-4)
    assert found["best_error"] == pytest.approx(of_any_year, abs=1e-3)
    assert found["verdict"] == verdict


def kenya(**fields: object) -> str | None:
    cited = {"source": "World Bank", "value": 47894670.0} | fields
    verdict: str | None = citations(frame_of([row("KEN", **cited)]), figures())["verdict"].item()
    return verdict


@pytest.mark.parametrize(
    ("fields", "verdict"),
    [({"cited_year": 2016}, "right"), ({}, "right"), ({"value": 0.0}, "wrong")],
)
def test_a_figure_is_right_of_the_cited_year_or_of_any_where_none_is_cited(
    fields: dict[str, object], verdict: str
) -> None:
    assert kenya(**fields) == verdict


def test_answers_that_cite_nothing_are_not_checked() -> None:
    assert citations(frame_of([row("KEN")]), figures()).height == 0


def test_the_summary_sets_sources_beside_answers_without_one() -> None:
    frame = frame_of([row("KEN", error=0.5), row("UGA", error=0.3, source="World Bank", value=1.0)])
    found = citation_summary(frame, figures())
    assert sorted(found["source"]) == ["World Bank", "nothing cited"]
    assert found.filter(source="nothing cited")["wrong"].to_list() == [None]


POPULATIONS = {
    "KEN": {2020: 10.0, 2021: 20.0, 2022: 40.0},
    "UGA": {2020: 5.0, 2021: 10.0, 2022: 20.0},
    "FRA": {2021: 8.0},
}
GROWING = Figures({"population": Series("", 2022, POPULATIONS)})


def test_answers_fit_the_year_they_are_from() -> None:
    frame = frame_of([row("KEN", value=20.0), row("UGA", value=10.0)])
    found = years_fit(frame, GROWING)
    (best,) = found.filter(found["best"].fill_null(False)).to_dicts()
    assert (best["against"], best["error_same"], best["more"]) == ("2021", 0.0, None)
    assert found.filter(against="2020")["more"].to_list() == [0.5]


def test_years_are_compared_on_the_questions_they_share() -> None:
    frame = frame_of([row("KEN", value=20.0), row("FRA", value=800.0)])
    found = {r["against"]: r for r in years_fit(frame, GROWING).to_dicts()}
    assert (found["2021"]["questions"], found["2021"]["questions_same"]) == (2, 1)
    assert found["2021"]["error"] == pytest.approx(0.99 / 2)
    assert found["2021"]["error_same"] == 0.0


def test_figure_11_has_a_line_over_years_and_two_dashed_lines() -> None:
    table = table_from(years_fit(frame_of([row("KEN", value=20.0)]), GROWING), "")
    (section,) = findings().sections
    [figure] = drawn([msgspec.structs.replace(section, tables={"years": table})])
    chart = figure.panels[0].chart
    assert isinstance(chart, Plane)
    rows: list[dict[str, Any]] = table.rows
    errors = {r["against"]: r["error_same"] for r in rows if r["error_same"] is not None}
    assert chart.levels["m"] == [errors.pop("latest"), errors.pop("average")]
    assert chart.points["m"] == [(int(year), error) for year, error in errors.items()]


def test_errors_that_grow_as_figures_shrink_correlate_negatively() -> None:
    shipped = figures()
    codes = ("KEN", "UGA", "FRA", "DEU", "IND")
    sizes = shipped.truths("population")
    rows = [row(iso3, error=0.9 - sizes[iso3] / 2e9) for iso3 in codes]
    found = {
        r["indicator"]: r
        for r in correlations(frame_of(rows), indicator_values(shipped)).to_dicts()
    }
    assert found["population"]["pearson"] == pytest.approx(-1.0)
    assert found["population"]["countries"] == 5


def test_the_spread_is_relative_to_the_mean_answer() -> None:
    frame = frame_of([row(repeat=0, value=1.0), row(repeat=1, value=3.0)])
    assert consistency(frame)["spread"].to_list() == [pytest.approx(2**0.5 / 2)]


def test_a_model_that_recalls_worse_varies_more() -> None:
    made = plan(indicators=["population"], size="standard", repeats=5, temperature=0.8)
    frame = simulated(made, "sim/?recall_sd=0.05&gap=0.4&against=Sub-Saharan Africa")
    assert consistency(frame)["pearson"].to_list()[0] > 0.5
