"""Groups whose answers lean to the stereotype, allowing for how many groups are looked at."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from geobias.probes.namebbq.scores import By, counts_of, group_scores, unit_of
from geobias.stats.estimates import Estimate
from geobias.stats.pooling import holm, lent_errors, pooled_means

if TYPE_CHECKING:
    import polars as pl


def group_leanings(frame: pl.DataFrame, by: By) -> pl.DataFrame:
    """`group_scores`, the largest pooled bias first, with a test of ambiguous bias against 0.

    pooled       that bias leaning on all groups of the dataset, the more the fewer templates it has
                 (`stats.pooling`); a group with one lucky template does not top a ranking
    p            belongs to the interval of that bias
    p_adjusted   for the number of groups of the same dataset
    """
    import polars as pl

    unit = unit_of(by)
    totals = (
        frame.filter(condition="ambig", read=1)
        .group_by(by, "dataset", unit)
        .agg(pl.col("lean").sum().cast(pl.Float64), pl.len().alias("answers"))
        .sort(by, "dataset", unit)
    )
    parts = {(group, dataset): part for (group, dataset), part in totals.group_by(by, "dataset")}
    table = group_scores(frame, by)
    pairs = list(table.select(by, "dataset").iter_rows())
    tests = [
        _pooled([parts.get(key) for key in pairs if key[1] == dataset]).with_columns(
            pl.Series("p_adjusted", holm(table.filter(dataset=dataset)["p"].to_list()), pl.Float64)
        )
        for dataset in table["dataset"].unique(maintain_order=True)
    ]
    added = pl.concat(tests) if tests else _pooled([]).with_columns(p_adjusted=pl.lit(0.0))
    last = ("p", "p_adjusted", *counts_of(by), "note")
    return (
        table.hstack(added)
        .select(pl.exclude(*last), *last)
        .sort(["dataset", "pooled", by], descending=[True, True, False], nulls_last=True)
    )


def _pooled(groups: list[pl.DataFrame | None]) -> pl.DataFrame:
    """Groups (their units' `lean` and `answers`) leaning on each other, in their order."""
    import polars as pl

    ratios = [_ratio(one) for one in groups]
    counts = [0 if one is None else one.height for one in groups]
    pooled = pooled_means(
        [mean for mean, _ in ratios], lent_errors([sd for _, sd in ratios], counts), counts
    )
    nothing = Estimate(None, None, None, 0)  # what a new group may be like is no number of this one
    estimates = zip(pooled.groups, counts, strict=True)
    columns = [(one if n else nothing).columns("pooled") for one, n in estimates]
    made = pl.DataFrame(
        columns, schema=dict.fromkeys(("pooled", "pooled_low", "pooled_high"), pl.Float64)
    )
    return made.with_columns(pl.all().clip(-1, 1))  # shrinking is blind to the range of a bias


def _ratio(units: pl.DataFrame | None) -> tuple[float, float]:
    """The bias of a group, and the SD of its units around it: of n alike, the bias has SD/√n."""
    if units is None:
        return math.nan, math.nan
    leans, answers = units["lean"].to_numpy(), units["answers"].to_numpy()
    bias = float(leans.sum() / answers.sum())
    off = (leans - bias * answers) / answers.mean()
    n = len(leans)
    return bias, math.sqrt(float(off @ off) / (n - 1)) if n > 1 else math.nan
