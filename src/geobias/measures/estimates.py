"""Numbers of a measure: its mean, groups and contrasts, and how missing answers could change them.

A share is over rows, with Wilson's interval over units: countries, or what a single country
contains. Any other mean is over units, each with the mean of its questions as if it had been asked
everything. For crossed units see `crossed`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from geobias.atlas.economies import INCOMES, subregions
from geobias.atlas.outlines import outlines
from geobias.measures import crossed
from geobias.measures.frames import parts_of, schema_of
from geobias.measures.measure import Contrast, Contrasted, Measure
from geobias.measures.questions import cells, means_of, questions, rows_of, unit_means
from geobias.results.formatting import estimate, number, p_phrase, unit_words
from geobias.stats.contrasts import MIN_UNITS, Ends, moran, ratio, trend, trend_ends
from geobias.stats.estimates import LEVEL, Estimate, Tested, rate, undefined, untested
from geobias.stats.over_units import (
    mean_over_units,
    mean_test,
    rate_over_units,
    single_values_mean,
)
from geobias.stats.regression import slope_over_clusters

MANY_MISSING = 0.1
"""A mean is marked from this share of unanswered questions on."""


def is_share(frame: pl.DataFrame, measure: Measure) -> bool:
    """Whether the values are True and False."""
    return frame.schema[measure.value] == pl.Boolean


def whole(frame: pl.DataFrame, measure: Measure, *, primary: bool = False) -> Contrasted:
    """The mean over everything, and how missing answers could change it."""
    rows = rows_of(frame, measure)
    if not rows.height:
        return Contrasted(untested(0, NOTHING))
    if measure.estimate:
        return _estimated(rows, measure, "all")
    if measure.crossed:
        return crossed.whole(frame, measure, primary=primary)
    lowest, highest = whole_ends(frame, measure) if measure.screened else (None, None)
    if is_share(frame, measure):
        found = Tested(_share(rows, measure), None)
    else:
        found = mean_test(unit_means(frame, measure)["value"].to_numpy(), bounds=measure.range)
    counted = unit_words(varying(rows, measure))
    return Contrasted(found, Ends(lowest, highest, None, None), counted=counted)


def _estimated(rows: pl.DataFrame, measure: Measure, by: str) -> Contrasted:
    """The number of a measure that has an estimator of its own."""
    assert measure.estimate is not None
    found = measure.estimate(rows, measure.value, by)
    return found if isinstance(found, Contrasted) else Contrasted(found)


def _share(rows: pl.DataFrame, measure: Measure) -> Estimate:
    known = rows.drop_nulls(measure.value)
    if not known.height:
        return undefined(0, NO_RESULT if rows.height else NOTHING)
    hits = known[measure.value].cast(float).to_numpy()
    over = varying(known, measure)
    if over in measure.within[-1:] and known.height > 1:
        return rate(int(hits.sum()), known.height)
    return rate_over_units(hits, known[over].to_numpy())


NO_RESULT = "none of it came to a result"
NOTHING = "the run has nothing of the kind"


def varying(rows: pl.DataFrame, measure: Measure) -> str:
    """The kind of unit that varies in these rows.

    This is the first kind; if there is a single unit of it, the kind within it.
    """
    if not measure.within or not rows.height or rows[measure.unit_column].n_unique() > 1:
        return measure.unit_column
    repeated = (one for one in measure.within[:-1] if rows[one].n_unique() < rows.height)
    return next(repeated, measure.within[-1])


# Groups -------------------------------------------------------------------------------------------


class Group(NamedTuple):
    """The number of one group, and its rows."""

    name: str
    mean: Estimate
    rows: pl.DataFrame


def groups(frame: pl.DataFrame, measure: Measure, by: str = "all") -> Iterator[Group]:
    """Yield the mean of each group of a column: of countries, of items, or single countries."""
    further = () if by in ("all", *measure.asked_by) else (by,)
    rows = grouped(rows_of(frame, measure), by)
    for name, part in grouped(questions(frame, measure, *further), by).items():
        yield Group(name, _mean_of(part, rows[name], measure, by), rows[name])


def _mean_of(part: pl.DataFrame, rows: pl.DataFrame, measure: Measure, by: str) -> Estimate:
    """The mean of a group's questions and rows.

    A single country's interval is over its items, since only they vary in it. An item's interval is
    over countries as they are.
    """
    if measure.estimate:
        return _estimated(rows, measure, by).found.estimate
    if is_share(rows, measure):
        if by != measure.unit_column or not measure.item:
            return _share(rows, measure)
        known = rows.drop_nulls(measure.value)[measure.value]
        return rate(int(known.sum()), len(known)) if len(known) else undefined(0, NO_RESULT)
    if by == measure.item:
        values = part["level" if measure.relative else "value"].drop_nulls()
        return single_values_mean(values.to_numpy(), bounds=measure.range)
    if by == measure.unit_column:
        return _of_one_unit(part, measure)
    return mean_test(means_of(part, measure)["value"].to_numpy(), bounds=measure.range).estimate


def _of_one_unit(part: pl.DataFrame, measure: Measure) -> Estimate:
    """The mean of one unit over its items.

    The interval generalises to other, harder or easier items. So it is that of the unadjusted
    values, around the adjusted level. Values that count from the mean of each item are adjusted
    already.
    """
    if not measure.item:
        values = part["value"].drop_nulls().to_numpy()
        return mean_test(values, bounds=measure.range).estimate
    known = part.drop_nulls("level" if measure.relative else "value")
    spread = known["level" if measure.relative else "value"].to_numpy()
    plain = mean_over_units(spread, known[measure.item].to_numpy(), bounds=measure.range)
    return plain if measure.relative else moved_to(plain, part["level"].mean(), measure)


def moved_to(plain: Estimate, level: object, measure: Measure) -> Estimate:
    """The interval moved to another value."""
    if plain.value is None or not isinstance(level, float):
        return undefined(0, plain.reason or f"shares no {measure.item} with others")
    step = level - plain.value
    value, low, high = (
        None if end is None else float(np.clip(end + step, *measure.range))
        for end in (plain.value, plain.low, plain.high)
    )
    return Estimate(value, low, high, plain.n, plain.reason, plain.caution)


def grouped(frame: pl.DataFrame, by: str) -> dict[str, pl.DataFrame]:
    """The parts of a frame by group, in alphabetical order, without rows that have no group."""
    if by == "all":
        return {"all": frame} if frame.height else {}
    known = frame.filter(pl.col(by).is_not_null() & (pl.col(by).cast(pl.String) != ""))
    return {str(name): part for (name,), part in sorted(parts_of(known, by).items())}


def group_table(frame: pl.DataFrame, measure: Measure, by: str) -> pl.DataFrame:
    """The groups as a table, the largest mean first, incomes in their order.

    Its columns are `mean` with its interval, `floor` (the mean of a faultless model) if known, the
    units that the mean rests on, questions answered and asked, the shares of declined and unread
    replies, and `note`: why there is no interval or what is wrong with it.
    """
    if measure.crossed and measure.estimate is None:
        return _many_missing_marked(crossed.crossed_groups(frame, measure, by))
    over = measure.inner_column if by == measure.unit_column else measure.unit_column
    counted = unit_words(over)
    outcomes = [name for name in ("declined", "unread") if name in frame.columns]
    rows: list[dict[str, Any]] = []
    for name, mean, part in groups(frame, measure, by):
        asked, answered = part.height, part[measure.value].count()
        note = mean.note or _of_one_country(part, over, measure) or _many_missing(asked, answered)
        counts = {counted: mean.n, "answered": answered, "asked": asked}
        shares = {name: float(part[name].cast(float).to_numpy().mean()) for name in outcomes}
        rows.append({"group": name} | mean.columns("mean") | counts | shares | {"note": note})
    numbers = ("mean", "mean_low", "mean_high")
    schema = schema_of(("group",), numbers, (counted, "answered", "asked"))
    schema |= schema_of((), outcomes) | schema_of(("note",))
    table = pl.DataFrame(rows, schema=schema)
    if measure.floor in frame.columns:
        faultless = group_table(frame, replace(measure, value=measure.floor, floor=""), by)
        table = table.join(faultless.select("group", floor="mean"), on="group", how="left")
        table = table.select("group", *numbers, "floor", pl.exclude("group", *numbers, "floor"))
    if by == "income":
        return table.sort(pl.col("group").cast(pl.Enum(INCOMES), strict=False), nulls_last=True)
    return table.sort(["mean", "group"], descending=[True, False], nulls_last=True)


def _of_one_country(rows: pl.DataFrame, over: str, measure: Measure) -> str:
    varies = varying(rows, measure)
    inner = varies != over and over == measure.unit_column
    return f"of one {over}: over {unit_words(varies)}" if inner else ""


def _many_missing(asked: int, answered: int) -> str:
    if asked - answered <= MANY_MISSING * asked:
        return ""
    return f"{1 - answered / asked:.0%} of its questions have no answer"


def _many_missing_marked(table: pl.DataFrame) -> pl.DataFrame:
    counts = table.select("note", "asked", "answered").iter_rows()
    notes = [note or _many_missing(asked, answered) for note, asked, answered in counts]
    return table.with_columns(note=pl.Series(notes, dtype=pl.String))


# Contrasts ----------------------------------------------------------------------------------------


def contrasted(frame: pl.DataFrame, measure: Measure, contrast: Contrast) -> Contrasted:
    """The contrast over the units' means, or by its own estimator."""
    if contrast.estimate:
        return contrast.estimate(rows_of(frame, measure), measure.value, measure.length)
    means = unit_means(frame, measure)
    found = trend_of(means, measure, contrast)
    value = found.estimate.value
    ends = trend_ends(cells(frame, measure, contrast.by), contrast.order, value)
    if contrast is not measure.primary_contrast or value is None:
        return Contrasted(found, ends)
    near = alike_neighbours(means, measure, contrast)
    further = contrast.caution(rows_of(frame, measure), found) if contrast.caution else ""
    cautions = filter(None, (near.caution, _without_the_poorest(means, contrast), further))
    return Contrasted(found, ends, "; ".join(cautions), clustered=near.clustered)


