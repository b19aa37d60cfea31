"""How much the choice of ground truth matters: WorldBench's Table 3 (appendix D.1).

Each cell compares the figures of one year with the averages of the last three years, economy by
economy, and is the mean of their absolute relative errors. It bounds what any model can reach: an
answer right for 2018 is that far from the truth the benchmark uses. No model is involved, which
makes it the first check that data, ground truth rules and error metric are the paper's.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from geobias.atlas.figures import Figures
from geobias.probes.worldbench.error import absolute_relative_error

if TYPE_CHECKING:
    import polars as pl

PAPER_YEARS = (2018, 2019, 2020, 2021, 2022)


class YearErrors(msgspec.Struct, frozen=True):
    """A row of the table. A cell is None where no economy has a figure of that year."""

    by_year: Mapping[int, float | None]
    average: float | None
    """The mean of the row's cells that exist."""


class YearsTable(msgspec.Struct, frozen=True):
    """Table 3: a row per indicator, and the row of their averages."""

    rows: Mapping[str, YearErrors]
    average: YearErrors
    """Each year's mean over the indicators that have a cell; its own `average` is the mean of the
    indicators' averages."""


def years_table(
    figures: Figures,
    years: Sequence[int] = PAPER_YEARS,
    indicators: Iterable[str] | None = None,
) -> YearsTable:
    """Table 3 from these figures, for all their indicators unless some are named.

    An economy counts in a cell when it has both a figure of that year and one in the last three
    years. Means are over economies, each with the same weight.
    """
    rows: dict[str, YearErrors] = {}
    for indicator in figures.rows if indicators is None else indicators:
        cells = {year: _error_of_year(figures, indicator, year) for year in years}
        rows[indicator] = YearErrors(by_year=cells, average=_mean(cells.values()))
    columns = {year: _mean(row.by_year[year] for row in rows.values()) for year in years}
    overall = _mean(row.average for row in rows.values())
    return YearsTable(rows=rows, average=YearErrors(by_year=columns, average=overall))


def _error_of_year(figures: Figures, indicator: str, year: int) -> float | None:
    averages = figures.truths(indicator, "average")
    of_year = figures.truths(indicator, year)
    return _mean(
        absolute_relative_error(averages[iso3], figure)
        for iso3, figure in of_year.items()
        if iso3 in averages
    )


def _mean(values: Iterable[float | None]) -> float | None:
    """The mean of the values that exist; None, not 0, where none does."""
    existing = [value for value in values if value is not None]
    return math.fsum(existing) / len(existing) if existing else None


def years_frame(figures: Figures) -> pl.DataFrame:
    """Table 3 of the last five years, a row for each indicator and one for their average."""
    import polars as pl

    found = years_table(figures, figures.years[-5:])
    lines = [*found.rows.items(), ("average", found.average)]
    rows = [
        {"indicator": name}
        | {str(year): cell for year, cell in row.by_year.items()}
        | {"average": row.average}
        for name, row in lines
    ]
    return pl.DataFrame(rows, infer_schema_length=None)
