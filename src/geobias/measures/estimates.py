"""Numbers of a measure: its mean, groups and contrasts, and how missing answers could change them.

A share is averaged over rows. It has Wilson's interval over units, such as countries or the
entities of a single country. Any other number is the mean over units of each unit's mean, adjusted
as if the unit had been asked everything. For crossed units see `crossed`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from geobias.atlas.economies import INCOMES
from geobias.atlas.groupings import subregions
from geobias.atlas.outlines import outlines
from geobias.measures import crossed
from geobias.measures.frames import once_per_frame, parts_of, schema_of
from geobias.measures.measure import Check, Contrast, Contrasted, Measure
from geobias.measures.questions import means_of, questions, rows_of, unit_means
from geobias.results.formatting import estimate, number, p_phrase, unit_words
from geobias.stats.contrasts import MIN_UNITS, Ends, moran, trend
from geobias.stats.estimates import LEVEL, Estimate, rate, undefined
from geobias.stats.over_units import mean_over_units, mean_test, rate_over_units, single_values_mean
from geobias.stats.pooling import holm
from geobias.stats.regression import slope_over_clusters

MANY_MISSING = 0.1
"""A mean gets a note if at least this share of its questions is unanswered."""


def is_share(frame: pl.DataFrame, measure: Measure) -> bool:
    return frame.schema[measure.value] == pl.Boolean


def whole(frame: pl.DataFrame, measure: Measure, *, primary: bool = False) -> Contrasted:
    """Return the mean over all rows, and how missing answers could change it.

    If the number is `primary`, the means with missing answers filled in are tested as well.
    """
    rows = rows_of(frame, measure)
    if not rows.height:
        return Contrasted(undefined(0, NOTHING))
    if measure.estimate:
        return _estimated(rows, measure, "all")
    if measure.crossed:
        told = crossed.whole(rows, measure)
    else:
        told = Contrasted(_mean(frame, measure), counted=unit_words(varying(rows, measure.nested)))
    if not measure.screened or (measure.crossed and not primary):
        return told
    ends = ends_of(frame, measure, told.found, partial(_mean, measure=measure))
    return told._replace(ends=ends if primary else ends._replace(p=None, reach=None))


def _mean(frame: pl.DataFrame, measure: Measure) -> Estimate:
    rows = rows_of(frame, measure)
    if measure.crossed:
        return crossed.crossed_mean(rows, measure).estimate
    if is_share(frame, measure):
        return share(rows, measure.value, measure.nested)
    return mean_test(unit_means(frame, measure)["value"].to_numpy(), bounds=measure.range)


def _estimated(rows: pl.DataFrame, measure: Measure, by: str) -> Contrasted:
    assert measure.estimate is not None
    found = measure.estimate(rows, measure.value, by)
    return found if isinstance(found, Contrasted) else Contrasted(found)


def share(rows: pl.DataFrame, column: str, nested: Sequence[str]) -> Estimate:
    """Return the share of rows that are hits, with an interval over the units that vary."""
    known = rows.drop_nulls(column)
    if not known.height:
        return undefined(0, NO_RESULT if rows.height else NOTHING)
    hits = known[column].cast(float).to_numpy()
    over = varying(known, nested)
    if over != nested[0] and over == nested[-1] and known.height > 1:
        return rate(int(hits.sum()), known.height)
    return rate_over_units(hits, known[over].to_numpy())


NO_RESULT = "no trial gave a result"
NOTHING = "the run did not ask about this"


def varying(rows: pl.DataFrame, nested: Sequence[str]) -> str:
    """Return which of the `nested` kinds of unit the interval of these rows is over.

    If the rows have several units of the first kind, the interval is over this kind. Otherwise it
    is over the first inner kind whose units have several rows. If no kind has such units, it is
    over the last.
    """
    first, *within = nested
    if not within or not rows.height or rows[first].n_unique() > 1:
        return first
    repeated = (one for one in within[:-1] if rows[one].n_unique() < rows.height)
    return next(repeated, within[-1])


# Groups -------------------------------------------------------------------------------------------


class Group(NamedTuple):
    """One group. `rows` are those behind the mean; the table shows the number `units`."""

    name: str
    mean: Estimate
    rows: pl.DataFrame
    units: int


def groups(frame: pl.DataFrame, measure: Measure, by: str = "all") -> Iterator[Group]:
    rows = grouped(rows_of(frame, measure), by)
    if measure.crossed and not measure.estimate:
        for name, part in rows.items():
            found = crossed.crossed_mean(part, measure, by)
            yield Group(name, found.estimate, part, found.units[0])
        return
    further = () if by in ("all", *measure.asked_by) else (by,)
    for name, part in grouped(questions(frame, measure, *further), by).items():
        mean = _mean_of(part, rows[name], measure, by)
        yield Group(name, mean, rows[name], mean.n)


def _mean_of(part: pl.DataFrame, rows: pl.DataFrame, measure: Measure, by: str) -> Estimate:
    """Return the mean of a group from its questions (`part`) and `rows`.

    The interval of a single country is over its items, since nothing else varies in it. The
    interval of a single item is over countries.
    """
    if measure.estimate:
        return _estimated(rows, measure, by).found
    if is_share(rows, measure):
        if by != measure.unit_column or not measure.item:
            return share(rows, measure.value, measure.nested)
        known = rows.drop_nulls(measure.value)[measure.value]
        return rate(int(known.sum()), len(known)) if len(known) else undefined(0, NO_RESULT)
    if by == measure.item:
        values = part["level" if measure.relative else "value"].drop_nulls()
        return single_values_mean(values.to_numpy(), bounds=measure.range)
    if by == measure.unit_column:
        return _of_one_unit(part, measure)
    return mean_test(means_of(part, measure)["value"].to_numpy(), bounds=measure.range)


def _of_one_unit(part: pl.DataFrame, measure: Measure) -> Estimate:
    """Return the mean of one unit over its items.

    The interval generalises to harder and easier items. So its width comes from the unadjusted
    values, while its centre is the adjusted mean. If the measure is `relative`, both come from the
    adjusted values.
    """
    if not measure.item:
        values = part["value"].drop_nulls().to_numpy()
        return mean_test(values, bounds=measure.range)
    known = part.drop_nulls("level" if measure.relative else "value")
    spread = known["level" if measure.relative else "value"].to_numpy()
    plain = mean_over_units(spread, known[measure.item].to_numpy(), bounds=measure.range)
    return plain if measure.relative else moved_to(plain, part["level"].mean(), measure)


def moved_to(plain: Estimate, level: object, measure: Measure) -> Estimate:
    """Return the estimate shifted to the value `level`, and cut at the measure's range."""
    if plain.value is None or not isinstance(level, float):
        return undefined(0, plain.reason or f"has no {measure.item} in common with others")
    step = level - plain.value
    value, low, high = (
        None if end is None else float(np.clip(end + step, *measure.range))
        for end in (plain.value, plain.low, plain.high)
    )
    return Estimate(value, low, high, plain.n, plain.reason, plain.caution)


