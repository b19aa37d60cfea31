"""Figures of a measure, from the tables of several models."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
import polars as pl

from geobias.measures.drawing import figures_of, map_over_models
from geobias.measures.measure import Measure
from geobias.results.charts import Intervals, WorldMap
from geobias.results.figures import Figure, Panel
from geobias.results.findings import Section
from geobias.results.tables import table_from
from tests.report.made import findings

LEAN = Measure(
    name="lean", label="Lean", value="lean", unit="", better="zero", bounds=(-1.0, 1.0), item="item"
)
Means = Mapping[str, tuple[float | None, float, float]]


def section(model: str, by: str, means: Means, table: str = "", n: str = "countries") -> Section:
    """The section of a model with one table: each group's mean and interval."""
    rows = [
        {"country" if by == "country" else "group": name, n: 5, "asked": 9}
        | {"mean": mean, "mean_low": low, "mean_high": high}
        for name, (mean, low, high) in means.items()
    ]
    tables = {table or f"lean_by_{by}": table_from(pl.DataFrame(rows), "")}
    return msgspec.structs.replace(findings().sections[0], model=model, tables=tables)


def drawn(by: str, *models: Means) -> Figure:
    sections = [section(name, by, means) for name, means in zip("abc", models, strict=False)]
    [made] = figures_of("p", LEAN, sections)
    return made


def names(panel: Panel) -> list[str]:
    assert isinstance(panel.chart, Intervals)
    return [dot.row for dot in panel.chart.rows]


def test_panels_have_their_rows_in_the_same_order() -> None:
    one = (0.1, 0.0, 0.2)
    unlike = drawn("item", {"x": one, "y": one}, {"z": one, "y": one, "x": one})
    assert [names(panel) for panel in unlike.panels] == [["X", "Y"], ["X", "Y", "Z"]]
    assert [panel.label for panel in unlike.panels] == ["a", "b"]
    incomes = drawn("income", {"High income": one}, {"High income": one, "Low income": one})
    assert names(incomes.panels[1]) == ["Low income", "High income"]
    assert [row["group"] for row in incomes.data] == ["High income", "High income", "Low income"]


COUNTRIES: Means = {
    "FRA": (0.3, 0.1, 0.5), "KEN": (-0.3, -0.7, 0.1), "IND": (0.2, 0.2, 0.2), "MLI": (None, 0, 0)
}  # fmt: skip


def test_a_country_whose_interval_includes_0_has_the_shade_of_0() -> None:
    own = section("a", "country", COUNTRIES, n="items")
    [made] = figures_of("p", LEAN, [own])
    chart = made.panels[0].chart
    assert isinstance(chart, WorldMap)
    shades = {iso3: spot.value for iso3, spot in chart.spots.items()}
    assert shades == {"FRA": 0.3, "KEN": 0.0, "IND": 0.2, "MLI": None}
    assert chart.spots["KEN"].said == "Kenya: -0.30 [-0.70, 0.10], 5 items"


def test_no_map_is_drawn_if_no_country_differs_from_0() -> None:
    unclear = {iso3: COUNTRIES[iso3] for iso3 in ("KEN", "MLI")}
    assert not [*figures_of("p", LEAN, [section("a", "country", unclear, n="items")])]


def test_two_models_have_no_map_of_their_own() -> None:
    def pooled(models: int) -> Section:
        found = section("all models", "country", COUNTRIES, "all_lean_by_country", "models")
        [table] = found.tables.values()
        rows = [row | {"models": models} for row in table.rows]
        tables = {"all_lean_by_country": msgspec.structs.replace(table, rows=rows)}
        return msgspec.structs.replace(found, tables=tables)

    assert not [*map_over_models("p", LEAN, pooled(2))]
    [made] = map_over_models("p", LEAN, pooled(3))
    assert made.name == "p-all-lean-map"
