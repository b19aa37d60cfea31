"""Which countries a model errs about more than about others, allowing for how many are looked at.

Indicators differ in how hard they are, and countries in which indicators they have figures for. So
a country's errors are compared with what all countries have on the same questions.
"""

from __future__ import annotations

from typing import Any

from geobias.atlas.economies import economies
from geobias.probes.lazy import pl
from geobias.probes.worldbench import over_models
from geobias.probes.worldbench.scores import (
    ERROR_BOUNDS,
    group_errors,
    question_means,
    with_bounds,
)
from geobias.stats.over_units import mean_over_units
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
        .drop("countries")
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
    schema: dict[str, Any] = {"country": pl.String, "p": pl.Float64, "p_adjusted": pl.Float64}
    return pl.DataFrame(columns, schema=schema)


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
    schema = dict.fromkeys(with_bounds("pooled"), pl.Float64)
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
    indicators, and under three models over indicators; `pooled` and `p` are of these very models.
    """
    crossed = over_models.group_errors(frame, "country").rename({"group": "country"})
    own = ("country", *with_bounds("mean", "median"), "models", "questions", "asked")
    table = country_errors(over_models.average_model(frame))
    columns = [*table.columns, "models"]
    joined = table.drop(*own[1:7], "questions", "asked").join(
        crossed.select(own), on="country", how="left", maintain_order="left"
    )
    return joined.select(columns)


def _dealt_p(over: pl.DataFrame) -> dict[str, float]:
    """Country → the p of its excess, from `DRAWS` deals within indicators.

    In a random deal a country gets any of an indicator's errors, and independently so of every
    other indicator: countries with the same indicators share one distribution.
    """
    import numpy as np

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
    schema: dict[str, Any] = dict.fromkeys(keys, pl.String)
    schema |= dict.fromkeys(with_bounds("mean"), pl.Float64)
    return pl.DataFrame(rows, schema=schema | {"countries": pl.Int64}).sort(keys)