def grouped(frame: pl.DataFrame, by: str) -> dict[str, pl.DataFrame]:
    """Split a frame by a column, in alphabetical order, without rows that have no group."""
    if by == "all":
        return {"all": frame} if frame.height else {}
    known = frame.filter(pl.col(by).is_not_null() & (pl.col(by).cast(pl.String) != ""))
    return {str(name): part for (name,), part in sorted(parts_of(known, by).items())}


@once_per_frame
def group_table(frame: pl.DataFrame, measure: Measure, by: str) -> pl.DataFrame:
    """Return a table of the groups of the column `by`, the largest first; incomes in their order.

    Its columns are `mean` with its interval, `floor` (the mean of a faultless model) if known, the
    number of units behind the mean, the questions answered and asked, and the shares of declined
    and unread replies. `note` says why there is no interval or why it may be too narrow. If units
    are crossed and the mean is tested against 0, there are also `pooled` (the mean drawn towards
    that of all groups, by which groups are ranked), `p`, and `p_adjusted` for the number of groups
    (Holm).
    """
    plain = not measure.crossed or measure.estimate
    tested = measure.held_against_zero and not plain
    over = measure.inner_column if by == measure.unit_column else measure.unit_column
    counted = unit_words(over if plain else crossed.kinds_within(measure.units, by)[0])
    outcomes = [name for name in ("declined", "unread") if name in frame.columns]
    rows: list[dict[str, Any]] = []
    parts = []
    for name, mean, part, units in groups(frame, measure, by):
        asked, answered = part.height, part[measure.value].count()
        note = mean.note or (_of_one_country(part, over, measure) if plain else "")
        row = {"group": name, **mean.columns("mean"), "p": mean.p, counted: units}
        row |= {"answered": answered, "asked": asked}
        row |= {name: float(part[name].cast(float).to_numpy().mean()) for name in outcomes}
        rows.append(row | {"note": note or _many_missing(asked, answered)})
        parts.append(part)
    numbers = ["mean", "mean_low", "mean_high"]
    numbers += [*crossed.POOLED, "p", "p_adjusted"] if tested else []
    schema = schema_of(("group",), numbers, (counted, "answered", "asked"))
    schema |= schema_of((), outcomes) | schema_of(("note",))
    table = pl.DataFrame(rows, schema=schema)
    if tested:
        p_adjusted = pl.Series(holm(table["p"].to_list()), dtype=pl.Float64)
        table = table.with_columns(*crossed.pooled(parts, measure, by), p_adjusted=p_adjusted)
    if measure.floor in frame.columns:
        faultless = group_table(frame, replace(measure, value=measure.floor, floor=""), by)
        table = table.join(faultless.select("group", floor="mean"), on="group", how="left")
        table = table.select("group", *numbers, "floor", pl.exclude("group", *numbers, "floor"))
    if by == "income" and plain:
        return table.sort(pl.col("group").cast(pl.Enum(INCOMES), strict=False), nulls_last=True)
    return table.sort(ranked(table), "group", descending=[True, False], nulls_last=True)


