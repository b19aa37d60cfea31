"""Two groups of countries compared, and regressions with errors clustered by country."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from geobias.stats import Estimate
from geobias.stats.rates import Z_95

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

LEAST_ROWS = 10
"""Rows below which a regression is not fitted: its clustered errors would mean nothing."""
LEAST_CLUSTERS = 5
_TOO_STEEP = 20.0
"""A coefficient this many standard deviations of log odds steep is separation that was not seen."""
UNDEFINED = Estimate(None, None, None, 0)


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """Two groups of units; positive means that the first is above the second.

    u           Mann–Whitney's U of the first group: pairs in which its unit is above, ties half
    p           two-sided, of no difference between the distributions (scipy decides on the method:
                exact for small groups without ties, else normal with correction for ties)
    effect      rank-biserial correlation, −1 to 1: share of pairs in which the first is above, less
                the share in which it is below
    shift       Hodges–Lehmann: the median difference over all pairs, with Moses' interval
    difference  mean of the first minus mean of the second, with Welch's interval; where units have
                few distinct values the shift jumps from one to the next and this says more
    n           units in the first and in the second group
    """

    u: float | None
    p: float | None
    effect: float | None
    shift: Estimate
    difference: Estimate
    n: tuple[int, int]


def two_groups(first: Sequence[float] | Floats, second: Sequence[float] | Floats) -> Comparison:
    """One value for each unit of the two groups. An empty group leaves everything undefined."""
    import numpy as np
    from scipy.stats import mannwhitneyu

    a, b = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    a, b = a[~np.isnan(a)], b[~np.isnan(b)]
    sizes = (len(a), len(b))
    if not min(sizes):
        return Comparison(
            u=None, p=None, effect=None, shift=UNDEFINED, difference=UNDEFINED, n=sizes
        )
    differences = np.sort((a[:, None] - b[None, :]).ravel())
    pairs = len(differences)
    u = float((differences > 0).sum() + (differences == 0).sum() / 2)
    alike = np.ptp(np.concatenate([a, b])) == 0
    p = 1.0 if alike else float(mannwhitneyu(a, b, alternative="two-sided").pvalue)
    # Moses (1965): the differences that are that many ranks from either end.
    spread = math.sqrt(pairs * (sum(sizes) + 1) / 12)
    cut = math.floor(pairs / 2 - Z_95 * spread)
    low, high = (
        (float(differences[cut]), float(differences[pairs - 1 - cut])) if cut >= 0 else (None, None)
    )
    shift = Estimate(float(np.median(differences)), low, high, sum(sizes))
    return Comparison(
        u=u, p=p, effect=2 * u / pairs - 1, shift=shift, difference=_welch(a, b), n=sizes
    )


def _welch(a: Floats, b: Floats) -> Estimate:
    """The difference of means; no interval where a group has one unit or nothing varies."""
    import numpy as np
    from scipy.stats import ttest_ind

    value = float(a.mean() - b.mean())
    if min(len(a), len(b)) < 2 or (np.ptp(a) == 0 and np.ptp(b) == 0):
        return Estimate(value, None, None, len(a) + len(b))
    bounds = ttest_ind(a, b, equal_var=False).confidence_interval()
    return Estimate(value, float(bounds.low), float(bounds.high), len(a) + len(b))


class Fit(msgspec.Struct, frozen=True, kw_only=True):
    """One predictor's part in a regression; all None where it could not be fitted, `reason` why.

    slope      per unit of the predictor: of the outcome, or of its log odds
    p          two-sided, of no slope
    r_squared  share of variance explained; McFadden's in a logistic regression
    rows       rows without a missing value; `clusters` the units they come from
    """

    slope: Estimate = UNDEFINED
    p: float | None = None
    r_squared: float | None = None
    rows: int
    clusters: int
    reason: str = ""


def linear(
    outcome: Sequence[float] | Floats, predictor: Sequence[float] | Floats, clusters: Sequence[Any]
) -> Fit:
    """Least squares with cluster-robust errors and Student's t."""
    y, x, units, reason = _rows(outcome, predictor, clusters)
    if reason:
        return Fit(rows=len(y), clusters=len(set(units)), reason=reason)
    import statsmodels.api as sm

    return _fitted(sm.OLS(y, sm.add_constant(x)), units, "rsquared")


