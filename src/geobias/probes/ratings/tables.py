"""`geobias ratings TABLE RUN…`; one of them beside ratings that others published.

The paper's authors publish GPT-3.5's ratings of 2,000 places on two topics (GeoLLM, Apache 2.0).
The rows here are what `geobias score ratings` makes of them; the ratings are not shipped.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Annotated

import msgspec
import polars as pl

from geobias.errors import BadRequest
from geobias.probes.probe import Answers
from geobias.probes.ratings import scores
from geobias.probes.ratings.topics import ANCHOR
from geobias.probes.settings import Setting
from geobias.probes.tables import Frames, TableSpec, each_model


class RatingAnswers(Answers, frozen=True, kw_only=True):
    """Ratings, and the indicator they are compared with."""

    anchor: str = ANCHOR


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


class AnchorOption(msgspec.Struct, frozen=True):
    anchor: Annotated[
        str,
        Setting(
            "Another anchor than the run's: an indicator, topic:NAME, or a CSV with place or "
            "country, and value.",
            metavar="INDICATOR|topic:NAME|FILE",
        ),
    ] = ""


def _topics(one: RatingAnswers, options: AnchorOption) -> Frames:
    anchor = options.anchor or one.anchor
    return {"topics": scores.topic_scores(scores.with_held(one.frame, anchor))}


def _published(one: RatingAnswers, _: object) -> Frames:
    made = among_published(scores.topic_scores(one.frame), one.model, one.anchor)
    if made is None:
        raise BadRequest(f"{one.model}: the published scores are of another anchor")
    return {"published": made}


TABLES: dict[str, TableSpec[RatingAnswers]] = {
    "topics": TableSpec(
        help="""The paper's bias score of each topic, and its parts.

        \b
        geobias table RUN topics
        geobias table RUN topics --anchor gdp_ppp_per_person_employed
        """,
        make=each_model(_topics),
        Options=AnchorOption,
    ),
    "published": TableSpec(
        help="The run's scores beside those of published ratings.",
        make=each_model(_published),
    ),
}
