"""What is shown of a measure over several models: metrics, tables, sentences and figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from geobias.atlas.economies import economies, economy_name, region_code
from geobias.measures.drawing import figure_name
from geobias.measures.measure import Contrast, Measure
from geobias.measures.over_models import (
    ALL_MODELS,
    Pooled,
    contrast_over_models,
    country_table_over_models,
    group_table_over_models,
    model_matrix,
    whole_over_models,
)
from geobias.measures.words import domain_of, group_words, table_name
from geobias.results.charts import Heatmap, MapLegend, Rows, Spot, WorldMap
from geobias.results.figures import (
    REGION_HEADS,
    Figure,
    Panel,
    dots,
    even_classes,
    reach,
    two_sided_classes,
)
from geobias.results.findings import Metric, Section, Table
from geobias.results.formatting import counted, estimate, number, p_phrase, unit_words, words
from geobias.results.tables import metric_from, metric_of, metric_value, rows_of, table_from

TITLE = "Over all models"


def _weights(measure: Measure) -> str:
    """How to read a table of all models."""
    units = " and ".join(map(unit_words, measure.units))
    return (
        f"Each model has the same weight. Intervals are over models and {units}, which are a "
        f"sample each; under three models over {units} alone. What is no mean over {units} has an "
        "interval over models alone."
    )


# Metrics, tables, sentences -----------------------------------------------------------------------


def metrics_over_models(probe: str, frame: pl.DataFrame, measure: Measure) -> Iterator[Metric]:
    """The mean and the contrasts."""
    if not measure.relative:
        found = whole_over_models(frame, measure)
        yield _metric(
            probe, measure, found, measure.name, measure.label, measure.unit, measure.note
        )
    for one in measure.contrasts:
        by = ", by expected values" if measure.prefix else ""
        unit = measure.unit if measure.relative else f"difference of {measure.label.lower()}s"
        found = contrast_over_models(frame, measure, one)
        yield _metric(
            probe, measure, found, f"{measure.prefix}{one.name}", f"{one.label}{by}", unit,
            one.note, contrast=one,
        )  # fmt: skip


def _metric(
    probe: str,
    measure: Measure,
    found: Pooled,
    name: str,
    label: str,
    unit: str,
    note: str,
    contrast: Contrast | None = None,
) -> Metric:
    (one, p), models, over = found
    # Of two kinds of units n counts that which there are fewer of.
    fewest = over == "models" or (over.startswith("models") and one.n == models)
    better = "zero" if contrast else measure.better
    said = f"The interval is over {over}." if one.low is not None else ""
    return metric_from(
        one,
        name=f"{probe}.{name}",
        label=label,
        counted="models" if fewest else measure.counted,
        unit=unit,
        better=better,
        note=f"{note} {said}".strip(),
        p=p if better == "zero" and one.value is not None else None,
        screened=measure.screened,
    )


def tables_over_models(frame: pl.DataFrame, measure: Measure) -> Iterator[tuple[str, Table]]:
    """The groups of a measure, its countries, and models side by side."""
    units = {"mean": measure.unit, "pooled": measure.unit}
    groupings = [by for by in (*measure.all_groups, measure.item) if by and by in frame.columns]
    for by in groupings:
        table = group_table_over_models(frame, measure, by)
        title = f"{TITLE}: {measure.label.lower()} by {group_words(by)}"
        yield _all(table_name(measure, by)), table_from(table, title, _weights(measure), units)
    if measure.on_map:
        yield (
            _all(table_name(measure, "country")),
            table_from(
                country_table_over_models(frame, measure),
                f"{TITLE}: {measure.label.lower()} by country",
                "`mean` has its interval over models and items; `pooled`, by which countries are "
                "ranked, leans on all countries, most where one has few answers. `excess` and `p` "
                "are of the models' average.",
                units,
            ),
        )
    for by in _side_by_side(measure, groupings):
        yield (
            _matrix_name(measure, by),
            table_from(
                model_matrix(frame, measure, by),
                f"{measure.label} by model and {group_words(by)}",
                "Models and groups from the least to the largest; the last row is over all models.",
            ),
        )


def _all(name: str) -> str:
    return f"all_{name}"


def _side_by_side(measure: Measure, groupings: Sequence[str]) -> list[str]:
    """Models are compared in each item and in the first grouping, of measures that mean
    something."""
    chosen = (measure.item, *measure.groups[:1]) if measure.screened else ()
    return [by for by in groupings if by in chosen]


def _matrix_name(measure: Measure, by: str) -> str:
    return f"all_{measure.name}_by_model_and_{by}"


def sentences_over_models(
    probe: str, section: Section, measure: Measure, models: int
) -> Iterator[str]:
    """The mean, and the primary contrast with its test."""
    mean = metric_of(section, f"{probe}.{measure.name}")
    if mean is not None and mean.value is not None:
        value = estimate(mean.value, mean.low, mean.high, 3)
        value += f" ({p_phrase(mean.p)})" if mean.p is not None else ""
        yield (
            f"{TITLE}: the {measure.label.lower()} of {counted(models, 'models')} is {value}. "
            f"{mean.note.removeprefix(measure.note).strip()}".strip()
        )
    contrast = measure.primary_contrast
    gap = metric_of(section, f"{probe}.{measure.prefix}{contrast.name}") if contrast else None
    if contrast and gap is not None and gap.value is not None and gap.p is not None:
        over = gap.note.removeprefix(contrast.note).strip()
        yield (
            f"{TITLE}, {contrast.short}: {metric_value(gap, 3)}{measure.in_words.of} "
            f"({p_phrase(gap.p)}). {over}"
        )


# Figures ------------------------------------------------------------------------------------------


def figures_over_models(probe: str, measure: Measure, pooled: Section) -> Iterator[Figure]:
    """The map, the groups, and models side by side."""
    groupings = [by for by in (*measure.all_groups, measure.item) if by not in ("", *measure.units)]
    made = [_map(probe, measure, pooled)] if measure.on_map else []
    made += [_dots(probe, measure, pooled, by) for by in groupings]
    made += [_heat_map(probe, measure, pooled, by) for by in _side_by_side(measure, groupings)]
    yield from (figure for figure in made if figure is not None)


def _name(probe: str, name: str) -> str:
    return name.replace(f"{probe}-", f"{probe}-all-", 1)


def _dots(probe: str, measure: Measure, pooled: Section, by: str) -> Figure | None:
    table, group = _all(table_name(measure, by)), group_words(by)
    return dots(
        [pooled],
        table,
        row=lambda row: words(row["group"]) if by == measure.item else row["group"],
        value="mean",
        said=lambda row: f"{row[measure.counted]:,} {measure.counted}, {row['models']:,} models",
        axis=measure.axis or measure.label.lower(),
        domain=domain_of([rows_of(pooled, table, "mean")], measure),
        reference=0 if measure.two_sided else None,
        data=(measure.counted, "models", "answered"),
        counted=measure.counted,
        name=_name(probe, figure_name(probe, measure, by)),
        title=f"{TITLE}: {measure.label.lower()} by {group}",
        note=f"Over {measure.counted}. {_weights(measure)}",
        alt=f"A dot with its interval for each {group}.",
    )


def _map(probe: str, measure: Measure, pooled: Section) -> Figure | None:
    found = rows_of(pooled, _all(table_name(measure, "country")), "mean")
    rows = [row for row in found if row["mean"] is not None]
    if not rows:
        return None
    limits = (two_sided_classes if measure.two_sided else even_classes)(row["mean"] for row in rows)
    ramp: Any = "two_sided" if measure.two_sided else "amount"
    spots = {
        row["country"]: Spot(
            row["mean"],
            f"{economy_name(row['country'])}: "
            f"{estimate(row['mean'], row['mean_low'], row['mean_high'])}, {row['models']} models",
        )
        for row in rows
    }
    return Figure(
        name=_name(probe, figure_name(probe, measure, "map")),
        title=f"{TITLE}: {measure.label.lower()}, country by country",
        note="Of the questions that all models were asked. A country is marked as not asked where "
        "one of them was not.",
        alt=f"A map of the world; each country is shaded by its {measure.label.lower()} over all "
        "models. The table of countries has the same numbers.",
        panels=[Panel(WorldMap(spots=spots, limits=limits, ramp=ramp))],
        data=[_of_map(row) for row in rows],
        wide=True,
        legend=MapLegend(limits=limits, ramp=ramp, words=measure.axis or measure.label.lower()),
    )


def _of_map(row: Mapping[str, Any]) -> dict[str, Any]:
    place = economies()[row["country"]]
    known = {"country": place.iso3, "name": place.name, "region": place.region}
    numbers = ("mean", "mean_low", "mean_high", "models", "answered")
    return known | {"income": place.income} | {name: row[name] for name in numbers}


PANEL_COLUMNS = 6
"""Of a panel: more would leave no room for their heads."""
HEAD_LETTERS = 6
"""Of a line of a head."""


def _heat_map(probe: str, measure: Measure, pooled: Section, by: str) -> Figure | None:
    found = rows_of(pooled, _matrix_name(measure, by), "model")
    columns = [name for name in (found[0] if found else {}) if name != "model"]
    rows: Rows = [
        {
            "row": row["model"],
            "column": column,
            "value": row[column],
            "shown": number(row[column]).replace("0.", ".", 1),
            "said": f"{row['model']}, {words(column)}: {number(row[column], 3)}",
        }
        for row in found
        for column in columns
        if row[column] is not None
    ]
    if not rows or measure.two_sided:  # shades go from 0 up
        return None
    most = reach([rows], "value")
    parts = [columns[i : i + PANEL_COLUMNS] for i in range(0, len(columns), PANEL_COLUMNS)]
    return Figure(
        name=_name(probe, figure_name(probe, measure, f"models-{by}")),
        title=f"{measure.label} by model and {group_words(by)}",
        note="Models and columns from the least to the largest; the last row is over all models. "
        "Intervals are in the tables.",
        alt="Tables of shaded cells: models down, darker for larger numbers.",
        panels=[
            Panel(
                Heatmap(
                    rows=[row for row in rows if row["column"] in part],
                    x_title="",
                    columns=part,
                    heads={name: head_of(name) for name in part},
                    most=most,
                    bold=[ALL_MODELS],
                )
            )
            for part in parts
        ],
        data=[{name: row[name] for name in ("row", "column", "value")} for row in rows],
    )


def head_of(column: str) -> str:
    """A column's name in a few short lines."""
    code = region_code(column)
    if code in REGION_HEADS:
        return REGION_HEADS[code]
    lines = []
    for word in words(column).split()[:4]:
        lines.append(word if len(word) <= HEAD_LETTERS else f"{word[: HEAD_LETTERS - 1]}.")
    return "\n".join(lines)
