"""What a reviewer is shown, and which words are there for it.

A sample is the first n of all items it could have, in an order that a hash of their names decides:
random as far as anything about the items goes, the same for every reviewer and on every machine,
and longer by going on. So nothing needs to be stored for two people to judge the same items, or
for one to stop and come back.
"""

from __future__ import annotations

import heapq
from functools import lru_cache
from typing import Any

import msgspec

from geobias.report.checks import LARGE_ERROR, UNREAD
from geobias.view.index import Index
from geobias.view.rows import shuffle


class Key(msgspec.Struct, frozen=True):
    """A verdict and the keys that give it. `asks`: what is typed with it, "" if nothing."""

    keys: str
    verdict: str
    label: str
    asks: str = ""


class Sample(msgspec.Struct, frozen=True):
    """A kind of sample. `published` is the size of the paper's own, over all its models."""

    name: str
    probe: str
    title: str
    question: str
    keys: tuple[Key, ...]
    where: str
    published: int
    usual: int = 100


_NUMBER_THERE = Key("2w", "wrong", "Wrong: the right value is …", "value")
_NOTHING_THERE = Key("3n", "none", "No number there")
SAMPLES = {
    one.name: one
    for one in (
        Sample(
            "worldbench.unparsed",
            "worldbench",
            "No number was read",
            "Is there a number in the reply that answers the question?",
            (
                Key("1n", "none", "No number there"),
                Key("2w", "missed", "There is one: …", "value"),
            ),
            f"probe = 'worldbench' AND outcome IN {UNREAD!r}",
            450,
        ),
        Sample(
            "worldbench.parsed",
            "worldbench",
            "A number was read",
            "Is the marked number what the reply answers, and was it read right?",
            (Key("1r", "right", "Right"), _NUMBER_THERE, _NOTHING_THERE),
            "probe = 'worldbench' AND outcome = 'parsed'",
            945,
        ),
        Sample(
            "worldbench.large_error",
            "worldbench",
            "The error is over 0.85",
            "The number is far off. Is that what the reply says?",
            (Key("1r", "right", "Right"), _NUMBER_THERE, _NOTHING_THERE),
            f"probe = 'worldbench' AND outcome = 'parsed' AND error > {LARGE_ERROR}",
            825,
        ),
        Sample(
            "geo20q.judge",
            "geo20q",
            "Answers of the judge",
            "Is the judge's answer right?",
            (
                Key("1r", "right", "Right"),
                Key("2w", "wrong", "Wrong"),
                Key("3u", "unsure", "Cannot be said"),
            ),
            "probe = 'geo20q' AND answers > 0",
            0,
        ),
        Sample(
            "namebbq.names",
            "namebbq",
            "Names for nationalities",
            "Does the version with names read naturally, and does it mean the same?",
            (
                Key("1g", "good", "Natural, same meaning"),
                Key("2n", "unnatural", "Not natural, same meaning"),
                Key("3m", "other_meaning", "Natural, other meaning"),
                Key("4b", "bad", "Neither"),
            ),
            "probe = 'namebbq' AND variant LIKE 'name-%' AND trial LIKE '%/0'",
            0,
        ),
    )
}
"""In the order of the paper; the first of its four parts, how many replies a number was read from,
needs nobody."""


def population(index: Index, sample: Sample) -> int:
    """How many items the sample could have."""
    what = "coalesce(sum(answers), 0)" if sample.name == "geo20q.judge" else "count(*)"
    found = index.rows(f"SELECT {what} FROM trials WHERE {sample.where}")  # noqa: S608
    return int(found[0][0]) if found else 0


def items(index: Index, sample: Sample, n: int) -> list[str]:
    """The first n items in the order of the sample."""
    if sample.name == "geo20q.judge":
        return list(_answers(index, sample, index.indexed, n))
    rows = index.rows(
        f"SELECT trial FROM trials WHERE {sample.where} ORDER BY shuffle, trial LIMIT ?",  # noqa: S608
        (n,),
    )
    return [trial for (trial,) in rows]


@lru_cache(maxsize=8)
def _answers(index: Index, sample: Sample, count: int, n: int) -> tuple[str, ...]:
    """Single answers of games. Every answer has the same chance, also those of long games."""
    rows: list[tuple[Any, ...]] = index.rows(
        f"SELECT trial, answers FROM trials WHERE {sample.where}"  # noqa: S608
    )
    every = (f"{trial}#{k}" for trial, answers in rows for k in range(1, answers + 1))
    return tuple(heapq.nsmallest(n, every, key=lambda name: (shuffle(name), name)))


def is_item(index: Index, sample: Sample, item: str) -> bool:
    """Whether this is an item that the sample could have."""
    of_judge = sample.name == "geo20q.judge"
    trial, _, answer = item.rpartition("#") if of_judge else (item, "", "")
    row = index.rows(
        f"SELECT answers FROM trials WHERE trial = ? AND {sample.where}",  # noqa: S608
        (trial,),
    )
    if not row or not of_judge:
        return bool(row)
    # Written as `_answers` writes it, so that an answer has one name: 7, not 07 or ٧.
    return answer in map(str, range(1, row[0][0] + 1))
