"""Figures as plain data, with a panel for each model, and the classes of a map's shades.

Measures make the figures (`measures.drawing`); the report draws them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import msgspec

from geobias.results.charts import Chart, MapLegend
from geobias.results.findings import Cell

SHADES = 7
"""Number of shades of every colour scale."""
FROM_0_TO_1 = [0.15, 0.3, 0.45, 0.6, 0.75, 0.9]


class Panel(msgspec.Struct, frozen=True):
    """One chart. `label` distinguishes it from its neighbours."""

    chart: Chart
    label: str = ""


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """A figure with its words and numbers.

    `name` names its files and its anchor: "ratings-regions". `data` has the numbers behind the
    charts, and `source` what a saved figure shows: model, probe, count, data, version and date. A
    `wide` figure, such as a map, takes the whole width of the page.
    """

    name: str
    title: str
    note: str
    alt: str
    panels: list[Panel]
    data: list[dict[str, Cell]]
    wide: bool = False
    legend: MapLegend | None = None
    source: str = ""


def even_classes(values: Iterable[float]) -> list[float]:
    """Return the limits between the shades of a map.

    Maps of numbers from 0 to 1 share the same limits. Other maps have even, round steps that hold
    95% of the values. Values outside get the shade at the end.
    """
    known = sorted(values)
    if not known or (known[0] >= 0 and known[-1] <= 1):
        return FROM_0_TO_1
    low = known[int(0.025 * (len(known) - 1))]
    high = known[math.ceil(0.975 * (len(known) - 1))]
    step = round_step((high - low) / SHADES)
    start = math.floor(low / step + 1e-9) * step
    return [round(start + step * i, 6) for i in range(1, SHADES)]


def two_sided_classes(values: Iterable[float]) -> list[float]:
    """Return the limits between shades of a map of numbers on both sides of 0.

    The middle shade is for values near 0.
    """
    known = sorted(abs(value) for value in values)
    reach = known[math.ceil(0.95 * (len(known) - 1))] if known else 0.5
    step = round_step(2 * reach / SHADES, (1, 2, 4))  # Halves of these are round as well.
    middle = (SHADES - 2) / 2
    return [round(step * (i - middle), 6) for i in range(SHADES - 1)]


def round_step(rough: float, firsts: Sequence[float] = (1, 1.5, 2, 2.5, 3, 4, 5)) -> float:
    if rough < 1e-5:  # Limits have six decimals; readers need no smaller differences.
        return 0.01
    power = 10.0 ** math.floor(math.log10(rough))
    return next((power * one for one in firsts if power * one >= rough * 0.95), power * 10)
