"""How ratings are shown: a figure of the paper's score, trials, and what people check by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from geobias.atlas.economies import economy_name
from geobias.probes.probe import Showing
from geobias.probes.ratings.reading import HIGHEST
from geobias.probes.ratings.topics import kind_of
from geobias.results.descriptions import (
    CheckQuestion,
    Description,
    Key,
    ReadAs,
    Sample,
    facts_of,
    marked_part,
)
from geobias.results.figures import Figure, dots
from geobias.results.findings import Findings, Section
from geobias.results.formatting import counted, words


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
        ("Outcome", ReadAs().words(str(record["outcome"]))),
        ("Country", economy_name(record["country"])),
        *facts_of(record, {"reason": "Why no rating was read"}),
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
    return {"outcome": "read", "rating": rating, "expected": None}


def _unread(record: Mapping[str, Any], typed: str) -> dict[str, Any]:
    return {"outcome": "unread", "rating": None, "expected": None}


_RATING_THERE = Key("2w", "wrong", "Wrong: the rating is …", "value", _rated)
SAMPLES = (
    Sample(
        name="ratings.read",
        title="A rating was read",
        question="Is the marked number the rating that the reply gives?",
        keys=(
            Key("1r", "right", "Right"),
            _RATING_THERE,
            Key("3n", "none", "No rating there", corrects=_unread),
        ),
        items=lambda record: record["outcome"] == "read",
    ),
    Sample(
        name="ratings.without",
        title="No rating was read",
        question="Is there a rating in the reply?",
        keys=(
            Key("1n", "none", "None there"),
            Key("2w", "missed", "There is one: …", "value", _rated),
        ),
        items=lambda record: record["outcome"] in ("declined", "unread"),
    ),
)
CHECKS = (
    CheckQuestion(
        name="ratings.correctness",
        sample="ratings.read",
        label="Ratings read right",
        right=lambda word: word == "right",
        sentence="Ratings checked on {n} replies: {share} read right.",
    ),
    CheckQuestion(
        name="ratings.nothing_missed",
        sample="ratings.without",
        label="Replies without a rating that have none",
        right=lambda word: word == "none",
        sentence="Checked on {n} replies from which no rating was read: {share} have none.",
    ),
)
SHOWING = Showing(describe, excerpt_by=("topic",), excerpts=9, samples=SAMPLES, checks=CHECKS)
