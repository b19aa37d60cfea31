"""Contrasts in other forms: as ratios of means, and within each item."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from geobias.measures.estimates import trend_of
from geobias.measures.frames import parts_of, table_of
from geobias.measures.measure import Contrast, Measure
from geobias.measures.questions import questions, unit_means
from geobias.results.tables import with_adjusted
from geobias.stats.contrasts import ratio


def _ends(means: pl.DataFrame, contrast: Contrast) -> Iterator[np.ndarray]:
    for group in (contrast.order[0], contrast.order[-1]):
        yield means.filter(pl.col(contrast.by) == group)["value"].to_numpy()


def ratios(frame: pl.DataFrame, measures: Sequence[Measure]) -> pl.DataFrame:
    """The ratio of two groups' means for each contrast. Measures with negative values have none."""
    rows = []
    for measure in measures:
        if measure.two_sided or measure.crossed or measure.estimate:
            continue
        for contrast in measure.contrasts:
            if contrast.by not in frame.columns or not contrast.order:
                continue
            one = ratio(*_ends(unit_means(frame, measure), contrast))
            row: dict[str, object] = {"measure": measure.label, "first": contrast.order[0]}
            row |= {"second": contrast.order[-1], "times": one, "p": one.p}
            rows.append(row | {measure.counted: one.n, "note": one.note})
    return table_of(rows)


def contrast_by_item(frame: pl.DataFrame, measure: Measure, contrast: Contrast) -> pl.DataFrame:
    known = questions(frame, measure).drop_nulls(["value", contrast.by])
    rows = []
    for (item,), part in sorted(parts_of(known, measure.item).items()):
        units = part.group_by(measure.unit_column, contrast.by, maintain_order=True)
        means = units.agg(pl.col("value").mean()).sort(measure.unit_column)
        one = trend_of(means, measure, contrast)
        row = {"group": str(item), "gap": one, "p": one.p}
        rows.append(row | {measure.counted: one.n, "note": one.note})
    return with_adjusted(table_of(rows), "p")
