"""Which countries a model errs about more than about others, and what kind of country they are.

Indicators differ in how hard they are, and countries in which indicators they have figures for. So
a country's errors are compared with what all countries have on the same questions, allowing for the
number of countries.

The paper's Table 2 can be read in two ways. Its caption speaks of the mean error of a country; its
text says that correlations are computed "for each (LLM, indicator) pair separately" and averaged.
Both are given, each under its name (`correlations`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from geobias.atlas.economies import economies
from geobias.atlas.figures import Figures, Rule
from geobias.measures.frames import schema_of
from geobias.probes.worldbench import over_models
from geobias.probes.worldbench.over_models import average_model, pooled_mean, question_errors
from geobias.probes.worldbench.scores import (
    ERROR_BOUNDS,
    country_means,
    group_errors,
    grouped,
    question_means,
    with_bounds,
)
from geobias.stats.correlation import fisher_interval, partial, pearson, spearman
from geobias.stats.over_units import mean_over_units, mean_test
from geobias.stats.pooling import benjamini_hochberg, lent_errors, pooled_means

DRAWS = 20_000


def country_errors(frame: pl.DataFrame) -> pl.DataFrame:
    """Every country that was asked about, the largest pooled error first.

    pooled       its error as if it had been asked about every indicator, leaning on all countries
                 the more the fewer indicators it has answers to (`stats.pooling`): two lucky
                 answers do not top a ranking
    excess       mean over the country's indicators of its error minus the mean error of all
                 countries at that indicator
    plain        mean of the country's errors as they are, as the paper has it
    p            of a permutation test: how often an excess at least as far from 0 comes about when
                 the errors of each indicator are shuffled among the countries that have one
                 (Good 2005, chapter 3); null under two indicators
    p_adjusted   for the number of countries, by Benjamini and Hochberg: of those under 0.05, one
                 in twenty is false on average
    """
    means = question_means(frame).sort("indicator", "country")
    over = _excesses(means)
    tested = over.group_by("country", maintain_order=True).agg(
        pl.col("over").mean().alias("excess"),
        pl.col("over").std().alias("sd"),
        pl.col("error").mean().alias("plain"),
        pl.len().cast(pl.Int64).alias("indicators"),
    )
    usual = means.group_by("indicator").agg(pl.col("error").mean())["error"].mean()
    table = (
        group_errors(frame, "country")
        .rename({"group": "country"})
        .drop("countries", "plain")
        .join(_pooled(tested, usual), on="country", how="left", maintain_order="left")
        .sort(["pooled", "country"], descending=[True, False], nulls_last=True)
    )
    places = [economies()[iso3] for iso3 in table["country"]]
    return (
        table.with_columns(
            *(
                pl.Series(name, [getattr(place, name) for place in places], pl.String)
                for name in ("name", "region", "income")
            ),
        )
        .join(country_tests(frame), on="country", how="left", maintain_order="left")
        .select(
            *("country", "name", "region", "income"),
            *with_bounds("mean", "median", "pooled"),
            *("plain", "excess", "p", "p_adjusted", "indicators", "questions", "asked"),
        )
    )


def country_tests(frame: pl.DataFrame) -> pl.DataFrame:
    """`p` and `p_adjusted` of every country with answers (`country_errors`)."""
    over = _excesses(question_means(frame).sort("indicator", "country"))
    found = _dealt_p(over)
    countries = over["country"].unique().sort()
    p = [found.get(iso3) for iso3 in countries]
    columns = {"country": countries, "p": p, "p_adjusted": benjamini_hochberg(p)}
    return pl.DataFrame(columns, schema=schema_of(("country",), ("p", "p_adjusted")))


def _excesses(questions: pl.DataFrame) -> pl.DataFrame:
    """Each error as `over`, what all countries have at the indicator taken off."""
    return questions.with_columns(over=pl.col("error") - pl.col("error").mean().over("indicator"))


def _pooled(tested: pl.DataFrame, usual: Any) -> pl.DataFrame:
    """The countries' excesses pooled, over the `usual` error of all indicators.

    With one indicator alone nothing tells luck from knowledge: the excess stands as it is, without
    an interval.
    """
    least, most = ERROR_BOUNDS
    counts = tested["indicators"].to_list()
    found = pooled_means(
        tested["excess"].to_numpy(), lent_errors(tested["sd"].to_numpy(), counts), counts
    )
    rows = [one.columns("pooled") for one in found.groups]
    schema = schema_of((), with_bounds("pooled"))
    return (
        tested.hstack(pl.DataFrame(rows, schema=schema))
        .with_columns(pl.coalesce("pooled", "excess").alias("pooled"))
        .with_columns((pl.col(name) + usual).clip(least, most) for name in schema)
    )


RANKED_BY = ("pooled", "plain", "median")


def country_extremes(
    table: pl.DataFrame, count: int = 15, ranked_by: str = "pooled"
) -> pl.DataFrame:
    """The `count` countries of `country_errors` with the smallest error and those with the largest.

    `ranked_by` is one of `RANKED_BY`: the pooled error, or the plain mean or median of the errors
    as they are, as in the paper's Figures 6 and 16. Where there are fewer than twice `count`
    countries, none stands on both lists: the middle one belongs to the best. Countries without an
    answer are on neither.
    """
    ranked = table.drop_nulls(ranked_by).sort([ranked_by, "country"], descending=[False, True])
    ranked = ranked.with_row_index("rank", offset=1)
    best = min(count, (ranked.height + 1) // 2)
    worst = min(count, ranked.height - best)
    marked = [("best", ranked.head(best)), ("worst", ranked.tail(worst))]
    return pl.concat(
        part.select(
            *("name", "country", pl.lit(end).alias("end"), "rank", "region", "income"),
            *with_bounds("pooled", "mean", "median"),
            *("plain", "p_adjusted"),
            *(name for name in ("models", "indicators", "questions") if name in part.columns),
        )
        for end, part in marked
    )


def countries_over_models(frame: pl.DataFrame) -> pl.DataFrame:
    """`country_errors` of all models averaged. Means and medians have intervals over models and
    indicators, and under three models over indicators; `plain` is the mean of all answers; `pooled`
    and `p` are of these very models.
    """
    crossed = over_models.group_errors(frame, "country").rename({"group": "country"})
    own = ("country", *with_bounds("mean", "median"), "plain", "models", "questions", "asked")
    table = country_errors(over_models.average_model(frame))
    columns = [*table.columns, "models"]
    joined = table.drop(*own[1:8], "questions", "asked").join(
        crossed.select(own), on="country", how="left", maintain_order="left"
    )
    return joined.select(columns)


def _dealt_p(over: pl.DataFrame) -> dict[str, float]:
    """Country → the p of its excess, from `DRAWS` deals within indicators.

    In a random deal a country gets any of an indicator's errors, and independently so of every
    other indicator: countries with the same indicators share one distribution.
    """
    dice = np.random.default_rng(0)
    drawn: dict[str, Any] = {}
    for (name,), part in over.group_by("indicator", maintain_order=True):
        errors = part["over"].to_numpy()
        drawn[str(name)] = errors[dice.integers(0, len(errors), DRAWS)]
    asked = over.group_by("country", maintain_order=True).agg("indicator", pl.col("over").mean())
    dealt: dict[tuple[str, ...], Any] = {}
    found = {}
    for iso3, names, excess in asked.iter_rows():
        if len(names) < 2:
            continue
        key = tuple(names)
        if key not in dealt:
            dealt[key] = np.sort(np.abs(sum(drawn[name] for name in key) / len(key)))
        reached = DRAWS - int(np.searchsorted(dealt[key], abs(excess) - 1e-12))
        found[str(iso3)] = (1 + reached) / (1 + DRAWS)
    return found


def indicators_by_region(frame: pl.DataFrame) -> pl.DataFrame:
    """Mean error of each region at each indicator over its countries, with 95% intervals."""
    rows = []
    keys = ("indicator", "region")
    answered = frame.drop_nulls(["error", "region"])
    for names, part in answered.group_by(*keys, maintain_order=True):
        mean = mean_over_units(
            part["error"].to_numpy(), part["country"].to_numpy(), bounds=ERROR_BOUNDS
        )
        cell = dict(zip(keys, names, strict=True))
        rows.append(cell | mean.columns("mean") | {"countries": mean.n})
    schema = schema_of(keys, with_bounds("mean"), ("countries",))
    return pl.DataFrame(rows, schema=schema).sort(keys)


Values: TypeAlias = Sequence[float] | NDArray[np.float64]

Covariates: TypeAlias = Mapping[str, Mapping[str, float]]
"""What it is → economy's code → its number."""


