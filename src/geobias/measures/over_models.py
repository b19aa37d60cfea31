"""Numbers of a measure over several models.

The models of a study are a sample, and so are the countries; every model is asked about every
country. So the interval uses the variance of both (`stats.crossed`). With fewer than three models,
the variance between models is unknown. Intervals are then over countries only and hold for the
models asked; `Pooled.over` says so. Each model has the same weight.

A number that is not a mean over units (a correlation, a median) has one value for each model. The
mean of these values is shown, with its interval over models.

All functions expect a frame in which `model` names each row's model, and all models have the same
questions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from geobias.measures import crossed
from geobias.measures.countries import country_table
from geobias.measures.estimates import (
    contrasted,
    group_table,
    grouped,
    groups,
    is_share,
    moved_to,
    ranked,
    trend_of,
    whole,
)
from geobias.measures.frames import PLACES, once_per_frame, parts_of, schema_of
from geobias.measures.measure import Contrast, Measure
from geobias.measures.questions import questions, rows_of, unit_means
from geobias.results.formatting import unit_words
from geobias.stats.contrasts import MIN_UNITS, trend_weights
from geobias.stats.crossed import crossed_ratio, crossed_score
from geobias.stats.estimates import LEAST_UNITS, UNBOUNDED, Bounds, Estimate, undefined
from geobias.stats.over_units import mean_test
from geobias.stats.pooling import centred

ALL_MODELS = "all models"
"""The name of pooled rows in the column of models."""


class Pooled(NamedTuple):
    """A number over models. `over` names the kinds of units that its interval is over."""

    found: Estimate
    models: int
    over: str


def pooled_mean(part: pl.DataFrame, value: str, unit: str, bounds: Bounds) -> Pooled:
    """The mean over models, which are crossed with units, of each model's mean over units."""
    known = part.drop_nulls(value)
    models = known["model"].n_unique()
    over = f"models and {unit_words(unit)}" if models >= LEAST_UNITS else unit_words(unit)
    # All values of a model together have weight one.
    weights = known.select(1 / pl.len().over("model")).to_series().to_numpy()
    sides = [known[kind].to_numpy() for kind in ("model", unit)][models < LEAST_UNITS :]
    found = crossed_ratio(
        known[value].cast(pl.Float64).to_numpy() * weights, weights, *sides, bounds=bounds
    )
    return Pooled(found.estimate, models, over if known.height else "")


def mean_of_models(values: Iterable[float | None], bounds: Bounds) -> Pooled:
    known = np.array([one for one in values if one is not None], float)
    # The bounds hold for single values, not for differences.
    inside = bool(((known >= bounds[0]) & (known <= bounds[1])).all())
    found = mean_test(known, bounds=bounds if inside else UNBOUNDED)
    return Pooled(found, len(known), "models")


@once_per_frame
def models_of(frame: pl.DataFrame) -> dict[str, pl.DataFrame]:
    return {str(name): part for (name,), part in parts_of(frame, "model").items()}


def _of_each(frame: pl.DataFrame, table: Callable[[pl.DataFrame], pl.DataFrame]) -> pl.DataFrame:
    return pl.concat(
        table(part).with_columns(model=pl.lit(name)) for name, part in models_of(frame).items()
    )


@once_per_frame
def model_means(frame: pl.DataFrame, measure: Measure, *further: str) -> pl.DataFrame:
    """The mean of each unit in each model, as in the tables of that model."""
    return _of_each(frame, lambda part: unit_means(part, measure, *further))


@once_per_frame
def model_questions(frame: pl.DataFrame, measure: Measure, *further: str) -> pl.DataFrame:
    return _of_each(frame, lambda part: questions(part, measure, *further))


