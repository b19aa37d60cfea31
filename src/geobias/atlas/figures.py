"""The figures of each indicator by economy and year, and the rules that choose the true figure.

A question names no year, so a rule decides which figure an answer is compared with. There are three
rules, after WorldBench (section 3.2 and appendix D):

    average   the mean of the figures in the last three years of the table (2020-2022)
    latest    each economy's most recent figure, at most five years before the last year
    2019      the figure of that one year
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Literal, TypeAlias

import msgspec

from geobias.atlas.economies import economies, find_economy
from geobias.atlas.importing import Series, read_series
from geobias.atlas.indicators import Indicator, UnknownIndicatorError, indicators
from geobias.atlas.table import (
    TableError,
    finite_number,
    read_records,
    read_rows,
    shipped_table,
    write_rows,
)
from geobias.errors import AtlasError

Rule: TypeAlias = Literal["average", "latest"] | int

AVERAGED_YEARS = 3
# The paper: "drawn from as early as 2017"; its last year is 2022.
LATEST_WITHIN_YEARS = 5

FIGURE_COLUMNS = ("indicator", "iso3", "edition")


class Figures(msgspec.Struct, frozen=True, dict=True):
    """A table of figures. None means that no figure was published; 0 is a figure."""

    years: tuple[int, ...]
    """The years of the table, ascending, without gaps."""
    editions: Mapping[str, str]
    """By indicator, the World Bank's "Last Updated Date" of the file the figures came from."""
    rows: Mapping[str, Mapping[str, tuple[float | None, ...]]]
    """By indicator and economy, a figure or None for each of `years`."""
    ends: Mapping[str, int] = {}
    """Indicator → the last year of its own table, if that ends earlier than `years`."""

    @property
    def last_year(self) -> int:
        return self.years[-1]

    def value(self, indicator: str, iso3: str, year: int) -> float | None:
        """The figure of that year; None if there is none or the table does not have the year."""
        row = self._rows_of(indicator).get(iso3)
        if row is None or not self.years[0] <= year <= self.last_year:
            return None
        return row[year - self.years[0]]

    def _last(self, indicator: str, iso3: str, count: int) -> list[float]:
        """The existing figures of the last `count` years of the indicator's table, the latest
        first.
        """
        row = self._rows_of(indicator).get(iso3, ())
        end = self.ends.get(indicator, self.last_year) - self.years[0] + 1
        return [figure for figure in reversed(row[:end][-count:]) if figure is not None]

    def average(self, indicator: str, iso3: str) -> float | None:
        existing = self._last(indicator, iso3, AVERAGED_YEARS)
        return math.fsum(existing) / len(existing) if existing else None

    def latest(self, indicator: str, iso3: str) -> float | None:
        return next(iter(self._last(indicator, iso3, LATEST_WITHIN_YEARS + 1)), None)

    def with_own(self, own: Figures) -> Figures:
        """Return these figures with those of a user (`own`) added.

        The user's figures replace the shipped figures of the same indicator.
        """
        if self.rows.keys() <= own.rows.keys():
            return own
        years = tuple(
            range(min(self.years[0], own.years[0]), max(self.last_year, own.last_year) + 1)
        )
        rows: dict[str, Mapping[str, tuple[float | None, ...]]] = {}
        ends = {}
        for table in (self, own):
            before = (None,) * (table.years[0] - years[0])
            after = (None,) * (years[-1] - table.last_year)
            for name, by_economy in table.rows.items():
                rows[name] = {iso3: (*before, *row, *after) for iso3, row in by_economy.items()}
                ends[name] = table.ends.get(name, table.last_year)
        return Figures(years, {**self.editions, **own.editions}, rows, ends)

    def truth(self, indicator: str, iso3: str, rule: Rule = "average") -> float | None:
        """The figure that answers are compared with under this rule; None if there is none.

        Raises for a year outside the table, which would otherwise look like missing data.
        """
        if rule == "average":
            return self.average(indicator, iso3)
        if rule == "latest":
            return self.latest(indicator, iso3)
        if rule not in self.years:
            span = f"{self.years[0]} to {self.last_year}"
            raise AtlasError(f"There are no figures of {rule}: the table has {span}.")
        return self.value(indicator, iso3, rule)

    def truths(self, indicator: str, rule: Rule = "average") -> dict[str, float]:
        """The true figures by economy, without economies that have none."""
        if (indicator, rule) not in self._known:
            found = ((iso3, self.truth(indicator, iso3, rule)) for iso3 in self._rows_of(indicator))
            self._known[indicator, rule] = {
                iso3: figure for iso3, figure in found if figure is not None
            }
        return self._known[indicator, rule].copy()

    @cached_property
    def _known(self) -> dict[tuple[str, Rule], dict[str, float]]:
        """Cached results of `truths`, which a plan asks for many times."""
        return {}

    @cached_property
    def content(self) -> str:
        """The table's content as text, which does not depend on the file's path."""
        said = {"years": self.years, "editions": self.editions, "rows": self.rows}
        more = {"ends": self.ends} if self.ends else {}
        return msgspec.json.encode(said | more, order="sorted", enc_hook=dict).decode()

    def _rows_of(self, indicator: str) -> Mapping[str, tuple[float | None, ...]]:
        try:
            return self.rows[indicator]
        except KeyError:
            raise UnknownIndicatorError(indicator, self.rows) from None


