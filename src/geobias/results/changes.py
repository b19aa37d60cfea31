"""Changes from one run to another, on the items that both have.

Every test is paired: the same question, the same item, the same game. Differences are the second
run minus the first. Their intervals and p-values come from the units (countries, templates), and
p-values are adjusted for the number of rows of the same kind. All functions take the frame of
shared items, in which the second run's columns end in `_2`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

import msgspec
import polars as pl

from geobias.results.findings import Better
from geobias.results.formatting import unit_words
from geobias.stats.estimates import LEAST_UNITS, LEVEL, Estimate
from geobias.stats.paired import paired
from geobias.stats.pooling import benjamini_hochberg, holm

MANY = 30
"""With more rows of a kind than this, p-values are adjusted by Benjamini and Hochberg instead of
Holm.
"""


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """What changed in one group of items.

    by, group     the items of the row. `by` is "all", or a column such as "region" with one of its
                  groups. For the change of a gap, `by` is "gap" and `group` names the groups. For a
                  test of whether groups changed alike, `by` is "alike" and `group` is their column;
                  only the p-values are set
    first, second means over units in each run, on the shared items only
    p_adjusted    the p-value adjusted over the rows with the same metric and `by` (for gaps, over
                  all gaps)
    gained, lost  the number of items that only the second run got right (or won), and that only
                  the first run did
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
    """The metric whose change a comparison shows first. `label` names it in words: "mean error"."""

    metric: str
    label: str
    better: Better


Direction = Literal["better", "worse", "reversed", "no clear change"]


class ComparisonRule(NamedTuple):
    """How two runs of a probe are compared.

    keys     columns that identify the same item in both runs
    read     returns an expression for whether a shared item has a result in both runs
    metrics  the metrics whose change a gate can limit
    leads    the metrics by which a probe is better or worse, the most important first
    """

    keys: tuple[str, ...]
    read: Callable[[], pl.Expr]
    changes: Callable[[pl.DataFrame], list[Change]]
    metrics: tuple[str, ...]
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
