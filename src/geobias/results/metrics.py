"""Metrics of a section together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from geobias.results.findings import Measure, Metric, Section
from geobias.results.formatting import counted, number
from geobias.stats.estimates import Estimate
from geobias.stats.pooling import holm


def adjusted(metrics: Sequence[Metric]) -> list[Metric]:
    """The metrics with p-values adjusted for their number (Holm).

    Primary metrics were chosen beforehand and are adjusted among themselves; so are the others.
    """
    found: dict[str, Metric] = {}
    for primary in (True, False):
        family = [one for one in metrics if one.primary is primary]
        for one, p in zip(family, holm([one.p for one in family]), strict=True):
            found[one.name] = msgspec.structs.replace(one, p_adjusted=p)
    return [found[one.name] for one in metrics]


def metric_of(section: Section, name: str) -> Metric | None:
    """A section's metric by name, or None."""
    return next((one for one in section.metrics if one.name == name), None)


def bounded(row: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The value of a row's column and its interval, as a metric wants them."""
    return {
        "value": row.get(name),
        "low": row.get(f"{name}_low"),
        "high": row.get(f"{name}_high"),
    }


def metric_from(found: Estimate, **facts: Any) -> Metric:
    """A metric with the value, interval and n of an estimate; `facts` are its other fields.

    Where it is undefined, the estimate's reason goes with it, unless the facts have another.
    """
    reason = {} if found.value is not None else {"undefined_because": found.reason or ""}
    return Metric(**_estimated(found) | reason | {"caution": found.caution} | facts)


def measure_from(found: Estimate, **facts: Any) -> Measure:
    """The same for an economy's number."""
    return Measure(**_estimated(found) | facts)


def _estimated(found: Estimate) -> dict[str, Any]:
    return {"value": found.value, "low": found.low, "high": found.high, "n": found.n}


def missing_line(metric: Metric, digits: int = 2) -> str:
    """How far the number could move with the answers that are missing; "" where none are."""
    if not metric.missing or metric.lowest is None or metric.highest is None:
        return ""
    ends = f"{number(metric.lowest, digits)} to {number(metric.highest, digits)}"
    return f"{ends} with the missing {counted(metric.missing, 'answers')}"
