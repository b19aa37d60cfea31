"""Numbers in the words of the page."""

from __future__ import annotations

from typing import Any

from geobias.atlas.economies import REGION_CODES
from geobias.report.findings import Measure, Section
from geobias.report.text import NOTHING, p_value

_MINUS = str.maketrans("-", "−")
REGIONS = REGION_CODES
HEADS = {
    "EAS": "East\nAsia &\nPacific",
    "ECS": "Europe\n& C.\nAsia",
    "LCN": "Latin\nAm. &\nCarib.",
    "MEA": "Middle\nEast &\nN. Afr.",
    "NAC": "North\nAm.",
    "SAS": "South\nAsia",
    "SSF": "Sub-\nSah.\nAfrica",
}
"""Regions in the width of a narrow column."""


def number(value: float | None, digits: int = 2) -> str:
    """A number to so many decimals; undefined is a dash."""
    if value is None:
        return NOTHING
    text = f"{value:.{digits}f}"
    return (text[1:] if float(text) == 0 and text.startswith("-") else text).translate(_MINUS)


def figure(value: float | None) -> str:
    """A figure in as many digits as a reader wants: people and dollars whole, shares with four."""
    if value is None:
        return NOTHING
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:,.4g}"


def bounds(low: float | None, high: float | None, digits: int = 2) -> str:
    """An interval in brackets, or nothing where there is none."""
    return (
        f"[{number(low, digits)}, {number(high, digits)}]"
        if low is not None and high is not None
        else ""
    )


def estimate(value: float | None, low: float | None, high: float | None, digits: int = 2) -> str:
    """A value with its interval: "0.25 [0.21, 0.29]"."""
    if value is None:
        return "undefined"
    return f"{number(value, digits)} {bounds(low, high, digits)}".strip()


def measure(one: Measure) -> str:
    """What a country's mark says."""
    if one.value is None:
        return f"no value ({one.asked:,} asked)"
    return f"{estimate(one.value, one.low, one.high)}, {one.n:,} {one.counted}"


def chance(p: float | None) -> str:
    """A p-value as papers write it."""
    return p_value(p).replace("<", "< ")


def table(section: Section, name: str, *columns: str) -> list[dict[str, Any]]:
    """The rows of a section's table; none where the section lacks it, or it lacks the columns."""
    found = section.tables.get(name)
    if found is None or not set(columns) <= {column.name for column in found.columns}:
        return []
    return [dict(row) for row in found.rows]


def metric(section: Section, name: str) -> Any:
    """A section's metric by name, or None."""
    return next((one for one in section.metrics if one.name == name), None)


def words(identifier: str) -> str:
    """An indicator's or a category's id as words."""
    plain = identifier.replace("_", " ").strip().capitalize() or "–"
    for small, right in (("Gdp ppp", "GDP PPP"), ("Gdp", "GDP"), ("Co2", "CO₂")):
        plain = plain.replace(small, right)
    return plain
