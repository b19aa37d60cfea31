"""Scores of groups, and which of them bias is most clearly against.

Many groups are compared, and the one with the largest bias is large by luck as well: so groups are
ranked by values that lean on all others, and p-values allow for the number of groups.
"""

from __future__ import annotations

import math
from typing import Any

import polars as pl

from geobias.measures.frames import parts_of, schema_of
from geobias.probes.namebbq.scores import CONTEXTS, SCORES, By, estimate, unit_of
from geobias.stats.estimates import Estimate
from geobias.stats.pooling import holm, lent_errors, pooled_means


def group_scores(frame: pl.DataFrame, by: By) -> pl.DataFrame:
    """Each group's accuracy and bias, by dataset; the largest ambiguous bias first.

    A nationality's items are those whose stereotype is about it. Its interval is over templates, so
    that a nationality that stands in one or two has none; within a template it is over pairs of
    nationalities, in all other groups over both. `p` is of no ambiguous bias and belongs to its
    interval. Many groups are compared: of twenty without any bias, one will have an interval that
    leaves out 0. `note` says why the ambiguous bias has none.
    Counts are of one context each: `templates_ambiguous` (`pairs_ambiguous` within a template) are
    those with an answer, `asked_ambiguous` all items, `read_ambiguous` the answers; of those,
    `named_ambiguous` name a person, and the unscaled bias rests on them.

    The bias of disambiguated items is not told by group: a group's share of items that reveal the
    stereotype is whatever was drawn, and a model that is always right would score that share.
    """
    unit = unit_of(by)
    columns = {name: score for name, score in SCORES.items() if name != "bias_disambiguated"}
    known = frame.filter(pl.col(by).is_not_null() & (pl.col(by) != ""))
    keys, nothing = (by, "dataset", "condition"), known.clear()
    parts = parts_of(known, *keys)
    rows = []
    for group, dataset in dict.fromkeys(key[:2] for key in parts):
        row: dict[str, Any] = {by: group, "dataset": dataset}
        asked_in = {name: parts.get((group, dataset, name), nothing) for name in CONTEXTS}
        for column, score in columns.items():
            found = estimate(asked_in[score.condition], score, by)
            row |= found.estimate.columns(column)
            if score.metric == "accuracy":
                row[f"{unit}s_{CONTEXTS[score.condition]}"] = found.units[0]
            if column == "bias_ambiguous":
                row |= {"p": found.p, "note": found.estimate.note}
        for condition, context in CONTEXTS.items():
            asked = asked_in[condition]
            row[f"asked_{context}"] = asked.height
            row[f"read_{context}"] = int(asked["read"].sum())
            row[f"named_{context}"] = int(asked["named"].sum())
        rows.append(row)
    numbers = [f"{column}{end}" for column in columns for end in ("", "_low", "_high")]
    numbers.append("p")
    schema = schema_of((by, "dataset"), numbers, counts_of(by)) | {"note": pl.String}
    return pl.DataFrame(rows, schema).sort(
        ["dataset", "bias_ambiguous", by], descending=[True, True, False], nulls_last=True
    )


def counts_of(by: By) -> list[str]:
    """The columns of counts in a table of groups, those of the ambiguous context first."""
    words = (f"{unit_of(by)}s", "asked", "read", "named")
    return [f"{word}_{context}" for context in CONTEXTS.values() for word in words]


def group_leanings(frame: pl.DataFrame, by: By) -> pl.DataFrame:
    """`group_scores`, the largest pooled bias first, with a test of ambiguous bias against 0.

    pooled       that bias leaning on all groups of the dataset, the more the fewer templates it has
                 (`stats.pooling`); a group with one lucky template does not top a ranking
    p            belongs to the interval of that bias
    p_adjusted   for the number of groups of the same dataset
    """
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
