"""From the World Bank's downloads to our table of figures.

The shipped `figures.csv` is what this makes of the eleven files the paper used, byte for byte;
the same function makes the table of a later edition.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from geobias.atlas.economies import economies
from geobias.atlas.figures import FIGURE_COLUMNS, Figures, read_figures
from geobias.atlas.indicators import Indicator, indicators
from geobias.atlas.table import TableError, write_rows
from geobias.atlas.worldbank_csv import Series, read_series
from geobias.errors import AtlasError

# 2012 to 2022 in the paper's edition: as far back as its citation check looks (section 6.1).
YEARS_KEPT = 11


def import_worldbank(
    files: Iterable[Path], out: Path, *, among: Mapping[str, Indicator] | None = None
) -> Figures:
    """Write the figures of these downloads to `out`, and return them as read back from there.

    One row per indicator and economy with at least one figure in the eleven years up to the last
    year any file has a figure of. Aggregates are left out by code. Numbers are the shortest that
    read back as the same double. `among` names the indicators (the shipped ones unless given);
    a file about another series, or two files about one, is a `TableError`, and `out` is untouched.
    """
    known = indicators() if among is None else among
    ids = {one.code: one.id for one in known.values()}
    series: dict[str, Series] = {}
    for path in files:
        one = read_series(path)
        if one.code not in ids:
            raise TableError(path, None, f"holds {one.code}, which is none of the indicators")
        if ids[one.code] in series:
            raise TableError(path, None, f"holds {one.code}, as a file before it does")
        series[ids[one.code]] = one
    if not series:
        raise AtlasError("No World Bank files were given: there is nothing to import.")
    ordered = {name: series[name] for name in known if name in series}
    return write_figures(ordered, out, years_kept=YEARS_KEPT)


def write_figures(
    series: Mapping[str, Series], out: Path, *, years_kept: int | None = None
) -> Figures:
    """Write a table of figures, by id of the indicator, and return it as read back from `out`.

    The table ends with the last year any economy has a figure of, and begins `years_kept` years
    before, or without that with the first year any economy has one of.
    """
    with_figures = [
        year
        for one in series.values()
        for iso3 in economies()
        for year in one.figures.get(iso3, {})
    ]
    if not with_figures:
        raise AtlasError("None of the World Bank's figures is one of an economy.")
    last = max(with_figures)
    years = range(last - years_kept + 1 if years_kept else min(with_figures), last + 1)

    rows: list[list[object]] = [[*FIGURE_COLUMNS, *years]]
    for name, one in series.items():
        for iso3 in economies():
            by_year = one.figures.get(iso3, {})
            if any(year in by_year for year in years):
                cells = (_shortest(by_year.get(year)) for year in years)
                rows.append([name, iso3, one.edition, *cells])
    write_rows(out, rows)
    return read_figures(out)


def _shortest(figure: float | None) -> str:
    """The shortest decimal that reads back as the same double; whole numbers without ".0"."""
    return "" if figure is None else repr(figure).removesuffix(".0")
