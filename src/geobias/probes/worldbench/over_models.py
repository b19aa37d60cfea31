"""Errors over several models: groups, rates and gaps, with models and countries as a sample each.

The models of a study are a sample, and so are the countries; every model is asked about every
country. An interval that is to hold for other models and other countries takes the variance of both
(`stats.crossed`). Models are never counted as more countries, nor answers as more models. Under
three models nothing tells how models vary: intervals are then over countries, for these very
models, and `over` says so.

All functions take the frame of an `answers.Pool`, in which `model` says whose an answer is. Each
model has the same weight.

The matrices have models in rows, and indicators or groups of countries in columns: the paper's
Figures 12 to 14. A cell is the plain mean error over countries, as the paper has it, or the paper's
disparity (`paper.gap`). Cells that are
means have an interval over countries. Pooled rows have one over models, and over countries too
where a row is of runs; the published models come without their countries.
"""

from __future__ import annotations

from itertools import combinations
from operator import itemgetter
from typing import Any

import numpy as np
import polars as pl

from geobias.atlas.economies import INCOMES
from geobias.measures.frames import schema_of
from geobias.probes.worldbench import paper, scores
from geobias.probes.worldbench.answers import ALL_MODELS
from geobias.probes.worldbench.published import MODELS_TABLE, published
from geobias.probes.worldbench.scores import (
    ERROR_BOUNDS,
    GROUPINGS,
    READ,
    By,
    Grouping,
    country_means,
    further_of,
    grouped,
    with_bounds,
)
from geobias.probes.worldbench.trials import WorldBenchRecord
from geobias.stats.contrasts import MIN_UNITS, trend_weights
from geobias.stats.crossed import crossed_ratio, crossed_score
from geobias.stats.estimates import LEAST_UNITS, Bounds, Estimate, Tested, untested
from geobias.stats.over_units import mean_over_units, median_over_units
from geobias.stats.pooling import centred, holm


def pooled_mean(
    part: pl.DataFrame,
    value: str,
    unit: str,
    bounds: Bounds | None = ERROR_BOUNDS,
    *,
    each: str = "",
) -> Estimate:
    """The mean over models of each one's mean over units, crossed; `unit` is country or indicator.

    Under three models, over the units alone. With `each`, the values of that column weigh alike
    within a model, however many rows each of them has.
    """
    known = part.drop_nulls(value)
    if not known.height:
        return Estimate(None, None, None, 0, "no values")
    # A model's values weigh one together, however many it has.
    weigh = 1 / pl.len().over("model")
    if each:
        weigh = 1 / (pl.len().over("model", each) * pl.col(each).n_unique().over("model"))
    weights = known.select(weigh).to_series().to_numpy()
    several = known["model"].n_unique() >= LEAST_UNITS
    models = known["model"].to_numpy() if several else None
    units = known[unit].to_numpy()
    return crossed_ratio(
        known[value].to_numpy() * weights, weights, models, units, bounds=bounds
    ).estimate


def _over(part: pl.DataFrame, unit: str) -> str:
    units = {"country": "countries", "indicator": "indicators"}[unit]
    return f"models and {units}" if part["model"].n_unique() >= LEAST_UNITS else units


def model_means(frame: pl.DataFrame, *further: str) -> pl.DataFrame:
    """The mean error of each country in each model, as if it had been asked about every indicator:
    the numbers that a model's own tables are made of."""
    tables = [
        country_means(part, *further).with_columns(model=pl.lit(model))
        for model, part in grouped(frame, "model")
    ]
    return pl.concat(tables)


def question_errors(frame: pl.DataFrame, *further: str) -> pl.DataFrame:
    """The mean error of each question in each model, repeats averaged."""
    keys = ("model", "indicator", "country", *GROUPINGS, *further)
    answered = frame.drop_nulls("error").group_by(*keys, maintain_order=True)
    return answered.agg(pl.col("error").mean())


def mean_errors(frame: pl.DataFrame) -> pl.DataFrame:
    """Every question with the models' mean error and that of the best and the worst model, the
    largest mean first; `models` counts those that gave an answer."""
    table = (
        question_errors(frame)
        .group_by("indicator", "country", maintain_order=True)
        .agg(
            pl.col("error").mean(),
            pl.col("error").min().alias("least_error"),
            pl.col("error").max().alias("most_error"),
            pl.col("model").n_unique().cast(pl.Int64).alias("models"),
        )
    )
    return table.sort(["error", "indicator", "country"], descending=[True, False, False])


