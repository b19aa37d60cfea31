"""The number of every country, and which countries differ from the others.

Countries are ranked by means drawn towards the mean of all countries (`stats.pooling`), because
each has few questions. Permutation tests compare each country with all others, and p-values are
adjusted for the number of countries.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from geobias.measures.crossed import POOLED, group_note
from geobias.measures.estimates import group_table, is_share, ranked
from geobias.measures.frames import once_per_frame, schema_of
from geobias.measures.measure import Measure
from geobias.measures.questions import questions
from geobias.stats.arrays import ROUNDING, Floats
from geobias.stats.pooling import benjamini_hochberg, lent_errors, pooled_means, pooled_rates

DRAWS = 20_000
_TESTED = ("excess", "excess_p", "excess_p_adjusted")
_FIRST = ("country", "mean", "mean_low", "mean_high", *POOLED, *_TESTED, "p", "p_adjusted")


@once_per_frame
def country_table(frame: pl.DataFrame, measure: Measure) -> pl.DataFrame:
    """Return a row for every country that was asked about, the largest pooled mean first.

    mean      the mean as if every item had been asked, with an interval over items
    pooled    the mean drawn towards that of all countries. The pull is stronger for a country with
              few answered items, so that two lucky answers do not top a ranking
    excess    the country's value minus the mean of all countries at that item, averaged over items
    excess_p  the p-value of a permutation test of `excess`: how often one at least as far from 0
              occurs if the values of each item are shuffled among the countries (Good 2005, chapter
              3). Null for fewer than two items

    Columns other than `mean` need a measure with items. For a share with units inside a country,
    `pooled` is the beta-binomial rate of the country (`stats.pooling.pooled_rates`). If units are
    crossed, `p` tests the mean of the country against 0 (`estimates.group_table`).
    """
    table = group_table(frame, measure, "country").rename({"group": "country"})
    if measure.crossed:
        return table
    table = table.drop("note")
    if measure.item:
        tested = _tested(frame, measure)
    elif measure.within and is_share(frame, measure):
        tested = _rates(frame, measure)
    else:
        tested = pl.DataFrame(schema={"country": pl.String})
    first = [name for name in _FIRST if name in (*table.columns, *tested.columns)]
    joined = table.join(tested, on="country", how="left", maintain_order="left")
    ordered = joined.select(*first, pl.exclude(first))
    return ordered.sort(ranked(ordered), "country", descending=[True, False], nulls_last=True)


def country_note(measure: Measure) -> str:
    if measure.crossed:
        return group_note(measure, "country")
    return (
        "Ranked by `pooled`: the mean drawn towards that of all countries, the more the fewer "
        "answers a country has. `excess` is the difference between a country and all others on "
        "the same questions. `excess_p` is from a permutation test of `excess`; "
        "`excess_p_adjusted` allows for the number of countries (Benjamini and Hochberg)."
    )


def _rates(frame: pl.DataFrame, measure: Measure) -> pl.DataFrame:
    """The rate of each country, in which a unit that was asked repeatedly counts once."""
    own = questions(frame, measure).drop_nulls(["value", "country"]).group_by("country")
    hits = own.agg(pl.col("value").sum().alias("hits"), pl.len().alias("of")).sort("country")
    pooled = pooled_rates(hits["hits"].to_numpy(), hits["of"].to_numpy())
    rows = [one.columns("pooled") for one in pooled]
    return hits.select("country").hstack(pl.DataFrame(rows, schema=schema_of((), POOLED)))


def _tested(frame: pl.DataFrame, measure: Measure) -> pl.DataFrame:
    known = questions(frame, measure).drop_nulls("value").sort(measure.item, "country")
    mean = pl.col("value").mean()
    over = known.with_columns(over=pl.col("value") - mean.over(measure.item))
    found = over.group_by("country", maintain_order=True).agg(
        pl.col("over").mean().alias("excess"),
        pl.col("over").std().alias("sd"),
        pl.len().cast(pl.Int64).alias("items"),
    )
    usual = 0.0
    if not measure.relative and known.height:
        usual = float(
            known.group_by(measure.item, maintain_order=True).agg(mean)["value"].to_numpy().mean()
        )
    p = _dealt_p(over, measure.item)
    tests = [p.get(iso3) for iso3 in found["country"]]
    return (
        found.hstack(_pooled(found, usual, measure))
        .with_columns(
            excess_p=pl.Series(tests, dtype=pl.Float64),
            excess_p_adjusted=pl.Series(benjamini_hochberg(tests), dtype=pl.Float64),
        )
        .drop("sd", "items")
    )


def _pooled(found: pl.DataFrame, usual: float, measure: Measure) -> pl.DataFrame:
    """Return the pooled excess of each country, added to `usual`, the mean over all items.

    With a single item the excess is not pooled and has no interval, because luck cannot be told
    from knowledge.
    """
    counts = found["items"].to_list()
    errors = lent_errors(found["sd"].to_numpy(), counts)
    pooled = pooled_means(found["excess"].to_numpy(), errors, counts)
    rows = [one.columns("pooled") for one in pooled]
    table = pl.DataFrame(rows, schema=schema_of((), POOLED)).hstack(found.select("excess"))
    return table.select(
        pl.coalesce("pooled", "excess").alias("pooled"), "pooled_low", "pooled_high"
    ).with_columns((pl.all() + usual).clip(*measure.range))


def _dealt_p(over: pl.DataFrame, item: str) -> dict[str, float]:
    """Return the p-value of the excess of each country, from `DRAWS` shuffles within items.

    Each item is shuffled by itself, so countries with the same items share one distribution.
    """
    dice = np.random.default_rng(0)
    drawn: dict[str, Floats] = {}
    for (name,), part in over.group_by(item, maintain_order=True):
        values = part["over"].to_numpy()
        drawn[str(name)] = values[dice.integers(0, len(values), DRAWS)]
    asked = over.group_by("country", maintain_order=True).agg(item, pl.col("over").mean())
    dealt: dict[tuple[str, ...], Floats] = {}
    found = {}
    for iso3, names, excess in asked.iter_rows():
        if len(names) < 2:
            continue
        key = tuple(names)
        if key not in dealt:
            dealt[key] = np.sort(np.abs(sum(drawn[name] for name in key) / len(key)))
        reached = DRAWS - int(np.searchsorted(dealt[key], abs(excess) - ROUNDING))
        found[str(iso3)] = (1 + reached) / (1 + DRAWS)
    return found
