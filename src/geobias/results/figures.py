"""Figures as plain data, made from a probe's sections with a panel for each model.

Measures make them (`dots`, `map_of`); the report draws them. The `panels` of a figure hold its
charts, and its `data` the numbers behind them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TypedDict, Unpack

import msgspec

from geobias.results.charts import Chart, Dot, Intervals, MapLegend, Ramp, Spot, WorldMap
from geobias.results.findings import Cell, CountryNumber, Findings, Section
from geobias.results.formatting import estimate, in_natural_order, number
from geobias.results.tables import GroupRow, measure_value, rows_of

Found = Sequence[tuple[Section, Sequence[Dot]]]
MOST_GROUPS = 40
"""Maximum groups in a panel; more would be unreadable."""
SHADES = 7
"""Number of shades of every colour scale."""
FROM_0_TO_1 = [0.15, 0.3, 0.45, 0.6, 0.75, 0.9]


class Panel(msgspec.Struct, frozen=True):
    """One chart. `label` distinguishes it from its neighbours."""

    chart: Chart
    label: str = ""


def panel_of(chart: Chart, section: Section, sections: Sequence[Section]) -> Panel:
    """Return the panel of a section, labelled with its model if there are several models."""
    return Panel(chart, section.model if len(sections) > 1 else "")


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """A figure with its words and numbers.

    name      the name of its files and its anchor, e.g. "ratings-regions"
    title     what it shows, as a statement if the data allow one
    note      how to read it: the measure, the interval, the unit
    alt       what a reader who cannot see the figure should know
    data      the numbers behind the charts, a row each
    wide      whether it takes the whole width of the page, as maps do
    legend    explains the colours of all panels, if needed
    source    model, probe, count, data, version and date, which a saved figure shows
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


class FigureWords(TypedDict):
    """Fields of a figure that are passed on unchanged, except that `note` may grow."""

    name: str
    title: str
    alt: str


def dots(
    sections: Sequence[Section],
    table: str,
    *,
    row: Callable[[str], str],
    value: str,
    said: Callable[[GroupRow], str],
    counted: str,
    axis: str,
    domain: tuple[float, float] | None = None,
    reference: float | None = None,
    data: Sequence[str],
    note: str,
    **words: Unpack[FigureWords],
) -> Figure | None:
    """Return a figure of dots with intervals, from a table of each section that has it.

    row      makes the name of a group's row
    value    the column with the number; its bounds are in the columns beside it
    said     returns the words after the number in a row's sentence, such as its n
    counted  the column with n. Only the `MOST_GROUPS` rows with the largest n are drawn
    domain   the ends of the axis; by default round numbers on both sides of 0
    data     further columns of the figure's data

    All panels have the rows in the order of the first panel, so that models can be compared line by
    line.
    """
    found = []
    for section in sections:
        made = []
        for one in rows_of(section, table, value, counted):
            name, mean = row(one.group), one.found
            sentence = f"{name}: {estimate(mean.value, mean.low, mean.high, 3)}, {said(one)}"
            more = {column: one.cells[column] for column in data}
            bounds = {"value": mean.value, "low": mean.low, "high": mean.high}
            made.append(Dot(row=name, **bounds, said=sentence, n=mean.n, data=more))
        if made:
            found.append((section, made))
    if not found:
        return None
    names = dict.fromkeys(dot.row for _, made in found for dot in made)
    order = in_natural_order(list(names), str)
    for _, made in found:
        made.sort(key=lambda dot: order.index(dot.row))
    drawn, left = _largest(found)
    if left:
        note += f" {left} smallest group{'s' * (left > 1)} not drawn; the CSV file has them all."
    look = Intervals(
        rows=(),
        title=axis,
        domain=domain or _both_sides(drawn),
        reference=reference,
        counted=counted.replace("_", " "),
    )
    return _figure(sections, found, drawn, look, note=note, **words)


def _figure(
    sections: Sequence[Section],
    found: Found,
    drawn: Found,
    look: Intervals,
    *,
    note: str,
    **words: Unpack[FigureWords],
) -> Figure:
    """Return a figure with a panel for each section. Panels show the rows in `drawn`; the figure's
    data has all rows of `found`. `look` is the chart of a panel, without its rows.
    """
    panels = [
        panel_of(msgspec.structs.replace(look, rows=made), section, sections)
        for section, made in drawn
    ]
    data = [
        {"model": section.model, "row": dot.row}
        | {"value": dot.value, "low": dot.low, "high": dot.high}
        | dict(dot.data)
        for section, made in found
        for dot in made
    ]
    return Figure(note=note, panels=panels, data=data, **words)


