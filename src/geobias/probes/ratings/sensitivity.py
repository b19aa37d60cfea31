"""How far scores of ratings can be trusted: by other methods, by what was not answered, by power.

Missing ratings are taken for the lowest, and then for the highest, that the model gave on the topic
(`stats.contrasts.trend_ends`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import polars as pl

from geobias.atlas.economies import INCOMES
from geobias.probes.plan import PILOT, Aim, Plan, asked_pairs, incomes_design
from geobias.probes.ratings.reading import HIGHEST
from geobias.probes.ratings.scores import economy_ratings, of_kind, rated
from geobias.probes.ratings.topics import kind_of
from geobias.probes.sections import region_answers, trend_answers
from geobias.probes.tables import PLACES
from geobias.results.findings import Table
from geobias.results.verdicts import sensitivity_table
from geobias.stats.contrasts import Cells, Ends, trend_ends
from geobias.stats.planning import unit_spread


def sensitivity(frame: pl.DataFrame) -> Table:
    """The table of a run. Places of one economy are averaged first."""
    means = economy_ratings(frame)
    rows = (
        rated(of_kind(frame, "sensitive"))
        .drop_nulls("rating")
        .group_by("topic", "country", *PLACES, maintain_order=True)
        .agg(pl.col("rating").mean().alias("value"))
        .rename({"topic": "item"})
    )
    return sensitivity_table(
        [
            *trend_answers("Sensitive ratings, poor minus rich countries", means, rows, HIGHEST),
            *region_answers("Difference of sensitive ratings over regions", means, HIGHEST),
        ]
    )


def missing_count(sensitive: pl.DataFrame) -> int:
    """Sensitive questions without a rating."""
    return sensitive["rating"].null_count()


def ends_of(
    sensitive: pl.DataFrame, value: float | None, by: str = "income", order: Sequence[str] = INCOMES
) -> Ends:
    """How far the trend over these groups, or the difference of two, could move."""
    return trend_ends(_cells(sensitive, by), order, value)


def _cells(sensitive: pl.DataFrame, by: str) -> Cells:
    """Topics of places, with the least and the largest mean rating that their repeats can have.

    A missing rating is taken to be as low, or as high, as any that the model gave on the topic: one
    that rates from 3 to 7 would not have given a 9.9.
    """
    rating = pl.col("rating")
    ends = {"low": rating.min().over("topic"), "high": rating.max().over("topic")}
    places = (
        sensitive.with_columns(rating.fill_null(end).alias(name) for name, end in ends.items())
        .group_by("topic", "country", "place", by, maintain_order=True)
        .agg(pl.col("low", "high").mean())
        .drop_nulls(["low", "high"])  # topics on which nothing was rated
        .sort("country", "topic", "place")
    )
    return Cells(
        low=places["low"].to_numpy(),
        high=places["high"].to_numpy(),
        items=places["topic"].to_numpy(),
        units=places["country"].to_numpy(),
        groups=places[by].to_list(),
    )


BETWEEN, WITHIN = 0.6, 0.7
"""SD of economies' mean ratings within an income group, and of a rating around its economy's, in
points: GPT-3.5's published ratings of attractiveness spread by 0.89 over places of all kinds."""


def aim(plan: Plan, spread: tuple[float, ...] | None = None) -> Aim:
    """The trend over incomes; `spread` (between, within) of one's own."""
    asked = asked_pairs(plan)
    sensitive = {(topic, place) for topic, place in asked if kind_of(topic) == "sensitive"}
    between, within = spread or (BETWEEN, WITHIN)
    rated = Counter(place for _, place in sensitive)
    design, incomes = incomes_design(rated, between, within)
    return Aim(
        gap="points between people of poor and of rich countries",
        unit="economy",
        units="economies",
        items="topics",
        design=design,
        most_items=len({topic for topic, _ in sensitive}),
        most_gap=HIGHEST,
        assumptions=[
            "A gap counts as seen where the test of the trend over incomes has p < 0.05.",
            incomes,
            f"Economies of an income group differ with an SD of {between:.2f} points, ratings of "
            f"an economy with {within:.2f}"
            + (PILOT if spread else " (an assumption: --like RUN measures it)."),
        ],
    )


def spread_of(frame: pl.DataFrame) -> tuple[float, float] | None:
    """SD between economies of an income group and within them, from a run's frame."""
    known = of_kind(frame, "sensitive").drop_nulls(["rating", "income"])
    rating = pl.col("rating")
    centred = known.with_columns(rating - rating.mean().over("topic", "income"))
    return unit_spread(centred["rating"].to_numpy(), centred["country"].to_numpy())
