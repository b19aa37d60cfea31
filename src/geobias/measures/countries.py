"""Every country's number, and which countries differ from the others.

Many countries are compared, each with few questions. So they are ranked by numbers drawn towards
all countries (`stats.pooling`), and tested against all others by permutation, with p-values
adjusted for their number.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from geobias.measures.crossed import crossed_groups, group_note
from geobias.measures.estimates import group_table, is_share
from geobias.measures.frames import once_per_frame, schema_of
from geobias.measures.measure import Measure
from geobias.measures.questions import questions
from geobias.stats.arrays import Floats
from geobias.stats.pooling import (
    benjamini_hochberg,
    lent_errors,
    pooled_means,
    pooled_rates,
)

DRAWS = 20_000
POOLED = ("pooled", "pooled_low", "pooled_high")
_FIRST = ("country", "mean", "mean_low", "mean_high", *POOLED, "excess", "p", "p_adjusted")


@once_per_frame
def country_table(frame: pl.DataFrame, measure: Measure) -> pl.DataFrame:
    """Every country that was asked about, the largest pooled number first.

    mean        as if everything had been asked, with an interval over items
    pooled      the mean drawn towards all countries, the more the fewer items it has answers to, so
                that two lucky answers do not top a ranking
    excess      the mean over its items of its value minus the mean of all countries at the item
    p           of a permutation test: how often an excess at least as far from 0 occurs if the
                values of each item are shuffled among the countries (Good 2005, chapter 3);
                null for fewer than two items
    p_adjusted  for the number of countries (Benjamini and Hochberg)

    All columns but the mean need items. For a share whose units contain others, `pooled` is its
    beta-binomial rate (`stats.pooling.pooled_rates`). If units are crossed, `p` tests the country's
    own mean against 0 (`crossed.crossed_groups`).
    """
    if measure.crossed:
        return crossed_groups(frame, measure, "country").rename({"group": "country"})
    table = group_table(frame, measure, "country").rename({"group": "country"}).drop("note")
    if measure.item:
        tested = _tested(frame, measure)
    elif measure.within and is_share(frame, measure):
        tested = _rates(frame, measure)
    else:
        tested = pl.DataFrame(schema={"country": pl.String})
    first = [name for name in _FIRST if name in (*table.columns, *tested.columns)]
    ranked = pl.coalesce(*(name for name in ("pooled", "mean") if name in first))
    return (
        table.join(tested, on="country", how="left", maintain_order="left")
        .select(*first, pl.exclude(first))
        .sort([ranked, "country"], descending=[True, False], nulls_last=True)
    )


def country_note(measure: Measure) -> str:
    """How to read the table of countries."""
    if measure.crossed:
        return group_note(measure, "country")
    return (
        "Ranked by `pooled`, which leans on all countries, most where a country has few answers. "
        "`excess` is what a country has over all others on the same questions, `p` of a "
        "permutation test of it, and `p_adjusted` allows for the number of countries (Benjamini "
        "and Hochberg)."
    )


def _rates(frame: pl.DataFrame, measure: Measure) -> pl.DataFrame:
    """Each country's rate over what is within it. Repeated asks count once, with their share of
    hits.
    """
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
            p=pl.Series(tests, dtype=pl.Float64),
            p_adjusted=pl.Series(benjamini_hochberg(tests), dtype=pl.Float64),
        )
        .drop("sd", "items")
    )


def _pooled(found: pl.DataFrame, usual: float, measure: Measure) -> pl.DataFrame:
    """The countries' excesses pooled, added to the `usual` value of all items.

    With a single item, luck cannot be told from knowledge: the excess is unchanged and has no
    interval.
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
    """Country → the p-value of its excess, from `DRAWS` shuffles within items.

    In a shuffle a country gets any of an item's values, independently of every other item, so
    countries with the same items share one distribution.
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
        reached = DRAWS - int(np.searchsorted(dealt[key], abs(excess) - 1e-12))
        found[str(iso3)] = (1 + reached) / (1 + DRAWS)
    return found
