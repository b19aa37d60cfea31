"""The error of an answer: by what part of the larger of two values they differ."""

from __future__ import annotations

import math


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
