"""How replies are read and asked about again: in a run, and in the lines of a file.

A line's label is the answer that a person finds in the reply.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Generic, Literal, NamedTuple, Protocol, TypeVar

from geobias.reading.again import Asker, number_asker, pointed_at, pointing, says_none, sentence_of
from geobias.reading.choices import ChoiceReading
from geobias.reading.numbers import NumberReading, numbers_in, read_number
from geobias.reading.numerals import Asked
from geobias.trials import Ask

Q = TypeVar("Q")
Line = Mapping[str, Any]
"""A line of a user's file of replies, which may have columns of its own."""
Judged = Literal["right", "wrong", "unread"]
NO_ANSWER = frozenset(
    ("", "none", "null", "no", "n", "nan", "declined", "refused", "unread", "cut", "other")
)
"""The labels that mean that a reply has no answer."""


class ReadReply(NamedTuple):
    """The reading of a reply; `value` is None if it has no answer."""

    value: Any
    outcome: str
    reason: str = ""


class ReplyReader(Protocol):
    """Reads a line of a file by rules, or settles it by a reader model's answer to `ask`.

    A label has the form of `ReadReply.value`; a wrong one raises a `ValueError`.
    """

    def read(self, line: Line, /) -> ReadReply: ...
    def label(self, line: Line, /) -> Any: ...
    def ask(self, line: Line, /) -> Ask: ...
    def settle(self, line: Line, said: str, /) -> ReadReply: ...


def text_of(line: Line, name: str = "reply") -> str:
    value = line.get(name)
    if value is None:
        raise ValueError(f"it has no {name!r}")
    return str(value)


def judged(found: ReadReply, label: Any) -> Judged:
    if found.value is None:
        return "right" if label is None else "unread"
    numbers = isinstance(found.value, float) and label is not None
    same = math.isclose(found.value, label, rel_tol=1e-4) if numbers else found.value == label
    return "right" if same else "wrong"


def number_label(line: Line) -> float | None:
    said = str(line["label"]).strip().lower()
    if said in NO_ANSWER:
        return None
    try:
        return float(said.replace(",", ""))
    except ValueError:
        raise ValueError(f"the label {said[:40]!r} is not a number") from None


class Reader(NamedTuple, Generic[Q]):
    """How a probe reads replies to its questions, in a run and in the lines of a file.

    of        the subject of a line's question
    reads     reads a reply by rules alone
    asker     makes the second question about an unread reply
    names     the answers in a text, to see whether a second reply contradicts the first
    fits      whether the text around a quote is about the place that was asked about
    declined  the outcome if the second reply says that no answer was given
    """

    of: Callable[[Line], Q]
    reads: Callable[[Q, str], NumberReading | ChoiceReading]
    asker: Callable[[Q], Asker]
    names: Callable[[Q, str], frozenset[Any]]
    label: Callable[[Line], Any] = number_label
    fits: Callable[[Q, str], bool] = lambda about, text: True
    declined: str = "declined"

    def read(self, line: Line) -> ReadReply:
        found = self.reads(self.of(line), text_of(line))
        return ReadReply(found.value, found.outcome, found.reason)

    def ask(self, line: Line) -> Ask:
        return pointing(text_of(line), self.asker(self.of(line)))

    def settle(self, line: Line, said: str) -> ReadReply:
        if says_none(said):
            return ReadReply(None, "declined", "reader: gives no answer")
        about = self.of(line)
        if not (words := self.pointed(about, text_of(line), said)):
            return ReadReply(None, "unread", "the reader points to nothing in it")
        found = self.reads(about, words)
        return ReadReply(found.value, found.outcome, f"reader: {words}")

    def pointed(self, about: Q, reply: str, said: str) -> str:
        """Return the words to which a reader model points, or "" if they are not an answer."""
        words = pointed_at(reply, said, self.asker(about))
        return words if words and self.fits(about, sentence_of(reply, words)) else ""


NUMBER = Reader(
    of=lambda line: Asked(str(line.get("unit") or ""), question=str(line.get("prompt") or "")),
    reads=lambda asked, text: read_number(text, asked),
    asker=lambda asked: number_asker(asked.question, asked.unit),
    names=lambda asked, text: numbers_in(text, asked),
)
"""Reads numbers that answer questions of any kind."""
