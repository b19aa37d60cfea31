"""One line of a list for each trial: what the index keeps of it."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

import msgspec

from geobias.atlas.economies import economies, economy_name
from geobias.probes.registry import record_owner
from geobias.results.descriptions import Description, ReadAs


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """What the index keeps of a trial, beside the words that were said.

    Of its description (`results.descriptions`): topic, language, result, title, read, bad, correct,
    variant and the number to sort by. `shuffle` is a number that puts trials in an order without
    meaning: the order of samples.
    """

    trial: str
    probe: str
    country: str
    region: str
    income: str
    continent: str
    half: str
    topic: str
    language: str
    outcome: str
    result: str
    title: str
    read: str
    bad: int
    correct: int | None
    sorted_by: float | None
    variant: str
    shuffle: int


def described(record: Mapping[str, Any]) -> Description:
    """The record in its probe's words; a plain one where the probe is not installed."""
    probe = record_owner(str(record["probe"]))
    if probe is None:
        name = economy_name(str(record.get("country") or ""))
        return Description(
            title=name or str(record["trial"]), facts=[("Outcome", str(record["outcome"]))]
        )
    return probe.describe(record)


def row(record: Mapping[str, Any]) -> Row:
    country = str(record.get("country") or "")
    economy = economies().get(country)
    about = described(record)
    described_by = ("topic", "language", "result", "title", "read", "variant")
    groups = ("region", "income", "continent", "north_south")
    place = {name: getattr(economy, name, None) or "" for name in groups}
    return Row(
        **{name: str(record[name]) for name in ("trial", "probe", "outcome")},
        country=country,
        half=place.pop("north_south"),
        **place,
        **{name: getattr(about, name) for name in described_by},
        bad=int(about.bad),
        correct=None if about.correct is None else int(about.correct),
        sorted_by=about.order,
        shuffle=shuffle(str(record["trial"])),
    )


def reading(probe: str, correct: int | None, read: str) -> tuple[str, str]:
    """What came of a trial: "right" or "wrong" in its probe's word, "" for neither; and the rest.

    Games are won or lost. Where the reading begins with that word, it is not said twice.
    """
    if correct is None:
        return "", read
    owner = record_owner(probe)
    rule = owner.comparison if owner is not None and owner.name == probe else None
    right, wrong = rule.turned if rule is not None else ("right", "wrong")
    word = right if correct else wrong
    return word, read.removeprefix(word).lstrip(", ")


def outcome_words(probe: str, outcome: str) -> str:
    """What became of a reply, in the same words for every probe."""
    owner = record_owner(probe)
    return (owner.read_as if owner is not None else ReadAs()).words(outcome)


def shuffle(name: str) -> int:
    """A number of 62 bits by which names are put in an order without meaning, always the same."""
    digest = blake2b(name.encode(errors="replace"), digest_size=8, person=b"geobias-view").digest()
    return int.from_bytes(digest) >> 2
