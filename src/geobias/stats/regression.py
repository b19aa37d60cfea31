"""Regressions whose errors are clustered by unit.

Standard errors are the jackknife's over clusters (known as CR3: Bell and McCaffrey 2002), since
with 40 clusters the usual robust ones are too small. Intervals and p-values use Student's t with
one degree of freedom less than there are clusters. With fewer than `LEAST_CLUSTERS` clusters the
coefficients have no intervals.

`difference_at_equal` estimates only one coefficient, the difference between two groups of clusters,
and treats it more carefully, since few clusters in one group decide how certain it is.

`overlap` tells whether two groups are alike enough to be compared at equal values. A regression
compares groups even at values that only one group has. Its result then depends on the shape of the
curve. Crump, Hotz, Imbens and Mitnik (2009) keep units whose chance of being in either group, given
the value, is between 0.1 and 0.9.

The papers' regressions are fitted by statsmodels, with the standard errors of this module. The
clustered errors of statsmodels (CR1) reject a true null in 10 to 14% of cases.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from geobias.stats.arrays import ROUNDING, Floats, Names, Numbers, varies
from geobias.stats.estimates import Z_95, Estimate, quantile_95, student, two_sided_p, undefined

LEAST_CHANCE = 0.1


def overlap(values: Floats, second: Floats) -> float | None:
    """Return the share of units whose value is likely enough in both groups (Crump's rule).

    The chance of being in the second group follows from two normal distributions with equal
    variance (Fisher 1936). `second` is 1 for a unit of the second group, else 0. None if a group is
    empty or all units equal their group's mean.
    """
    groups = [values[second == side] for side in (0, 1)]
    if min(map(len, groups)) == 0:
        return None
    first, other = (float(one.mean()) for one in groups)
    variance = float(sum(((one - one.mean()) ** 2).sum() for one in groups)) / len(values)
    if variance <= ROUNDING**2:
        return None
    prior = math.log(len(groups[1]) / len(groups[0]))
    odds = prior + (other - first) / variance * (values - (first + other) / 2)
    edge = math.log((1 - LEAST_CHANCE) / LEAST_CHANCE)
    return float((np.abs(odds) <= edge).mean())


LEAST_CLUSTERS = 10
NO_ROW = "no row differs from the fit"


class Regression(NamedTuple):
    """The slope (log odds in a logistic regression), R² (or McFadden's), and the rows used."""

    slope: Estimate
    r_squared: float | None
    rows: int


def linear(outcome: Numbers, predictor: Numbers, clusters: Names) -> Regression:
    y, x, index, n = _rows(outcome, [predictor], clusters)
    if why := _unfit(y, x):
        return Regression(undefined(n, why), None, len(y))
    from statsmodels.regression.linear_model import OLS  # loads in two seconds: two tables need it

    fit = OLS(y, x).fit()
    error = _jackknife(x, _beyond_rounding(fit.resid, y), 1.0, index, n)
    return Regression(_slope(fit, error, n), float(fit.rsquared), len(y))


def logistic(outcome: Numbers, predictor: Numbers, clusters: Names) -> Regression:
    """Logistic regression with cluster-robust errors. Rows with a NaN are left out.

    Undefined if the outcome never varies, or if the predictor determines it (separation), since the
    coefficient would be infinite.
    """
    y, x, index, n = _rows(outcome, [predictor], clusters)
    if not np.isin(y, (0, 1)).all():
        raise ValueError("outcomes of a logistic regression are 0 or 1")
    why, fit = _unfit(y, x), None
    if not why:
        why, fit = "the predictors tell the outcome apart without fail", _most_likely(y, x)
    if fit is None:
        return Regression(undefined(n, why), None, len(y))
    chance = fit.predict()
    error = _jackknife(x, y - chance, chance * (1 - chance), index, n)
    return Regression(_slope(fit, error, n), float(fit.prsquared), len(y))


def _slope(fit: Any, error: float | None, n: int) -> Estimate:
    value = float(fit.params[1])
    if n < LEAST_CLUSTERS:
        return undefined(n, f"{n} clusters: no interval", value)
    if not error:
        return undefined(n, "rests on one cluster" if error is None else NO_ROW, value)
    return student(value, error, n - 1, n)


def _most_likely(y: Floats, x: Floats) -> Any:
    from statsmodels.discrete.discrete_model import Logit  # see `linear`
    from statsmodels.tools.sm_exceptions import PerfectSeparationError, PerfectSeparationWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", PerfectSeparationWarning)
        try:
            fit = Logit(y, x).fit(disp=0, maxiter=100, tol=1e-12)
        except (PerfectSeparationError, PerfectSeparationWarning, np.linalg.LinAlgError):
            return None
    settled = fit.mle_retvals["converged"] and np.abs(x @ fit.params).max() < _CERTAIN
    return fit if settled else None


FEW_UNLIKE = 5
"""If fewer clusters than this have a hit (or a miss) in a group, Student's t is not reliable."""


def difference_at_equal(
    outcome: Numbers,
    second: Numbers,
    covariates: Mapping[str, Numbers],
    clusters: Names,
    *,
    most: float = math.inf,
) -> Estimate:
    """Return the mean outcome of the first group minus that of the second, at equal covariates.

    `second` is 1 for rows of the second group, else 0. The outcome (0 or 1 for a game) is regressed
    on the group and the covariates by least squares: a linear probability model, whose coefficient
    is a difference of shares. A large cluster weighs less than its number of rows (`_unlike`), so
    that one large country does not count as half of a continent.

    Standard errors are clustered (CR2: Bell and McCaffrey 2002), with Satterthwaite's degrees of
    freedom (Pustejovsky and Tipton 2018), which are few if one group has few clusters.

    A linear model has no bounds, so value and interval are cut at ±`most`, the largest possible
    difference (1 for shares; none by default). The p-value is that of the uncut fit. `n` counts
    clusters, and rows with a NaN are left out.
    """
    y, x, index, n = _rows(outcome, [second, *covariates.values()], clusters)
    few = _one_sided(x[:, 1], index)
    if len(y) and not few and not varies(y) and math.isfinite(most):
        return _all_alike(x[:, 1], index, n, most)
    if why := _unfit(y, x) or few:
        return undefined(n, why)
    table = _unlike(np.column_stack([y, x]), index)
    found = _cr2(table[:, 0], table[:, 1:], index, n, 1)
    return _interval(found, -1.0, n, most, _few(y, x[:, 1], index))


def _all_alike(second: Floats, index: Any, n: int, most: float) -> Estimate:
    """Return the difference if all outcomes are equal (all games won), which is 0 with p = 1.

    The interval allows for deviating clusters: in each group as many as Wilson's interval allows if
    none was seen (Newcombe 1998).
    """
    sizes = (len(np.unique(index[second == side])) for side in (0, 1))
    reach = max(most * Z_95**2 / (size + Z_95**2) for size in sizes)
    return Estimate(0.0, -reach, reach, n, p=1.0)


def slope_over_clusters(
    outcome: Numbers,
    predictor: Numbers,
    clusters: Names,
    *,
    times: float = 1.0,
    most: float = math.inf,
) -> Estimate:
    """Return the least-squares slope times `times`, with errors as in `difference_at_equal`."""
    y, x, index, n = _rows(outcome, [predictor], clusters)
    if why := _unfit(y, x):
        return undefined(n, why)
    return _interval(_cr2(y, x, index, n, 1), times, n, most)


def _interval(
    found: tuple[float, float, float], times: float, n: int, most: float, caution: str = ""
) -> Estimate:
    value, error, df = found[0] * times, found[1] * abs(times), found[2]
    half = quantile_95(df) * error
    middle, low, high = (min(most, max(-most, value + step)) for step in (0, -half, half))
    if not error > 0:
        return undefined(n, NO_ROW, middle)
    return Estimate(middle, low, high, n, "", caution, two_sided_p(value / error, df))


def _one_sided(second: Floats, index: Any) -> str:
    sizes = [len(np.unique(index[second == side])) for side in (0, 1)]
    if min(sizes) >= 3:
        return ""
    return f"too few units: {sizes[0]} and {sizes[1]}, where each group needs 3"


def _few(y: Floats, second: Floats, index: Any) -> str:
    if not np.isin(y, (0, 1)).all():
        return ""
    kinds = [index[(second == side) & (y == what)] for side in (0, 1) for what in (0, 1)]
    few = min(len(np.unique(kind)) for kind in kinds) < FEW_UNLIKE
    return "hits or misses of one side are few: the interval may be too narrow" if few else ""


ALIKE = 0.1
"""Working correlation between two rows of a cluster.

It is right for countries whose chances of a win have an SD of 0.15 around 0.3. If it is wrong, the
difference is slightly less precise. The standard error shows this, since it uses the observed
clusters (Hedges, Tipton and Johnson 2010). The correlation is fixed and not estimated, so that the
difference stays a weighted sum of the outcomes.
"""


def _unlike(rows: Floats, index: Any) -> Floats:
    """Subtract a part of the cluster's mean from rows, to make rows of a cluster uncorrelated.

    If rows of a cluster have correlation `ALIKE`, least squares on the result is generalised least
    squares.
    """
    counts = np.bincount(index)
    sums = np.zeros((len(counts), rows.shape[1]))
    np.add.at(sums, index, rows)
    part = (1 - 1 / np.sqrt(1 + counts * ALIKE / (1 - ALIKE))) / counts
    rest: Floats = rows - (part[:, None] * sums)[index]
    return rest


def _cr2(y: Floats, x: Floats, index: Any, n: int, column: int) -> tuple[float, float, float]:
    """A coefficient, its standard error, and its degrees of freedom.

    Residuals of a cluster g are multiplied by (I − Hgg)^(−1/2), so that the variance is unbiased
    for independent rows. The estimated variance is then a quadratic form, whose first two moments
    under the same assumption give the degrees of freedom.
    """
    bread = np.linalg.inv(x.T @ x)
    half = np.linalg.cholesky(bread)
    values = bread @ (x.T @ y)
    residuals = y - x @ values
    total, squares, leans = 0.0, np.zeros(n), np.zeros((n, x.shape[1]))
    order = np.argsort(index, kind="stable")
    for g, rows in enumerate(np.split(order, np.cumsum(np.bincount(index))[:-1])):
        own = x[rows]
        # Hgg has as many directions as there are predictors: (I − Hgg)^(−1/2) changes those alone.
        turned, sizes, _ = np.linalg.svd(own @ half, full_matrices=False)
        kept = 1 - sizes**2
        # A direction that the cluster alone determines has no residual and adds nothing.
        scale = np.where(kept > 1e-10, 1 / np.sqrt(np.maximum(kept, 1e-10)), 0.0)
        pull = own @ bread[:, column]
        pull = pull + turned @ ((scale - 1) * (turned.T @ pull))
        total += float(pull @ residuals[rows]) ** 2
        squares[g] = float(pull @ pull)
        leans[g] = own.T @ pull
    form = np.diag(squares) - leans @ bread @ leans.T
    if np.trace(form) <= RESIDUAL * bread[column, column]:  # each cluster determines its own rows
        return float(values[column]), 0.0, 1.0
    df = float(np.trace(form) ** 2 / (form**2).sum())
    error = float(np.sqrt(total))
    least = RESIDUAL * float(np.abs(y).max() * np.sqrt(bread[column, column]))
    return float(values[column]), error if error > least else 0.0, max(1.0, df)


def _beyond_rounding(residuals: Floats, outcome: Floats) -> Floats:
    least = RESIDUAL * np.abs(outcome).max(initial=0.0)
    kept: Floats = np.where(np.abs(residuals) > least, residuals, 0.0)
    return kept


RESIDUAL = 1e-11
"""Relative size below which a residual is rounding error."""
_CERTAIN = 30.0
"""Log odds beyond which a fitted outcome is numerically certain: separation, not an effect."""


def _jackknife(x: Floats, residuals: Floats, weight: Any, index: Any, n: int) -> float | None:
    """Return the slope's standard error by leaving out each cluster in turn; None if a fit fails.

    Without a cluster the coefficients change by (H − Hg)⁻¹ sg, where sg is its part of the score
    and Hg of the Hessian. The change is exact in a linear regression, and one Newton step in a
    logistic regression.
    """
    k = x.shape[1]
    scores = np.zeros((n, k))
    np.add.at(scores, index, x * residuals[:, None])
    parts = np.zeros((n, k, k))
    np.add.at(parts, index, (x * np.reshape(weight, (-1, 1)))[:, :, None] * x[:, None, :])
    left = parts.sum(axis=0) - parts
    if n < 2 or (np.linalg.cond(left) > 1e12).any():
        return None
    moves = np.linalg.solve(left, scores[:, :, None])[:, 1, 0]
    return math.sqrt((n - 1) / n * float(((moves - moves.mean()) ** 2).sum()))


def _rows(
    outcome: Numbers, predictors: Iterable[Numbers], clusters: Names
) -> tuple[Floats, Floats, Any, int]:
    y = np.asarray(outcome, dtype=float)
    columns = [np.asarray(column, dtype=float) for column in predictors]
    names = np.asarray(clusters)
    if any(column.shape != y.shape for column in (*columns, names)) or y.ndim != 1:
        raise ValueError("outcome, predictors and clusters need a value for each row")
    x = np.column_stack([np.ones(len(y)), *columns])
    known = ~(np.isnan(y) | np.isnan(x).any(axis=1))
    found, index = np.unique(names[known], return_inverse=True)
    return y[known], x[known], index.ravel(), len(found)


def _unfit(y: Floats, x: Floats) -> str:
    if len(y) <= x.shape[1]:
        return f"{len(y)} observations are too few"
    if not varies(y):
        return "the outcome does not vary"
    # Columns of different size (log views, turns) count alike in the rank.
    scaled = x / np.abs(x).max(axis=0, initial=1e-300)
    if np.linalg.matrix_rank(scaled) < x.shape[1]:
        return "a predictor does not vary, or follows from the others"
    return ""
