"""Compare answers with the figures of each year, and check the years and sources that they cite."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from geobias.atlas.figures import Figures, Rule
from geobias.measures.estimates import group_table
from geobias.measures.frames import table_of
from geobias.probes.worldbench.moving import by_question, figures_asked
from geobias.probes.worldbench.scores import ERROR
from geobias.probes.worldbench.trials import absolute_relative_error, absolute_relative_errors
from geobias.results.charts import Plane
from geobias.results.figures import Figure, Panel
from geobias.results.findings import Section
from geobias.results.tables import rows_of
from geobias.stats.arrays import Floats
from geobias.stats.crossed import crossed_ratio
from geobias.stats.estimates import LEAST_UNITS, Estimate

PAPER_YEARS = (2018, 2019, 2020, 2021, 2022)


def years_table(figures: Figures, years: Sequence[int] = PAPER_YEARS) -> pl.DataFrame:
    """The paper's Table 3 (appendix D.1): a row for each indicator, and a last row of averages.

    A cell is the error of a model whose answers are all right for that year, against the averages
    of the last three years. The table needs no model. So it checks that data, ground truth rules
    and error metric agree with the paper's.
    """
    truths = by_question(figures, "average")
    asked = pl.DataFrame([*truths], ["indicator", "country"], orient="row")
    known = {str(year): by_question(figures, year) for year in years}
    truth = np.array([*truths.values()])[:, None]
    errors = absolute_relative_errors(truth, figures_asked(asked, known))
    cells = pl.DataFrame(errors, [*known]).fill_nan(None).insert_column(0, asked["indicator"])
    means = cells.group_by("indicator").mean()
    table = pl.DataFrame({"indicator": [*figures.series]}).join(
        means, on="indicator", how="left", maintain_order="left"
    )
    table = table.with_columns(average=pl.mean_horizontal(pl.exclude("indicator")))
    last = table.select(pl.lit("average").alias("indicator"), pl.exclude("indicator").mean())
    return pl.concat([table, last])


def years_fit(frame: pl.DataFrame, figures: Figures) -> pl.DataFrame:
    """The mean error of the answers against the figures of each year (the paper's Figure 11).

    error       mean over the questions with a figure of this year or rule, as in the paper
    error_same  mean over the questions with a figure in every year that has any
    best        whether `error_same` is the smallest of all years; among equal years, the latest.
                `error` is over different questions in each year: there are no CO₂ figures of 2021
    more        `error_same` minus that of the best year
    """
    answered = frame.drop_nulls("value")
    rules: list[Rule] = [*figures.years, "latest", "average"]
    known = figures_asked(answered, {str(rule): by_question(figures, rule) for rule in rules})
    errors = absolute_relative_errors(answered["value"].to_numpy()[:, None], known)
    there = ~np.isnan(errors)
    used = [at for at, _ in enumerate(figures.years) if there[:, at].any()]
    same = there[:, used].all(axis=1) & bool(used)
    sides = [answered[name].to_numpy() for name in ("model", "country")]
    best = max(used, key=lambda at: (-errors[same, at].mean().round(14), at)) if same.any() else -1
    rows = []
    for at, rule in enumerate(rules):
        shared = there[:, at] & same
        own = [side[shared] for side in sides]
        row: dict[str, Any] = {"against": str(rule)}
        row |= {"error": errors[there[:, at], at].mean() if there[:, at].any() else None}
        row |= {"questions": int(there[:, at].sum())}
        row |= {"error_same": _mean_over(errors[shared, at], *own, bounds=ERROR.bounds)}
        row |= {"questions_same": int(shared.sum()), "best": at == best}
        if at != best:
            more = errors[shared, at] - errors[shared, best]
            row["more"] = _mean_over(more, *own, bounds=(-1.0, 1.0))
        rows.append(row)
    return table_of(rows)


def _mean_over(
    errors: Floats, models: NDArray[Any], countries: NDArray[Any], *, bounds: tuple[float, float]
) -> Estimate:
    """The mean error, with its interval over countries, and over models if there are enough."""
    sides = [models, countries] if len(set(models)) >= LEAST_UNITS else [countries]
    return crossed_ratio(errors, np.ones(len(errors)), *sides, bounds=bounds).estimate


def figures(sections: Sequence[Section]) -> Iterator[Figure]:
    """Yield the paper's Figure 11, with a line for each model."""
    points, levels, data = {}, {}, []
    for section in sections:
        rows = rows_of(section, "years", "error_same", "questions_same", "against")
        rows = [row for row in rows if row.found.n]
        values = ((row.group, row.found.value) for row in rows)
        errors = {name: value for name, value in values if value is not None}
        if errors:
            levels[section.model] = [errors.pop(rule, None) for rule in ("latest", "average")]
            points[section.model] = [(int(year), error) for year, error in errors.items()]
            data += [{"model": section.model, **row.cells} for row in rows]
    if points:
        chart = Plane(
            points=points, levels=levels, x_title="figures of the year", y_title="mean error"
        )
        yield Figure(
            name="worldbench-years",
            title="Figure 11 of the paper: errors by year",
            note="Over the questions with a figure in every year. Long dashes: against each "
            "country's latest figure. Short dashes: against the average of the last three years. "
            "The CSV file has intervals.",
            alt="A line of mean errors over years for each model, with two dashed lines.",
            panels=[Panel(chart)],
            data=data,
        )


MATCH = 0.05
"""Maximum error at which an answer matches a figure. The paper accepts 3.97% (Figure 10)."""
POWERS = [power for power in range(-12, 13) if power]

RIGHT = "right"
OTHER_YEAR = "right figure, other year"
POWER_OF_TEN = "off by a power of ten"
WRONG = "wrong"
A_YEAR = "a year only"
VERDICTS = (RIGHT, OTHER_YEAR, POWER_OF_TEN, WRONG)


def citations(frame: pl.DataFrame, figures: Figures) -> pl.DataFrame:
    """Every answer that cites a source or a year, and whether the figures confirm it.

    As in the paper's section 6.1, a reply such as "4.63 (Source: World Bank, 2019)" is compared
    with the World Bank's figure of 2019 and of every other year. Answers that cite other publishers
    are compared with the World Bank's figures as well, which differ slightly.

    `best_year` is the year whose figure is nearest; if several are equally near, the latest.
    `verdict` is the first of the following that applies:

    right                     within 5% of the figure of the cited year, or of any year if the reply
                              cites no year
    right figure, other year  within 5% of the figure of another year
    off by a power of ten     within 5% of a figure after moving the decimal point
    wrong                     everything else
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


def citation_summary(frame: pl.DataFrame, figures: Figures) -> pl.DataFrame:
    """The number of answers that cite each source or none, their mean error and their verdicts."""
    cited = citations(frame, figures).with_columns(pl.col("source").fill_null(A_YEAR))
    verdicts = cited.group_by("source").agg(
        (pl.col("verdict") == verdict).sum().cast(pl.Int64).alias(verdict) for verdict in VERDICTS
    )
    uncited = pl.when(pl.col("cited_year").is_null()).then(pl.lit("nothing cited"))
    source = pl.col("source").fill_null(uncited.otherwise(pl.lit(A_YEAR)))
    answered = frame.drop_nulls("error").with_columns(source)
    means = group_table(answered, replace(ERROR, floor=""), "source")
    table = means.select(
        pl.col("group").alias("source"), pl.col("answered").alias("answers"), pl.col("^mean.*$")
    )
    table = table.join(verdicts, on="source", how="left")
    return table.sort("answers", "source", descending=[True, False])


def _checked(row: dict[str, Any], figures: Figures) -> dict[str, Any]:
    value, cited = row["value"], row["cited_year"]
    by_year = {
        year: figure
        for year in reversed(figures.years)
        if (figure := figures.value(row["indicator"], row["country"], year)) is not None
    }
    if not by_year:
        return {}
    errors = {year: absolute_relative_error(value, figure) for year, figure in by_year.items()}
    best = min(errors, key=errors.__getitem__)
    verdict = WRONG
    if errors[best] <= MATCH:
        verdict = RIGHT if errors.get(cited or best, 1.0) <= MATCH else OTHER_YEAR
    elif value:  # 0 stays 0 wherever the decimal point stands
        moved = value * 10.0 ** np.array(POWERS)
        near = absolute_relative_errors(moved[:, None], np.array([*by_year.values()]))
        verdict = POWER_OF_TEN if near.min() <= MATCH else WRONG
    checked = {"best_year": best, "best_error": errors[best], "verdict": verdict}
    return checked | {"error_of_year": errors.get(cited)}
