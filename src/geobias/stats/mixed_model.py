"""A linear mixed model: units of one or more kinds have levels of their own, drawn from a normal
distribution (Laird and Ware 1982).

    value = fixed effects + unit of the first kind + unit of the second kind + … + rest

Fitted by restricted maximum likelihood; the likelihood of the SDs of units, over that of the rest,
is profiled over everything else as in lme4 (Bates, Mächler, Bolker and Walker 2015). statsmodels'
fit breaks down where units do not differ, and has no crossed units of this number.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy  # which loads its optimize when that is first called: 0.3 s
from numpy.typing import NDArray

from geobias.stats.arrays import Floats

_MOST = 1e3
"""SD of units over that of the rest, beyond which there is no rest to speak of."""
_START = 0.3


class MixedFit(NamedTuple):
    """Fixed effects with their variances, and the variance of units of each kind."""

    values: Floats
    variances: Floats
    units: list[float]


def reml(y: Floats, x: Floats, kinds: list[NDArray[Any]]) -> MixedFit:
    """The fit; `x` has a column for each fixed effect, `kinds` the number of each row's unit, from
    0 on, for each kind. `y` must vary."""
    scale = float(y.std())
    table = np.column_stack([x, y / scale])
    rows, columns = x.shape
    counts = [int(index.max()) + 1 for index in kinds]
    starts = np.cumsum([0, *counts[:-1]])
    sums = np.zeros((sum(counts), columns + 1))
    across = np.zeros((sum(counts), sum(counts)))
    for start, index in zip(starts, kinds, strict=True):
        np.add.at(sums, start + index, table)
        for other_start, other in zip(starts, kinds, strict=True):
            np.add.at(across, (start + index, other_start + other), 1.0)
    squares = table.T @ table

    def fit(ratios: Floats) -> tuple[float, Floats, Floats, float]:
        """−2 log likelihood, fixed effects, their variances over the rest's, and the rest's."""
        weights = np.repeat(np.minimum(np.abs(ratios), _MOST), counts)
        lower = np.linalg.cholesky(weights[:, None] * across * weights + np.eye(len(weights)))
        taken = np.linalg.solve(lower, weights[:, None] * sums)
        inner = squares - taken.T @ taken
        information = inner[:columns, :columns]
        values = np.linalg.solve(information, inner[:columns, -1])
        left = float(inner[-1, -1] - values @ inner[:columns, -1])
        likelihood = (
            2 * float(np.log(np.diag(lower)).sum())
            + float(np.linalg.slogdet(information)[1])
            + (rows - columns) * float(np.log(max(left, 1e-300)))
        )
        return likelihood, values, np.diag(np.linalg.inv(information)), left / (rows - columns)

    found = scipy.optimize.minimize(
        lambda ratios: fit(ratios)[0],
        np.full(len(kinds), _START),
        method="Nelder-Mead",
        options={"xatol": 1e-3, "fatol": 1e-4},
    ).x
    best = min((found, np.zeros(len(kinds))), key=lambda ratios: fit(ratios)[0])
    _, values, variances, rest = fit(best)
    rest = max(rest, 0.0) * scale**2
    units = [min(abs(float(ratio)), _MOST) ** 2 * rest for ratio in best]
    return MixedFit(values * scale, variances * rest, units)