def _largest(found: Found) -> tuple[Found, int]:
    """The rows of the `MOST_GROUPS` groups with the largest counts over all panels.

    Also returns the number of other groups.
    """
    sizes: Counter[str] = Counter()
    for _, made in found:
        for dot in made:
            sizes[dot.row] += dot.n or 0
    kept = sorted(sizes, key=lambda name: (-sizes[name], name))[:MOST_GROUPS]
    cut = [(section, [dot for dot in made if dot.row in kept]) for section, made in found]
    return [(section, made) for section, made in cut if made], len(sizes) - len(kept)


def _both_sides(found: Found) -> tuple[float, float]:
    """Return round ends of a scale for numbers on both sides of 0, at least ±0.2."""
    dots = (dot for _, made in found for dot in made)
    known = (abs(end) for dot in dots for end in (dot.value, dot.low, dot.high) if end is not None)
    most = max([0.2, *known])
    step = 0.05 if most <= 0.5 else 0.1
    if most <= 1:
        most = min(1.0, math.ceil(most / step - 1e-9) * step)
    end = min(1.05, most * 1.05)  # a dot at the end stays whole
    return -end, end


def map_of(
    findings: Findings,
    sections: Sequence[Section],
    metric: str,
    *,
    ramp: Ramp,
    note: str,
    legend: str,
    **words: Unpack[FigureWords],
) -> Figure | None:
    """Return a world map of one metric, with a panel for each model."""
    rows = [
        (country, one)
        for country in findings.countries
        for one in country.measures
        if one.metric == metric
    ]
    values = [one.value for _, one in rows if one.value is not None]
    if not values:
        return None
    if ramp == "two_sided" and not any(_leaves_out_zero(one) for _, one in rows):
        return _ranked(findings, sections, metric, note=note, axis=legend, **words)
    limits = (even_classes if ramp == "amount" else two_sided_classes)(values)
    if ramp == "amount" and len(set(values)) == 1:  # A single value has no classes.
        limits = []
        legend += f": {number(values[0])} in every country"
    panels = []
    for section in sections:
        spots = {
            country.iso3: Spot(one.value, f"{country.name}: {measure_value(one)}")
            for country, one in rows
            if one.model == section.model
        }
        if spots:
            chart = WorldMap(spots=spots, limits=limits, ramp=ramp)
            panels.append(panel_of(chart, section, sections))
    asked = {len(panel.chart.spots) for panel in panels if isinstance(panel.chart, WorldMap)}
    rest = {len(findings.countries) - n for n in asked}
    if len(rest) == 1 and (left := rest.pop()):
        note += f" Dotted: not asked in this run ({left} of {len(findings.countries)} countries)."
    elif rest:
        note += " Dotted: not asked in this run."
    data = [
        {"model": one.model}
        | {"country": country.iso3, "name": country.name}
        | {"region": country.region, "income": country.income}
        | {name: getattr(one, name) for name in ("value", "low", "high", "n", "counted", "asked")}
        for country, one in rows
    ]
    explained = MapLegend(
        limits=limits,
        ramp=ramp,
        words=legend,
        without_value=any(one.value is None for _, one in rows),
    )
    return Figure(note=note, panels=panels, data=data, wide=True, legend=explained, **words)


def _leaves_out_zero(one: CountryNumber) -> bool:
    return one.low is not None and one.high is not None and (one.low > 0 or one.high < 0)


MOST_RANKED = 10
"""The number of countries drawn at either end of a ranking."""


def _ranked(
    findings: Findings,
    sections: Sequence[Section],
    metric: str,
    *,
    note: str,
    axis: str,
    **words: Unpack[FigureWords],
) -> Figure | None:
    """Return a figure of countries by pooled value, the largest first.

    If there are many, only the two ends are drawn. The figure replaces a map if every country's
    interval includes 0, since shades would suggest a difference.
    """
    found = []
    for section in sections:
        own = [
            (country, one)
            for country in findings.countries
            for one in country.measures
            if one.metric == metric and one.model == section.model and one.value is not None
        ]
        own.sort(key=lambda pair: -round(_pooled(pair[1]), 12))
        if len(own) > 2 * MOST_RANKED:
            own = own[:MOST_RANKED] + own[-MOST_RANKED:]
        made = [
            Dot(
                row=country.name,
                value=_pooled(one),
                low=one.low if one.pooled is None else one.pooled_low,
                high=one.high if one.pooled is None else one.pooled_high,
                said=f"{country.name}: {measure_value(one)}",
            )
            for country, one in own
        ]
        if made:
            found.append((section, made))
    note += (
        " No single country differs from 0, so instead of a map there are the ends of the ranking."
    )
    look = Intervals(rows=(), title=axis, domain=_both_sides(found), reference=0)
    return _figure(sections, found, found, look, note=note, **words) if found else None


def _pooled(one: CountryNumber) -> float:
    return (one.value or 0.0) if one.pooled is None else one.pooled


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
