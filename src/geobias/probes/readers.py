"""How single replies are read outside of a run: a line of a file in, a reading out.

A probe declares a `ReplyReader`; `NUMBER` reads numbers that answer any question. A line may have
a label, what a person takes the reply to say, and the reading is then right, wrong or unread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, NamedTuple

from geobias.reading.again import Asker, number_asker, pointed_at, pointing, says_none
from geobias.reading.numbers import read_number
from geobias.reading.numerals import Asked
from geobias.trials import Ask

Line = Mapping[str, Any]
Judged = Literal["right", "wrong", "unread"]
NO_ANSWER = frozenset(
    ("", "none", "null", "no", "n", "nan", "declined", "refused", "unread", "cut", "other")
)
"""Labels, in small letters, of a reply without an answer."""


class ReadReply(NamedTuple):
    """What was read: None is no answer. `open` ones are left to somebody else to read."""

    value: Any
    outcome: str
    reason: str = ""

    @property
    def open(self) -> bool:
        return self.outcome in ("unread", "cut")


class ReplyReader(NamedTuple):
    """How replies of one kind are read.

    fields  the fields of a line beside `reply`, for the help
    read    a line's reply by rules alone
    label   a line's label as a value of a reading; a `ValueError` says what is wrong with it
    ask     what a reader model is asked about a line that the rules leave open
    settle  the reading of a line from what that model says
    """

    fields: str
    read: Callable[[Line], ReadReply]
    label: Callable[[Line], Any]
    ask: Callable[[Line], Ask]
    settle: Callable[[Line, str], ReadReply]


def text_of(line: Line, name: str) -> str:
    value = line.get(name)
    if value is None:
        raise ValueError(f"it has no {name!r}")
    return str(value)


def judged(found: ReadReply, label: Any) -> Judged:
    """A reply without an answer is right where none is read."""
    if isinstance(label, bool):
        return "unread" if found.value is None else "right" if found.value == label else "wrong"
    if found.value is None:
        return "right" if label is None else "unread"
    return "right" if label is not None and _same(found.value, label) else "wrong"


def _same(value: Any, label: Any) -> bool:
    if isinstance(value, float) or isinstance(label, float):
        return bool(abs(value - label) <= 1e-4 * max(abs(value), abs(label)))
    return bool(value == label)


def number_label(line: Line) -> float | None:
    """A number, perhaps as text; null, "" or "none" for no answer."""
    label = line["label"]
    if label is None or str(label).strip().lower() in NO_ANSWER:
        return None
    try:
        return float(str(label).replace(",", "").strip())
    except ValueError:
        raise ValueError(f"the label {str(label)[:40]!r} is no number") from None


def asked_number(line: Line) -> Asked:
    return Asked(unit=str(line.get("unit") or ""), question=str(line.get("prompt") or ""))


def number_reading(asked: Asked, reply: str) -> ReadReply:
    found = read_number(reply, asked)
    return ReadReply(found.value, found.outcome, found.reason)


def quoted_number(asked: Asked, reply: str, asker: Asker, said: str) -> ReadReply:
    """What a reader quotes, read by rule; declined where it says that there is none."""
    if says_none(said):
        return ReadReply(None, "declined", "reader: gives no answer")
    quote = pointed_at(reply, said, asker)
    found = number_reading(asked, quote) if quote else ReadReply(None, "unread", "no quote")
    return found._replace(reason=f"reader: {quote}" if quote else found.reason)


def number_reader(
    fields: str, asked: Callable[[Line], Asked], asker: Callable[[Line], Asker]
) -> ReplyReader:
    """A reader of numbers, from what a line asks for."""

    def ask(line: Line) -> Ask:
        return pointing(text_of(line, "reply"), asker(line))

    def settle(line: Line, said: str) -> ReadReply:
        return quoted_number(asked(line), text_of(line, "reply"), asker(line), said)

    return ReplyReader(
        fields=fields,
        read=lambda line: number_reading(asked(line), text_of(line, "reply")),
        label=number_label,
        ask=ask,
        settle=settle,
    )


NUMBER = number_reader(
    "prompt, unit",
    asked_number,
    lambda line: number_asker(str(line.get("prompt") or ""), str(line.get("unit") or "")),
)
"""Numbers that answer any question."""


def tally(
    lines: Iterable[tuple[Line, Judged]], columns: Iterable[str] = ("kind", "source")
) -> dict[tuple[str, str], dict[Judged, int]]:
    """How many are right, wrong and unread, of all and by what the lines say in these columns."""
    found: dict[tuple[str, str], dict[Judged, int]] = {}
    names = tuple(columns)
    for line, how in lines:
        keys = [("all", "all"), *((name, str(line[name])) for name in names if line.get(name))]
        for key in keys:
            counts = found.setdefault(key, {"right": 0, "wrong": 0, "unread": 0})
            counts[how] += 1
    return dict(sorted(found.items(), key=lambda item: item[0][0] != "all"))
