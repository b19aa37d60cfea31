"""Scores of items that are not means, and the jackknife over units (Efron and Stein 1981).

An item, such as a topic, has a value in each of its rows. Its scores are the rank correlation of
its values with another quantity, their mean absolute deviation, and the product of both with the
share of rows that have a value. The score of several items is the mean over those that have one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from geobias.stats.arrays import Floats
from geobias.stats.correlation import spearman_of_subsets
from geobias.stats.estimates import Estimate, quantile_95, two_sided_p, undefined


def jackknifed(
    score: Callable[[NDArray[Any]], Floats],
    units: NDArray[Any],
    *,
    fewest: int,
    scale: tuple[Callable[[Any], Any], Callable[[Any], Any]] = (np.positive, np.positive),
    least_error: float = 0.0,
    nothing: str,
) -> Estimate:
    """Return a score with its interval and test, from its values when each unit is left out.

    score        a function that takes names of units and returns the score without each; "" leaves
                 out none
    scale        functions to and from a scale on which errors are symmetric. The interval and the
                 test against 0 use Student's t on this scale
    least_error  the standard error on this scale, used if no left-out unit changes the score
    """
    n = len(units)
    value = float(score(np.array([""]))[0])
    if math.isnan(value):
        return undefined(n, nothing)
    if n < fewest:
        why = f"under {fewest} countries: no interval"
        return undefined(n, why, value)
    there, back = scale
    error = math.sqrt((n - 1) ** 2 / n * there(score(units)).var(ddof=1))
    if not error >= 1e-12:  # undefined if the score is undefined without one unit
        error = least_error
    if not error:
        return undefined(n, "rests on too few different ratings", value)
    centre, half = float(there(value)), quantile_95(n - 1) * error
    # A value may lie at the scale's end: a correlation of 1.
    low, high = min(value, float(back(centre - half))), max(value, float(back(centre + half)))
    return Estimate(value, low, high, n, p=two_sided_p(centre / error, n - 1))


Kept = NDArray[np.bool_]
"""A table of flags. Each row of the table marks the rows of an item that are kept."""
FEWEST = 10
"""Minimum units for an interval of a correlation or of the product. With fewer, the jackknife of
ranks estimates the variance poorly, and p < 0.05 occurs too often by chance.
"""


class ItemRows(NamedTuple):
    """Rows: value (NaN if missing), quantity to compare with, share of repeats read, and unit."""

    value: Floats
    held: Floats
    read: Floats
    unit: NDArray[Any]

    def correlation(self, kept: Kept) -> Floats:
        return spearman_of_subsets(self.value, self.held, kept)

    def deviation(self, kept: Kept) -> Floats:
        known = kept & ~np.isnan(self.value)
        return _means(np.abs(self.value - _means(self.value, known)[:, None]), known)

    def product(self, kept: Kept) -> Floats:
        deviation = self.deviation(kept)
        product = self.correlation(kept) * deviation * _means(self.read, kept)
        return np.where(deviation == 0, 0.0, product)  # whatever the correlation is


def _means(values: Floats, known: Kept) -> Floats:
    n = known.sum(axis=1)
    means = np.full(len(n), np.nan)
    np.divide(np.where(known, values, 0.0).sum(axis=1), n, out=means, where=n > 0)
    return means


def item_score(
    name: Literal["correlation", "deviation", "product"],
    items: Sequence[ItemRows],
    units: NDArray[Any],
    *,
    most: float,
    nothing: str,
) -> Estimate:
    """The mean of a score over items. `most` is the largest possible deviation.

    The interval of a correlation is on Fisher's scale and that of a deviation on the log scale.
    Fisher's scale excludes −1 and 1, so a perfect correlation of n units counts as one of 1 − 1/n.
    """
    n = len(units)
    how: dict[str, Any] = {"fewest": FEWEST}
    if name == "correlation":
        end = 1 - 1 / max(n, 1)
        how["scale"] = (lambda found: np.arctanh(np.clip(found, -end, end)), np.tanh)
        how["least_error"] = (n - 3) ** -0.5 if n > 3 else 0.0
    elif name == "deviation":
        how["fewest"] = 3
        how["scale"] = (
            lambda found: np.log(np.maximum(found, 1e-9)),
            lambda found: np.minimum(np.exp(found), most),
        )

    def over_items(without: NDArray[Any]) -> Floats:
        """The mean over items that have a score, without each of the given units in turn."""
        scores = [getattr(one, name)(one.unit != without[:, None]) for one in items]
        table = np.array(scores).reshape(len(scores), len(without)).T
        return _means(table, ~np.isnan(table))

    return jackknifed(over_items, units, nothing=nothing, **how)
