"""The kinds of charts in a report, as plain data. `report/page/charts` draws them.

Every row with a value has a sentence (`said`) with the value, its interval and its n. The sentence
appears on hover or with the arrow keys, and a screen reader reads it. Further columns of rows are
not drawn, but belong to the data of the figure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec

Rows: TypeAlias = list[dict[str, Any]]
Ramp = Literal["amount", "two_sided"]
"""The shades of a map: from little to much, or from below 0 to above it."""


class Intervals(msgspec.Struct, frozen=True, kw_only=True):
    """A dot with its interval for each row, in the order of the rows.

    Columns: row, value, low, high, said, n if known, and series if `series` names the possible
    ones. A row without a value stays empty. `counted` says what n counts. `reference` is a thin
    line to compare the dots with. Rows in `bold` are emphasised.
    """

    rows: Rows
    title: str
    domain: tuple[float, float]
    reference: float | None = None
    counted: str = ""
    series: Sequence[str] = ()
    bold: Sequence[str] | None = None


class Heatmap(msgspec.Struct, frozen=True, kw_only=True):
    """Cells coloured by value, with a word in them. Columns: row, column, value, said, shown.

    `shown` is the cell's text; undefined cells stay empty. Seven shades go from 0 to `most`.
    `heads` are the columns' names, if they need several lines.
    """

    rows: Rows
    x_title: str | None
    columns: Sequence[str]
    most: float
    heads: Mapping[str, str] | None = None
    bold: Sequence[str] | None = None


class Curves(msgspec.Struct, frozen=True, kw_only=True):
    """Lines over whole numbers (years, turns), with bands if low and high are known.

    Columns: x, value, said; series, low and high if known. `label` is written over a point, and
    `sure` (bool) rings it. Dots stand at regular steps. `levels` are dashed lines: label → value.
    """

    rows: Rows
    x_title: str
    y_title: str
    series: Sequence[str] = ()
    domain: tuple[float, float] | None = None
    every: int = 1
    levels: Mapping[str, float] = {}


class Scatter(msgspec.Struct, frozen=True, kw_only=True):
    """Points in a square, with the line on which x and y are equal.

    Columns: x, y, said, label, label_x, label_y. A `label` that is not empty is written to the
    right of (label_x, label_y). With a `y_domain` the axes differ and the line is left out. Points
    that are not `here` are pale. `series` have different shapes.
    """

    rows: Rows
    x_title: str
    y_title: str
    domain: tuple[float, float]
    y_domain: tuple[float, float] | None = None
    series: Sequence[str] = ()


class Spot(NamedTuple):
    """An economy that was asked about, on a map. If `value` is None, it has no colour."""

    value: float | None
    said: str


class WorldMap(msgspec.Struct, frozen=True, kw_only=True):
    """Every economy in its outline, shaded by the class of its value.

    `limits` are the values between shades. Economies without a value are hatched; economies without
    a spot were not asked about and stay blank.
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


Chart: TypeAlias = Intervals | Heatmap | Curves | Scatter | WorldMap | MapLegend