@once_per_frame
def average_model(frame: pl.DataFrame, measure: Measure) -> pl.DataFrame:
    """Average the values of all models question by question, as a frame of one model.

    If some models have no answer to a question, the average of the others is adjusted for how much
    these models differ from all models at the item (`stats.pooling.centred`).
    """
    known = model_questions(frame, measure).drop_nulls("value")
    parts = []
    for part in parts_of(known, measure.item).values() if measure.item else [known]:
        sides = (part[name].to_numpy() for name in ("value", "model", measure.unit_column))
        parts.append(part.with_columns(pl.Series("value", centred(*sides), pl.Float64)))
    places = [name for name in (*measure.asked_by, *PLACES) if name in known.columns]
    whole_table = pl.concat(parts) if parts else known
    return (
        whole_table.filter(pl.col("value").is_not_nan())
        .group_by(list(dict.fromkeys(places)), maintain_order=True)
        .agg(pl.col("value").mean().clip(*measure.bounds).alias(measure.value))
        .with_columns(pl.lit(value).alias(name) for name, value in measure.of.items())
        .sort(measure.asked_by)
    )


# Means and groups ---------------------------------------------------------------------------------


def whole_over_models(frame: pl.DataFrame, measure: Measure) -> Pooled:
    if measure.crossed and not measure.estimate:
        rows, pooled = rows_of(frame, measure), crossed.with_models(measure)
        found = crossed.crossed_mean(rows, pooled)
        models = rows.drop_nulls(measure.value)[crossed.MODEL].n_unique()
        return Pooled(found.estimate, models, _over(rows, pooled, "all"))
    nothing = Pooled(undefined(0, "nothing was asked"), 0, "")
    return next((found for *_, found in _groups(frame, measure, "all")), nothing)


def _over(rows: pl.DataFrame, pooled: Measure, by: str) -> str:
    kinds = crossed.sides_of(rows.drop_nulls(pooled.value), pooled.units, by).kinds
    return ", ".join(map(unit_words, sorted(kinds, key=lambda kind: kind != crossed.MODEL)))


def group_table_over_models(frame: pl.DataFrame, measure: Measure, by: str) -> pl.DataFrame:
    """Return a table of groups over all models.

    It has the columns of `estimates.group_table`, the number of `models`, and `over`, the kinds of
    units that the interval is over. The interval of a country is over models and items.
    """
    if measure.crossed and not measure.estimate:
        return _crossed_groups(frame, measure, by)
    rows = [
        {"group": name}
        | found.columns("mean")
        | {
            "models": models,
            measure.counted: part.drop_nulls("value")[measure.unit_column].n_unique(),
            "answered": int(part["answered"].sum()),
            "asked": int(part["asked"].sum()),
            "over": over,
            "note": found.note,
        }
        for name, part, (found, models, over) in _groups(frame, measure, by)
    ]
    counts = ("models", measure.counted, "answered", "asked")
    schema = schema_of(("group",), ("mean", "mean_low", "mean_high"), counts)
    table = pl.DataFrame(rows, schema=schema | schema_of(("over", "note")))
    return table.sort(ranked(table), "group", descending=[True, False], nulls_last=True)


def _crossed_groups(frame: pl.DataFrame, measure: Measure, by: str) -> pl.DataFrame:
    pooled = crossed.with_models(measure)
    of_groups = group_table(frame, pooled, by).drop("declined", "unread", strict=False)
    parts = grouped(rows_of(frame, measure), by)
    known = [parts[name].drop_nulls(measure.value) for name in of_groups["group"]]
    return of_groups.with_columns(
        pl.Series("models", [part[crossed.MODEL].n_unique() for part in known], pl.Int64),
        pl.Series("over", [_over(part, pooled, by) for part in known], pl.String),
    )


def _groups(
    frame: pl.DataFrame, measure: Measure, by: str
) -> Iterator[tuple[str, pl.DataFrame, Pooled]]:
    """Yield each group: its name, its questions in all models, and its mean over models."""
    further = () if by in ("all", *PLACES, *measure.asked_by) else (by,)
    asked = grouped(model_questions(frame, measure, *further), by)
    unit, bounds = measure.unit_column, measure.range
    if measure.estimate or (by == unit and not measure.item):
        of_models = [
            {one.name: one.mean.value for one in groups(part, measure, by)}
            for part in models_of(frame).values()
        ]
        for name, part in asked.items():
            yield name, part, mean_of_models((own.get(name) for own in of_models), bounds)
        return
    value = "level" if measure.relative else "value"
    if by == unit:
        levels = unit_means(average_model(frame, measure), measure)
        level = dict(levels.select(unit, "value").iter_rows())
        for name, part in asked.items():
            found, models, over = pooled_mean(part, value, measure.item, bounds)
            moved = moved_to(found, level.get(name), measure)
            yield name, part, Pooled(moved, models, over)
        return
    shares = is_share(frame, measure)
    if by == measure.item and not shares:
        rows = asked
    else:
        value = measure.value if shares else "value"
        every = rows_of(frame, measure) if shares else model_means(frame, measure, *further)
        rows = dict.fromkeys(asked, every.clear()) | grouped(every, by)
    for name, part in asked.items():
        yield name, part, pooled_mean(rows[name], value, unit, bounds)