def ranked(table: pl.DataFrame) -> pl.Expr:
    """Return the numbers to sort groups by. Numbers that differ only by rounding are made equal."""
    columns = [name for name in ("pooled", "mean") if name in table.columns]
    return pl.coalesce(columns).round(12)


def _of_one_country(rows: pl.DataFrame, over: str, measure: Measure) -> str:
    varies = varying(rows, measure.nested)
    inner = varies != over and over == measure.unit_column
    return f"only one {over}: the interval is over {unit_words(varies)}" if inner else ""


def _many_missing(asked: int, answered: int) -> str:
    if asked - answered <= MANY_MISSING * asked:
        return ""
    return f"{1 - answered / asked:.0%} of its questions have no answer"


# Contrasts ----------------------------------------------------------------------------------------


def contrasted(
    frame: pl.DataFrame, measure: Measure, contrast: Contrast, interest: float = 0.0
) -> Contrasted:
    """`interest` is the smallest gap of interest, which the contrast's check needs."""

    def number(every: pl.DataFrame) -> Contrasted:
        if contrast.estimate:
            return contrast.estimate(rows_of(every, measure), measure.value, measure.length)
        return Contrasted(trend_of(unit_means(every, measure), measure, contrast))

    told = number(frame)
    found = told.found
    if found.value is None:
        return told
    told = told._replace(ends=ends_of(frame, measure, found, lambda every: number(every).found))
    if contrast.estimate or contrast is not measure.primary_contrast:
        return told
    means = unit_means(frame, measure)
    near = alike_neighbours(means, measure, contrast)
    rows = rows_of(frame, measure)
    own = contrast.check(rows, found, interest) if contrast.check else Check()
    cautions = filter(None, (near.caution, _without_the_poorest(means, contrast), own.caution))
    p_checks = max((one.p for one in (near, own) if one.p is not None), default=None)
    return told._replace(
        caution="; ".join(cautions), p_checks=p_checks, reach=near.reach, note=near.note
    )


