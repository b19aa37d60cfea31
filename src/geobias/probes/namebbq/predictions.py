"""Replies made elsewhere, one JSON object a line, read and scored as a run's own are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from geobias.errors import BadRequest
from geobias.probes.namebbq.scores import frame_of
from geobias.probes.namebbq.trials import read, trial_name
from geobias.probes.namebbq.versions import Source, Version
from geobias.trials import Reply


class Prediction(msgspec.Struct, frozen=True):
    """One line: the item's id, the seed of its name version (none: nationalities), the reply.

    Letters mean the data's order: (a) is ans0.
    """

    example_id: str | int
    reply: str
    seed: int | None = None
    model: str = ""
    repeat: int = 0


class Scored(msgspec.Struct, frozen=True):
    """The scored replies as a frame (`scores.frame_of`), and the lines that could not be used."""

    frame: Any
    left_out: list[tuple[int, str]]
    """Line number, from 1, and the reason in words."""


def score_lines(lines: Iterable[bytes], *, items: str = "builtin") -> Scored:
    """Read and score each line's reply; blank lines are passed over.

    A line is left out, with its reason, when it is no JSON object with these fields, names an item
    that is not among `items` or has no names for that seed, or answers an item again without
    another `repeat`. An empty reply counts as one without an answer.
    """
    source = Source.of(items)
    decoder = msgspec.json.Decoder(Prediction)
    rows: list[dict[str, Any]] = []
    left_out: list[tuple[int, str]] = []
    seen: dict[tuple[str, str], int] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            said = decoder.decode(line)
            version = _version(source, said)
            trial = trial_name(version, said.repeat)
            if (first := seen.setdefault((said.model, trial), number)) != number:
                raise ValueError(
                    f'the same item as in line {first}; give each draw a "repeat" of its own'
                )
        except (ValueError, UnicodeDecodeError, BadRequest) as error:
            left_out.append((number, str(error)))
            continue
        outcome = "ok" if said.reply.strip() else "empty"
        reply = Reply(said.reply, outcome)  # type: ignore[arg-type]
        record = read(trial, version, said.repeat, reply)
        rows.append(msgspec.structs.asdict(record) | {"model": said.model})
    return Scored(frame_of(rows), left_out)


def _version(source: Source, said: Prediction) -> Version:
    item = source.by_id.get(str(said.example_id))
    if item is None:
        raise ValueError(f"no item has the id {said.example_id!r} among the {source.name} items")
    return source.version(item, said.seed)
