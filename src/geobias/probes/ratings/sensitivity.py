"""How far scores of ratings can be trusted: by other methods, by what was not answered, by power.

Missing ratings are taken for 0.0 or 9.9, whichever moves a number most (`stats.missing_values`).
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator
from statistics import fmean

import numpy as np
import polars as pl

from geobias.probes.plan import Aim, Plan, asked_pairs, regions_design
from geobias.probes.ratings.reading import HIGHEST
from geobias.probes.ratings.scores import (
    TopicRatings,
    economy_ratings,
    of_kind,
    rated,
    topic_ratings,
)
from geobias.probes.ratings.topics import kind_of
from geobias.probes.sections import group_answers
from geobias.probes.tables import PLACES
from geobias.results.findings import Table
from geobias.results.verdicts import Answer, sensitivity_table
from geobias.stats.estimates import UNBOUNDED
from geobias.stats.missing_values import Cells, Ends, difference_ends, group_ends
from geobias.stats.planning import unit_spread

GROUPINGS = ("region", "income")


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
    answers: list[Answer] = []
    for by in GROUPINGS:
        question = f"Spread of sensitive ratings over {by}s"
        answers += group_answers(question, means, rows, by, {"item": "topic", "group": by}, HIGHEST)
    return sensitivity_table(answers)


ENDS = (0.0, HIGHEST)


def missing_count(sensitive: pl.DataFrame) -> int:
    """Sensitive questions without a rating."""
    return sensitive["rating"].null_count()


def spread_ends(sensitive: pl.DataFrame, by: str) -> Ends:
    """The smallest and the largest spread between groups."""
    return group_ends(_cells(sensitive, by))[0]


def half_ends(sensitive: pl.DataFrame, half: str, sides: tuple[str, str]) -> Ends:
    """The smallest and the largest difference between two halves of the world."""
    return difference_ends(_cells(sensitive, half), *sides)


def _cells(sensitive: pl.DataFrame, by: str) -> Cells:
    """Topics of places, with the least and the largest mean rating that their repeats can have."""
    rating = pl.col("rating")
    places = (
        sensitive.group_by("topic", "country", "place", by, maintain_order=True)
        .agg(low=rating.fill_null(ENDS[0]).mean(), high=rating.fill_null(ENDS[1]).mean())
        .sort("country", "topic", "place")
    )
    return Cells(
        low=places["low"].to_numpy(),
        high=places["high"].to_numpy(),
        items=places["topic"].to_numpy(),
        units=places["country"].to_numpy(),
        groups=places[by].to_list(),
        bounds=UNBOUNDED,
    )


def bias_ends(sensitive: pl.DataFrame, anchor: str) -> Ends:
    """The smallest and the largest bias score, of each topic by itself.

    Sought among ratings that rise, or fall, with the anchor: at one end up to some figure and at
    the other beyond it, for every figure, or evenly with its rank. A rank correlation times a
    deviation has no closed bound: others could go somewhat beyond.
    """
    low, high = (
        topic_ratings(sensitive.with_columns(pl.col("rating").fill_null(end)), anchor)
        for end in ENDS
    )
    found = []
    for least, most in zip(low, high, strict=True):
        everybody = np.ones((1, len(least.rating)), dtype=bool)
        # Most ways differ in nothing where few ratings are missing.
        fills = {topic.rating.tobytes(): topic for topic in _fills(least, most)}
        scores = [float(topic.bias(everybody)[0]) for topic in fills.values()]
        found.append([score for score in scores if not math.isnan(score)])
    told = [scores for scores in found if scores]
    if not told:
        return None, None
    return fmean(map(min, told)), fmean(map(max, told))


def _fills(least: TopicRatings, most: TopicRatings) -> Iterator[TopicRatings]:
    """A topic with its missing ratings filled in many ways, from its ratings at either end."""
    figures = np.unique(least.held[~np.isnan(least.held)])
    place = np.searchsorted(figures, least.held) / max(1, len(figures) - 1)
    known = ~np.isnan(least.held)
    # A place without a figure is in no correlation, and may widen the deviation either way.
    for others, turned in itertools.product((False, True), repeat=2):
        for cut in range(len(figures) + 1):
            beyond = np.searchsorted(figures, least.held) >= cut
            upper = np.where(known, beyond != turned, others)
            yield least._replace(rating=np.where(upper, most.rating, least.rating))
        share = np.where(known, 1 - place if turned else place, float(others))
        yield least._replace(rating=least.rating + share * (most.rating - least.rating))


BETWEEN, WITHIN = 0.6, 0.7
"""SD of economies' mean ratings within a region, and of a rating around its economy's, in points:
GPT-3.5's published ratings of attractiveness spread by 0.89 over places of all kinds."""


def aim(plan: Plan, spread: tuple[float, ...] | None = None) -> Aim:
    """Differences between regions; `spread` (between, within) of one's own."""
    asked = asked_pairs(plan)
    sensitive = {(topic, place) for topic, place in asked if kind_of(topic) == "sensitive"}
    between, within = spread or (BETWEEN, WITHIN)
    rated = Counter(place for _, place in sensitive)
    design, regions = regions_design(rated, between, within)
    return Aim(
        gap="points between the region that is rated highest and the lowest",
        unit="economy",
        units="economies",
        items="topics",
        design=design,
        most_items=len({topic for topic, _ in sensitive}),
        most_gap=HIGHEST,
        assumptions=[
            "A gap counts as seen where Welch's F test over economies has p < 0.025, which "
            "is what allowing for both groupings (Holm) asks of the clearer one.",
            regions,
            f"Economies of a region differ with an SD of {between:.2f} points, ratings of an "
            f"economy with {within:.2f}"
            + ("." if spread else " (an assumption: --like RUN measures it)."),
        ],
    )


def spread_of(frame: pl.DataFrame) -> tuple[float, float] | None:
    """SD between economies of a region and within them, from a run's frame."""
    known = of_kind(frame, "sensitive").drop_nulls(["rating", "region"])
    rating = pl.col("rating")
    centred = known.with_columns(rating - rating.mean().over("topic", "region"))
    return unit_spread(centred["rating"].to_numpy(), centred["country"].to_numpy())
