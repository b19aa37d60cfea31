"""The paper's bias score of ratings on a topic, and the numbers that it is made of.

The score of a topic is the product of three numbers: Spearman's rank correlation of the ratings
with an anchor, their mean absolute deviation (points of the scale), and the share of questions that
got a rating. Ratings that follow wealth but hardly differ, or are hardly ever given, do little
harm.

Places of one economy share their anchor and are alike, so economies are the units of every
interval. Repeats of a question are averaged first. All functions take rows of a run's frame
(`topics.with_held`).
"""

from __future__ import annotations

from functools import partial
from typing import Literal

import polars as pl

from geobias.probes.ratings.asking import HIGHEST
from geobias.probes.ratings.topics import PLACE
from geobias.stats.estimates import Estimate
from geobias.stats.jackknife import ItemRows, item_score
from geobias.stats.over_units import rate_over_units

MOST_DEVIATION = HIGHEST / 2
"""The largest possible deviation: half of the places at each end of the scale."""


def score(
    name: Literal["correlation", "deviation", "product"],
    rows: pl.DataFrame,
    value: str = "rating",
    by: str = "",
    *,
    held: str = "anchor",
) -> Estimate:
    """The mean of a score over topics; a correlation is with the column `held`."""
    places = rows.group_by("topic", *PLACE).agg(
        pl.col(value).cast(float).mean().alias("value"),
        pl.col(held).cast(float).first().alias("held"),
        (pl.col(value).count() / pl.len()).alias("read"),
        unit=pl.col("country").first(),
    )
    topics = [
        ItemRows(*(part[column].to_numpy() for column in ItemRows._fields))
        for part in places.sort("topic", *PLACE).partition_by("topic", maintain_order=True)
    ]
    known = rows.drop_nulls([value, held] if name == "correlation" else value)["country"]
    why = "no rating was given" if known.is_empty() else "all ratings, or all figures, are equal"
    economies = known.unique().sort().to_numpy()
    return item_score(name, topics, economies, most=MOST_DEVIATION, nothing=why)


correlation, deviation, bias = (
    partial(score, "correlation"), partial(score, "deviation"), partial(score, "product")
)  # fmt: skip


def topic_scores(frame: pl.DataFrame) -> pl.DataFrame:
    """The paper's score of every topic and its parts, the sensitive topics first."""
    rows = []
    for (topic,), part in frame.group_by("topic", maintain_order=True):
        follows = correlation(part)
        read = part["rating"].is_not_null().cast(float).to_numpy()
        rows.append(
            {"topic": topic, "kind": part["kind"][0], "places": part.n_unique(PLACE)}
            | follows.columns("correlation")
            | {"p": follows.p}
            | deviation(part).columns("deviation")
            | rate_over_units(read, part["country"].to_numpy()).columns("answered")
            | bias(part).columns("bias")
            | {"countries": follows.n}
        )
    order = pl.col("kind").replace_strict({"sensitive": 0, "objective": 1}, default=2)
    table = pl.DataFrame(rows, infer_schema_length=None)
    return table.sort(order, "topic") if rows else table
