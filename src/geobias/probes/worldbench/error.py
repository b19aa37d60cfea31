"""The error of an answer: by what part of the larger of two values they differ."""

from __future__ import annotations

import math

import numpy as np

from geobias.stats.arrays import Floats


def absolute_relative_error(a: float, b: float) -> float:
    """|a - b| / max(a, b), a number from 0 (equal) to 1 (WorldBench, section 3.2).

    Symmetric in its arguments and without a unit. Two zeros differ by nothing: 0, not NaN. The
    figures are never negative, but an answer can be; a negative answer is as wrong as any can be,
    so values of different sign give 1, and two negative values the error of their sizes. NaN and
    infinities are a ValueError: they are no answer, and must not become a measurement.
    """
    if not (math.isfinite(a) and math.isfinite(b)):
        raise ValueError(f"An error needs two finite numbers, not {a} and {b}.")
    if a == b:
        return 0.0
    if (a < 0) != (b < 0):
        return 1.0
    return abs(a - b) / max(abs(a), abs(b))


def absolute_relative_errors(a: Floats, b: Floats) -> Floats:
    """`absolute_relative_error` of arrays that broadcast; NaN where either has no number."""
    largest = np.maximum(np.abs(a), np.abs(b))
    apart = np.abs(a - b)
    part = np.divide(apart, largest, out=np.zeros_like(apart), where=largest > 0)
    errors: Floats = np.where((a < 0) != (b < 0), 1.0, part)
    return np.where(np.isnan(a) | np.isnan(b), np.nan, errors)
