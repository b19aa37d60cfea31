"""Figures as plain data, made from a probe's sections with a panel for each model.

A probe makes figures (`figure_of`, `among_published`, `map_of`, or a `Figure` of its own); the
report draws them. A figure's charts hold what it shows, and `data` the numbers behind it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypedDict, Unpack

import msgspec

from geobias.results.charts import Chart, Intervals, MapLegend, Ramp, Rows, Spot, WorldMap
from geobias.results.findings import CountryNumber, Findings, Section
from geobias.results.formatting import estimate, in_natural_order, number
from geobias.results.tables import bounded, measure_value, rows_of

Found = list[tuple[Section, Rows]]
MOST_GROUPS = 40
"""Maximum groups in a panel; more would be unreadable."""
REGION_HEADS = {
    "EAS": "East\nAsia &\nPacific",
    "ECS": "Europe\n& C.\nAsia",
    "LCN": "Latin\nAm. &\nCarib.",
    "MEA": "Middle\nEast &\nN. Afr.",
    "NAC": "North\nAm.",
    "SAS": "South\nAsia",
    "SSF": "Sub-\nSah.\nAfrica",
}
"""Regions' names in the width of a narrow column."""
SHADES = 7
"""Number of shades of every colour scale."""
FROM_0_TO_1 = [0.15, 0.3, 0.45, 0.6, 0.75, 0.9]
_NOT_DATA = {"said", "shown", "label"}
"""Columns that repeat in words what others hold as numbers."""


class Panel(msgspec.Struct, frozen=True):
    """One chart. `label` distinguishes it from its neighbours."""

    chart: Chart
    label: str = ""


