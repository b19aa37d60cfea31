"""Metrics, tables and sentences of a measure over several models."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from geobias.measures.measure import Contrast, Measure
from geobias.measures.over_models import (
    Pooled,
    contrast_over_models,
    country_table_over_models,
    group_table_over_models,
    model_matrix,
    whole_over_models,
)
from geobias.measures.words import described, group_words, of_groups_there, table_name
from geobias.results.findings import Metric, Section, Table
from geobias.results.formatting import counted, estimate, p_phrase, unit_words
from geobias.results.tables import metric_from, metric_of, metric_value, table_from

TITLE = "Over all models"


def all_of(name: str) -> str:
    return f"all_{name}"


def weights_note(measure: Measure) -> str:
    units = " and ".join(map(unit_words, measure.units))
    return (
        f"Each model has the same weight. Intervals treat both models and {units} as samples. "
        f"With fewer than three models, they are over {units} alone. Numbers that are not means "
        f"over {units} have intervals over models alone."
    )


def metrics_over_models(probe: str, frame: pl.DataFrame, measure: Measure) -> Iterator[Metric]:
    if not measure.relative:
        yield _metric(probe, measure, None, whole_over_models(frame, measure))
    for one in measure.contrasts:
        yield _metric(probe, measure, one, contrast_over_models(frame, measure, one))


def _metric(probe: str, measure: Measure, contrast: Contrast | None, pooled: Pooled) -> Metric:
    found, models, over = pooled
    facts = described(probe, measure, contrast)
    # With two kinds of units, n counts the kind with fewer units.
    fewest = over == "models" or (over.startswith("models") and found.n == models)
    said = f"The interval is over {over}." if found.low is not None else ""
    return metric_from(
        found,
        counted="models" if fewest else measure.counted,
        p=found.p if facts["better"] == "zero" and found.value is not None else None,
        screened=measure.screened,
        **facts | {"note": f"{facts['note']} {said}".strip()},
    )


def tables_over_models(frame: pl.DataFrame, measure: Measure) -> Iterator[tuple[str, Table]]:
    units = {"mean": measure.unit, "pooled": measure.unit}
    groupings = [by for by in (*measure.all_groups, measure.item) if by and by in frame.columns]
    for by in groupings:
        table = group_table_over_models(frame, measure, by)
        title = f"{TITLE}: {measure.label.lower()} by {group_words(by)}"
        yield (
            all_of(table_name(measure, by)),
            table_from(table, title, weights_note(measure), units),
        )
    if measure.on_map:
        yield (
            all_of(table_name(measure, "country")),
            table_from(
                country_table_over_models(frame, measure),
                f"{TITLE}: {measure.label.lower()} by country",
                "The interval of `mean` is over models and items. Ranked by `pooled`: the mean "
                "drawn towards that of all countries, the more the fewer answers a country has. "
                "`excess` and `p` are computed from the average of the models.",
                units,
            ),
        )
    beside = (measure.item, *measure.groups[:1]) if measure.screened else ()
    for by in groupings:
        if by in beside:
            yield (
                all_of(f"{measure.name}_by_model_and_{by}"),
                table_from(
                    model_matrix(frame, measure, by),
                    f"{measure.label} by model and {group_words(by)}",
                    "Models and groups are sorted from the smallest to the largest value. The "
                    "last row is over all models.",
                ),
            )


def sentences_over_models(
    probe: str, section: Section, measure: Measure, models: int
) -> Iterator[str]:
    mean = metric_of(section, f"{probe}.{measure.name}")
    if mean is not None and mean.value is not None:
        value = estimate(mean.value, mean.low, mean.high, 3)
        value += f" ({p_phrase(mean.p)})" if mean.p is not None else ""
        yield (
            f"{TITLE}: the {measure.label.lower()} of {counted(models, 'models')} is {value}. "
            f"{mean.note.removeprefix(measure.note).strip()}".strip()
        )
    contrast = measure.primary_contrast
    gap = metric_of(section, f"{probe}.{contrast.name}") if contrast else None
    if contrast and gap is not None and gap.value is not None and gap.p is not None:
        over = gap.note.removeprefix(contrast.note).strip()
        short = of_groups_there(contrast.short, section, measure)
        yield (
            f"{TITLE}, {short}: {metric_value(gap, 3)}{measure.in_words.of} "
            f"({p_phrase(gap.p)}). {over}"
        )
