"""How far ratings' scores could move if every sensitive question had been rated.

With 0.0 or 9.9, whichever moves a number most (`stats.missing_values`).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from statistics import fmean

from geobias.probes.lazy import pl
from geobias.probes.ratings.reading import HIGHEST
from geobias.probes.ratings.scores import TopicRatings, topic_ratings
from geobias.stats.estimates import UNBOUNDED
from geobias.stats.missing_values import Cells, Ends, difference_ends, group_ends

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
    import numpy as np

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
    import numpy as np

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
