"""The figures of each indicator by economy and year, and the rules that choose the true figure.

A question names no year, so a rule decides which figure an answer is compared with. There are three
rules, after WorldBench (section 3.2 and appendix D):

    average   the mean of the figures in the last three years of the table (2020-2022)
    latest    each economy's most recent figure, at most five years before the last year
    2019      the figure of that one year
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Literal, TypeAlias

import msgspec

from geobias.atlas.economies import economies, find_economy
from geobias.atlas.indicators import Indicator, UnknownIndicatorError, indicators
from geobias.atlas.table import TableError, finite_number, read_records, shipped_table, write_rows
from geobias.errors import AtlasError

Rule: TypeAlias = Literal["average", "latest"] | int

AVERAGED_YEARS = 3
# The paper: "drawn from as early as 2017"; its last year is 2022.
LATEST_WITHIN_YEARS = 5
# 2012 to 2022 in the paper's edition: as far back as its citation check looks (section 6.1).
YEARS_KEPT = 11


class Series(msgspec.Struct, frozen=True):
    """The figures of one indicator.

    edition    the publisher's date of the file ("Last Updated Date" of the World Bank)
    last_year  the last year of the file, which may have other indicators too
    figures    economy → year → figure. A missing year has no figure; 0 is a figure
    """

    edition: str
    last_year: int
    figures: Mapping[str, Mapping[int, float]]


class Figures(msgspec.Struct, frozen=True, dict=True):
    """A series for each indicator, and the names in left-out rows, which name no economy."""

    series: Mapping[str, Series]
    unknown: tuple[str, ...] = ()

    @cached_property
    def years(self) -> tuple[int, ...]:
        """All years from the first figure to the last."""
        by_economy = (own for one in self.series.values() for own in one.figures.values())
        every = {year for own in by_economy for year in own}
        return tuple(range(min(every), max(every) + 1))

    def of(self, indicator: str) -> Series:
        if indicator not in self.series:
            raise UnknownIndicatorError(indicator, self.series)
        return self.series[indicator]

    def value(self, indicator: str, iso3: str, year: int) -> float | None:
        return self.of(indicator).figures.get(iso3, {}).get(year)

    def truth(self, indicator: str, iso3: str, rule: Rule = "average") -> float | None:
        """The figure that answers are compared with under this rule.

        Raises for a year outside the table, which would otherwise look like missing data.
        """
        one = self.of(indicator)
        own = one.figures.get(iso3, {})
        if isinstance(rule, int):
            if rule not in self.years:
                span = f"{self.years[0]} to {self.years[-1]}"
                raise AtlasError(f"There are no figures of {rule}: the table has {span}.")
            return own.get(rule)
        count = AVERAGED_YEARS if rule == "average" else LATEST_WITHIN_YEARS + 1
        years = range(one.last_year, one.last_year - count, -1)
        recent = [own[year] for year in years if year in own]
        if rule == "average" and recent:
            return math.fsum(recent) / len(recent)
        return next(iter(recent), None)

    def truths(self, indicator: str, rule: Rule = "average") -> dict[str, float]:
        if (indicator, rule) not in self._known:
            places = self.of(indicator).figures
            found = ((iso3, self.truth(indicator, iso3, rule)) for iso3 in places)
            self._known[indicator, rule] = {
                iso3: figure for iso3, figure in found if figure is not None
            }
        return self._known[indicator, rule].copy()

    @cached_property
    def _known(self) -> dict[tuple[str, Rule], dict[str, float]]:
        """Results of `truths`, which a plan asks for many times."""
        return {}

    @cached_property
    def content(self) -> str:
        """The table's content as text, which does not depend on the file's path."""
        rows = {
            name: {iso3: tuple(map(own.get, self.years)) for iso3, own in one.figures.items()}
            for name, one in self.series.items()
        }
        editions = {name: one.edition for name, one in self.series.items()}
        ends = {
            name: one.last_year
            for name, one in self.series.items()
            if one.last_year != self.years[-1]
        }
        said = {"years": self.years, "editions": editions, "rows": rows}
        return msgspec.json.encode(said | ({"ends": ends} if ends else {}), order="sorted").decode()


def ground_truth_rule(text: str) -> Rule:
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


_PLACE = ("iso3", "country code", "economy", "country")
_INDICATOR = ("indicator", "indicator code")
_YEARS = frozenset(map(str, range(1000, 3000)))


def read_figures(path: Path, ids: Mapping[str, str] = MappingProxyType({})) -> Figures:
    """Read a table of figures, or a World Bank download ("Download CSV", the file named API_…).

    A row names an economy (a code or a name) and perhaps an indicator (by default the file's name)
    and an edition. Its figures are in a column for each year, or it has a year and a value. A code
    of an indicator means a shipped indicator or one of `ids` (code → id). Rows of no economy are
    left out: downloads have aggregates ("World", "IDA total") too.
    """
    known = {one.code: one.id for one in indicators().values()} | dict(ids)
    found: dict[str, dict[str, dict[int, float]]] = {}
    editions: dict[str, str] = {}
    unknown: dict[str, None] = {}
    for line, row in _rows(path):
        place, code = (
            next((row[one] for one in of if one in row), "") for of in (_PLACE, _INDICATOR)
        )
        economy = find_economy(place)
        if economy is None:
            unknown[place] = None
            continue
        name = known.get(code, code) or path.stem
        if editions.setdefault(name, row["edition"]) != row["edition"]:
            raise TableError(path, line, f"{name} has figures of two editions")
        if row.get("year", "1999") not in _YEARS:
            raise TableError(path, line, f"{row['year']!r} is not a year")
        cells = {row["year"]: row["value"]} if "year" in row else row
        own = found.setdefault(name, {}).setdefault(economy.iso3, {})
        more = {
            int(year): finite_number(path, line, cell)
            for year, cell in cells.items()
            if cell and year in _YEARS
        }
        if own.keys() & more.keys():
            raise TableError(path, line, f"{name} of {economy.iso3} occurs twice in the table")
        own |= more
    every = [year for by_economy in found.values() for own in by_economy.values() for year in own]
    if not every:
        raise TableError(path, None, "holds no figure of a country")
    series = {
        name: Series(editions[name], max(every), by_economy) for name, by_economy in found.items()
    }
    return Figures(series, tuple(unknown))


def _rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield each row by lower-case heading, with its line number.

    A World Bank download has a preamble, in which its edition is, and an empty last column:

        "Data Source","World Development Indicators",

        "Last Updated Date","2023-10-26",

        "Country Name","Country Code","Indicator Name","Indicator Code","1960",…,"2022",
        "Aruba","ABW","Population, total","SP.POP.TOTL","54608",…,"106445",
    """
    header: list[str] = []
    edition = ""
    for line, record in read_records(path):
        cells = [cell.strip() for cell in record]
        if not any(cells) or cells[0] == "Data Source":
            continue
        if cells[0] == "Last Updated Date":
            edition = "".join(cells[1:2])
        elif not header:
            header = [cell.casefold() for cell in cells]
            names = {*header}
            dated = {"year", "value"} <= names or _YEARS & names
            if not dated or not names & {*_PLACE} or len(names) < len(header):
                raise TableError(
                    path, line, "the header needs iso3 or country, and years or year and value, "
                    "each once",
                )  # fmt: skip
        elif len(cells) != len(header):
            raise TableError(path, line, f"has {len(cells)} values for {len(header)} columns")
        else:
            yield line, {"edition": edition} | dict(zip(header, cells, strict=True))


def import_worldbank(
    files: Iterable[Path], out: Path, *, among: Mapping[str, Indicator] | None = None
) -> Figures:
    """Write the figures of World Bank downloads to `out`, and return them as read back from there.

    From the eleven files that the paper used, this makes the shipped table, byte for byte. It has
    the eleven years up to the last year in which any economy has a figure. Numbers are the shortest
    that read back as the same double.

    `among` names the indicators (by default the shipped ones). A file about another series, or two
    files about one, leave `out` unchanged.
    """
    known = indicators() if among is None else among
    ids = {one.code: one.id for one in known.values()}
    series: dict[str, Series] = {}
    for path in files:
        for name, one in read_figures(path, ids).series.items():
            if name not in known:
                why = "is not a known indicator: define it with --indicators"
                raise TableError(path, None, f"holds {name}, which {why}")
            if name in series:
                raise TableError(path, None, f"holds {name}, which another file holds too")
            series[name] = one
    if not series:
        raise AtlasError("No World Bank files were given: there is nothing to import.")
    ordered = {name: series[name] for name in known if name in series}
    return write_figures(ordered, out, years_kept=YEARS_KEPT)


def write_figures(series: Mapping[str, Series], out: Path, *, years_kept: int = 0) -> Figures:
    """Write the last `years_kept` years (0 for all), and return the table as read back."""
    years = Figures(series).years[-years_kept:]
    rows: list[list[object]] = [["indicator", "iso3", "edition", *years]]
    for name, one in series.items():
        for iso3 in economies():
            own = one.figures.get(iso3, {})
            cells = [repr(own[year]).removesuffix(".0") if year in own else "" for year in years]
            if any(cells):
                rows.append([name, iso3, one.edition, *cells])
    write_rows(out, rows)
    return read_figures(out)
