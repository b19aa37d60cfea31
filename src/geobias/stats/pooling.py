"""Comparing many countries at once: partial pooling, adjusted p-values, two-way centring.

Partial pooling: a country that won nine of ten games has probably been lucky. Its own rate and the
rate of all countries are averaged, weighted by their precision (empirical Bayes: Efron and Morris
1975; Morris 1983). Averaged over groups, 95% of intervals contain the true value. A group far from
all others is pulled in too much, and its interval covers less often.

`holm` and `benjamini_hochberg` adjust p-values. None (a test that could not be made) stays None and
does not count as a test.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy  # which loads its parts when they are first called: 0.3 s each
from numpy.typing import NDArray

from geobias.stats.arrays import ROUNDING, Floats, Numbers
from geobias.stats.estimates import Z_95, Estimate, rate, undefined

LEAST_GROUPS = 5
"""With fewer groups their spread cannot be told from chance, and nothing is pooled."""
_GRID = 40


def pooled_rates(hits: Numbers, trials: Numbers) -> list[Estimate]:
    """Return the rates of groups, pooled by the beta-binomial model.

    The groups' true rates are assumed to follow a beta distribution. Estimates and intervals
    average over the possible values of its centre and spread, so that few groups do not make
    intervals too narrow. Centre and spread have uniform priors on a grid. The spread is ρ: 0 if all
    groups have the same rate, 1 if every rate is 0 or 1. Trials within a group are assumed
    independent. So if several games are about one entity, the entity is the trial, and its hit is
    the share of games won.
    """
    won, asked = np.asarray(hits, dtype=float), np.asarray(trials, dtype=float)
    if won.shape != asked.shape or (won < 0).any() or (won > asked).any():
        raise ValueError("hits lie between 0 and the number of trials")
    counted = asked > 0
    if counted.sum() < LEAST_GROUPS:
        return [_alone(float(w), int(a)) for w, a in zip(won, asked, strict=True)]
    # ρ = 1/(a + b + 1): 0 where all groups are the same, 1 where each is all or nothing.
    near = won.sum() / asked.sum()
    width = 6 * math.sqrt(max(near * (1 - near), 0.25 / asked.sum()) / counted.sum()) + 1e-3
    centres = np.linspace(max(1e-4, near - width), min(1 - 1e-4, near + width), _GRID)
    alike = (np.arange(_GRID) + 0.5) ** 2 / _GRID**2 * 0.95 + 1e-4
    centre, rho = (grid.ravel() for grid in np.meshgrid(centres, alike, indexing="ij"))
    steps = np.tile(np.arange(_GRID) + 0.5, _GRID)  # Jacobian of the quadratic grid
    total = 1 / rho - 1
    a, b = centre * total, (1 - centre) * total
    likelihood = np.log(steps) - counted.sum() * scipy.special.betaln(a, b)
    for w, n in zip(won[counted], asked[counted], strict=True):
        likelihood = likelihood + scipy.special.betaln(a + w, b + n - w)
    weights = np.exp(likelihood - likelihood.max())
    weights /= weights.sum()
    kept = weights > 1e-4 * weights.max()
    weights, a, b = weights[kept] / weights[kept].sum(), a[kept], b[kept]
    total = a + b
    groups = []
    for w, n in zip(won, asked, strict=True):
        mean = (a + w) / (total + n)
        value = float(weights @ mean)
        variance = float(weights @ (mean * (1 - mean) / (total + n + 1) + (mean - value) ** 2))
        groups.append(_beta(value, variance, int(n)))
    return groups


def _alone(hits: float, n: int) -> Estimate:
    return undefined(1, "one trial", hits) if n == 1 else rate(hits, n)


def _beta(value: float, variance: float, n: int) -> Estimate:
    total = value * (1 - value) / variance - 1
    a, b = value * total, (1 - value) * total
    low, high = scipy.special.betaincinv(a, b, (0.025, 0.975)).tolist()
    return Estimate(value, min(value, low), max(value, high), n)


def lent_errors(sds: Numbers, counts: Sequence[int]) -> Floats:
    """Return standard errors of groups of few units: the SD of all groups together, divided by √n.

    A group's own SD of three units may be far too small by chance. NaN is an unknown SD (of one
    unit). If all are unknown, or all units equal their group's mean, all errors are NaN.
    """
    own, n = np.asarray(sds, dtype=float), np.asarray(counts, dtype=float)
    freedom = np.where(np.isnan(own), 0, np.maximum(n - 1, 0))
    together = float(freedom @ np.nan_to_num(own) ** 2) / max(1.0, float(freedom.sum()))
    known = (n > 0) & (together > ROUNDING**2)
    errors: Floats = np.sqrt(np.divide(together, n, out=np.full(len(n), math.nan), where=known))
    return errors


def pooled_means(means: Numbers, errors: Numbers, counts: Sequence[int]) -> list[Estimate]:
    """Return the means of groups, pooled by the normal–normal model.

    As in `pooled_rates`, estimates and intervals average over the possible values of the spread
    (uniform prior for its square: Morris 1983). A group without a mean or an error (NaN, a single
    unit) gets the estimate of a new group. Errors are assumed to be known; for groups with few
    units use `lent_errors`.
    """
    own_means, se = np.asarray(means, dtype=float), np.asarray(errors, dtype=float)
    sizes = [int(count) for count in counts]
    if not own_means.shape == se.shape == (len(sizes),):
        raise ValueError(f"{own_means.shape} means, {se.shape} errors, {len(sizes)} counts")
    known = ~(np.isnan(own_means) | np.isnan(se))
    if (se[known] <= 0).any():
        raise ValueError("a standard error is above 0")
    if known.sum() < LEAST_GROUPS:
        return [
            Estimate(float(m), float(m - Z_95 * s), float(m + Z_95 * s), n)
            if good
            else undefined(n, "no mean, or no error of it")
            for m, s, n, good in zip(own_means, se, sizes, known, strict=True)
        ]
    y, v = own_means[known], se[known] ** 2
    most = 3 * max(float(y.std(ddof=1)), math.sqrt(float(v.max())))
    tau = (np.arange(_GRID * 3) + 0.5) / (_GRID * 3) * most
    precision = 1 / (v + tau[:, None] ** 2)
    total = precision.sum(axis=1)
    centre = (precision @ y) / total
    misfit = (precision * (y - centre[:, None]) ** 2).sum(axis=1)
    likelihood = 0.5 * (np.log(precision).sum(axis=1) - np.log(total) - misfit) + np.log(tau)
    weights = np.exp(likelihood - likelihood.max())
    weights /= weights.sum()
    # A group without a number of its own has an infinite error.
    errors_squared = np.where(known, se**2, np.inf)[:, None]
    share = tau**2 / (tau**2 + errors_squared)
    at = share * np.where(known, own_means, 0.0)[:, None] + (1 - share) * centre
    left = np.where(known[:, None], share * np.where(known[:, None], errors_squared, 0.0), tau**2)
    variance = left + (1 - share) ** 2 / total
    values = at @ weights
    low, high = (_normal_mixture(weights, at, np.sqrt(variance), p) for p in (0.025, 0.975))
    return [
        Estimate(float(v), float(min(v, a)), float(max(v, b)), n)
        for v, a, b, n in zip(values, low, high, sizes, strict=True)
    ]


def _normal_mixture(weights: Floats, at: Floats, spread: Floats, p: float) -> Floats:
    """Quantiles of mixtures of normal distributions, one for each row, by bisection."""
    low, high = (at - 6 * spread).min(axis=1), (at + 6 * spread).max(axis=1)
    for _ in range(40):
        middle = (low + high) / 2
        below = scipy.special.ndtr((middle[:, None] - at) / spread) @ weights < p
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    found: Floats = (low + high) / 2
    return found


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """P-values adjusted so that the chance of even one false finding (p under 0.05) is at most 5%.

    Holm's step-down method (1979), which holds for any dependence between tests.
    """
    made = sorted((p, i) for i, p in enumerate(p_values) if p is not None)
    if any(not 0 <= p <= 1 for p, _ in made):
        raise ValueError("a p-value lies between 0 and 1")
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for step, (p, i) in enumerate(made):
        adjusted[i] = highest = max(highest, min(1.0, p * (len(made) - step)))
    return adjusted


def benjamini_hochberg(p_values: Sequence[float | None]) -> list[float | None]:
    """P-values adjusted so that, on average, at most one in twenty of those under 0.05 is false.

    Benjamini and Hochberg (1995): the false discovery rate, for long tables (a row for each of 200
    countries) in which Holm would find nothing. Assumes that tests are independent or positively
    dependent (Benjamini and Yekutieli 2001).
    """
    made = [p for p in p_values if p is not None]
    rest = iter(scipy.stats.false_discovery_control(made).tolist() if made else [])
    return [None if p is None else next(rest) for p in p_values]


def centred(values: Floats, items: NDArray[Any], units: NDArray[Any]) -> Floats:
    """Return each value adjusted to an item of average difficulty.

    Units (countries) lack values at some items (indicators), and items differ in difficulty. So
    values are fitted as item + unit by least squares (Yates 1934). The mean of a unit's adjusted
    values is its mean as if it had a value at every item. Units that share no item with the others,
    directly or through further units, cannot be compared with these. Only the largest connected set
    has numbers; the other values are NaN. If every unit has every item, a unit's mean is its plain
    mean.
    """
    values = np.asarray(values, dtype=float)
    if not len(values):
        return values
    _, item = np.unique(items, return_inverse=True)
    _, unit = np.unique(units, return_inverse=True)
    kept = _largest_part(item, unit)
    effects = _item_effects(values[kept], item[kept], unit[kept])
    found = np.full(len(values), np.nan)
    found[kept] = values[kept] - effects[item[kept]] + effects[np.unique(item[kept])].mean()
    return found


def weights_of_mean(items: NDArray[Any], units: NDArray[Any]) -> Floats:
    """Return the weight of each value in the mean of the units' centred means.

    This mean is linear in the values, so the weights do not depend on the values. A
    value outside the largest connected set has weight 0.
    """
    _, item = np.unique(items, return_inverse=True)
    _, unit = np.unique(units, return_inverse=True)
    found = np.zeros(len(item))
    if not len(item):
        return found
    kept = _largest_part(item, unit)
    met, counts, equations = _equations(item[kept], unit[kept])
    # How often units meet an item, minus the expected number.
    lacking = (met.sum(axis=1) > 0) / np.count_nonzero(met.sum(axis=1))
    lacking -= (met / counts).sum(axis=1) / np.count_nonzero(met.sum(axis=0))
    given = np.linalg.lstsq(equations, lacking, rcond=1e-10)[0]
    shared = given @ met / counts
    own = 1 / (counts * np.count_nonzero(met.sum(axis=0)))
    found[kept] = own[unit[kept]] + given[item[kept]] - shared[unit[kept]]
    return found


def _item_effects(values: Floats, item: NDArray[Any], unit: NDArray[Any]) -> Floats:
    """Return the effects of items, which add up to 0.

    Eliminating the effects of units first leaves one equation for each item.
    """
    met, counts, equations = _equations(item, unit)
    own = np.bincount(unit, values, met.shape[1]) / counts
    left = np.bincount(item, values - own[unit], met.shape[0])
    return np.asarray(np.linalg.lstsq(equations, left, rcond=1e-10)[0], dtype=float)


def _equations(item: NDArray[Any], unit: NDArray[Any]) -> tuple[Floats, Floats, Floats]:
    """Return counts by item (row) and unit, counts by unit, and the items' equations."""
    met = np.zeros((item.max() + 1, unit.max() + 1))
    np.add.at(met, (item, unit), 1.0)
    counts = np.maximum(met.sum(axis=0), 1.0)
    return met, counts, np.diag(met.sum(axis=1)) - (met / counts) @ met.T


def _largest_part(item: NDArray[Any], unit: NDArray[Any]) -> NDArray[np.bool_]:
    nodes = np.array([item, item.max() + 1 + unit])
    size = int(nodes.max()) + 1
    links = scipy.sparse.coo_array((np.ones(len(item)), nodes), shape=(size, size))
    part = scipy.sparse.csgraph.connected_components(links, directed=False)[1][item]
    largest: NDArray[np.bool_] = part == np.bincount(part).argmax()
    return largest