def ground_truth_rule(text: str) -> Rule:
    """The rule that the user named: "average", "latest" or a year such as "2019"."""
    word = text.strip().lower()
    if word == "average":
        return "average"
    if word == "latest":
        return "latest"
    if len(word) == 4 and word.isascii() and word.isdigit():
        return int(word)
    raise AtlasError(f"{text!r} is not a ground truth rule: give average, latest or a year.")


@cache
def figures() -> Figures:
    """The shipped figures: eleven indicators, 2012 to 2022, in the editions of the paper."""
    return read_figures(shipped_table("figures.csv"))


def read_figures(path: Path, ids: Mapping[str, str] = MappingProxyType({})) -> Figures:
    """Read a table of figures in one of three formats.

    These are the shipped format with a column for each year, the tidy format with a row for each
    figure (`_tidy`), and a World Bank download. An indicator of a download is named by its World
    Bank code, unless it is a shipped one or `ids` (code → id) has a name for it.
    """
    first = next(read_records(path), (1, []))[1]
    header = [name.strip().casefold() for name in first]
    if header[:1] == ["data source"]:
        rows = _download(path, ids)
    elif "value" in header and "year" in header:
        rows = _tidy(path)
    else:
        rows = _wide(path)
    found: dict[str, dict[str, dict[int, float | None]]] = {}
    editions: dict[str, str] = {}
    for line, name, iso3, edition, figures in rows:
        if editions.setdefault(name, edition) != edition:
            raise TableError(path, line, f"{name} has figures of two editions")
        by_year = found.setdefault(name, {}).setdefault(iso3, {})
        if by_year.keys() & figures.keys():
            raise TableError(path, line, f"{name} of {iso3} occurs twice in the table")
        by_year |= figures
    every = [year for rows_of in found.values() for own in rows_of.values() for year in own]
    if not every:
        raise TableError(path, None, "holds no figures")
    years = range(min(every), max(every) + 1)
    tables = {
        name: MappingProxyType({iso3: tuple(map(own.get, years)) for iso3, own in by_iso3.items()})
        for name, by_iso3 in found.items()
    }
    return Figures(tuple(years), MappingProxyType(editions), MappingProxyType(tables))


_Row: TypeAlias = tuple[int, str, str, str, dict[int, float | None]]
"""Line number, indicator, economy's code, edition, and figures by year."""


def _download(path: Path, ids: Mapping[str, str]) -> Iterator[_Row]:
    """Yield the economies of a World Bank download, without aggregates."""
    series = read_series(path)
    known = {one.code: one.id for one in indicators().values()} | dict(ids)
    name = known.get(series.code, series.code)
    for iso3 in economies():
        yield 1, name, iso3, series.edition, dict(series.figures.get(iso3, {}))


