"""Trials that two runs share, and how they differ: the list of the side-by-side pages.

A trial is shared where both runs have one of the same name, probe and title. The name alone is not
enough: users' own tables number their items as they like.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from geobias.view.index import PAGE, Index, beyond, conditions, query
from geobias.view.rows import Row

ITEM_FILTERS = (
    *("probe", "country", "region", "income", "continent", "half"),
    *("topic", "language", "variant"),
)
"""Filters by what was asked, which is the same in both runs."""

_CHANGED = "(t.read <> o.read OR t.result <> o.result OR t.outcome <> o.outcome)"
DIFFERENCES = {
    "one-right": ("One right, one wrong", "t.correct + o.correct = 1"),
    "only-first": ("Only the first right", "t.correct = 1 AND o.correct = 0"),
    "only-second": ("Only the second right", "t.correct = 0 AND o.correct = 1"),
    "both-right": ("Both right", "t.correct + o.correct = 2"),
    "both-wrong": ("Both wrong", "t.correct + o.correct = 0"),
    "unscored": ("Not both right or wrong", "t.correct + o.correct IS NULL"),
    "changed": ("Changed since the first", _CHANGED),
    "unchanged": ("Read the same", f"NOT {_CHANGED}"),
}
"""How two readings of a trial compare: words for it, and its condition."""

_SHARED = (
    "trials t CROSS JOIN beside.trials o"
    " ON o.trial = t.trial AND o.probe = t.probe AND o.title = t.title"
)
# CROSS: in the order of the first run, so that a page stops at its limit.
_SAID = (
    "(t.id IN (SELECT rowid FROM main.said WHERE said MATCH ?)"
    " OR o.id IN (SELECT rowid FROM beside.said WHERE said MATCH ?))"
)
_COLUMNS = Row.__struct_fields__


class Pair(msgspec.Struct, frozen=True):
    """A trial in both runs: the number of its record and its row, in each."""

    first_id: int
    first: Row
    second_id: int
    second: Row


class Pairs:
    """The trials of two indexes that a choice of filters and a search leave."""

    def __init__(
        self, first: Index, second: Index, filters: Mapping[str, str], search: str = ""
    ) -> None:
        self._first, self._second = first, second
        self._where = [f"t.{name} = ?" for name in ITEM_FILTERS if filters.get(name)]
        self._values: list[Any] = [filters[name] for name in ITEM_FILTERS if filters.get(name)]
        if search:
            self._where.append(_SAID)
            self._values += [query(search)] * 2

    def tally(self) -> dict[str, int]:
        """How many pairs there are (`all`), and how many of each difference."""
        sums = ", ".join(f"coalesce(sum({sql}), 0)" for _, sql in DIFFERENCES.values())
        sql = f"SELECT count(*), {sums} FROM {_SHARED}{conditions(self._where)}"  # noqa: S608
        rows = self._first.rows(sql, self._values, self._second)
        counts = rows[0] if rows else [0] * (len(DIFFERENCES) + 1)
        return dict(zip(("all", *DIFFERENCES), counts, strict=True))

    def page(
        self, difference: str = "", *, after: str = "", before: str = "", most: int = PAGE
    ) -> tuple[list[Pair], bool]:
        """Up to `most` pairs in the order of the first run, and whether there are more.

        `after` and `before` are the number of the first run's record to go on from.
        """
        where, values = list(self._where), list(self._values)
        if difference in DIFFERENCES:
            where.append(DIFFERENCES[difference][1])
        more, numbers = beyond(before or after, "t.id", backwards=bool(before), by_number=False)
        names = ", ".join(f"{one}.{name}" for one in "to" for name in ("id", *_COLUMNS))
        listed = self._first.rows(
            f"SELECT {names} FROM {_SHARED}{conditions([*where, *more])}"  # noqa: S608
            f" ORDER BY t.id {'DESC' if before else 'ASC'} LIMIT ?",
            [*values, *numbers, most + 1],
            self._second,
        )
        pairs = [_pair(row) for row in listed[:most]]
        return pairs[::-1] if before else pairs, len(listed) > most

    def neighbours(self, trial: str, difference: str = "") -> tuple[str, str]:
        """The trials before and after one among these pairs; "" at the ends."""
        here = str(self._first.number("SELECT id FROM trials WHERE trial = ?", (trial,)))
        before, _ = self.page(difference, before=here, most=1)
        after, _ = self.page(difference, after=here, most=1)
        return (before[0].first.trial if before else ""), (after[0].first.trial if after else "")


def _pair(values: tuple[Any, ...]) -> Pair:
    half = len(values) // 2
    (first_id, *first), (second_id, *second) = values[:half], values[half:]
    rows = [Row(**dict(zip(_COLUMNS, one, strict=True))) for one in (first, second)]
    return Pair(first_id, rows[0], second_id, rows[1])
