"""Descriptions of trials for readers, used in lists, pages, excerpts and checks.

A `Description` is made from the record alone and is cheap; a conversation's `Turn`s come from its
record and replies. Text in both is as models and users wrote it, so whoever shows it must make it
safe for the medium. For checks by hand, a probe declares samples of its trials (`Sample`), the
verdicts of reviewers (`Key`), and the shares that follow from them (`CheckQuestion`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import msgspec

from geobias.results.formatting import words
from geobias.trials import StoredRecord

Span: TypeAlias = tuple[int, int]
Facts: TypeAlias = list[tuple[str, str]]


class Description(msgspec.Struct, frozen=True, kw_only=True):
    """A trial in a few words.

    read      the answer that was read in the reply, or "" if none was read
    result    the result, in more detail than the outcome: right, won, error over 0.85 …
    bad       whether the result is a mistake
    correct   whether the result is right; None if nothing was read or the probe has no right answer
    topic     indicator, social value, kind of entity; `language` its code, if there are several
    variant   the version of the item, if it has several: "nationality", "name-1"
    order     a number to sort a list by, the largest first; None for none
    facts     the answer that was read and how, and the item, for its page
    marked    the part of the last reply that was read
    reading   the whole answer that was read, with its label, for reviewers
    """

    title: str
    read: str = ""
    result: str = ""
    bad: bool = False
    correct: bool | None = None
    topic: str = ""
    language: str = ""
    variant: str = ""
    order: float | None = None
    facts: Facts = []
    marked: Span | None = None
    reading: str = ""
    reading_label: str = ""
    turns: int = 0


def marked_part(record: StoredRecord) -> Span | None:
    """Return the part of a reply that was read, if the record has its position.

    None if a reader model quoted the reply, since positions then count within the quote.
    """
    start, end = record.get("span_start"), record.get("span_end")
    if record.get("read_by") == "reader":
        return None
    return None if start is None or end is None else (start, end)


_SHOWN = ("trial", "probe", "country", "repeat", "outcome", "span_start", "span_end")
"""Fields of a record that its description shows elsewhere, or not at all."""


def described(
    record: StoredRecord,
    *,
    title: str,
    read: str,
    right: bool | None,
    reading: str = "",
    **more: Any,
) -> Description:
    """Describe a record whose facts are its fields in words, without the empty ones."""
    reading = reading or read
    return Description(
        title=title,
        read=read,
        result="" if right is None else read,
        bad=right is False,
        correct=right,
        facts=[
            (words(name), str(value))
            for name, value in record.items()
            if name not in _SHOWN and value not in (None, "") and (value or name != "wording")
        ],
        marked=marked_part(record),
        reading=reading,
        reading_label="Read as" if reading else "",
        **more,
    )


class Turn(msgspec.Struct, kw_only=True):
    """One turn of a conversation as it is shown. `number` is 1 for the first.

    asked       the question, in which `marked` is the part that decides the game
    raw         the whole message, if it is longer than the question
    answer      the answer that was read; "" if the reply could not be read, None without a reply
    marks       (kind, words): repeated, contradicts …
    places      names of the places it asks about
    gave_up     the answer to the question whether to give up, if that was asked
    final       whether the guesser was told to guess now
    won         whether the turn ends the game with a win
    question    the question as the game reads it
    """

    number: int
    asked: str
    marked: Span | None = None
    raw: str = ""
    answer: str | None = None
    reply: str | None = None
    marks: list[tuple[str, str]] = []
    places: list[str] = []
    final: bool = False
    won: bool = False
    gave_up: str = ""
    question: str = ""


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """The result of one kind of check by reviewers, in one run.

    name           the probe and the share: "worldbench.correctness"
    value          the share with its 95% interval, of `n` items judged
    right          number of items that all their reviewers call right
    disputed       items on which reviewers differ; they do not count as right
    text           the result as a sentence
    """

    name: str
    label: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    right: int
    disputed: int
    reviewers: int
    text: str


class Key(msgspec.Struct, frozen=True):
    """A verdict and the keys that give it. `asks` names the text that a reviewer types with the
    verdict; "" for none.

    `corrects` is None if the verdict changes no field of the record. Otherwise it returns the
    changed fields, given the record and the typed text, or raises ValueError if that text is not an
    answer.
    """

    keys: str
    verdict: str
    label: str
    asks: str = ""
    corrects: Callable[[StoredRecord, str], dict[str, object]] | None = None


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of sample of trials, for checks by hand.

    includes   whether a record is in the sample
    usual      how many items a reviewer is offered
    aside      what a reviewer should know about the way items are shown
    """

    name: str
    title: str
    question: str
    keys: tuple[Key, ...]
    includes: Callable[[StoredRecord], bool]
    usual: int = 100
    aside: str = ""

    @property
    def probe(self) -> str:
        return self.name.partition(".")[0]


class CheckQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """A share that is estimated from a sample, with the verdicts that count for it.

    sentence   with {n}, the items judged, and {share}
    derived    None if the share itself is reported. Otherwise computes the reported number from the
               share and the number of trials by outcome, or returns None if it is undefined
    """

    name: str
    sample: str
    label: str
    right: Callable[[str], bool]
    sentence: str
    derived: Callable[[float, Mapping[str, int]], float | None] | None = None

    @property
    def probe(self) -> str:
        return self.name.partition(".")[0]
