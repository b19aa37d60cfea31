"""The primary conclusion checked by other sound methods.

The reported result is always that of the method chosen beforehand.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from geobias.measures.crossed import crossed_mean, fewest, sides_of, unit_totals
from geobias.measures.estimates import clustered_trend, places_of, trend_of
from geobias.measures.frames import parts_of, table_of
from geobias.measures.measure import Contrast, Measure
from geobias.measures.questions import questions, rows_of, unit_means
from geobias.results.findings import Table
from geobias.results.formatting import unit_words
from geobias.results.tables import with_adjusted
from geobias.results.verdicts import Answer, sensitivity_table
from geobias.stats.contrasts import (
    difference,
    moran,
    ratio,
    trend,
    welch_f,
    widest,
)
from geobias.stats.crossed import crossed_ratio, sign_flip_p
from geobias.stats.estimates import Estimate
from geobias.stats.over_units import mean_test


def methods_table(frame: pl.DataFrame, measures: Sequence[Measure]) -> Table:
    """Return a table of the primary number of each measure by several methods."""
    return sensitivity_table([one for measure in measures for one in _answers(frame, measure)])


def _answers(frame: pl.DataFrame, measure: Measure) -> Iterator[Answer]:
    if measure.crossed:
        yield from _crossed_answers(rows_of(frame, measure), measure)
        return
    contrast = measure.primary_contrast
    if contrast and contrast.methods:
        yield from contrast.methods(rows_of(frame, measure))
    elif contrast and not contrast.estimate:
        yield from _contrast_answers(frame, measure, contrast)
    means = unit_means(frame, measure)
    yield from region_answers(f"{measure.label}, regions", means, measure)


def _crossed_answers(rows: pl.DataFrame, measure: Measure) -> Iterator[Answer]:
    """Yield the answers for crossed units by three methods.

    The first lets all kinds of units vary at once and generalises to other items of this kind. The
    second lets one kind vary and treats the others as fixed. The third flips the signs of units and
    holds for the items asked and no others.
    """
    known = rows.drop_nulls(measure.value)
    if not known.height:
        return
    found = crossed_mean(known, measure)
    sides = sides_of(known, measure.units)
    crossed = " × ".join(map(unit_words, sides.kinds))
    methods = [(f"items like these ({crossed}, crossed)", found, fewest(found, sides))]
    values = known[measure.value].cast(pl.Float64).to_numpy()
    for kind in measure.units[:2]:
        units = known[kind].to_numpy()
        alone = crossed_ratio(values, np.ones(len(values)), units, bounds=measure.bounds)
        methods.append((f"{unit_words(kind)} alone", alone, unit_words(kind)))
    for method, one, counted in methods:
        yield Answer(measure.label, method, one.estimate, counted)
    totals = unit_totals(known, measure).to_numpy()
    leaning = int((totals != 0).sum())
    signs = Estimate(found.estimate.value, None, None, leaning, p=sign_flip_p(totals))
    method = f"these very items (signs of {measure.counted} flipped)"
    yield Answer(measure.label, method, signs, measure.counted)


def _contrast_answers(
    frame: pl.DataFrame, measure: Measure, contrast: Contrast
) -> Iterator[Answer]:
    known = unit_means(frame, measure).filter(pl.col(contrast.by).is_in(contrast.order))
    many = len(contrast.order) > 2
    name = "linear trend over groups" if many else "difference of means"
    yield Answer(
        contrast.label, f"{name} (Welch–Satterthwaite)", trend_of(known, measure, contrast)
    )
    if many:
        ends = difference(*_ends(known, contrast), most=measure.length)
        yield Answer(contrast.label, "first minus last group alone (Welch)", ends)
    if measure.unit_column == "country":
        method = "trend over countries, clustered by subregion (CR2)"
        clustered = clustered_trend(known, measure, contrast)
        yield Answer(contrast.label, method, clustered, "subregions")
    if measure.item:
        items = questions(frame, measure).drop_nulls(["level", contrast.by])
        by_item = [
            trend(part["level"].to_numpy(), part[contrast.by].to_list(), contrast.order)
            for _, part in items.group_by(measure.item, maintain_order=True)
        ]
        told = [one.value for one in by_item if one.value is not None]
        method = "mean of the items’ own trends, over items"
        yield Answer(contrast.label, method, mean_test(np.array(told)), "items")


def _ends(means: pl.DataFrame, contrast: Contrast) -> Iterator[np.ndarray]:
    """Yield the unit means of the contrast's first group, then those of its last group."""
    for group in (contrast.order[0], contrast.order[-1]):
        yield means.filter(pl.col(contrast.by) == group)["value"].to_numpy()


def ratios(frame: pl.DataFrame, measures: Sequence[Measure]) -> pl.DataFrame:
    """Return the ratio of two groups' means ("1.5 times") for each contrast of group means.

    Measures with negative values are left out. `p` tests a ratio of 1.
    """
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
    """Return the contrast within each item.

    P-values are adjusted for the number of items (Holm).
    """
    known = questions(frame, measure).drop_nulls(["value", contrast.by])
    rows = []
    for (item,), part in sorted(parts_of(known, measure.item).items()):
        units = part.group_by(measure.unit_column, contrast.by, maintain_order=True)
        means = units.agg(pl.col("value").mean()).sort(measure.unit_column)
        one = trend_of(means, measure, contrast)
        row = {"group": str(item), "gap": one, "p": one.p}
        rows.append(row | {measure.counted: one.n, "note": one.note})
    return with_adjusted(table_of(rows), "p")


def region_answers(question: str, means: pl.DataFrame, measure: Measure) -> Iterator[Answer]:
    """Yield tests of whether regions differ, then a test of whether neighbours are alike.

    Regions are compared by Welch's test and by the pair that differs most. Both assume that
    neighbours are not alike.
    """
    known = means.drop_nulls(["value", "region"])
    values, regions = known["value"].to_numpy(), known["region"].to_list()
    yield Answer(question, "Welch’s F test over countries", welch_f(values, regions))
    pair = widest(values, regions, most=measure.length)
    if pair is not None:
        yield Answer(question, "largest minus smallest mean (Games and Howell)", pair.difference)
    near = moran(values, regions, places_of(known))
    alike = "Are neighbours alike within regions?"
    yield Answer(alike, "Moran’s I, shuffled within regions", near)
