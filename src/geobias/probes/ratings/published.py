"""Ratings that others published, scored as our own are, beside a run's.

The paper's authors publish GPT-3.5's ratings of 2,000 places on two topics (GeoLLM, Apache 2.0).
The rows here are what `geobias score ratings` makes of them; the ratings are not shipped.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from geobias.probes.lazy import pl
from geobias.probes.ratings.topics import ANCHOR

PUBLISHED = Path(__file__).with_name("published.csv")


@cache
def published() -> pl.DataFrame:
    """The rows of ratings made elsewhere."""
    return pl.read_csv(PUBLISHED)


def among_published(scores: pl.DataFrame, model: str, anchor: str) -> pl.DataFrame | None:
    """A run's topics among those; None where it is compared with another anchor."""
    if anchor != ANCHOR or not scores.height:
        return None
    own = scores.with_columns(model=pl.lit(model)).select(published().columns)
    rows = [published().with_columns(here=False), own.with_columns(here=True)]
    return pl.concat(rows, how="vertical_relaxed").sort("topic", "here", maintain_order=True)