def logistic(
    outcome: Sequence[float] | Floats,
    predictor: Sequence[float] | Floats,
    clusters: Sequence[Any],
    *,
    beside: Sequence[float] | Floats | None = None,
) -> Fit:
    """Logistic regression of 0 or 1 with cluster-robust errors; `beside` is held constant.

    Undefined where the outcome never varies, or where the predictor tells it apart without fail
    (separation), which makes the slope infinite.
    """
    import numpy as np

    if beside is not None:
        known = ~np.isnan(np.asarray(beside, dtype=float))
        outcome, predictor = np.asarray(outcome)[known], np.asarray(predictor)[known]
        clusters, beside = np.asarray(clusters)[known].tolist(), np.asarray(beside)[known]
    y, x, units, reason = _rows(outcome, predictor, clusters)
    if not reason and len(set(y.tolist())) < 2:
        reason = "every game ended alike"
    if not reason and beside is None and _separated(y, x):
        reason = "success is told apart by the predictor without fail"
    if reason:
        return Fit(rows=len(y), clusters=len(set(units)), reason=reason)
    import statsmodels.api as sm

    columns = x if beside is None else np.column_stack([x, np.asarray(beside, dtype=float)])
    return _fitted(sm.Logit(y, sm.add_constant(columns)), units, "prsquared")


def _rows(
    outcome: Any, predictor: Any, clusters: Sequence[Any]
) -> tuple[Floats, Floats, list[Any], str]:
    import numpy as np

    y, x = np.asarray(outcome, dtype=float), np.asarray(predictor, dtype=float)
    known = ~(np.isnan(y) | np.isnan(x))
    y, x = y[known], x[known]
    units = [unit for unit, keep in zip(clusters, known, strict=True) if keep]
    if not len(x):
        return y, x, units, "no game has a figure for the predictor"
    if len(x) < LEAST_ROWS or len(set(units)) < LEAST_CLUSTERS:
        few = f"only {len(x)} games of {len(set(units))} countries"
        return y, x, units, f"{few}; {LEAST_ROWS} of {LEAST_CLUSTERS} are needed"
    if np.ptp(x) == 0:
        return y, x, units, "the predictor is the same in all games"
    return y, x, units, ""


def _separated(y: Floats, x: Floats) -> bool:
    """Whether a threshold parts the outcomes, with or without a tie at the threshold."""
    won, lost = x[y == 1], x[y == 0]
    return bool(won.min() >= lost.max() or won.max() <= lost.min())


def _fitted(model: Any, units: list[Any], explained: str) -> Fit:
    import warnings

    import numpy as np
    from statsmodels.tools.sm_exceptions import PerfectSeparationWarning

    names, index = np.unique(np.asarray(units), return_inverse=True)
    rows, clusters = len(units), len(names)
    options: dict[str, Any] = {"cov_type": "cluster", "cov_kwds": {"groups": index}, "use_t": True}
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", PerfectSeparationWarning)
            quiet = {"disp": 0} if explained == "prsquared" else {}
            found = model.fit(**options, **quiet)
    except (PerfectSeparationWarning, np.linalg.LinAlgError):
        return Fit(rows=rows, clusters=clusters, reason="the regression has no finite solution")
    slope, p = float(found.params[1]), float(found.pvalues[1])
    low, high = (float(bound) for bound in found.conf_int()[1])
    steep = abs(slope) * float(np.std(model.exog[:, 1])) > _TOO_STEEP
    if not all(map(math.isfinite, (slope, p, low, high))) or (steep and explained == "prsquared"):
        return Fit(rows=rows, clusters=clusters, reason="the regression has no finite solution")
    return Fit(
        slope=Estimate(slope, low, high, clusters),
        p=p,
        r_squared=float(getattr(found, explained)),
        rows=rows,
        clusters=clusters,
    )