def group_errors(frame: pl.DataFrame, by: By) -> pl.DataFrame:
    """Mean and median error of each group over all models, the largest mean first.

    The columns are those of `scores.group_errors`, with `models`, and `over`: what intervals are
    over. A country's interval is over models and indicators.
    """
    unit = "indicator" if by == "country" else "country"
    questions = question_errors(frame, *further_of(by))
    plain = dict(grouped(questions, by))
    means = plain
    if by not in ("indicator", "country"):
        means = dict(grouped(model_means(frame, *further_of(by)), by))
    levels = _country_levels(frame) if by == "country" else {}
    given = {group: part.height for group, part in grouped(frame.drop_nulls("error"), by)}
    rows = []
    for group, asked in grouped(frame, by):
        part = plain.get(group, questions.clear())
        mean = pooled_mean(means.get(group, questions.clear()), "error", unit)
        if by == "country":
            mean = scores.moved_to(mean, levels.get(group))
        median = _median(part, unit)
        answered = given.get(group, 0)
        rows.append(
            {"group": group}
            | mean.columns("mean")
            | median.columns("median")
            | {
                "plain": part["error"].mean(),
                "models": part["model"].n_unique(),
                "countries": part["country"].n_unique(),
                "questions": answered,
                "asked": asked.height,
                "over": _over(part, unit) if part.height else "",
                "note": mean.note or scores.many_missing(answered, asked.height),
            }
        )
    counts = ("models", "countries", "questions", "asked")
    return scores.table_of_groups(rows, counts, ("over", "note"))


def _median(part: pl.DataFrame, unit: str) -> Estimate:
    values, units = part["error"].to_numpy(), part[unit].to_numpy()
    if part["model"].n_unique() < LEAST_UNITS:
        return median_over_units(values, units, bounds=ERROR_BOUNDS)
    middle, n = float(np.median(values)), part["model"].n_unique()
    return Estimate(middle, None, None, n, "no interval over models and countries at once")


def _country_levels(frame: pl.DataFrame) -> dict[str, float]:
    """Each country's mean error, as if every model had been asked about every indicator."""
    means = country_means(average_model(frame))
    return dict(means.select("country", "error").iter_rows())


def average_model(frame: pl.DataFrame) -> pl.DataFrame:
    """The errors of all models averaged, question by question: a frame as of one model.

    Where some models have no answer to a question, those that have are allowed for being better or
    worse than the others at that indicator (`stats.pooling.centred`).
    """
    keys = [name for name in frame.columns if name not in _OF_AN_ANSWER]
    questions = frame.drop_nulls("error").group_by("model", *keys, maintain_order=True)
    errors = questions.agg(pl.col("error").mean(), pl.col("truth").first())
    parts = []
    for _, part in grouped(errors, "indicator"):
        columns = (part[name].to_numpy() for name in ("error", "model", "country"))
        level = pl.Series("error", centred(*columns), pl.Float64).fill_nan(None)
        parts.append(part.with_columns(level))
    if not parts:
        return frame.drop("model").head(0)
    whole = pl.concat(parts).drop_nulls("error")
    means = whole.group_by(*keys, maintain_order=True).agg(
        pl.col("error").mean().clip(*ERROR_BOUNDS), pl.col("truth").first()
    )
    return means.with_columns(repeat=pl.lit(0), outcome=pl.lit("parsed")).sort(
        "indicator", "country"
    )


_OF_A_QUESTION = ("probe", "country", "indicator", "region", "income", "wording")
_OF_AN_ANSWER = frozenset({"model", *WorldBenchRecord.__struct_fields__} - {*_OF_A_QUESTION})
"""Columns that belong to one answer. All others, such as a user's own groups, belong to its
question: answers that agree in them are answers to the same question."""


def rates(frame: pl.DataFrame, by: By) -> pl.DataFrame:
    """How often questions were answered with a number, declined, or not readable, over all models;
    the columns of `scores.rates`, and `models`."""
    unit = "indicator" if by == "country" else "country"
    rows = []
    for group, part in sorted(grouped(frame, by), key=itemgetter(0)):
        row: dict[str, Any] = {"group": group, "models": part["model"].n_unique()}
        row |= {"asked": part.height, "over": _over(part, unit)}
        for outcome in READ:
            hits = part.with_columns(hit=(pl.col("outcome") == outcome).cast(pl.Float64))
            row |= pooled_mean(hits, "hit", unit).columns(outcome)
        rows.append(row | {"other": (~part["outcome"].is_in(READ)).sum() / part.height})
    schema = schema_of(("group",), (), ("models", "asked"))
    schema |= schema_of(("over",), (*with_bounds(*READ), "other"))
    return pl.DataFrame(rows, schema=schema)


