"""From the World Bank's downloads to our table of figures.

The shipped `figures.csv` is what this makes of the eleven files the paper used, byte for byte;
the same function makes the table of a later edition.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from pathlib import Path

from geobias.atlas.economies import economies
from geobias.atlas.figures import FIGURE_COLUMNS, Figures, read_figures
from geobias.atlas.indicators import Indicator, indicators
from geobias.atlas.table import TableError
from geobias.atlas.worldbank_csv import Series, read_series

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
        raise ValueError("No World Bank files were given: there is nothing to import.")

    last = max((_last_year(one) for one in series.values()), default=0)
    if not last:
        raise ValueError("None of the World Bank files has a figure of any economy.")
    years = range(last - YEARS_KEPT + 1, last + 1)

    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow([*FIGURE_COLUMNS, *years])
    for name in (name for name in known if name in series):
        one = series[name]
        for iso3 in economies():
            by_year = one.figures.get(iso3, {})
            if any(year in by_year for year in years):
                cells = (_shortest(by_year.get(year)) for year in years)
                table.writerow([name, iso3, one.edition, *cells])

    # Written beside the target and moved there, so that a full disk leaves no half table.
    draft = out.with_name(out.name + ".part")
    draft.write_bytes(text.getvalue().encode())
    draft.replace(out)
    return read_figures(out)


def _last_year(series: Series) -> int:
    """The last year with a figure of an economy; 0 without any. Aggregates do not count."""
    return max((max(series.figures.get(iso3, {}), default=0) for iso3 in economies()), default=0)


def _shortest(figure: float | None) -> str:
    """The shortest decimal that reads back as the same double; whole numbers without ".0"."""
    if figure is None:
        return ""
    return repr(figure).removesuffix(".0")