_CORRELATED = schema_of(
    ("indicator",),
    (*with_bounds("pearson"), "pearson_p", "spearman", "spearman_p"),
    ("countries",),
)


def indicator_values(figures: Figures, rule: Rule = "average") -> Covariates:
    """The indicators of a table of figures as covariates, asked for or not."""
    return {name: figures.truths(name, rule) for name in figures.rows}


def correlations(frame: pl.DataFrame, covariates: Covariates) -> pl.DataFrame:
    """Each covariate against the errors, in one model or over all models of the frame.

    Over all, its correlation with the mean error of a country (averaged over models):

    pearson, spearman   with p of single tests: of eleven rows without any relation, one in two
                        tables has one below 0.05; Pearson's with Fisher's interval over countries
    given_income        Pearson's among countries of one income group (a partial correlation)

    Per pair, as the paper's text has it: its correlation with the errors of each model at each
    indicator, averaged over all pairs.

    pair_pearson        that mean; its interval is over indicators, and over models where there are
                        three or more
    pair_p              the mean of the pairs' p-values, as the paper prints it: no p-value of
                        anything, but beside the paper's it can be read
    pairs               how many pairs there are
    """
    average = average_model(frame)
    means = country_means(average)
    errors = dict(means.select("country", "error").iter_rows())
    incomes = dict(means.select("country", "income").iter_rows())
    by_pair = {
        (model, indicator): dict(part.select("country", "error").iter_rows())
        for model, own in grouped(question_errors(frame), "model")
        for indicator, part in grouped(own, "indicator")
    }
    rows = []
    for name, values in covariates.items():
        both = sorted(values.keys() & errors.keys())
        x, y = [values[iso3] for iso3 in both], [errors[iso3] for iso3 in both]
        row = _correlated(name, x, y)
        within = [incomes[iso3] for iso3 in both]
        given = partial(x, y, within)
        groups = len({group for group in within if group is not None})
        low, high = fisher_interval(given, max(0, groups - 1))
        row |= {"given_income": given.r, "given_income_low": low, "given_income_high": high}
        row |= {"given_income_p": given.p}
        rows.append(row | _over_pairs(values, by_pair))
    numbers = (*with_bounds("given_income"), "given_income_p", *with_bounds("pair_pearson"))
    schema = _CORRELATED | schema_of((), (*numbers, "pair_p"), ("pairs",)) | schema_of(("note",))
    return pl.DataFrame(rows, schema=schema)


