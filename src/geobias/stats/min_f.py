"""Do groups differ, for other units of two kinds: other countries and other models?

An F test over countries speaks of these very models, and one over models of these very countries.
Clark (1973, "The language-as-fixed-effect fallacy") joins both into one that speaks of other units
of either kind: min F′ = F₁F₂ / (F₁ + F₂). F₁ is Welch's, since groups of countries vary
differently.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import fdtrc

from geobias.stats.arrays import Floats
from geobias.stats.group_differences import MIN_UNITS, Groups

LEAST = 3
"""Rows. Groups have as many columns as elsewhere (`MIN_UNITS`)."""


class MinF(NamedTuple):
    """`f` with its degrees of freedom and p; all None where there are too few units."""

    f: float | None = None
    df: tuple[float, float] | None = None
    p: float | None = None


def min_f(values: Floats, columns: list[str]) -> MinF:
    """Rows are units that have a value in every column (models), columns are units (countries) with
    the group of each; groups of under `MIN_UNITS` columns are left out. No value may be missing.
    """
    table = np.asarray(values, dtype=float)
    kept = {name for name in columns if columns.count(name) >= MIN_UNITS}
    chosen = [i for i, name in enumerate(columns) if name in kept]
    names = sorted(kept)
    if len(table) < LEAST or len(names) < 2:
        return MinF()
    table, groups = table[:, chosen], np.array([columns[i] for i in chosen])
    means = np.stack([table[:, groups == name].mean(axis=1) for name in names], axis=1)
    by_columns = _between(table.mean(axis=0), groups.tolist())
    by_rows = _within_rows(means)
    if by_columns is None or by_rows is None:
        return MinF()
    (f1, df1), (f2, df2) = by_columns, by_rows
    if f1 <= 0 or f2 <= 0:
        return MinF(0.0, (len(names) - 1, min(df1, df2)), 1.0)
    f = f1 * f2 / (f1 + f2)
    df = (f1 + f2) ** 2 / (f1 * f1 / df2 + f2 * f2 / df1)
    return MinF(f, (len(names) - 1, df), float(fdtrc(len(names) - 1, df, f)))


def _between(values: Floats, groups: list[str]) -> tuple[float, float] | None:
    """Welch's F (1951) over columns, whose groups may vary differently, and its second degrees of
    freedom."""
    known = Groups.of(values, groups)
    if known.why_none:
        return None
    k, weights = len(known.names), 1 / known.errors
    shares = weights / weights.sum()
    uneven = float(((1 - shares) ** 2 / (known.sizes - 1)).sum())
    apart = float((weights * (known.means - shares @ known.means) ** 2).sum()) / (k - 1)
    return apart / (1 + 2 * (k - 2) / (k * k - 1) * uneven), (k * k - 1) / (3 * uneven)


def _within_rows(means: Floats) -> tuple[float, int] | None:
    """F of the columns of a table of rows × groups, rows taken out (repeated measures)."""
    rows, groups = means.shape
    df = (rows - 1) * (groups - 1)
    left = means - means.mean(axis=1, keepdims=True) - means.mean(axis=0) + means.mean()
    inner = float((left**2).sum())
    outer = rows * float(((means.mean(axis=0) - means.mean()) ** 2).sum())
    if inner <= 1e-24:
        return None
    return (outer / (groups - 1)) / (inner / df), df
