"""How much the choice of ground truth matters: WorldBench's Table 3 (appendix D.1).

Each cell compares the figures of one year with the averages of the last three years, economy by
economy, and is the mean of their absolute relative errors. It bounds what any model can reach: an
answer right for 2018 is that far from the truth the benchmark uses. No model is involved, which
makes it the first check that data, ground truth rules and error metric are the paper's.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from geobias.atlas.economies import economies
from geobias.atlas.figures import Figures
from geobias.probes.lazy import pl
from geobias.probes.worldbench.error import absolute_relative_error

PAPER_YEARS = (2018, 2019, 2020, 2021, 2022)


def years_table(figures: Figures, years: Sequence[int] = PAPER_YEARS) -> pl.DataFrame:
    """Table 3 from these figures: a row for each indicator, and in the end one of their averages.

    Rows of aggregates ("World") count nowhere. An economy counts in a cell when it has both a
    figure of that year and one in the last three years; a cell without any is null. Means are over
    economies, each with the same weight. The averages are over the cells that exist; the last one
    is the mean of the indicators' averages.
    """
    rows: list[dict[str, float | None]] = []
    for indicator in figures.rows:
        cells = {str(year): _error_of_year(figures, indicator, year) for year in years}
        rows.append(cells | {"average": _mean(cells.values())})
    names = (*map(str, years), "average")
    rows.append({name: _mean(row[name] for row in rows) for name in names})
    frame = pl.DataFrame(rows, schema=dict.fromkeys(names, pl.Float64))
    return frame.insert_column(0, pl.Series("indicator", [*figures.rows, "average"]))


def _error_of_year(figures: Figures, indicator: str, year: int) -> float | None:
    averages = figures.truths(indicator, "average")
    of_year = figures.truths(indicator, year)
    return _mean(
        absolute_relative_error(averages[iso3], figure)
        for iso3, figure in of_year.items()
        if iso3 in averages and iso3 in economies()
    )


def _mean(values: Iterable[float | None]) -> float | None:
    """The mean of the values that exist; None, not 0, where none does."""
    existing = [value for value in values if value is not None]
    return math.fsum(existing) / len(existing) if existing else None