def disparities(frame: pl.DataFrame, by: Grouping, *, per_indicator: bool = True) -> pl.DataFrame:
    """How far groups differ in the errors of all models averaged, over all and by indicator.

    The columns are those of `scores.disparities`, of the models' average: they speak of other
    countries and these very models. Beside them

    trend_models …  of incomes alone: the trend with its interval and `p_models` over models and
                    countries, which speaks of other models too; null under three models
    each_disparity  the mean over models of each one's own disparity as the paper has it
                    (`paper.gap`), with its interval over models: the paper's Figures 7 and 8;
                    `each_baseline` is the mean of their ten random deals
    """
    table = scores.disparities(average_model(frame), by, per_indicator=per_indicator)
    own = [
        paper.disparities(part, by, per_indicator=per_indicator).rows_by_key(
            "indicator", named=True, unique=True
        )
        for _, part in grouped(frame, "model")
    ]
    means = {"all": model_means(frame, *further_of(by))}
    for indicator, part in grouped(question_errors(frame, *further_of(by)), "indicator"):
        means[indicator] = part
    rows = []
    for indicator in table["indicator"]:
        known = [
            found[indicator]
            for found in own
            if indicator in found and found[indicator]["paper_disparity"] is not None
        ]
        gaps = [one["paper_disparity"] for one in known]
        each = mean_over_units(gaps, range(len(gaps)), bounds=ERROR_BOUNDS)
        chance = sum(one["paper_baseline"] for one in known) / len(known) if known else None
        row: dict[str, Any] = {"indicator": indicator, "models": frame["model"].n_unique()}
        if by == "income":
            crossed = _crossed_trend(means[indicator])
            row |= crossed.estimate.columns("trend_models") | {"p_models": crossed.p}
        rows.append(row | each.columns("each_disparity") | {"each_baseline": chance})
    of_trend = (*with_bounds("trend_models"), "p_models") if by == "income" else ()
    schema = schema_of(("indicator",), (), ("models",))
    schema |= schema_of((), (*of_trend, *with_bounds("each_disparity"), "each_baseline"))
    return table.join(pl.DataFrame(rows, schema=schema), on="indicator", maintain_order="left")


def _crossed_trend(means: pl.DataFrame) -> Tested:
    """The trend over incomes, with models and countries as a sample each."""
    known = means.drop_nulls(["error", "income"])
    sizes = dict(known.group_by("income").agg(pl.col("country").n_unique()).iter_rows())
    weights = trend_weights(INCOMES, [name for name, size in sizes.items() if size >= MIN_UNITS])
    if known["model"].n_unique() < LEAST_UNITS or not weights:
        return untested(known.height, "under three models, or too few countries")
    part = known.filter(pl.col("income").is_in([*weights]))
    within = np.array([[income == name for name in weights] for income in part["income"]], float)
    table = np.hstack([within * part["error"].to_numpy()[:, None], within])
    k, pulls = len(weights), np.array([*weights.values()])
    found = crossed_score(
        table,
        [part["model"].to_numpy(), part["country"].to_numpy()],
        lambda sums: (sums[:, :k] / sums[:, k:]) @ pulls,
        bounds=(-1, 1),
    )
    return Tested(found.estimate, found.p)


def pairs(frame: pl.DataFrame, by: Grouping) -> pl.DataFrame:
    """Every two groups: by how much all models err more about the first, crossed over models and
    countries; p-values adjusted for the number of pairs (Holm), the clearest first."""
    means = model_means(frame, *further_of(by)).drop_nulls(by)
    sizes = dict(means.group_by(by).agg(pl.col("country").n_unique()).iter_rows())
    names = sorted(name for name, size in sizes.items() if size >= MIN_UNITS)
    several = means["model"].n_unique() >= LEAST_UNITS
    rows = []
    for first, second in combinations(names, 2):
        part = means.filter(pl.col(by).is_in([first, second]))
        in_first = (part[by] == first).to_numpy().astype(float)
        errors = part["error"].to_numpy()
        table = np.column_stack(
            [errors * in_first, in_first, errors * (1 - in_first), 1 - in_first]
        )
        sides = [part["model"].to_numpy() if several else None, part["country"].to_numpy()]
        found = crossed_score(
            table,
            sides,
            lambda sums: sums[:, 0] / sums[:, 1] - sums[:, 2] / sums[:, 3],
            bounds=(-1, 1),
        )
        value = found.estimate
        sign = -1 if (value.value or 0) < 0 else 1
        more, less = (first, second) if sign > 0 else (second, first)
        bounds = [value.low, value.high] if sign > 0 else [value.high, value.low]
        low, high = (None if end is None else sign * end for end in bounds)
        size = sizes[first] + sizes[second]
        ends = {"difference_low": low, "difference_high": high}
        row: dict[str, Any] = {"more": more, "less": less}
        row |= {"difference": None if value.value is None else sign * value.value} | ends
        rows.append(row | {"p": found.p, "countries": size, "over": _over(part, "country")})
    adjusted = holm([row["p"] for row in rows])
    numbers = (*with_bounds("difference"), "p", "p_holm")
    schema = schema_of(("more", "less"), numbers, ("countries",)) | schema_of(("over",))
    whole = [row | {"p_holm": p} for row, p in zip(rows, adjusted, strict=True)]
    return pl.DataFrame(whole, schema=schema).sort("p", "difference", descending=[False, True])