def panel_of(chart: Chart, section: Section, sections: Sequence[Section]) -> Panel:
    """Return the panel of a section, labelled with its model if there are several models."""
    return Panel(chart, section.model if len(sections) > 1 else "")


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """A figure with its words and numbers.

    name      of its files and its anchor, e.g. "ratings-regions"
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
    data: Rows
    wide: bool = False
    legend: MapLegend | None = None
    source: str = ""


class FigureWords(TypedDict):
    """Fields of a figure that are passed on unchanged, except that `note` may grow."""

    name: str
    title: str
    alt: str


def figure_of(
    sections: Sequence[Section],
    rows: Callable[[Section], Rows],
    draw: Callable[[Rows, Sequence[Rows]], Chart],
    *,
    note: str,
    same_order: bool = False,
    counted: str = "",
    in_brackets: bool = True,
    most: int | None = None,
    **words: Unpack[FigureWords],
) -> Figure | None:
    """Return a figure with a panel for each section that has rows, or None if no section has any.

    `draw` makes the chart of a panel from its rows and from the rows of all panels, which determine
    the shared scale. With `same_order`, rows are in all panels in the order of the first, so that
    models can be compared line by line. `counted` is the column whose number follows each row's
    name `in_brackets`. Only the `most` largest groups by that number are drawn, the same in all
    panels, and the note says how many are left out. The data are those of all panels and groups.
    """
    found = [(section, made) for section in sections if (made := rows(section))]
    if not found:
        return None
    ordered = [in_natural_order(made, "row") for _, made in found]
    if same_order and any(made != own for made, (_, own) in zip(ordered, found, strict=True)):
        found = [(section, made) for (section, _), made in zip(found, ordered, strict=True)]
    elif same_order:
        order = {row["row"]: i for _, made in reversed(found) for i, row in enumerate(made)}
        for _, made in found:
            made.sort(key=lambda row: order[row["row"]])
    large, left = (found, 0) if most is None else _largest(found, counted, most)
    if left:
        note += f" {left} smallest group{'s' * (left > 1)} not drawn; the CSV file has them all."
    everything = [made for _, made in large]
    panels = []
    for section, made in large:
        shown = made
        if counted and in_brackets:
            shown = [row | {"row": f"{row['row']} ({row[counted]:,})"} for row in made]
        panels.append(panel_of(draw(shown, everything), section, sections))
    data = [{"model": section.model} | _data(row) for section, made in found for row in made]
    return Figure(note=note, panels=panels, data=data, **words)


def dots(
    sections: Sequence[Section],
    table: str,
    *,
    row: str | Callable[[dict[str, Any]], str],
    value: str,
    said: Callable[[dict[str, Any]], str],
    axis: str,
    domain: tuple[float, float] | None = None,
    series: Mapping[str, str] | None = None,
    series_of: str = "",
    reference: float | None = None,
    data: Sequence[str] = (),
    where: Callable[[dict[str, Any]], bool] = lambda row: True,
    digits: int = 3,
    **figure: Any,
) -> Figure | None:
    """Return a figure of dots with intervals, from a table of each section (see `figure_of`).

    row        the column that names a row, or a function that makes its name from one
    value      the column with the number; its bounds are in the columns beside it
    said       what follows the number in a row's sentence: what it rests on
    domain     of the axis; by default from 0 to the end of the largest interval, or to both sides
               of 0 if `reference` is 0
    series     values of the column `series_of` → what people call them, in order
    data       further columns of the figure's data
    """
    name_of = row if callable(row) else lambda cells: str(cells[row])

    def rows(section: Section) -> Rows:
        made = []
        for cells in filter(where, rows_of(section, table, value)):
            shown = {name: cells[name] for name in data}
            group = "" if series is None else series[cells[series_of]]
            rests_on = f", {said(cells)}"
            made.append(dot(cells, value, name_of(cells), group, rests_on, digits, **shown))
        return made

    names = () if series is None else tuple(series.values())
    return figure_of_dots(
        sections, rows, axis, domain=domain, reference=reference, series=names, **figure
    )


def dot(
    cells: Mapping[str, Any],
    column: str,
    label: str,
    series: str,
    rests_on: str,
    digits: int = 3,
    **data: Any,
) -> dict[str, Any]:
    """Return a dot with its interval and its sentence: the number, then `rests_on`."""
    bounds = bounded(cells, column)
    names = {"row": label, "series": series} if series else {"row": label}
    sentence = f"{', '.join(names.values())}: {estimate(**bounds, digits=digits)}{rests_on}"
    return {**names, **bounds, **data, "said": sentence}


def figure_of_dots(
    sections: Sequence[Section],
    rows: Callable[[Section], Rows],
    axis: str,
    *,
    domain: tuple[float, float] | None = None,
    reference: float | None = None,
    series: Sequence[str] = (),
    counted: str = "",
    **figure: Any,
) -> Figure | None:
    """Return a figure of dots with intervals (see `dots` for `domain`).

    The column `counted` is what the numbers rest on.
    """

    def draw(shown: Rows, everything: Sequence[Rows]) -> Chart:
        ends = domain or (
            both_sides(everything, "value", "low", "high")
            if reference == 0
            else (0, reach(everything, "high", "value"))
        )
        return Intervals(
            rows=[row | {"n": row.get(counted)} for row in shown],
            title=axis,
            domain=ends,
            reference=reference,
            series=series,
            counted=counted.replace("_", " "),
        )

    return figure_of(sections, rows, draw, counted=counted, in_brackets=False, **figure)


def among_published(
    sections: Sequence[Section],
    rows: Callable[[Section], Rows],
    draw: Callable[[Rows, Sequence[Rows]], Chart],
    *,
    order: Callable[[dict[str, Any]], Any],
    note: str,
    **words: Unpack[FigureWords],
) -> Figure | None:
    """Return a figure of the report's models (rows with `here`) among published models.

    Models that are compared with the same published numbers share a panel. Models that were asked
    something else have another panel.
    """
    found = [(section, made) for section in sections if (made := rows(section))]
    if not found:
        return None
    among: dict[str, tuple[Rows, Found]] = {}
    for section, made in found:
        published = [row for row in made if not row["here"]]
        own = [row for row in made if row["here"]]
        group = among.setdefault(repr(published), (published, []))
        if own:
            group[1].append((section, own))
    kept = [one for one in among.values() if one[1]] or list(among.values())[:1]
    everything = [
        sorted([*published, *(row for _, made in own for row in made)], key=order)
        for published, own in kept
    ]
    panels = [
        Panel(
            draw(made, everything),
            ", ".join(section.model for section, _ in own) if len(kept) > 1 else "",
        )
        for made, (_, own) in zip(everything, kept, strict=True)
    ]
    data = [{"panel": i} | _data(row) for i, made in enumerate(everything, start=1) for row in made]
    return Figure(note=note, panels=panels, data=data, **words)


def _data(row: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key not in _NOT_DATA}


def _largest(found: Found, counted: str, most: int) -> tuple[Found, int]:
    """The rows of the `most` groups with the largest counts over all panels and series.

    Also returns the number of other groups.
    """
    sizes: dict[str, int] = {}
    for _, made in found:
        for row in made:
            sizes[row["row"]] = sizes.get(row["row"], 0) + (row[counted] or 0)
    kept = set(sorted(sizes, key=lambda name: (-sizes[name], name))[:most])
    cut = [(section, [row for row in made if row["row"] in kept]) for section, made in found]
    return [(section, made) for section, made in cut if made], len(sizes) - len(kept)


def reach(everything: Iterable[Rows], *columns: str, least: float = 0.1) -> float:
    """Return a round number as the end of a scale from 0 that holds all values of `columns`."""
    values = [
        row[column]
        for rows in everything
        for row in rows
        for column in columns
        if row.get(column) is not None
    ]
    most: float = max([least, *values])
    step = 0.05 if most <= 0.5 else 0.1
    return min(1.0, math.ceil(most / step - 1e-9) * step) if most <= 1 else most


def both_sides(everything: Iterable[Rows], *columns: str) -> tuple[float, float]:
    """Return the ends of a scale for numbers on both sides of 0, at least ±0.2."""
    rows = [
        {c: abs(row[c]) for c in columns if row.get(c) is not None}
        for part in everything
        for row in part
    ]
    end = min(1.05, reach([rows], *columns, least=0.2) * 1.05)  # a dot at the end stays whole
    return -end, end


def map_of(
    findings: Findings,
    sections: Sequence[Section],
    metric: str,
    *,
    ramp: Ramp = "amount",
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

    If there are many, only the two ends are drawn. The figure replaces a map if no country's
    interval leaves out 0, since shades would suggest a difference.
    """
    names = {country.iso3: country.name for country in findings.countries}

    def rows(section: Section) -> Rows:
        own = [
            (country.iso3, one)
            for country in findings.countries
            for one in country.measures
            if one.metric == metric and one.model == section.model and one.value is not None
        ]
        own.sort(key=lambda pair: -_pooled(pair[1]))
        if len(own) > 2 * MOST_RANKED:
            own = own[:MOST_RANKED] + own[-MOST_RANKED:]
        return [
            {
                "row": names[iso3],
                "value": _pooled(one),
                "low": one.low if one.pooled is None else one.pooled_low,
                "high": one.high if one.pooled is None else one.pooled_high,
                "said": f"{names[iso3]}: {measure_value(one)}",
            }
            for iso3, one in own
        ]

    note += " No single country differs from 0, so there is no map; the ends of the ranking."
    return figure_of_dots(sections, rows, axis, reference=0, note=note, **words)


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
    step = _round_step((high - low) / SHADES)
    start = math.floor(low / step + 1e-9) * step
    return [round(start + step * i, 6) for i in range(1, SHADES)]


def two_sided_classes(values: Iterable[float]) -> list[float]:
    """Return the limits between shades of a map of numbers on both sides of 0.

    The middle shade is for values near 0.
    """
    known = sorted(abs(value) for value in values)
    reach = known[math.ceil(0.95 * (len(known) - 1))] if known else 0.5
    step = _round_step(2 * reach / SHADES, (1, 2, 4))  # Halves of these are round as well.
    middle = (SHADES - 2) / 2
    return [round(step * (i - middle), 6) for i in range(SHADES - 1)]


def _round_step(rough: float, firsts: Sequence[float] = (1, 1.5, 2, 2.5, 3, 4, 5)) -> float:
    if rough < 1e-5:  # Limits have six decimals; readers need no smaller differences.
        return 0.01
    power = 10.0 ** math.floor(math.log10(rough))
    return next((power * one for one in firsts if power * one >= rough * 0.95), power * 10)
