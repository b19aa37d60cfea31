"""Metrics in words, and their p-values together."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from geobias.report.findings import Metric
from geobias.report.text import p_value
from geobias.stats.multiple import holm

TOO_SMALL = "Size quick shows that the model can be asked; it is too small for conclusions."


def adjusted(metrics: Sequence[Metric]) -> list[Metric]:
    """The metrics with p-values adjusted for their number (Holm)."""
    together = holm([one.p for one in metrics])
    pairs = zip(metrics, together, strict=True)
    return [msgspec.structs.replace(one, p_adjusted=p) for one, p in pairs]


def written(metric: Metric, digits: int = 2) -> str:
    """The value with its interval: "0.25 [0.21, 0.29]"."""
    if metric.value is None:
        return "undefined"
    value = f"{metric.value:.{digits}f}"
    if metric.low is None or metric.high is None:
        return value
    return f"{value} [{metric.low:.{digits}f}, {metric.high:.{digits}f}]"


def percents(metric: Metric) -> str:
    """A share with its interval: "40% [33%, 48%]"."""
    if metric.value is None:
        return "undefined"
    if metric.low is None or metric.high is None:
        return f"{metric.value:.0%}"
    return f"{metric.value:.0%} [{metric.low:.0%}, {metric.high:.0%}]"


def said_p(p: float) -> str:
    """A p-value in a sentence."""
    text = p_value(p)
    return f"p < {text[1:]}" if text.startswith("<") else f"p = {text}"
