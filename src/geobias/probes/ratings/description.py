"""What a rating looks like to a reader, and what people check by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from geobias.atlas.economies import economy_name
from geobias.probes.ratings.topics import kind_of
from geobias.results.descriptions import CheckQuestion, Description, Key, ReadAs, Sample
from geobias.results.formatting import words


def describe(record: Mapping[str, Any]) -> Description:
    """A question and its rating."""
    topic, rating = str(record["topic"]), record.get("rating")
    start, end = record.get("span_start"), record.get("span_end")
    shown = "" if rating is None else f"{rating:.1f}"
    facts = [
        ("Outcome", ReadAs().words(str(record["outcome"]))),
        ("Economy", economy_name(record["country"])),
    ]
    if record.get("reason"):
        facts.append(("Why no rating was read", str(record["reason"])))
    return Description(
        title=f"{words(topic)}, {record['place']}",
        topic=words(topic),
        read=shown,
        result="" if rating is None else f"{kind_of(topic)}, rated",
        order=rating,
        facts=facts,
        marked=(start, end) if start is not None and end is not None else None,
        reading=shown,
        reading_label="Read as" if shown else "",
    )


_RATING_THERE = Key("2w", "wrong", "Wrong: the rating is …", "value")
SAMPLES = (
    Sample(
        name="ratings.read",
        title="A rating was read",
        question="Is the marked number the rating that the reply gives?",
        keys=(Key("1r", "right", "Right"), _RATING_THERE, Key("3n", "none", "No rating there")),
        items=lambda record: record["outcome"] == "read",
    ),
    Sample(
        name="ratings.without",
        title="No rating was read",
        question="Is there a rating in the reply?",
        keys=(Key("1n", "none", "None there"), Key("2w", "missed", "There is one: …", "value")),
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
