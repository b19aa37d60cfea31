"""Replies that were made elsewhere, read and scored as a run's own are (`geobias score`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, TypeVar

import msgspec

from geobias.errors import BadRequest
from geobias.outside import json_value
from geobias.trials import Record, Reply

A = TypeVar("A")


class Scored(msgspec.Struct, Generic[A], frozen=True):
    """The answers by model, and the lines that could not be used: number from 1, and why."""

    answers: Sequence[A]
    left_out: Sequence[tuple[int, str]]


class Predictions(msgspec.Struct, Generic[A], frozen=True, kw_only=True):
    """How a probe takes replies from elsewhere.

    help     what a line looks like, for the command line
    Options  what the replies answer, declared as settings are
    read     the lines of a file, and those options
    tables   the probe's tables that can be made of them; the first is the usual one
    """

    help: str
    Options: type[msgspec.Struct]
    read: Callable[[Iterable[bytes], Any], Scored[A]]
    tables: tuple[str, ...]


Line = TypeVar("Line", bound=msgspec.Struct)


def records_of(
    lines: Iterable[bytes], kind: type[Line], read: Callable[[Line], Record]
) -> tuple[list[dict[str, Any]], list[tuple[int, str]]]:
    """The records of lines of JSON with their `model`, and the lines that could not be used.

    Blank lines are passed over. A line is left out, with its reason, when it is no JSON object of
    this kind, when `read` raises what is wrong with it, or when it answers for a model what an
    earlier line answers already.
    """
    rows: list[dict[str, Any]] = []
    left_out: list[tuple[int, str]] = []
    seen: dict[tuple[str, str], int] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            said = json_value(line, kind)
            record = read(said)
            model = getattr(said, "model", "")
            if (first := seen.setdefault((model, record.trial), number)) != number:
                raise ValueError(
                    f'the same question as in line {first}; give each draw a "repeat" of its own'
                )
        except (ValueError, UnicodeDecodeError, BadRequest) as error:
            left_out.append((number, str(error)))
            continue
        rows.append(msgspec.structs.asdict(record) | {"model": model})
    return rows, left_out


def as_reply(text: str) -> Reply:
    """A reply from elsewhere; an empty one counts as a question without an answer."""
    return Reply(text, "ok" if text.strip() else "empty")
