"""Which countries a model errs about more than about others, allowing for how many are looked at.

Indicators differ in how hard they are, and countries in which indicators they have figures for. So
a country's errors are compared with what all countries have on the same questions.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from geobias.atlas.economies import economies
from geobias.probes.worldbench.scores import ERROR_BOUNDS, Grouping, group_errors
from geobias.stats import lent_errors, mean_over_units, pooled_means
from geobias.stats.multiple import benjamini_hochberg, holm
from geobias.stats.student import two_sided_p

if TYPE_CHECKING:
    import polars as pl


def country_errors(frame: pl.DataFrame, *, seed: int = 0) -> pl.DataFrame:
    """Every country that was asked about, the largest pooled error first.

    pooled       its error as if it had been asked about every indicator, leaning on all countries
                 the more the fewer indicators it has answers to (`stats.pooling`): two lucky
                 answers do not top a ranking
    excess       mean over the country's indicators of its error minus the mean error of all
                 countries at that indicator
    p            of a t-test of that against 0 over indicators; null under two, or where all are
                 equal
    p_adjusted   for the number of countries, by Benjamini and Hochberg: of those under 0.05, one
                 in twenty is false on average
    """
    import polars as pl

    means = (
        frame.filter(pl.col("error").is_not_null())
        .sort("indicator", "country", "repeat")
        .group_by("indicator", "country", maintain_order=True)
        .agg(pl.col("error").mean())
    )
    over = means.with_columns(over=pl.col("error") - pl.col("error").mean().over("indicator"))
    tested = over.group_by("country", maintain_order=True).agg(
        pl.col("over").mean().alias("excess"),
        pl.col("over").std().alias("sd"),
        pl.len().cast(pl.Int64).alias("indicators"),
    )
    usual = means.group_by("indicator").agg(pl.col("error").mean())["error"].mean()
    table = (
        group_errors(frame, "country", seed=seed)
        .rename({"group": "country"})
        .drop("countries")
        .join(_pooled(tested, usual), on="country", how="left", maintain_order="left")
        .sort(["pooled", "country"], descending=[True, False], nulls_last=True)
    )
    p = [_p(row) for row in table.to_dicts()]
    known = economies()
    places = {
        name: [getattr(known[iso3], name) for iso3 in table["country"]]
        for name in ("name", "region", "income")
    }
    return table.with_columns(
        *(pl.Series(name, found, pl.String) for name, found in places.items()),
        pl.Series("p", p, pl.Float64),
        pl.Series("p_adjusted", benjamini_hochberg(p), pl.Float64),
    ).select(
        *("country", "name", "region", "income"),
        *("mean", "mean_low", "mean_high", "median", "median_low", "median_high"),
        *("pooled", "pooled_low", "pooled_high"),
        *("excess", "p", "p_adjusted", "indicators", "questions", "asked"),
    )


def _pooled(tested: pl.DataFrame, usual: Any) -> pl.DataFrame:
    """The countries' excesses pooled, over the `usual` error of all indicators.

    With one indicator alone nothing tells luck from knowledge: the excess stands as it is, without
    an interval.
    """
    import polars as pl

    least, most = ERROR_BOUNDS
    counts = tested["indicators"].to_list()
    found = pooled_means(
        tested["excess"].to_numpy(), lent_errors(tested["sd"].to_numpy(), counts), counts
    )
    rows = [one.columns("pooled") for one in found.groups]
    schema = dict.fromkeys(("pooled", "pooled_low", "pooled_high"), pl.Float64)
    return (
        tested.hstack(pl.DataFrame(rows, schema=schema))
        .with_columns(pl.coalesce("pooled", "excess").alias("pooled"))
        .with_columns((pl.col(name) + usual).clip(least, most) for name in schema)
    )


def country_extremes(frame: pl.DataFrame, count: int = 15, *, seed: int = 0) -> pl.DataFrame:
    """The `count` countries with the smallest pooled error and those with the largest.

    Where there are fewer than twice `count`, none stands on both lists: the middle one belongs to
    the best. Countries without an answer are on neither.
    """
    import polars as pl

    table = (
        country_errors(frame, seed=seed)
        .filter(pl.col("pooled").is_not_null())
        .reverse()
        .with_row_index("rank", offset=1)
    )
    best = min(count, (table.height + 1) // 2)
    worst = min(count, table.height - best)
    marked = [("best", table.head(best)), ("worst", table.tail(worst))]
    return pl.concat(
        part.select(
            pl.lit(end).alias("end"),
            *("rank", "country", "name", "region", "income"),
            *("pooled", "pooled_low", "pooled_high", "mean", "mean_low", "mean_high"),
            *("p_adjusted", "indicators", "questions"),
        )
        for end, part in marked
    )


def _p(row: dict[str, Any]) -> float | None:
    if row["indicators"] is None or row["indicators"] < 2 or not row["sd"]:
        return None
    n: int = row["indicators"]
    return two_sided_p(row["excess"] / (row["sd"] / math.sqrt(n)), n - 1)


def crossed(frame: pl.DataFrame, by: Grouping, *, seed: int = 0) -> pl.DataFrame:
    """Mean error of each group at each indicator over its countries, with 95% intervals."""
    import polars as pl

    rows = []
    answered = frame.filter(pl.col("error").is_not_null() & pl.col(by).is_not_null())
    for (indicator, group), part in answered.group_by("indicator", by, maintain_order=True):
        found = mean_over_units(
            part["error"].to_numpy(), part["country"].to_numpy(), seed=seed, bounds=ERROR_BOUNDS
        )
        cell = {"indicator": indicator, by: group, "countries": found.n}
        rows.append(cell | found.columns("mean"))
    schema: dict[str, Any] = {"indicator": pl.String, by: pl.String}
    schema |= dict.fromkeys(("mean", "mean_low", "mean_high"), pl.Float64)
    return pl.DataFrame(rows, schema=schema | {"countries": pl.Int64}).sort("indicator", by)


def adjusted_correlations(table: pl.DataFrame) -> pl.DataFrame:
    """`analyses.correlations` with p-values adjusted for the number of indicators beside."""
    import polars as pl

    added = [
        pl.Series(f"{name}_p_adjusted", holm(table[f"{name}_p"].to_list()), pl.Float64)
        for name in ("pearson", "spearman")
    ]
    first = ["indicator", "pearson", "pearson_p", "pearson_p_adjusted"]
    second = ["spearman", "spearman_p", "spearman_p_adjusted", "countries"]
    return table.with_columns(*added).select(*first, *second)