def _without_the_poorest(means: pl.DataFrame, contrast: Contrast) -> str:
    """A caution if the trend includes no low-income country, since a small run asks about few."""
    poorest = means.filter(pl.col(contrast.by) == INCOMES[0])["value"].count()
    if contrast.order != INCOMES or poorest >= MIN_UNITS:
        return ""
    return (
        f"low-income countries are left out, since {poorest} were asked about and {MIN_UNITS} "
        "are needed"
    )


def trend_of(means: pl.DataFrame, measure: Measure, contrast: Contrast) -> Tested:
    """The contrast of units' means, which are in the column `value`."""
    groups = means[contrast.by].to_list()
    values, ends = means["value"].to_numpy(), measure.range
    return trend(values, groups, contrast.order, most=measure.length, bounds=ends)


def ratio_of(means: pl.DataFrame, contrast: Contrast) -> Tested:
    """The last group's mean as a multiple of the first one's: "1.5 times"."""
    first, last = (
        means.filter(pl.col(contrast.by) == group)["value"].to_numpy()
        for group in (contrast.order[0], contrast.order[-1])
    )
    return ratio(first, last)


def missing_count(frame: pl.DataFrame, measure: Measure) -> int:
    """The number of questions without a value, with repeats."""
    return rows_of(frame, measure)[measure.value].null_count()


