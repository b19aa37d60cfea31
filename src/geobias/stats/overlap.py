"""Whether two groups are alike enough in something to be compared at equal values of it.

A regression compares groups at equal values even where only one of them has any there: it then
goes by the shape of its curve. Crump, Hotz, Imbens and Mitnik (2009) keep to units whose chance of
being in either group, given the value, is between 0.1 and 0.9.
"""

from __future__ import annotations

import math

import numpy as np

from geobias.stats.arrays import Floats

LEAST_CHANCE = 0.1


def overlap(values: Floats, second: Floats) -> float | None:
    """The share of units whose value both groups have: by Crump's rule, the chance of being in the
    second group taken from two normal distributions that vary alike (Fisher 1936).

    `second` is 1 for a unit of the second group, else 0. None where a group is empty or no unit
    differs from its group.
    """
    groups = [values[second == side] for side in (0, 1)]
    if min(map(len, groups)) == 0:
        return None
    first, other = (float(one.mean()) for one in groups)
    variance = float(sum(((one - one.mean()) ** 2).sum() for one in groups)) / len(values)
    if variance <= 0:
        return None
    prior = math.log(len(groups[1]) / len(groups[0]))
    odds = prior + (other - first) / variance * (values - (first + other) / 2)
    edge = math.log((1 - LEAST_CHANCE) / LEAST_CHANCE)
    return float((np.abs(odds) <= edge).mean())
