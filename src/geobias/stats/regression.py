"""Regressions whose errors are clustered by unit (statsmodels does the fitting)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from geobias.stats.rates import Estimate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]


class Coefficient(msgspec.Struct, frozen=True, kw_only=True):
    """The effect of one predictor, and its two-sided p-value. `estimate.n` counts clusters."""

    estimate: Estimate
    p: float | None


class Regression(msgspec.Struct, frozen=True, kw_only=True):
    """A fitted regression.

    coefficients  by the predictors' names, "intercept" first; log odds in a logistic regression
    r_squared     share of variance explained; McFadden's in a logistic regression
    rows          rows without a missing value; `clusters` the units they come from
    reason        why it could not be fitted, "" where it was; all numbers are then undefined
    """

    coefficients: dict[str, Coefficient]
    r_squared: float | None
    rows: int
    clusters: int
    reason: str = ""


def linear(
    outcome: Sequence[float] | Floats,
    predictors: Mapping[str, Sequence[float] | Floats],
    clusters: Sequence[Any] | NDArray[Any],
) -> Regression:
    """Ordinary least squares with cluster-robust errors and Student's t."""
    raise NotImplementedError


def logistic(
    outcome: Sequence[bool] | NDArray[Any],
    predictors: Mapping[str, Sequence[float] | Floats],
    clusters: Sequence[Any] | NDArray[Any],
) -> Regression:
    """Logistic regression with cluster-robust errors. Undefined where the outcome never varies or
    the predictors tell it apart without fail (separation), which makes coefficients infinite.
    """
    raise NotImplementedError
