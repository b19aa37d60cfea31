"""Games of before there were two rules: which of their wins propose the target?

Such a game ended when the target was named. The record holds its last text: the last question, or
the final guess where that won.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from geobias.atlas.entities import Entity, entities
from geobias.probes.geo20q.proposing import read_turn
from geobias.probes.geo20q.sightings import Names


def earlier_win_guesses(
    record: Mapping[str, Any], setting: str, known: Mapping[str, Entity]
) -> bool:
    """Whether the text that won a game proposes the target; True where there is no text."""
    target = known.get(record["entity"])
    by_final_guess = setting == "canonical" and bool(record["final_guess"])
    text = record["final_guess"] if by_final_guess else record["last_question"]
    if not text or target is None:
        return True
    table = known if known is not entities() else None
    read = read_turn(text, target, _names(record["language"], _Held(table)), final=by_final_guess)
    return read.guess == "yes" or not read.mention


class _Held:
    """A table as a key: the shipped one, or this very one."""

    def __init__(self, table: Mapping[str, Entity] | None) -> None:
        self.table = table

    def __hash__(self) -> int:
        return id(self.table)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Held) and other.table is self.table


@lru_cache(maxsize=16)
def _names(language: str, held: _Held) -> Names:
    return Names(entities() if held.table is None else held.table, language)
