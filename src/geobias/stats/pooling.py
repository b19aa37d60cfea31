"""Partial pooling: small groups lean on all others, so that luck does not top a ranking.

A country with ten games that won nine of them has been lucky, most likely. Its own rate and the
rate of all countries are averaged, weighted by how much each tells (empirical Bayes: Efron and
Morris 1975; Morris 1983). Large groups keep their own numbers. The intervals hold over the groups
together: of all groups' intervals 95% hold their true value, a group far from all others is pulled
in too much and its own less often.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from geobias.stats.rates import Z_95, Estimate, rate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

LEAST_GROUPS = 5
"""With fewer groups their spread cannot be told from chance, and nothing is pooled."""
_GRID = 60


class Pooled(msgspec.Struct, frozen=True, kw_only=True):
    """Every group's pooled estimate, in the order given, and what they were pooled towards.

    groups   `n` is the group's own count; a group without any has the estimate of a new group
    centre   what all lean towards; None where nothing was pooled
    spread   SD of the true group values around it; near 0 where they differ no more than chance
    own      for each group the weight of its own number, from 0 to 1
    reason   why nothing was pooled, "" where it was
    """

    groups: list[Estimate]
    centre: float | None
    spread: float | None
    own: list[float]
    reason: str = ""


def pooled_rates(
    hits: Sequence[int] | NDArray[Any], trials: Sequence[int] | NDArray[Any]
) -> Pooled:
    """Rates of groups by the beta-binomial model.

    The groups' true rates are taken to follow a beta distribution. Its centre and spread are not
    fixed at their best guess: estimates and intervals average over what the data allow for both
    (uniform priors for the centre and for the share of a group's own spread, on a grid), so that
    few groups do not make intervals too narrow. Assumes independent trials within a group.
    """
    import numpy as np
    from scipy.special import betaln

    won, asked = np.asarray(hits, dtype=float), np.asarray(trials, dtype=float)
    if won.shape != asked.shape or (won < 0).any() or (won > asked).any():
        raise ValueError("hits lie between 0 and the number of trials")
    counted = asked > 0
    if counted.sum() < LEAST_GROUPS:
        groups = [rate(int(w), int(a)) for w, a in zip(won, asked, strict=True)]
        return _not_pooled(groups, int(counted.sum()))
    # ρ = 1/(a + b + 1): 0 where all groups are the same, 1 where each is all or nothing.
    near = won.sum() / asked.sum()
    width = 6 * math.sqrt(max(near * (1 - near), 0.25 / asked.sum()) / counted.sum()) + 1e-3
    centres = np.linspace(max(1e-4, near - width), min(1 - 1e-4, near + width), _GRID)
    alike = (np.arange(_GRID) + 0.5) ** 2 / _GRID**2 * 0.95 + 1e-4
    centre, rho = (grid.ravel() for grid in np.meshgrid(centres, alike, indexing="ij"))
    steps = np.tile(np.arange(_GRID) + 0.5, _GRID)  # Jacobian of the quadratic grid
    total = 1 / rho - 1
    a, b = centre * total, (1 - centre) * total
    patterns, index = np.unique(np.column_stack([won, asked]), axis=0, return_inverse=True)
    times = np.bincount(index.ravel(), minlength=len(patterns))
    likelihood = np.log(steps)
    for (w, n), count in zip(patterns, times, strict=True):
        if n:
            likelihood = likelihood + count * (betaln(a + w, b + n - w) - betaln(a, b))
    weights = np.exp(likelihood - likelihood.max())
    weights /= weights.sum()
    kept = weights > 1e-6 * weights.max()
    weights, a, b, rho = weights[kept] / weights[kept].sum(), a[kept], b[kept], rho[kept]
    found = [_beta_mixture(weights, a + w, b + n - w, int(n)) for w, n in patterns]
    spread = np.sqrt(a * b / (a + b) ** 2 * rho)
    own = [float(weights @ (n / (n + a + b))) for n in asked]
    return Pooled(
        groups=[found[i] for i in index.ravel()],
        centre=float(weights @ (a / (a + b))),
        spread=float(weights @ spread),
        own=own,
    )


def _beta_mixture(weights: Floats, a: Floats, b: Floats, n: int) -> Estimate:
    """Mean and middle 95% of a mixture of beta distributions, by halving."""
    from scipy.special import betainc

    def quantile(p: float) -> float:
        low, high = 0.0, 1.0
        for _ in range(30):
            middle = (low + high) / 2
            below = float(weights @ betainc(a, b, middle))
            low, high = (middle, high) if below < p else (low, middle)
        return (low + high) / 2

    value = float(weights @ (a / (a + b)))
    return Estimate(value, min(value, quantile(0.025)), max(value, quantile(0.975)), n)


def pooled_means(
    means: Sequence[float] | Floats, errors: Sequence[float] | Floats, counts: Sequence[int]
) -> Pooled:
    """Means of groups with their standard errors, by the normal–normal model.

    The groups' true means are taken to be normal around a centre. As in `pooled_rates` estimates
    average over what the data allow for the spread (uniform prior for the SD, on a grid), and so
    do intervals. A group whose mean or error is NaN (under two units) has the estimate of a new
    group. Assumes that the errors are known; those of groups with few units are not, so lend them
    the spread of all (the pooled SD over √n) first.
    """
    import numpy as np

    own_means, se = np.asarray(means, dtype=float), np.asarray(errors, dtype=float)
    sizes = [int(count) for count in counts]
    if not own_means.shape == se.shape == (len(sizes),):
        raise ValueError(f"{own_means.shape} means, {se.shape} errors, {len(sizes)} counts")
    known = ~(np.isnan(own_means) | np.isnan(se))
    if (se[known] <= 0).any():
        raise ValueError("a standard error is above 0")
    if known.sum() < LEAST_GROUPS:
        groups = [
            Estimate(float(m), float(m - Z_95 * s), float(m + Z_95 * s), n)
            if good
            else Estimate(None, None, None, n, "no mean, or no error of it")
            for m, s, n, good in zip(own_means, se, sizes, known, strict=True)
        ]
        return _not_pooled(groups, int(known.sum()))
    y, v = own_means[known], se[known] ** 2
    most = 3 * max(float(y.std(ddof=1)), math.sqrt(float(v.max())))
    tau = (np.arange(_GRID * 4) + 0.5) / (_GRID * 4) * most
    precision = 1 / (v + tau[:, None] ** 2)
    total = precision.sum(axis=1)
    centre = (precision @ y) / total
    misfit = (precision * (y - centre[:, None]) ** 2).sum(axis=1)
    likelihood = 0.5 * (np.log(precision).sum(axis=1) - np.log(total) - misfit)
    weights = np.exp(likelihood - likelihood.max())
    weights /= weights.sum()
    groups, own = [], []
    for m, s, n, good in zip(own_means, se, sizes, known, strict=True):
        share = tau**2 / (tau**2 + s * s) if good else np.zeros_like(tau)
        at = share * (m if good else 0.0) + (1 - share) * centre
        spread = np.sqrt((tau**2 if not good else share * s * s) + (1 - share) ** 2 / total)
        groups.append(_normal_mixture(weights, at, spread, n))
        own.append(float(weights @ share))
    return Pooled(
        groups=groups,
        centre=float(weights @ centre),
        spread=float(weights @ tau),
        own=own,
    )


def _normal_mixture(weights: Floats, at: Floats, spread: Floats, n: int) -> Estimate:
    """Mean and middle 95% of a mixture of normal distributions, by halving."""
    from scipy.special import ndtr

    value = float(weights @ at)

    def quantile(p: float) -> float:
        low, high = float((at - 6 * spread).min()), float((at + 6 * spread).max())
        for _ in range(50):
            middle = (low + high) / 2
            below = float(weights @ ndtr((middle - at) / spread))
            low, high = (middle, high) if below < p else (low, middle)
        return (low + high) / 2

    return Estimate(value, min(value, quantile(0.025)), max(value, quantile(0.975)), n)


def _not_pooled(groups: list[Estimate], counted: int) -> Pooled:
    return Pooled(
        groups=groups,
        centre=None,
        spread=None,
        own=[1.0] * len(groups),
        reason=f"{counted} groups: too few to pool",
    )