def _wide(path: Path) -> Iterator[_Row]:
    years: tuple[int, ...] = ()
    for line, row in read_rows(path, FIGURE_COLUMNS):
        years = years or _years(path, list(row)[len(FIGURE_COLUMNS) :])
        indicator, iso3, edition, *cells = row.values()
        figures = [finite_number(path, line, cell) if cell else None for cell in cells]
        yield line, indicator, iso3, edition, dict(zip(years, figures, strict=True))


def _tidy(path: Path) -> Iterator[_Row]:
    """Yield the rows of a tidy table.

    Its columns are iso3, economy or country (a code or a name), year and value, and optionally
    edition and indicator (by default the file's name). Raises for an unknown economy and names the
    line.
    """
    for line, cells in read_rows(path, ()):
        row = {name.strip().casefold(): cell.strip() for name, cell in cells.items()}
        named = [row[name] for name in ("iso3", "economy", "country") if name in row]
        if not named:
            raise TableError(path, 1, "a column country or iso3 is missing")
        place = find_economy(named[0])
        if place is None:
            raise TableError(path, line, f"{named[0]!r} is not a country")
        if not re.fullmatch(r"[12]\d{3}", row["year"], re.ASCII):
            raise TableError(path, line, f"{row['year']!r} is not a year")
        year, cell = int(row["year"]), row["value"]
        figures: dict[int, float | None] = {year: finite_number(path, line, cell)} if cell else {}
        yield line, row.get("indicator") or path.stem, place.iso3, row.get("edition", ""), figures


def _years(path: Path, names: list[str]) -> tuple[int, ...]:
    years = tuple(int(name) for name in names if re.fullmatch(r"[12]\d{3}", name, re.ASCII))
    gapless = tuple(range(years[0], years[0] + len(names))) if years else ()
    if not years or years != gapless:
        raise TableError(path, 1, f"after {FIGURE_COLUMNS[-1]} there should be consecutive years")
    return years


# 2012 to 2022 in the paper's edition: as far back as its citation check looks (section 6.1).
YEARS_KEPT = 11


def import_worldbank(
    files: Iterable[Path], out: Path, *, among: Mapping[str, Indicator] | None = None
) -> Figures:
    """Write the figures of World Bank downloads to `out`, and return them as read back from there.

    From the eleven files that the paper used, this makes the shipped table, byte for byte. There is
    one row per indicator and economy with at least one figure in the eleven years up to the last
    year of any file. Aggregates are left out by code. Numbers are the shortest that read back as
    the same double.

    `among` names the indicators (by default the shipped ones). Raises `TableError` for a file about
    another series or two files about one; `out` is then unchanged.
    """
    known = indicators() if among is None else among
    ids = {one.code: one.id for one in known.values()}
    series: dict[str, Series] = {}
    for path in files:
        one = read_series(path)
        if one.code not in ids:
            raise TableError(
                path,
                None,
                f"holds {one.code}, which is not a known indicator: define it with --indicators",
            )
        if ids[one.code] in series:
            raise TableError(path, None, f"holds {one.code}, which another file holds too")
        series[ids[one.code]] = one
    if not series:
        raise AtlasError("No World Bank files were given: there is nothing to import.")
    ordered = {name: series[name] for name in known if name in series}
    return write_figures(ordered, out, years_kept=YEARS_KEPT)


def write_figures(
    series: Mapping[str, Series], out: Path, *, years_kept: int | None = None
) -> Figures:
    """Write a table of figures by indicator, and return it as read back from `out`.

    The table ends with the last year in which any economy has a figure. It holds `years_kept`
    years; by default it begins with the first year in which any economy has a figure.
    """
    with_figures = [
        year
        for one in series.values()
        for iso3 in economies()
        for year in one.figures.get(iso3, {})
    ]
    if not with_figures:
        raise AtlasError("None of these figures is about a country.")
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