def whole_ends(frame: pl.DataFrame, measure: Measure) -> tuple[float | None, float | None]:
    """The mean if every missing answer were as low, or as high, as possible."""
    if is_share(frame, measure):
        values = rows_of(frame, measure)[measure.value]
        if not values.count():
            return None, None
        hits, missing, asked = int(values.sum()), values.null_count(), len(values)
        return hits / asked, (hits + missing) / asked
    held = cells(frame, measure, measure.unit_column)
    if not len(held.low):
        return None, None
    low, high = (float(held.unit_means(end)[0].mean()) for end in (held.low, held.high))
    return low, high


# Neighbours ---------------------------------------------------------------------------------------


def places_of(means: pl.DataFrame) -> list[tuple[float, float] | None]:
    """The middle of each economy on the equal-area map; None if it is not drawn."""
    drawn = (outlines().get(iso3) for iso3 in means["country"])
    return [None if one is None else (float(one.x), float(one.y)) for one in drawn]


class Neighbours(NamedTuple):
    """Whether neighbouring countries are alike: a caution, and the contrast with subregions as
    units.
    """

    caution: str = ""
    clustered: Tested | None = None


def alike_neighbours(means: pl.DataFrame, measure: Measure, contrast: Contrast) -> Neighbours:
    """Test whether neighbouring countries are alike, which a contrast over countries assumes they
    are not.

    If they are, simulations reject a true null in up to 54% of studies; with subregions as units,
    in 20%.
    """
    if measure.unit_column != "country" or not {"region", contrast.by} <= set(means.columns):
        return Neighbours()
    known = means.drop_nulls(["value", contrast.by, "region"])
    near = moran(known["value"].to_numpy(), known["region"].to_list(), places_of(known))
    if near.p is None or near.p >= LEVEL:
        return Neighbours()
    clustered = clustered_trend(known, measure, contrast)
    found = clustered.estimate
    caution = (
        f"neighbours are alike (Moran's I {number(near.i)}, {p_phrase(near.p)}); with subregions "
        f"as units it is {estimate(found.value, found.low, found.high)}"
    )
    return Neighbours(caution, clustered)


def clustered_trend(known: pl.DataFrame, measure: Measure, contrast: Contrast) -> Tested:
    """The trend over countries, with errors clustered by subregion."""
    last = len(contrast.order) - 1
    steps = [last / 2 - contrast.order.index(name) for name in known[contrast.by]]
    clusters = [subregions()[iso3] for iso3 in known["country"]]
    values = known["value"].to_numpy()
    return slope_over_clusters(values, steps, clusters, times=last, most=measure.length)