PUBLISHED = "published models"
"""In the column of models, whose the rows pooled over the paper's models are."""
WHOLE = "all"
"""The column of all questions."""
MEAN = "mean"
"""The column of the mean over indicators; the paper prints no disparity over all questions."""


_CELL = schema_of(("model", "column"), with_bounds("value"), ("n",))


def error_matrix(frame: pl.DataFrame, across: str) -> pl.DataFrame:
    """Mean errors in cells: `model`, `column`, `value` with its interval, `n` countries.

    Across indicators, errors as they are, and the column "all" is the mean of the others, as in the
    paper's Figure 7. Across groups of countries, errors centred by indicator, as in all tables of
    groups, and "all" is over all countries.
    """
    means = question_errors if across == "indicator" else model_means
    errors = means(frame, *further_of(across))
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
    return _ordered(pl.DataFrame(cells, schema=_CELL))


def disparity_matrix(frame: pl.DataFrame, by: Grouping) -> pl.DataFrame:
    """The paper's disparities over groups: "all" is that over all questions (Figure 7), then comes
    a column for each indicator (Figures 13 and 14), and "mean" is the mean of these."""
    cells = []
    for model, own in grouped(frame, "model"):
        for name, part in [*grouped(own, "indicator"), *grouped(own, "all")]:
            gap, n = paper.gap(part, by).value, part.drop_nulls(["error", by])["country"].n_unique()
            cells.append(_cell(model, name, Estimate(gap, None, None, n)))
    table = pl.DataFrame(cells, schema=_CELL)
    table = pl.concat([table, _mean_of_columns(table)])
    return _ordered(pl.concat([table, pooled_rows(table, ALL_MODELS)]))


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
    name = WHOLE if column == "abs_rel_error" else MEAN
    cells = pl.concat([cells, _mean_of_columns(cells, name)])
    return _ordered(pl.concat([cells, pooled_rows(cells, PUBLISHED)]))


def pooled_rows(cells: pl.DataFrame, name: str) -> pl.DataFrame:
    """The mean of each column over models, with its interval over models; `n` counts models."""
    rows = []
    for column, part in grouped(cells.drop_nulls("value"), "column"):
        found = mean_over_units(
            part["value"].to_numpy(), part["model"].to_list(), bounds=ERROR_BOUNDS
        )
        rows.append(_cell(name, column, found))
    return pl.DataFrame(rows, schema=_CELL)


def wide(cells: pl.DataFrame) -> pl.DataFrame:
    """A row for each model and a column for each `column`, "all" first; without intervals."""
    table = cells.pivot("column", index="model", values="value")
    first = [name for name in (WHOLE, MEAN) if name in table.columns]
    columns = [name for name in table.columns if name not in ("model", *first)]
    return table.select("model", *first, *columns)


def _mean(part: pl.DataFrame) -> Estimate:
    columns = (part[name].to_numpy() for name in ("error", "country"))
    return mean_over_units(*columns, bounds=ERROR_BOUNDS)


def _mean_of_columns(cells: pl.DataFrame, name: str = MEAN) -> pl.DataFrame:
    """Each model's mean over the indicators."""
    of_indicators = cells.filter(pl.col("column") != WHOLE)
    means = of_indicators.group_by("model", maintain_order=True).agg(
        pl.lit(name).alias("column"),
        pl.col("value").mean(),
        pl.lit(None, pl.Float64).alias("value_low"),
        pl.lit(None, pl.Float64).alias("value_high"),
        pl.col("n").max(),
    )
    return means.select(cells.columns)


def _cell(model: str, column: str, found: Estimate) -> dict[str, Any]:
    return {"model": model, "column": column} | found.columns("value") | {"n": found.n}


def _ordered(cells: pl.DataFrame) -> pl.DataFrame:
    """Models and columns from the least value to the largest, pooled rows last, as in the paper."""
    pooled = pl.col("model").is_in([ALL_MODELS, PUBLISHED])
    whole = pl.col("column").is_in([WHOLE, MEAN])
    level = pl.col("value").filter(whole).first().over("model")
    along = pl.col("value").filter(~pooled).mean().over("column")
    return cells.sort(
        [pooled, level, "model", ~whole, along, "column"],
        nulls_last=True,
        maintain_order=True,
    )
