"""Models in rows, indicators or groups of countries in columns: the paper's Figures 12 to 14.

A cell is the plain mean error over countries, as the paper has it, or the paper's disparity: the
largest minus the smallest group mean, over all groups, however small. Cells have an interval over
countries where they are means. Rows that are pooled have one over models, and over countries too
where a row is of runs; the published models come without their countries.
"""

from __future__ import annotations

from typing import Any

from geobias.probes.lazy import pl
from geobias.probes.worldbench.conditions import ALL_MODELS
from geobias.probes.worldbench.over_models import model_means, pooled_mean, question_errors
from geobias.probes.worldbench.published import MODELS_TABLE, published
from geobias.probes.worldbench.scores import (
    ERROR_BOUNDS,
    GROUPINGS,
    Grouping,
    grouped,
    with_bounds,
)
from geobias.stats.estimates import Estimate
from geobias.stats.over_units import mean_over_units

PUBLISHED = "published models"
"""In the column of models, whose the rows pooled over the paper's models are."""
WHOLE = "all"
"""The column that holds the mean of the others."""


def error_matrix(frame: pl.DataFrame, across: str) -> pl.DataFrame:
    """Mean errors in cells: `model`, `column`, `value` with its interval, `n` countries.

    Across indicators, errors as they are, and the column "all" is the mean of the others, as in the
    paper's Figure 7. Across groups of countries, errors centred by indicator, as in all tables of
    groups, and "all" is over all countries.
    """
    further = () if across in ("indicator", *GROUPINGS) else (across,)
    errors = question_errors(frame) if across == "indicator" else model_means(frame, *further)
    cells = []
    for model, own in grouped(errors, "model"):
        values = []
        for column, part in grouped(own, across):
            found = _mean(part)
            values.append(found.value)
            cells.append(_cell(model, column, found))
        whole = _mean(own)
        if across == "indicator":
            known = [value for value in values if value is not None]
            mean = sum(known) / len(known) if known else None
            whole = Estimate(mean, None, None, whole.n)
        cells.append(_cell(model, WHOLE, whole))
    for column, part in grouped(errors, across):
        cells.append(_cell(ALL_MODELS, column, pooled_mean(part, "error", "country")))
    each = across if across == "indicator" else ""
    cells.append(_cell(ALL_MODELS, WHOLE, pooled_mean(errors, "error", "country", each=each)))
    return _ordered(pl.DataFrame(cells, schema=_schema()))


def disparity_matrix(frame: pl.DataFrame, by: Grouping) -> pl.DataFrame:
    """The paper's disparities over groups: a column for each indicator, and their mean as "all"."""
    cells = []
    for model, own in grouped(question_errors(frame, *_further(by)), "model"):
        for indicator, part in grouped(own, "indicator"):
            gap, n = _gap(part, by)
            cells.append(_cell(model, indicator, Estimate(gap, None, None, n)))
    table = pl.DataFrame(cells, schema=_schema())
    return _ordered(pl.concat([table, _whole(table), pooled_rows(table, ALL_MODELS)]))


def published_matrix(column: str, indicators: list[str]) -> pl.DataFrame:
    """The paper's twenty models in the same form, over these indicators, and their pooled row;
    `column` is one of abs_rel_error, disparity_regions, disparity_incomes."""
    printed = published(MODELS_TABLE).filter(pl.col("indicator").is_in(indicators))
    named = pl.col("model") + " (published)"
    none = [pl.lit(None, pl.Float64).alias(name) for name in ("value_low", "value_high")]
    cells = printed.select(
        named.alias("model"),
        pl.col("indicator").alias("column"),
        pl.col(column).alias("value"),
        *none,
        pl.lit(None, pl.Int64).alias("n"),
    )
    return _ordered(pl.concat([cells, _whole(cells), pooled_rows(cells, PUBLISHED)]))


def pooled_rows(cells: pl.DataFrame, name: str) -> pl.DataFrame:
    """The mean of each column over models, with its interval over models; `n` counts models."""
    whole = pl.concat([cells, _whole(cells)]) if WHOLE not in cells["column"] else cells
    rows = []
    for column, part in grouped(whole.drop_nulls("value"), "column"):
        found = mean_over_units(
            part["value"].to_numpy(), part["model"].to_list(), bounds=ERROR_BOUNDS
        )
        rows.append(_cell(name, column, found))
    return pl.DataFrame(rows, schema=_schema())


def wide(cells: pl.DataFrame) -> pl.DataFrame:
    """A row for each model and a column for each `column`, "all" first; without intervals."""
    table = cells.pivot("column", index="model", values="value")
    columns = [name for name in table.columns if name not in ("model", WHOLE)]
    return table.select("model", *([WHOLE] if WHOLE in table.columns else []), *columns)


def _mean(part: pl.DataFrame) -> Estimate:
    columns = (part[name].to_numpy() for name in ("error", "country"))
    return mean_over_units(*columns, bounds=ERROR_BOUNDS)


def _further(by: Grouping) -> tuple[str, ...]:
    return () if by in GROUPINGS else (by,)


def _gap(part: pl.DataFrame, by: Grouping) -> tuple[float | None, int]:
    groups = part.drop_nulls(by).group_by(by).agg(pl.col("error").mean(), pl.len())
    if groups.height < 2:
        return None, 0
    values = groups["error"].to_list()
    return max(values) - min(values), int(groups["len"].sum())


def _whole(cells: pl.DataFrame) -> pl.DataFrame:
    """Each model's mean over the columns, as the paper's Figure 7 has it."""
    means = cells.group_by("model", maintain_order=True).agg(
        pl.lit(WHOLE).alias("column"),
        pl.col("value").mean(),
        pl.lit(None, pl.Float64).alias("value_low"),
        pl.lit(None, pl.Float64).alias("value_high"),
        pl.col("n").max(),
    )
    return means.select(cells.columns)


def _cell(model: str, column: str, found: Estimate) -> dict[str, Any]:
    return {"model": model, "column": column} | found.columns("value") | {"n": found.n}


def _schema() -> dict[str, Any]:
    numbers = dict.fromkeys(with_bounds("value"), pl.Float64)
    return {"model": pl.String, "column": pl.String} | numbers | {"n": pl.Int64}


def _ordered(cells: pl.DataFrame) -> pl.DataFrame:
    """Models and columns from the least value to the largest, pooled rows last, as in the paper."""
    pooled = pl.col("model").is_in([ALL_MODELS, PUBLISHED])
    level = pl.col("value").filter(pl.col("column") == WHOLE).first().over("model")
    along = pl.col("value").filter(~pooled).mean().over("column")
    return cells.sort(
        [pooled, level, "model", pl.col("column") != WHOLE, along, "column"],
        nulls_last=True,
        maintain_order=True,
    )
