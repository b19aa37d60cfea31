"""Changes from one run to another, on the items that both have.

Every test is paired: the same question, the same item, the same game. Differences are the second
run minus the first. Their intervals and p-values come from the units (countries, templates), and
p-values are adjusted for the number of rows of the same kind. All functions take the frame of
shared items, in which the second run's columns end in `_2`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

import msgspec
import numpy as np
import polars as pl

from geobias.atlas.economies import INCOMES
from geobias.results.findings import Better
from geobias.results.formatting import unit_words
from geobias.stats.arrays import ROUNDING, Floats
from geobias.stats.contrasts import ALL_ALIKE, MIN_UNITS, trend, welch_f
from geobias.stats.estimates import LEAST_UNITS, LEVEL, Estimate
from geobias.stats.paired import paired, unchanged
from geobias.stats.pooling import benjamini_hochberg, holm

MANY = 30
"""With more rows of a kind than this, p-values are adjusted by Benjamini and Hochberg instead of
Holm.
"""


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """What changed in one group of items.

    metric              the name of the metric that changed
    by, group           the items of the row. `by` is "all", or a column such as "region" with one
                        of its groups. For the change of a gap, `by` is "gap" and `group` names the
                        groups compared. For a test of whether groups changed alike, `by` is "alike"
                        and `group` is their column; only the p-values are set
    first, second       means over units in each run, on the shared items only
    difference          second minus first, with its 95% interval
    p, p_adjusted       the p-value, and its adjustment over the rows with the same metric and `by`
                        (for gaps, over all gaps)
    n, counted, items   the number of units, their name, and the number of items
    gained, lost        the number of items that only the second run got right (or won), and that
                        only the first run did
    """

    metric: str
    by: str
    group: str
    first: float | None
    second: float | None
    difference: float | None
    difference_low: float | None
    difference_high: float | None
    p: float | None = None
    p_adjusted: float | None = None
    n: int
    counted: str
    items: int = 0
    gained: int | None = None
    lost: int | None = None


class Lead(NamedTuple):
    """The metric whose change a comparison shows first.

    label   the metric in words: "mean error"
    better  whether numbers are better low, high, or near 0
    """

    metric: str
    label: str
    better: Better


Direction = Literal["better", "worse", "reversed", "no clear change"]


class ComparisonRule(NamedTuple):
    """How two runs of a probe are compared.

    keys     columns that identify the same item in both runs
    read     returns an expression for whether a shared item has a result in both runs
    changes  returns the changes, from a frame of the shared items
    turned   words for a changed item: "right" and "wrong", "won" and "lost"
    metrics  the metrics whose change a gate can limit. If empty, those found in both runs
    leads    the metrics by which a probe is better or worse, the most important first
    labels   metric → its label in a table. Other metrics are labelled by their name in words
    """

    keys: tuple[str, ...]
    read: Callable[[], pl.Expr]
    changes: Callable[[pl.DataFrame], list[Change]]
    metrics: tuple[str, ...] = ()
    leads: tuple[Lead, ...] = ()


def direction(change: Change, better: Better) -> Direction:
    """Return whether the second run is better, if the change is significant after adjustment.

    A number that is best at 0 gets better if it comes nearer to 0. It is reversed if its sign
    changed and its size changed by less than a factor of two.
    """
    p = change.p if change.p_adjusted is None else change.p_adjusted
    first, second, by = change.first, change.second, change.difference
    if p is None or p >= LEVEL or by is None or first is None or second is None:
        return "no clear change"
    if better == "zero":
        if first * second < 0 and abs(first) / 2 < abs(second) < 2 * abs(first):
            return "reversed"
        return "better" if abs(second) < abs(first) else "worse"
    return "better" if (by < 0) == (better == "low") else "worse"


def paired_changes(
    both: pl.DataFrame,
    metric: str,
    by: str,
    *,
    unit: str,
    column: str,
    across: Sequence[str] = (),
    bounds: tuple[float, float],
    right_or_wrong: bool,
) -> list[Change]:
    """Return the paired change of one metric in each group, with p-values adjusted over groups.

    `across` names further kinds of units, crossed with `unit`. Its first kind is always used, the
    others only if they have enough units. `bounds` is the range of a difference. With
    `right_or_wrong`, the items that changed are counted.
    """
    named = both.with_columns(group=pl.lit("all") if by == "all" else pl.col(by))
    known = named.filter(pl.col("group").is_not_null()).sort("group", unit, "trial")
    changes = []
    for (group,), part in known.group_by("group", maintain_order=True):
        more = (side for side in across[1:] if part[side].n_unique() >= LEAST_UNITS)
        sides = [unit, *across[:1], *more]
        before, after = (part[name].cast(float).to_numpy() for name in (column, f"{column}_2"))
        found = paired(before, after, *(part[side].to_numpy() for side in sides), bounds=bounds)
        # The number of a crossed estimate is that of the side with fewest units.
        fewest = min(sides, key=lambda side: part[side].n_unique())
        change = change_of(metric, by, str(group), *found, counted=unit_words(fewest))
        if right_or_wrong:
            gained, lost = int((after > before).sum()), int((after < before).sum())
            change = msgspec.structs.replace(change, gained=gained, lost=lost)
        changes.append(change)
    return _adjusted(changes, benjamini_hochberg if len(changes) > MANY else holm)


def change_of(
    metric: str,
    by: str,
    group: str,
    first: float | None,
    second: float | None,
    difference: Estimate,
    items: int,
    counted: str = "countries",
) -> Change:
    return Change(
        metric=metric,
        by=by,
        group=group,
        first=first,
        second=second,
        difference=difference.value,
        difference_low=difference.low,
        difference_high=difference.high,
        p=difference.p,
        n=difference.n,
        counted=counted,
        items=items,
    )


def _adjusted(
    changes: Sequence[Change], adjust: Callable[[list[float | None]], list[float | None]] = holm
) -> list[Change]:
    adjusted = adjust([one.p for one in changes])
    return [
        msgspec.structs.replace(one, p_adjusted=p) for one, p in zip(changes, adjusted, strict=True)
    ]


def changed_gaps(gaps: Sequence[Change]) -> list[Change]:
    """Return the gaps that both runs have, with p-values adjusted for the number of gaps."""
    return _adjusted([gap for gap in gaps if gap.difference is not None])


def changed_trend(
    both: pl.DataFrame,
    metric: str,
    column: str,
    *,
    by: str = "income",
    order: Sequence[str] = INCOMES,
    within: str = "",
    most: float = 1,
) -> Change:
    """Return the change of the trend over ordered groups of countries.

    This is the trend of the changes. The repeats of a country are averaged first, separately for
    each value of the column `within` (such as each indicator). `most` is the largest possible
    difference of two means.
    """
    means, moved, items = _country_means(both, by, column, within)
    groups, second = means[by].to_list(), f"{column}_2"
    first, after = (_trend_of(means[name].to_numpy(), groups, order) for name in (column, second))
    change = _unchanged(moved) or trend(moved, groups, order, most=2 * most)
    sizes = Counter(groups)
    there = [group for group in order if sizes[group] >= MIN_UNITS] or order
    between = f"{there[0].lower()} minus {there[-1].lower()}, by the trend"
    if len(order) == 2:
        between = " minus ".join(order)
    return change_of(metric, "gap", between, first, after, change, items)


def alike_changes(both: pl.DataFrame, metric: str, column: str, *, by: str, within: str) -> Change:
    """Test by Welch's F whether countries of all groups changed by the same amount.

    If they did, the groups (regions) play no part in the change.
    """
    means, moved, items = _country_means(both, by, column, within)
    test = welch_f(moved, means[by].to_list())
    p = 1.0 if _unchanged(moved) else test.p
    test = msgspec.structs.replace(test, p=p)
    change = change_of(metric, "alike", by, None, None, test, items)
    return msgspec.structs.replace(change, p_adjusted=p)


def _trend_of(values: Floats, groups: Sequence[str | None], order: Sequence[str]) -> float | None:
    """Return the value of the trend, which is 0 if all values are equal."""
    found = trend(values, groups, order)
    return 0.0 if found.reason == ALL_ALIKE else found.value


def _unchanged(moved: Floats) -> Estimate | None:
    """Return a change of 0 with p = 1 if no unit changed, otherwise None."""
    return None if not len(moved) or np.abs(moved).max() > ROUNDING else unchanged(len(moved))


def _country_means(
    both: pl.DataFrame, by: str, column: str, within: str
) -> tuple[pl.DataFrame, Floats, int]:
    """Return the means of each country in both runs, their changes, and the number of items.

    Countries without a group are left out.
    """
    known = both.filter(pl.col("country").fill_null("") != "", pl.col(by).is_not_null())
    second = f"{column}_2"
    numbers = [pl.col(name).mean() for name in (column, second)]
    means = known
    for keys in ([["country", by, within]] if within else []) + [["country", by]]:
        # Sums of floats must not depend on the order of rows.
        means = means.group_by(keys, maintain_order=True).agg(numbers)
    means = means.sort("country")
    return means, (means[second] - means[column]).to_numpy(), known.height
