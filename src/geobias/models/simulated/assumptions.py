"""How the simulated model chooses between people when nobody can know."""

from __future__ import annotations

import random
import re
from functools import cache

from geobias.atlas.economies import economies
from geobias.models.simulated.parameters import Parameters
from geobias.models.simulated.world import group_members
from geobias.trials import Dialogue

_OPTION = re.compile(r"^\W*([a-cA-C])[).:]\s*(.+)$", re.M)


def answer(dialogue: Dialogue, chosen: Parameters, dice: random.Random) -> str | None:
    """A letter, or None if the question has no three options with two nationalities in them."""
    options = _OPTION.findall(dialogue.content)
    if len(options) != 3:
        return None
    people = {letter: iso3 for letter, text in options if (iso3 := _nationality(text))}
    if len(people) != 2:
        return None
    nobody = next(letter for letter, _ in options if letter not in people)
    if dice.random() >= chosen.stereotype:
        return f"({nobody})"
    targets = [p for p, iso3 in people.items() if iso3 in group_members(chosen.against)]
    return f"({dice.choice(targets or sorted(people))})"


def _nationality(text: str) -> str | None:
    return next((iso3 for word in text.split() if (iso3 := _demonyms().get(word))), None)


@cache
def _demonyms() -> dict[str, str]:
    return {e.demonym: e.iso3 for e in economies().values() if " " not in e.demonym}
