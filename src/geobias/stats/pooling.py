"""Partial pooling: small groups lean on all others, so that luck does not top a ranking.

A country with ten games that won nine of them has been lucky, most likely. Its own rate and the
rate of all countries are averaged, weighted by how much each tells (empirical Bayes: Efron and
Morris 1975; Casella 1985). Large groups keep their own numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from geobias.stats.rates import Estimate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]


class Pooled(msgspec.Struct, frozen=True, kw_only=True):
    """Every group's pooled estimate, in the order given, and what they were pooled towards.

    groups   `n` is the group's own count; a group without any has the estimate of a new group
    centre   mean over groups that all lean towards; None with under three groups that count
    spread   SD of the true group values around it; 0 where the groups differ no more than chance
    own      for each group the weight of its own number, from 0 to 1
    reason   why nothing was pooled, "" where it was
    """

    groups: list[Estimate]
    centre: float | None
    spread: float | None
    own: list[float]
    reason: str = ""


def pooled_rates(hits: Sequence[int] | Floats, trials: Sequence[int] | Floats) -> Pooled:
    """Rates of groups by the beta-binomial model, with 95% intervals."""
    raise NotImplementedError


def pooled_means(
    means: Sequence[float] | Floats, errors: Sequence[float] | Floats, counts: Sequence[int]
) -> Pooled:
    """Means of groups with their standard errors by the normal–normal model, with 95% intervals."""
    raise NotImplementedError
