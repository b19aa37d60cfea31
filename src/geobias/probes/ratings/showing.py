"""How ratings are shown: their tables, a figure of the paper's score, and single trials.

The paper's authors publish GPT-3.5's ratings of 2,000 places on two topics (GeoLLM, Apache 2.0).
The rows in published.csv are what `geobias score ratings` makes of them; the ratings are not
shipped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec
import polars as pl

from geobias.atlas.economies import economy_name
from geobias.errors import BadRequest
from geobias.probes.checking import number_checks, number_samples
from geobias.probes.probe import Showing
from geobias.probes.ratings import scores
from geobias.probes.ratings.predictions import RatingAnswers
from geobias.probes.ratings.reading import HIGHEST
from geobias.probes.ratings.topics import ANCHOR, kind_of, with_held
from geobias.probes.settings import Setting
from geobias.probes.tables import Frames, TableSpec, each_model
from geobias.results.descriptions import Description, ReadAs, facts_of, marked_part
from geobias.results.figures import Figure, dots
from geobias.results.findings import Findings, Section
from geobias.results.formatting import counted, words

PUBLISHED = Path(__file__).with_name("published.csv")
READ_AS = ReadAs()


def among_published(answers: RatingAnswers) -> pl.DataFrame | None:
    """A run's topics among published ones; None where it is compared with another anchor."""
    own = scores.topic_scores(answers.frame)
    if answers.anchor != ANCHOR or not own.height:
        return None
    printed = pl.read_csv(PUBLISHED)
    own = own.with_columns(model=pl.lit(answers.model)).select(printed.columns)
    rows = [printed.with_columns(here=False), own.with_columns(here=True)]
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
    return {"topics": scores.topic_scores(with_held(one.frame, options.anchor or one.anchor))}


def _published(one: RatingAnswers, _: object) -> Frames:
    made = among_published(one)
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


def figures(findings: Findings, sections: Sequence[Section]) -> list[Figure]:
    """The paper's score, topic by topic."""
    topics = dots(
        sections,
        "topics",
        row=lambda row: words(str(row["topic"])),
        value="bias",
        said=lambda row: counted(row["countries"], "countries"),
        axis="bias score (0 is none)",
        reference=0,
        where=lambda row: row["kind"] == "sensitive",
        data=("correlation", "deviation", "answered", "countries"),
        name="ratings-topics",
        title="Bias score of each sensitive topic",
        note="Rank correlation with the anchor, times mean absolute deviation, times share "
        "answered, with 95% intervals over countries.",
        alt="A dot with its interval for each topic, with a line at 0.",
    )
    return [topics] if topics else []


def describe(record: Mapping[str, Any]) -> Description:
    """A question and its rating."""
    topic, rating = str(record["topic"]), record.get("rating")
    shown = "" if rating is None else f"{rating:.1f}"
    facts = [
        ("Outcome", READ_AS.words(str(record["outcome"]))),
        ("Country", economy_name(record["country"])),
        *facts_of(record, {"wording": "Paraphrase", "reason": "Why no rating was read"}),
    ]
    return Description(
        title=f"{words(topic)}, {record['place']}",
        topic=words(topic),
        read=shown,
        result="" if rating is None else f"{kind_of(topic)}, rated",
        order=rating,
        facts=facts,
        marked=marked_part(record),
        reading=shown,
        reading_label="Read as" if shown else "",
    )


def _rated(record: Mapping[str, Any], typed: str) -> dict[str, Any]:
    rating = float(typed)
    if not 0 <= rating <= HIGHEST:
        raise ValueError(f"{typed} is no rating")
    return {"outcome": READ_AS.read, "rating": rating, "expected": None}


SHOWING = Showing(
    describe,
    excerpt_by=("topic",),
    excerpts=9,
    samples=number_samples("ratings", "rating", _rated, ("rating", "expected"), READ_AS),
    checks=number_checks("ratings", "rating", READ_AS),
)
