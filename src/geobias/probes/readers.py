"""Reading single replies outside of a run, one in each line of a file (`geobias read`).

A line may have a label: the answer that a person finds in the reply. Compared with the label, a
reading is right, wrong or unread.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple, TypeVar

from geobias.reading.again import Asker, number_asker, pointed_at, pointing, says_none
from geobias.reading.numbers import NumberReading, read_number
from geobias.reading.numerals import Asked
from geobias.trials import Ask

A = TypeVar("A")
Line = Mapping[str, Any]
"""A line of a user's file of replies, which may have columns of its own."""
Judged = Literal["right", "wrong", "unread"]
NO_ANSWER = frozenset(
    ("", "none", "null", "no", "n", "nan", "declined", "refused", "unread", "cut", "other")
)
"""The labels that mean that a reply has no answer."""


class ReadReply(NamedTuple):
    """The reading of a reply. `value` is None if the reply has no answer.

    Replies that are unread or cut off may be read by a model instead.
    """

    value: Any
    outcome: str
    reason: str = ""


class ReplyReader(NamedTuple):
    """The functions that read replies to one kind of question.

    read    reads a line's reply by rules alone
    label   returns a line's label in the form of `ReadReply.value`, or raises a `ValueError`
    ask     returns the question to a reader model about a line that the rules cannot read
    settle  reads a line by the reader model's answer
    """

    read: Callable[[Line], ReadReply]
    label: Callable[[Line], Any]
    ask: Callable[[Line], Ask]
    settle: Callable[[Line, str], ReadReply]


def text_of(line: Line, name: str = "reply") -> str:
    value = line.get(name)
    if value is None:
        raise ValueError(f"it has no {name!r}")
    return str(value)


def judged(found: ReadReply, label: Any) -> Judged:
    """Compare a reading with a label; None labels a reply without an answer."""
    if found.value is None:
        return "right" if label is None else "unread"
    same = found.value == label
    if not same and isinstance(found.value, float) and label is not None:
        same = bool(abs(found.value - label) <= 1e-4 * max(abs(found.value), abs(label)))
    return "right" if same else "wrong"


def number_label(line: Line) -> float | None:
    """Return a line's label as a number; None for null, "" and "none"."""
    said = str(line["label"]).strip().lower()
    if said in NO_ANSWER:
        return None
    try:
        return float(said.replace(",", ""))
    except ValueError:
        raise ValueError(f"the label {said[:40]!r} is not a number") from None


def pointed_reader(
    read: Callable[[Line, str], ReadReply],
    label: Callable[[Line], Any],
    asker: Callable[[Line], Asker],
) -> ReplyReader:
    """Return a reader that applies `read` to a reply, or to the words that a model quotes."""

    def settle(line: Line, said: str) -> ReadReply:
        if says_none(said):
            return ReadReply(None, "declined", "reader: gives no answer")
        words = pointed_at(text_of(line), said, asker(line))
        if not words:
            return ReadReply(None, "unread", "the reader points to nothing in it")
        return read(line, words)._replace(reason=f"reader: {words}")

    return ReplyReader(
        read=lambda line: read(line, text_of(line)),
        label=label,
        ask=lambda line: pointing(text_of(line), asker(line)),
        settle=settle,
    )


def number_reader(
    asked: Callable[[Line], A],
    asker: Callable[[Line], Asker],
    reads: Callable[[str, A], NumberReading],
) -> ReplyReader:
    """Return a reader of numbers. `asked` returns the facts about a line's question with which
    `reads` finds the number.
    """

    def read(line: Line, text: str) -> ReadReply:
        found = reads(text, asked(line))
        return ReadReply(found.value, found.outcome, found.reason)

    return pointed_reader(read, number_label, asker)


NUMBER = number_reader(
    lambda line: Asked(str(line.get("unit") or ""), question=str(line.get("prompt") or "")),
    lambda line: number_asker(str(line.get("prompt") or ""), str(line.get("unit") or "")),
    read_number,
)
"""A reader of numbers for questions of any kind."""