def _without_the_poorest(means: pl.DataFrame, contrast: Contrast) -> str:
    poorest = means.filter(pl.col(contrast.by) == INCOMES[0])["value"].count()
    if contrast.order != INCOMES or poorest >= MIN_UNITS:
        return ""
    return (
        f"low-income countries are left out: {poorest} were asked about, and {MIN_UNITS} are needed"
    )


def trend_of(means: pl.DataFrame, measure: Measure, contrast: Contrast) -> Estimate:
    groups = means[contrast.by].to_list()
    values, ends = means["value"].to_numpy(), measure.range
    return trend(values, groups, contrast.order, most=measure.length, bounds=ends)


# Missing answers ----------------------------------------------------------------------------------


def missing_count(frame: pl.DataFrame, measure: Measure) -> int:
    return rows_of(frame, measure)[measure.value].null_count()


def ends_of(
    frame: pl.DataFrame,
    measure: Measure,
    found: Estimate,
    number: Callable[[pl.DataFrame], Estimate],
) -> Ends:
    low, high = (number(filled(frame, measure, end)) for end in (0, 1))
    return Ends.of(low, high, found.value)


@once_per_frame
def filled(frame: pl.DataFrame, measure: Measure, end: int) -> pl.DataFrame:
    """Return the measure's rows with each missing value at its lowest (0) or its highest (1)."""
    rows, value = rows_of(frame, measure), pl.col(measure.value)
    fill: pl.Expr = pl.lit(measure.bounds[end])
    if measure.missing == "observed":
        fill = (value.min(), value.max())[end].over(measure.item)
    if is_share(rows, measure):
        fill = pl.lit(bool(end))
    named = [pl.col(measure.per).fill_null(1)] if measure.per else []
    return rows.with_columns(value.fill_null(fill), *named)


# Neighbours ---------------------------------------------------------------------------------------


def places_of(means: pl.DataFrame) -> list[tuple[float, float] | None]:
    """Return the middle of each economy on the equal-area map. None for an economy not drawn."""
    drawn = (outlines().get(iso3) for iso3 in means["country"])
    return [None if one is None else (float(one.x), float(one.y)) for one in drawn]


def alike_neighbours(means: pl.DataFrame, measure: Measure, contrast: Contrast) -> Check:
    """Test whether neighbouring countries are alike; if so, take subregions as units.

    A contrast over countries assumes that neighbours are independent. In simulations with
    neighbours alike, tests over countries reject a true null in up to 54% of studies, and tests
    over subregions in 20%.
    """
    if measure.unit_column != "country" or not {"region", contrast.by} <= set(means.columns):
        return Check()
    known = means.drop_nulls(["value", contrast.by, "region"])
    near = moran(known["value"].to_numpy(), known["region"].to_list(), places_of(known))
    if near.p is None:
        return Check()
    found = clustered_trend(known, measure, contrast)
    said = (
        f"alike (Moran's I {number(near.value)}, {p_phrase(near.p)}); with subregions as units the "
        f"value is {estimate(found.value, found.low, found.high)}"
    )
    if near.p >= LEVEL:
        return Check(note=f"Neighbours are not seen to be {said}.")
    caution = f"neighbours are {said}"
    bounds = [abs(end) for end in (found.low, found.high) if end is not None]
    return Check(caution, found.p, max(bounds, default=None))


def clustered_trend(known: pl.DataFrame, measure: Measure, contrast: Contrast) -> Estimate:
    last = len(contrast.order) - 1
    steps = [last / 2 - contrast.order.index(name) for name in known[contrast.by]]
    clusters = [subregions()[iso3] for iso3 in known["country"]]
    values = known["value"].to_numpy()
    return slope_over_clusters(values, steps, clusters, times=last, most=measure.length)