def _over_pairs(
    values: Mapping[str, float], by_pair: Mapping[tuple[str, str], Mapping[str, float]]
) -> dict[str, Any]:
    """The mean over pairs of model and indicator of the correlation with that pair's errors."""
    found = []
    for (model, indicator), errors in by_pair.items():
        both = sorted(values.keys() & errors.keys())
        one = pearson([values[iso3] for iso3 in both], [errors[iso3] for iso3 in both])
        if one.r is not None:
            found.append({"model": model, "indicator": indicator, "r": one.r, "p": one.p})
    table = pl.DataFrame(found, schema=schema_of(("model", "indicator"), ("r", "p")))
    mean = pooled_mean(table, "r", "indicator", bounds=(-1, 1))
    row = mean.columns("pair_pearson") | {"pair_p": table["p"].mean(), "pairs": table.height}
    return row | {"note": f"per pair: {mean.note}" if mean.note else ""}


def consistency(frame: pl.DataFrame) -> pl.DataFrame:
    """Whether answers that vary are wrong: spread over repeats against error (Table 2, right).

    The spread of a question is the standard deviation of its answers over repeats (n − 1 in the
    denominator) divided by their mean; 0 where all are equal. Questions with under two answers, or
    whose different answers average to 0, have none. Then, for each indicator, its correlation over
    countries with the question's mean error. `spread` is the mean spread. What wordings make of a
    question is no inconsistency: each is taken by itself, and their mean is the question's.
    """
    mean, sd = pl.col("value").mean(), pl.col("value").std()
    worded = frame.group_by("indicator", "country", "wording", maintain_order=True).agg(
        pl.when(sd == 0).then(0.0).when(mean != 0).then(sd / mean.abs()).alias("spread"),
        pl.col("error").mean(),
    )
    asked = worded.group_by("indicator", "country", maintain_order=True).agg(
        pl.col("spread").mean(), pl.col("error").mean()
    )
    known = asked.filter(pl.col("spread").is_not_null() & pl.col("error").is_not_null())
    rows = []
    for indicator in frame["indicator"].unique(maintain_order=True):
        part = known.filter(pl.col("indicator") == indicator)
        row = _correlated(indicator, part["spread"].to_numpy(), part["error"].to_numpy())
        rows.append(row | {"spread": part["spread"].mean()})
    return pl.DataFrame(rows, schema=_CORRELATED | schema_of((), ("spread",)))


def consistency_over_models(frame: pl.DataFrame) -> pl.DataFrame:
    """The mean over models of each one's correlation, with its interval over models and the p that
    belongs to it; `paper_pearson_p` is the mean of the models' p-values, as in the paper's Table 2,
    which is no p-value. Under three models, no interval."""
    each = pl.concat(
        consistency(part).with_columns(model=pl.lit(model))
        for model, part in grouped(frame, "model")
    )
    rows = []
    for indicator, part in grouped(each, "indicator"):
        known = part.drop_nulls("pearson")
        row: dict[str, Any] = {"indicator": indicator, "countries": part["countries"].max()}
        for name in ("pearson", "spearman"):
            found, p = mean_test(known[name].to_numpy(), bounds=(-1, 1))
            row |= found.columns(name) | {f"{name}_p": p}
            row |= {f"paper_{name}_p": known[f"{name}_p"].mean()}
        rows.append(row | {"spread": part["spread"].mean(), "models": known.height})
    numbers = ("spearman_low", "spearman_high", "spread", "paper_pearson_p", "paper_spearman_p")
    return pl.DataFrame(rows, schema=_CORRELATED | schema_of((), numbers, ("models",)))


def _correlated(name: str, x: Values, y: Values) -> dict[str, Any]:
    straight, ranked = pearson(x, y), spearman(x, y)
    low, high = fisher_interval(straight)
    return {
        "indicator": name,
        "pearson": straight.r,
        "pearson_low": low,
        "pearson_high": high,
        "pearson_p": straight.p,
        "spearman": ranked.r,
        "spearman_p": ranked.p,
        "countries": straight.n,
    }