def country_table_over_models(frame: pl.DataFrame, measure: Measure) -> pl.DataFrame:
    """Return the columns of `countries.country_table` for the average of all models.

    The interval of `mean` is over models and items. `pooled` and `excess_p` hold for the
    models asked and do not generalise to others.
    """
    over = group_table_over_models(frame, measure, "country").rename({"group": "country"})
    if measure.crossed:
        return over
    means = ("mean", "mean_low", "mean_high")
    counts = ("models", "answered", "asked", "over")
    table = country_table(average_model(frame, measure), measure)
    columns = [name for name in table.columns if name not in ("declined", "unread", *counts)]
    joined = table.drop(*means, "answered", "asked").join(
        over.select("country", *means, *counts), on="country", how="left", maintain_order="left"
    )
    return joined.select(*columns, *counts)


# Contrasts ----------------------------------------------------------------------------------------


def contrast_over_models(frame: pl.DataFrame, measure: Measure, contrast: Contrast) -> Pooled:
    if contrast.estimate:
        own = (contrasted(part, measure, contrast) for part in models_of(frame).values())
        found = (one.found.value for one in own)
        return mean_of_models(found, (-measure.length, measure.length))
    means = model_means(frame, measure).drop_nulls(["value", contrast.by])
    models = means["model"].n_unique()
    if models < LEAST_UNITS:
        average = unit_means(average_model(frame, measure), measure)
        return Pooled(trend_of(average, measure, contrast), models, measure.counted)
    return Pooled(crossed_trend(means, measure, contrast), models, f"models and {measure.counted}")


def crossed_trend(means: pl.DataFrame, measure: Measure, contrast: Contrast) -> Estimate:
    unit = measure.unit_column
    sizes = dict(means.group_by(contrast.by).agg(pl.col(unit).n_unique()).iter_rows())
    large = [name for name, size in sizes.items() if size >= MIN_UNITS]
    weights = trend_weights(contrast.order, large)
    if not weights:
        return undefined(means[unit].n_unique(), "too few groups can be compared")
    part = means.filter(pl.col(contrast.by).is_in([*weights]))
    within = np.array([[group == name for name in weights] for group in part[contrast.by]], float)
    table = np.hstack([within * part["value"].to_numpy()[:, None], within])
    k, pulls = len(weights), np.array([*weights.values()])
    return crossed_score(
        table,
        [part["model"].to_numpy(), part[unit].to_numpy()],
        lambda sums: (sums[:, :k] / sums[:, k:]) @ pulls,
        bounds=(-measure.length, measure.length),
    ).estimate


# Models side by side ------------------------------------------------------------------------------


def model_matrix(frame: pl.DataFrame, measure: Measure, by: str) -> pl.DataFrame:
    """Return a row for each model and a column for each group, the smallest mean first.

    The column `all` is the mean over all groups, and the last row the mean over all models.
    """
    rows: list[dict[str, Any]] = []
    for model, part in models_of(frame).items():
        cells = dict(group_table(part, measure, by).select("group", "mean").iter_rows())
        rows.append({"model": model, "all": whole(part, measure).found.value} | cells)
    rows.sort(key=lambda row: (row["all"] is None, row["all"]))
    pooled = group_table_over_models(frame, measure, by).sort("mean", nulls_last=True)
    last = {"model": ALL_MODELS, "all": whole_over_models(frame, measure).found.value}
    last |= dict(pooled.select("group", "mean").iter_rows())
    columns = ["model", "all", *pooled["group"]]
    schema = schema_of(columns[:1], columns[1:])
    return pl.DataFrame([*rows, last], schema=schema)
