"""How the simulated model answers questions of fact about an economy."""

from __future__ import annotations

import math
import random
import re

from geobias.atlas.economies import Economy, find_economy
from geobias.atlas.figures import figures
from geobias.atlas.indicators import Indicator, indicators
from geobias.models.simulated.parameters import Parameters
from geobias.models.simulated.world import group_members, planted_error, sd_for_error
from geobias.trials import Dialogue

_FIGURE = re.compile(
    r"What is the (?P<phrase>.+?) for the country (?P<country>.+?)(?: in \d{4})?\?"
)
_CONTINENT = re.compile(r"On which continent is (?P<country>.+?)\? .*?: (?P<choices>.+?)\.")


def answer(dialogue: Dialogue, chosen: Parameters, dice: random.Random) -> str | None:
    """The reply to a question of fact, or None if this is no such question."""
    question = dialogue.content
    if found := _FIGURE.search(question):
        economy, indicator = find_economy(found["country"]), _by_phrase(found["phrase"])
        if economy and indicator:
            return _declined(economy, chosen, dice) or _figure(indicator, economy, chosen, dice)
    if found := _CONTINENT.search(question):
        economy = find_economy(found["country"])
        if economy:
            choices = [word.strip() for word in found["choices"].split(",")]
            return _declined(economy, chosen, dice) or _continent(economy, choices, chosen, dice)
    return None


def _declined(economy: Economy, chosen: Parameters, dice: random.Random) -> str | None:
    rate = chosen.abstain + chosen.abstain_gap * (economy.iso3 in group_members(chosen.against))
    if dice.random() < rate:
        return f"I do not have reliable information about {economy.name}."
    return None


def _by_phrase(phrase: str) -> Indicator | None:
    wanted = phrase.casefold()
    return next((i for i in indicators().values() if i.phrase.casefold() == wanted), None)


def _figure(
    indicator: Indicator, economy: Economy, chosen: Parameters, dice: random.Random
) -> str | None:
    truth = figures().average(indicator.id, economy.iso3)
    if truth is None:
        return f"There is no data for {economy.name}."
    sd = sd_for_error(planted_error(chosen, economy))
    value = truth * math.exp(dice.gauss(0, sd))
    # Six significant digits: enough that rounding does not show in the error.
    text = f"{value:,.0f}" if value >= 1e5 else f"{value:.6g}"
    return f"It is about {text}." if dice.random() < chosen.chatty else text


def _continent(
    economy: Economy, choices: list[str], chosen: Parameters, dice: random.Random
) -> str:
    others = [choice for choice in choices if choice != economy.continent]
    wrong = others and dice.random() < planted_error(chosen, economy)
    text = dice.choice(others) if wrong else economy.continent
    return f"{economy.name} is in {text}." if dice.random() < chosen.chatty else text
