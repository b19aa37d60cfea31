"""Do answers that cite a source hold what the source says (the paper's section 6.1)?

A reply such as "4.63 (Source: World Bank, 2019)" is compared with the World Bank's figure of 2019
and of every other year of the table (since 2012 in the shipped one). Other publishers' figures
differ a little from the World Bank's: for them the verdict says what the World Bank has.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from geobias.atlas.figures import Figures
from geobias.probes.lazy import pl
from geobias.probes.worldbench.error import absolute_relative_error
from geobias.probes.worldbench.scores import ERROR_BOUNDS, with_bounds
from geobias.stats.estimates import Estimate
from geobias.stats.over_units import mean_over_units

MATCH = 0.05
"""An error up to this is a match: the paper calls 3.97% one (Figure 10)."""
POWERS = [power for power in range(-12, 13) if power]

RIGHT = "right"
OTHER_YEAR = "right figure, other year"
POWER_OF_TEN = "off by a power of ten"
WRONG = "wrong"
VERDICTS = (RIGHT, OTHER_YEAR, POWER_OF_TEN, WRONG)


def citations(frame: pl.DataFrame, figures: Figures) -> pl.DataFrame:
    """Every answer that cites a source or a year, and whether the figures bear it out.

    error_of_year   error against the figure of the cited year; null if none is cited, or the
                    World Bank has none
    best_year       the year whose figure comes nearest; of equals, the latest
    best_error      the error against that one
    verdict         "right": within 5% of the cited year's figure, or of any year's where the reply
                    names none; "right figure, other year": of another year's than the one cited;
                    "off by a power of ten": within 5% of a figure once the point is moved; else
                    "wrong". The first that applies.
    """
    cited = frame.filter(
        pl.col("value").is_not_null()
        & (pl.col("source").is_not_null() | pl.col("cited_year").is_not_null())
    )
    columns = ["trial", "indicator", "country", "source", "cited_year", "value", "error"]
    table = cited.select(*(("model",) if "model" in cited.columns else ()), *columns)
    rows = [_checked(row, figures) for row in table.to_dicts()]
    schema = {"error_of_year": pl.Float64, "best_year": pl.Int64, "best_error": pl.Float64}
    return table.hstack(pl.DataFrame(rows, schema=schema | {"verdict": pl.String}))


def _over_countries(part: pl.DataFrame) -> Estimate:
    columns = (part[name].to_numpy() for name in ("error", "country"))
    return mean_over_units(*columns, bounds=ERROR_BOUNDS)


def citation_summary(
    frame: pl.DataFrame,
    figures: Figures,
    mean_of: Callable[[pl.DataFrame], Estimate] = _over_countries,
) -> pl.DataFrame:
    """For each source, and for answers that cite none: how many, their mean error with its
    interval over countries (or as `mean_of` has it), and how many got each verdict (null where
    nothing is cited).
    """
    checked = citations(frame, figures)
    answered = frame.filter(pl.col("error").is_not_null())
    plain = answered.filter(pl.col("source").is_null() & pl.col("cited_year").is_null())
    parts: list[tuple[str, pl.DataFrame, pl.Series | None]] = []
    if plain.height:
        parts.append(("nothing cited", plain, None))
    named = checked.with_columns(pl.col("source").fill_null("a year only"))
    for (source,), part in named.group_by("source", maintain_order=True):
        parts.append((str(source), part, part["verdict"]))
    rows = []
    for source, part, verdicts in parts:
        row: dict[str, Any] = {"source": source, "answers": part.height}
        row |= mean_of(part).columns("mean")
        for verdict in VERDICTS:
            row[verdict] = None if verdicts is None else int((verdicts == verdict).sum())
        rows.append(row)
    numbers = dict.fromkeys(with_bounds("mean"), pl.Float64)
    counts = dict.fromkeys(VERDICTS, pl.Int64)
    schema = {"source": pl.String, "answers": pl.Int64} | numbers | counts
    return pl.DataFrame(rows, schema=schema).sort(["answers", "source"], descending=[True, False])


def _checked(row: dict[str, Any], figures: Figures) -> dict[str, Any]:
    value, cited = row["value"], row["cited_year"]
    by_year = {
        year: figure
        for year in figures.years
        if (figure := figures.value(row["indicator"], row["country"], year)) is not None
    }
    errors = {year: absolute_relative_error(value, figure) for year, figure in by_year.items()}
    best = min(errors, key=lambda year: (errors[year], -year)) if errors else None
    return {
        "error_of_year": errors.get(cited),
        "best_year": best,
        "best_error": errors[best] if best is not None else None,
        "verdict": _verdict(value, cited, by_year, errors),
    }


def _verdict(
    value: float, cited: int | None, by_year: dict[int, float], errors: dict[int, float]
) -> str | None:
    if not by_year:
        return None
    if cited in errors and errors[cited] <= MATCH:
        return RIGHT
    if min(errors.values()) <= MATCH:
        return RIGHT if cited is None else OTHER_YEAR
    # A value of 0 is 0 wherever the point stands.
    if value and any(
        absolute_relative_error(value * 10.0**power, figure) <= MATCH
        for power in POWERS
        for figure in by_year.values()
    ):
        return POWER_OF_TEN
    return WRONG
