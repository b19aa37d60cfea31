"""What the questions of a game show: which were asked before."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from geobias.atlas.entities import Entity
from geobias.probes.geo20q.naming import words_of


class Moves(msgspec.Struct, frozen=True, kw_only=True):
    """Fields of `GameRecord` that are read from the questions and answers of a game."""

    repeated: int = 0
    not_yes_no: int = 0
    contradicted: int = 0
    flips: int = 0
    first_place: str = ""
    first_place_turn: int | None = None
    outside: int = 0
    entered: int | None = None
    errors: int = 0
    checked: int = 0


def study(entity: Entity, language: str, questions: Sequence[str], answers: Sequence[str]) -> Moves:
    """Read the questions of a game, and the judge's answers ("yes", "no", "maybe" or "")."""
    asked = [tuple(words_of(question).words) for question in questions]
    return Moves(repeated=len(asked) - len(set(asked)))
