"""One row for each question of a measure, however often the question was repeated.

Indicators differ in difficulty, and countries were asked about different indicators. So each value
is adjusted (`level`) to an item of average difficulty (`stats.pooling.centred`). A country then
gains nothing if its hard questions have no figure or were declined.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from geobias.measures.frames import PLACES, once_per_frame
from geobias.measures.measure import Measure
from geobias.stats.pooling import centred


def rows_of(frame: pl.DataFrame, measure: Measure) -> pl.DataFrame:
    return _filtered(frame, measure) if measure.of else frame


@once_per_frame
def _filtered(frame: pl.DataFrame, measure: Measure) -> pl.DataFrame:
    return frame.filter(**measure.of)


@once_per_frame
def questions(frame: pl.DataFrame, measure: Measure, *further: str) -> pl.DataFrame:
    """Return a row for each question that was asked.

    A row has the columns that identify the question, the groups of its country, and

    value     the mean over repeats, null if no repeat gave a value
    level     the value adjusted for the item, null if the question cannot be compared with others
    asked     how often the question was asked
    answered  how often the question got a value

    `further` names columns that group rows, in addition to the groups of the atlas. If the repeats
    of a question differ in such a column, as in the wording, each value in it has a row of its own.
    """
    rows = rows_of(frame, measure)
    groups = [name for name in PLACES if name in rows.columns and name not in measure.asked_by]
    more = [name for name in further if name in rows.columns and name not in groups]
    value = pl.col(measure.value).cast(pl.Float64)
    keys = dict.fromkeys((*measure.asked_by, *more))
    found = rows.group_by(*keys, maintain_order=True).agg(
        pl.col(groups).first(),
        value.mean().alias("value"),
        pl.len().alias("asked"),
        value.count().alias("answered"),
    )
    return found.with_columns(_levels(found, measure))


def _levels(found: pl.DataFrame, measure: Measure) -> pl.Series:
    known = found.drop_nulls("value")
    values = known["value"].to_numpy()
    if measure.item:
        # Numbers are faster to compare than names.
        sides = pl.col(measure.item, measure.unit_column).rank("dense")
        items, units = (column.to_numpy() for column in known.select(sides))
        values = centred(values, items, units)
    if measure.relative and len(values):
        values = values - np.nanmean(values)
    levels = np.full(found.height, np.nan)
    levels[found["value"].is_not_null().to_numpy()] = values
    return pl.Series("level", levels, pl.Float64).fill_nan(None)


@once_per_frame
def unit_means(frame: pl.DataFrame, measure: Measure, *further: str) -> pl.DataFrame:
    """Return a row for each unit with an answer: its groups and its mean, in the column `value`.

    The mean is adjusted as if the unit had been asked everything. Units that share no item with
    the others are left out.
    """
    return means_of(questions(frame, measure, *further), measure)


def means_of(rows: pl.DataFrame, measure: Measure) -> pl.DataFrame:
    """Return the mean of each unit over the questions in `rows`."""
    not_groups = {*measure.asked_by, "value", "level", "asked", "answered"} - {measure.unit_column}
    keys = [name for name in rows.columns if name not in not_groups]
    return (
        rows.drop_nulls("level")
        .group_by(keys, maintain_order=True)
        .agg(pl.col("level").mean().clip(*measure.range).alias("value"))
        .sort(measure.unit_column)
    )
