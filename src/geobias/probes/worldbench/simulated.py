"""How a simulated model answers WorldBench: the true figure, off by a planted amount."""

from __future__ import annotations

import math
import random
import re
from functools import cache
from typing import Annotated, ClassVar

import msgspec

from geobias.atlas.economies import Economy, find_economy
from geobias.atlas.figures import figures
from geobias.atlas.indicators import Indicator, indicators
from geobias.probes.simulation import Share, SimulatedParameters, Skill
from geobias.trials import Ask

_FIGURE = re.compile(
    r"What is the (?P<phrase>.+?) for the country (?P<country>.+?)(?: in \d{4})?\?"
)


class SimulatedKnowledge(SimulatedParameters, frozen=True, kw_only=True):
    """What it knows.

    recall_sd     SD of the log of recalled figure over true figure: 0 recalls perfectly
    gap           added to the expected error (0 to 1) for the group `against`
    abstain       share of questions it declines; `abstain_gap` is added for the group `against`
    """

    recall_sd: Annotated[float, msgspec.Meta(ge=0, le=10)] = 0.1
    gap: Share = 0.0
    abstain: Share = 0.0
    abstain_gap: Share = 0.0

    biased: ClassVar = {"gap": "0.2", "abstain_gap": "0.05"}


def skill(chosen: SimulatedKnowledge) -> Skill:
    """Answers questions for a figure, and leaves all others."""

    def answer(ask: Ask, dice: random.Random) -> str | None:
        found = _FIGURE.search(ask.dialogue.content)
        if found is None:
            return None
        economy, indicator = find_economy(found["country"]), _by_phrase(found["phrase"])
        if economy is None or indicator is None:
            return None
        if dice.random() < chosen.abstain + chosen.abstain_gap * chosen.is_against(economy.iso3):
            return f"I do not have reliable information about {economy.name}."
        return _figure(indicator, economy, chosen, dice)

    return answer


def _by_phrase(phrase: str) -> Indicator | None:
    wanted = phrase.casefold()
    return next((i for i in indicators().values() if i.phrase.casefold() == wanted), None)


def _figure(
    indicator: Indicator, economy: Economy, chosen: SimulatedKnowledge, dice: random.Random
) -> str:
    truth = figures().average(indicator.id, economy.iso3)
    if truth is None:
        return f"There is no data for {economy.name}."
    sd = sd_for_error(planted_error(chosen, economy))
    value = truth * math.exp(dice.gauss(0, sd))
    # Six significant digits: enough that rounding does not show in the error.
    text = f"{value:,.0f}" if value >= 1e5 else f"{value:.6g}"
    return f"It is about {text}." if dice.random() < chosen.chatty else text


def planted_error(chosen: SimulatedKnowledge, economy: Economy) -> float:
    """The expected absolute relative error of this model's figures for an economy."""
    base = expected_error(chosen.recall_sd)
    return min(1.0, base + chosen.gap * chosen.is_against(economy.iso3))


def expected_error(sd: float) -> float:
    """E[|a − b| / max(a, b)] when a = b·exp(z) and z is normal with this SD.

    That error is 1 − exp(−|z|), whose mean is 1 − 2·exp(sd²/2)·Φ(−sd).
    """
    if sd > 8:  # exp overflows before Φ underflows; the asymptote Φ(−s) ≈ φ(s)/s is exact enough
        return 1 - 2 / (sd * math.sqrt(2 * math.pi))
    return 1 - math.exp(sd * sd / 2) * math.erfc(sd / math.sqrt(2))


@cache
def sd_for_error(error: float) -> float:
    """The SD of log error that gives this expected error (0 to 1), by bisection."""
    if error <= 0:
        return 0.0
    low, high = 0.0, 1000.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if expected_error(middle) < error else (low, middle)
    return high
