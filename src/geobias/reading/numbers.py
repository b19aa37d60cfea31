"""Read the one number that answers a question: "8.7 million" is 8,700,000.

It is searched in what the reply calls its answer (a line "Answer: …", a field of JSON), or else in
the first sentence with a number. About a country, the text must be plain (see `plain`) and have no
other number. About anything else, of several numbers the one in the unit asked for is read. A
number outside the bounds is not read, nor one after a decline: "I have no data for Eritrea;
neighbouring Ethiopia spends 4.5%".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

import msgspec

from geobias.reading.answer import Outcome, own_answer, sentences
from geobias.reading.numerals import Asked, Number, numbers_of
from geobias.reading.plain import is_plain
from geobias.reading.refusals import declines


class Span(TypedDict):
    """Where in the reply the number is; None for no number."""

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


def read_number(reply: str, asked: Asked, *, cut: bool = False) -> NumberReading:
    """Read a reply; `cut` says that it ended at the token limit."""
    answer = own_answer(reply)
    text = answer.text
    if not text:
        return _not("unread", "a thought that did not end" if answer.thought else "empty")
    said = [". ".join(answer.fields)] if answer.fields else sentences(text)
    for place, sentence in enumerate(said):
        found, later = numbers_of(sentence, asked), said[place + 1 :]
        if declines(sentence):
            figures = found or numbers_of(". ".join(later), asked)
            return _not("unread", "declines") if figures else _not("declined")
        if found and cut and text.rstrip(" .").endswith(sentence):
            break
        if found:
            if not asked.phrase and len({one.value for one in found}) > 1:
                found = [one for one in found if one.sure or one.value is None]
            if doubt := _doubt(sentence, found, later, text, asked):
                return _not("unread", doubt)
            value, written, _, scale, converted = found[0]
            beside = text if text.startswith("{") else " ".join(said[: place + 1])
            if asked.phrase and not is_plain(beside, written, asked):
                return _not("unread", "not plain")
            reason = "the answer it names" if answer.fields else "the only number"
            return NumberReading(value, "read", reason, written, scale, converted)
    return _not("cut" if cut else "unread", "cut off" if cut else "no number")


def _doubt(
    sentence: str, found: Sequence[Number], later: Sequence[str], text: str, asked: Asked
) -> str:
    """Return why the numbers of a sentence are not an answer, or ""."""
    values, low, high = {one.value for one in found}, asked.low, asked.high
    if f"{sentence}?" in text:
        return "asks"
    lists = sentence.endswith(" 1") and " 2. " in text
    if lists or (sentence.isdigit() and f"{sentence}. " in text):
        return "may count a list"
    if None in values:
        return "not one number"
    if len(values) != 1:
        return "several numbers"
    if any(map(declines, later)):
        return "declines"
    others = numbers_of(". ".join(later), asked) if asked.phrase and later else ()
    if {one.value for one in others} - values - {None}:
        return "several numbers"
    value = found[0].value or 0.0
    below, above = low is not None and value < low, high is not None and value > high
    return "outside the bounds" if below or above else ""


def numbers_in(text: str, asked: Asked) -> frozenset[float]:
    said = ". ".join(sentences(own_answer(text).text))
    return frozenset(one.value for one in numbers_of(said, asked) if one.value is not None)


def _not(outcome: Outcome, reason: str = "") -> NumberReading:
    return NumberReading(None, outcome, reason)
