"""Means of items that share units of several kinds, such as templates and nationalities.

All kinds are units at once (`stats.crossed`), and every answer has the same weight. Repeats are
further answers in the same cells, not further units.

Which kinds vary depends on the group. In a group that is one unit of the first kind (a template),
pairs of the other kinds vary. In a group that is one unit of another kind (a nationality, a
country), only the first kind varies. In any other group all kinds vary. If a further kind has only
one or two units, they are taken as fixed. Several models are one more kind of unit (`with_models`);
each has the same weight, however many of its replies can be read.

A mean that is tested against 0 has two p-values. `p` belongs to the interval and generalises to
other items of this kind. `p_items` holds for the items asked and no others. It comes from
flipping the signs of the totals of units of the first kind (`stats.crossed.sign_flip_p`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

import msgspec
import numpy as np
import polars as pl

from geobias.measures.measure import Contrasted, Measure
from geobias.measures.questions import rows_of
from geobias.results.formatting import unit_words
from geobias.stats.arrays import Floats
from geobias.stats.contrasts import Ends
from geobias.stats.crossed import Crossed, crossed_ratio, sign_flip_p
from geobias.stats.estimates import LEAST_UNITS, undefined
from geobias.stats.pooling import lent_errors, pooled_means

FEW_LEANING = 5
"""An interval may be too narrow if fewer units than this have a total other than 0.

