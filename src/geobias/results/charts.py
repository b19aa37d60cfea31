"""The kinds of charts in a report, as plain data. `report/page` draws them.

Every drawn value has a sentence (`said`) with the value, its interval and its n, which the page
shows on hover or with the arrow keys, and screen readers read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

import msgspec

Ramp = Literal["amount", "two_sided"]
"""The shades of a map: from little to much, or from below 0 to above it."""


class Dot(msgspec.Struct, frozen=True, kw_only=True):
    """A number with its interval, drawn as a dot. Without a value its row stays empty.

    `row` is the name of its row, and `n` the number of units, or None if unknown.
    """

    row: str
    value: float | None
    low: float | None = None
    high: float | None = None
    said: str
    n: int | None = None


class Intervals(msgspec.Struct, frozen=True, kw_only=True):
    """A row for each dot, in their order. `counted` says what n counts.

    `reference` is a thin line to compare the dots with.
    """

    rows: Sequence[Dot]
    title: str
    domain: tuple[float, float]
    reference: float | None = None
    counted: str = ""


class Spot(NamedTuple):
    """An economy that was asked about, on a map. If `value` is None, it has no colour."""

    value: float | None
    said: str


class WorldMap(msgspec.Struct, frozen=True, kw_only=True):
    """Every economy in its outline, shaded by the class of its value.

    `limits` are the values between shades. Economies without a value are hatched; economies without
    a spot were not asked about and are dotted.
    """

    spots: dict[str, Spot]
    limits: list[float]
    ramp: Ramp = "amount"


class MapLegend(msgspec.Struct, frozen=True, kw_only=True):
    """The shades of maps with the limits between them. `words` says what is measured.

    `without_value` says whether an economy that was asked about has no value.
    """

    limits: list[float]
    ramp: Ramp
    words: str
    without_value: bool = False


class Plane(msgspec.Struct, frozen=True, kw_only=True):
    """A plane with a line through the points (x, y) of each model.

    `levels` are the heights of each model's dashed horizontal lines. Both axes include the values
    in `ends`.
    """

    points: Mapping[str, Sequence[tuple[float, float]]]
    levels: Mapping[str, Sequence[float | None]] = {}
    x_title: str
    y_title: str
    ends: Sequence[float] = ()


Chart: TypeAlias = Intervals | WorldMap | Plane
