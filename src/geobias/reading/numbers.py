"""Read the one number that answers a question: "8.7 million" is 8,700,000.

The number is searched in what the reply calls its answer (a line "Answer: …", a field of JSON), or
else in the first sentence with a number. For a question about a country, the text must be plain
(see `plain`) and have no other number. For other questions, a sentence may have several numbers:
the one in the unit asked for is read.

A number after a decline is not read: "I have no data for Eritrea; neighbouring Ethiopia spends
4.5%". A number outside the bounds is not read either.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypedDict

import msgspec

from geobias.reading.answer import Outcome, own_answer, sentences
from geobias.reading.numerals import Asked, Number, is_year, numbers_of
from geobias.reading.plain import is_plain
from geobias.reading.refusals import declines, takes_back


class Span(TypedDict):
    """The fields of a record that say where in the reply the number is; None for no number."""

    span_start: int | None
    span_end: int | None


class NumberReading(msgspec.Struct, frozen=True):
    """The value in the unit asked for, or None, and how the reply writes it."""

    value: float | None
    outcome: Outcome
    reason: str = ""
    written: str = ""
    scale: float | None = None
    converted: str = ""

    def span_in(self, reply: str) -> Span:
        start = -1 if self.value is None else reply.rfind(self.written)
        end = start + len(self.written)
        return {"span_start": start, "span_end": end} if start >= 0 else _NOWHERE


_NOWHERE: Span = {"span_start": None, "span_end": None}
_DENIED = re.compile(
    r"\b(?:not|never|neither|wrong|at least|over|up to|half of|other)\b|n't\b", re.IGNORECASE
)
"""If the question has no `phrase`, a sentence with one of these words states no figure."""


def read_number(reply: str, asked: Asked, *, cut: bool = False) -> NumberReading:
    """Read a reply; `cut` says that it ended at the token limit."""
    answer = own_answer(reply)
    if not answer.text:
        return _not("unread", "a thought that did not end" if answer.thought else "empty")
    if answer.fields:
        beside = answer.text if answer.text.startswith("{") else " ".join(answer.fields)
        return _if_plain(_of_fields(answer.fields, asked, cut=cut), beside, asked)
    whole = _whole(answer.text, asked)
    if whole and not (_DENIED.search(answer.text) or (cut and answer.text[-1:].isdigit())):
        return _if_plain(_reading(whole, asked, "the reply is a number"), answer.text, asked)
    said = sentences(answer.text)
    for place, sentence in enumerate(said):
        if declines(sentence):
            figures = any(numbers_of(" ".join(said[place:]), asked))
            return _not("unread" if figures else "declined", "declines" * figures)
        if found := [*numbers_of(sentence, asked)]:
            asks = f"{sentence}?" in answer.text
            if asks or (not asked.phrase and _DENIED.search(sentence)):
                return _not("unread", "asks" if asks else "denies")
            if cut and place == len(said) - 1:
                return _not("cut", "cut off")
            counts = sentence.endswith(" 1") and " 2. " in answer.text
            if counts or (sentence.isdigit() and f"{sentence}. " in answer.text):
                return _not("unread", "may count a list")
            decided = _decided(found, said[place + 1 :], asked)
            return _if_plain(decided, " ".join(said[: place + 1]), asked)
    return _not("cut" if cut else "unread", "cut off" if cut else "no number")


def numbers_in(text: str, asked: Asked) -> frozenset[float]:
    """Return the numbers of a text that may be the answer."""
    said = sentences(own_answer(text).text)
    found = (one.value for sentence in said for one in numbers_of(sentence, asked))
    return frozenset(value for value in found if value is not None)


def _if_plain(found: NumberReading, text: str, asked: Asked) -> NumberReading:
    """Return the reading, or none if the question has a `phrase` and the text is not plain."""
    plain = found.value is None or not asked.phrase or is_plain(text, found.written, asked)
    return found if plain else _not("unread", "not plain")


def _not(outcome: Outcome, reason: str = "") -> NumberReading:
    return NumberReading(None, outcome, reason)


def _of_fields(fields: Sequence[str], asked: Asked, *, cut: bool) -> NumberReading:
    """Read what the reply calls its answer. Several different answers are unread."""
    readings = []
    for field in fields:
        if whole := _whole(field, asked):
            readings.append(_reading(whole, asked, "the answer it names"))
        elif declines(field):
            readings.append(_not("declined"))
        else:
            readings.append(_decided([*numbers_of(field, asked)], (), asked))
    if len({one.value for one in readings}) > 1:
        return _not("unread", "several answers")
    if cut and len(fields) == 1 and fields[0][-1:].isdigit():
        return _not("cut", "cut off")
    return readings[0]


def _decided(found: Sequence[Number], later: Sequence[str], asked: Asked) -> NumberReading:
    """Read the one number of a sentence that no later sentence contradicts."""
    if any(one.value is None for one in found):
        return _not("unread", "not one number")
    if not asked.phrase and len({one.value for one in found}) > 1:
        found = [one for one in found if one.sure]
    if len({one.value for one in found}) != 1:
        return _not("unread", "several numbers" if found else "no number")
    if any(map(declines, later)):
        return _not("unread", "declines")
    after = ". ".join(later) if asked.phrase or takes_back(" ".join(later)) else ""
    if any(one.value not in (found[0].value, None) for one in numbers_of(after, asked)):
        return _not("unread", "several numbers")
    return _reading(found[0], asked, "the only number")


def _reading(one: Number, asked: Asked, reason: str) -> NumberReading:
    if one.value is None:
        return _not("unread", "not one number")
    low, high = asked.low, asked.high
    if (low is not None and one.value < low) or (high is not None and one.value > high):
        return _not("unread", "outside the bounds")
    return NumberReading(one.value, "read", reason, one.written, one.scale, one.converted)


def _whole(text: str, asked: Asked) -> Number | None:
    """Return the number that a text consists of, with its unit; None for any other text.

    A number of the question counts here. A bare year does not, unless a year is asked for.
    """
    bare = text.strip(" \n*\"'≈<>~").rstrip(".").strip()
    found = [*numbers_of(bare, asked, alone=True)]
    if len(found) != 1 or found[0].value is None:
        return None
    rest = bare.replace(found[0].written, "", 1).strip(" .*$()~")
    if is_year(found[0].written) and not rest and asked.wanted.quantity != "year":
        return None
    most = 3 if found[0].sure or found[0].scale else 0
    return found[0] if len(re.findall(r"[^\W_]+", rest)) <= most else None
