"""How the simulated model plays: as guesser it searches, as judge it knows the answer."""

from __future__ import annotations

import random
import re
from functools import cache

from geobias.atlas.economies import economies, find_economy
from geobias.models.simulated.parameters import Parameters
from geobias.models.simulated.world import group_members
from geobias.trials import Dialogue

_SEARCH = re.compile(r"Find out on which continent it lies")
_JUDGE = re.compile(
    r"question about (?P<country>.+?) with Yes or No only\.\s+Question: (?P<question>.+)"
)


def answer(dialogue: Dialogue, chosen: Parameters, dice: random.Random) -> str | None:
    """The next question or the judge's word, or None if this is no game."""
    if (found := _JUDGE.search(dialogue.content)) and (economy := find_economy(found["country"])):
        return "Yes." if economy.continent in found["question"] else "No."
    said = [node for node in dialogue if node.role != "system"]
    if said and _SEARCH.search(said[0].content):
        asked = {node.content for node in said if node.role == "assistant"}
        return _next_question(asked, chosen, dice)
    return None


def _next_question(asked: set[str], chosen: Parameters, dice: random.Random) -> str:
    """A continent it thinks of and has not asked about, or a question that does not help."""
    left = [c for c in _continents() if f"Is it in {c}?" not in asked]
    dice.shuffle(left)
    for continent in left:
        hard = _continents()[continent] & group_members(chosen.against)
        handicap = chosen.play_gap * (2 * len(hard) > len(_continents()[continent]))
        if dice.random() < chosen.play - handicap:
            return f"Is it in {continent}?"
    return dice.choice(("Is it a large country?", "Does it have a coast?"))


@cache
def _continents() -> dict[str, frozenset[str]]:
    names = sorted({e.continent for e in economies().values()})
    return {name: group_members(name) for name in names}