In simulations where one template in ten or twenty leans, intervals covered the truth in 89 to 94%
of studies with one to four leaning templates, and in all studies without a leaning template.
"""
PAIR = "pair"
"""Units of all kinds but the first, combined."""
MODEL = "model"
POOLED = ("pooled", "pooled_low", "pooled_high")


class Sides(NamedTuple):
    """The kinds of units that vary in some rows: their names, and the unit of each row per kind."""

    kinds: list[str]
    units: list[pl.Series]


@cache
def with_models(measure: Measure) -> Measure:
    return replace(measure, units=(*measure.units, MODEL))


def kinds_within(all_units: tuple[str, ...], by: str) -> tuple[str, ...]:
    models = tuple(kind for kind in all_units if kind == MODEL)
    first, *others = (kind for kind in all_units if kind != MODEL)
    if others and by == first:
        return (PAIR, *models)
    return (first, *models) if by in (*others, "country") else all_units


def sides_of(known: pl.DataFrame, all_units: tuple[str, ...], by: str = "all") -> Sides:
    """Return the kinds of units that vary in `known`, the answered rows of a group of `by`."""
    first, *others = kinds_within(all_units, by)
    kinds = [first, *(kind for kind in others if known[kind].n_unique() >= LEAST_UNITS)]
    pairs = [kind for kind in all_units[1:] if kind != MODEL] if first == PAIR else [first]
    units = known.select(pl.concat_str(pairs, separator=" ")).to_series()
    return Sides(kinds, [units, *(known[kind] for kind in kinds[1:])])


def crossed_mean(rows: pl.DataFrame, measure: Measure, by: str = "all") -> Crossed:
    known = rows.drop_nulls(measure.value)
    under = _numbers(known, measure.per) if measure.per else np.ones(known.height)
    weights = _weights_of_models(known, under) if MODEL in measure.units else 1.0
    found = crossed_ratio(
        _numbers(known, measure.value) * weights,
        under * weights,
        *(units.to_numpy() for units in sides_of(known, measure.units, by).units),
        bounds=measure.bounds,
        strata=known[measure.strata].to_numpy() if measure.strata else None,
    )
    value = found.estimate
    if value.value is None:
        which = measure.per.replace("_", " ")
        why = f"no answer {which}" if known.height and which else "nothing was answered"
        value = msgspec.structs.replace(value, reason=why)
    elif value.low is not None:
        value = msgspec.structs.replace(value, caution=_caution(known, measure, by))
    return found._replace(estimate=value)


def _weights_of_models(known: pl.DataFrame, under: Floats) -> Floats:
    _, model = np.unique(known[MODEL].to_numpy(), return_inverse=True)
    totals = np.bincount(model.ravel(), under)
    weights = np.where(totals > 0, totals.mean() / np.where(totals > 0, totals, 1.0), 0.0)
    of_rows: Floats = weights[model.ravel()]
    return of_rows


def _numbers(rows: pl.DataFrame, column: str) -> Any:
    return rows[column].cast(pl.Float64).to_numpy()


def _caution(known: pl.DataFrame, measure: Measure, by: str) -> str:
    if few := few_units(known, measure.units):
        return few
    if _has_sign(measure) and by == "all":
        leaning = int((unit_totals(known, measure) != 0).sum())
        if 0 < leaning < FEW_LEANING:
            return f"few {measure.counted} differ from 0: the interval may be too narrow"
    return ""


def few_units(known: pl.DataFrame, all_units: tuple[str, ...]) -> str:
    second = all_units[1]
    if known[second].n_unique() >= LEAST_UNITS:
        return ""
    return f"too few {unit_words(second)} to generalise to others"


def fewest(found: Crossed, sides: Sides) -> str:
    return unit_words(min(zip(found.units, sides.kinds, strict=True), key=lambda one: one[0])[1])


def whole(rows: pl.DataFrame, measure: Measure) -> Contrasted:
    found = crossed_mean(rows, measure)
    sides = sides_of(rows.drop_nulls(measure.value), measure.units)
    return Contrasted(found.estimate, untested_ends(rows, measure), counted=fewest(found, sides))


def untested_ends(rows: pl.DataFrame, measure: Measure) -> Ends:
    """The mean with all missing answers at their lowest, and with all at their highest."""
    known = rows.drop_nulls(measure.value)
    missing = rows.height - known.height
    total = float(_numbers(known, measure.value).sum())
    under = float(_numbers(known, measure.per).sum()) if measure.per else float(known.height)
    if not under + missing:
        return Ends()
    low, high = ((total + end * missing) / (under + missing) for end in measure.bounds)
    return Ends(low, high)


# These very items ---------------------------------------------------------------------------------


class OnItems(NamedTuple):
    """A test of whether the items asked lean to one side, for these items and no others.

    `p_items` is from the signs of the units' totals. If answers are +1, 0 or −1, `above` counts the
    answers +1, `below` the answers −1, and `answers` all. Otherwise they are None.
    """

    p_items: float | None
    above: int | None
    below: int | None
    answers: int | None


def on_items(frame: pl.DataFrame, measure: Measure) -> OnItems | None:
    """None if the values have no meaningful sign."""
    if not _has_sign(measure):
        return None
    known = rows_of(frame, measure).drop_nulls(measure.value)
    p = sign_flip_p(unit_totals(known, measure).to_numpy())
    if not known.schema[measure.value].is_integer():
        return OnItems(p, None, None, None)
    values = known[measure.value]
    return OnItems(p, int((values > 0).sum()), int((values < 0).sum()), known.height)


def _has_sign(measure: Measure) -> bool:
    plain = measure.crossed and measure.estimate is None and not measure.per
    return plain and measure.held_against_zero


def unit_totals(known: pl.DataFrame, measure: Measure) -> pl.Series:
    """Totals are rounded, so that values which cancel out add up to 0 on every processor."""
    first = measure.units[0]
    totals = known.group_by(first).agg(pl.col(measure.value).sum().round(12)).sort(first)
    return totals[measure.value]


# Groups -------------------------------------------------------------------------------------------


def group_note(measure: Measure, by: str) -> str:
    kinds = map(unit_words, kinds_within(measure.units, by))
    note = f"Every answer has the same weight. Intervals are over {' and '.join(kinds)}."
    if not measure.held_against_zero:
        return note
    return (
        f"{note} Ranked by `pooled`: the mean drawn towards that of all groups, the more the "
        f"fewer {measure.counted} a group has. `p` tests the mean against 0, and `p_adjusted` "
        "allows for the number of groups (Holm)."
    )


def pooled(parts: Sequence[pl.DataFrame], measure: Measure, by: str) -> list[pl.Series]:
    """Return the mean of each group drawn towards that of all groups.

    The pull is stronger for a group of few units (`stats.pooling`), so that one lucky template
    cannot lead a ranking.
    """
    spreads = [_spread_of_units(part, measure, by) for part in parts]
    counts = [n for *_, n in spreads]
    errors = lent_errors([sd for _, sd, _ in spreads], counts)
    means = pooled_means([mean for mean, *_ in spreads], errors, counts)
    nothing = undefined(0, "")  # an estimate for a new group is not about this one
    columns = [
        (one if n else nothing).columns("pooled") for one, n in zip(means, counts, strict=True)
    ]
    made = pl.DataFrame(columns, schema=dict.fromkeys(POOLED, pl.Float64))
    # Shrinking ignores the range of a mean.
    return made.with_columns(pl.all().clip(*measure.bounds)).get_columns()


def _spread_of_units(part: pl.DataFrame, measure: Measure, by: str) -> tuple[float, float, int]:
    """Return the mean of `part`, the SD of its units (√n standard errors), and their number n."""
    known = part.drop_nulls(measure.value)
    if not known.height:
        return math.nan, math.nan, 0
    under = pl.col(measure.per).sum() if measure.per else pl.len()
    totals = (
        known.with_columns(unit=sides_of(known, measure.units, by).units[0])
        .group_by("unit")
        .agg(pl.col(measure.value).cast(pl.Float64).sum().alias("over"), under.alias("under"))
        .sort("unit")
    )
    over, weights = totals["over"].to_numpy(), totals["under"].to_numpy()
    if not weights.any():  # nobody was named in any answer
        return math.nan, math.nan, 0
    mean = float(over.sum() / weights.sum())
    off = (over - mean * weights) / weights.mean()
    n = len(over)
    return mean, math.sqrt(float(off @ off) / (n - 1)) if n > 1 else math.nan, n
