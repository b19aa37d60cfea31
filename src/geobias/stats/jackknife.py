"""The jackknife over units, for a score that is no mean (Efron and Stein 1981)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from geobias.stats.arrays import Floats
from geobias.stats.estimates import Estimate, Tested, quantile_95, two_sided_p, untested


def jackknifed(
    score: Callable[[NDArray[Any]], Floats],
    units: NDArray[Any],
    *,
    fewest: int,
    scale: tuple[Callable[[Any], Any], Callable[[Any], Any]] = (np.positive, np.positive),
    least_error: float = 0.0,
    nothing: str = "",
) -> Tested:
    """Return a score with its interval and test, from its values without each of the units.

    score        returns the score without each of the given units; all units are kept for ""
    fewest       minimum units for an interval
    scale        functions to and from a scale on which errors are symmetric. Interval and test use
                 Student's t on this scale, and 0 is tested
    least_error  the standard error on this scale, if leaving out a unit changes nothing
    nothing      why the score is undefined, if it is
    """
    n = len(units)
    value = float(score(np.array([""]))[0])
    if math.isnan(value):
        return untested(n, nothing)
    if n < fewest:
        why = f"under {fewest} countries: no interval"
        return untested(n, why, value)
    there, back = scale
    error = math.sqrt((n - 1) ** 2 / n * there(score(units)).var(ddof=1))
    if not error >= 1e-12:  # undefined if the score is undefined without one unit
        error = least_error
    if not error:
        return untested(n, "rests on too few different ratings", value)
    centre, half = float(there(value)), quantile_95(n - 1) * error
    # A value may lie at the scale's end: a correlation of 1.
    low, high = min(value, float(back(centre - half))), max(value, float(back(centre + half)))
    return Tested(Estimate(value, low, high, n), two_sided_p(centre / error, n - 1))
