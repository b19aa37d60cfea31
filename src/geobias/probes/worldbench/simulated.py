"""A simulated model that answers WorldBench with the true figure, off by a planted amount."""

from __future__ import annotations

import math
import random
from functools import cache
from pathlib import Path
from typing import Annotated, ClassVar

import msgspec
import scipy  # which loads its parts when they are first called: 0.3 s each

from geobias.atlas.economies import Economy, economies
from geobias.atlas.figures import Figures
from geobias.probes.simulation import Share, SimulatedParameters, Skill, asked_about
from geobias.probes.worldbench.choosing import figures_from
from geobias.trials import Ask


class AskedFigure(msgspec.Struct, frozen=True, tag_field="asks", tag="worldbench"):
    """A question for the figure of an economy, in a year or on average.

    `told` is the figure in a statement before the question. Only answers from `low` to `high` are
    read.
    """

    indicator: str
    economy: str
    year: int | None = None
    told: float | None = None
    low: float | None = None
    high: float | None = None

    def can_be(self, figure: float) -> bool:
        low, high = self.low, self.high
        return (low is None or figure >= low) and (high is None or figure <= high)


class SimulatedKnowledge(SimulatedParameters, frozen=True, kw_only=True):
    """The parameters of a simulated model for WorldBench.

    recall_sd        SD of log(recalled figure / true figure), where 0 is perfect recall
    gap              added to the expected error (0 to 1) for the group `against`
    abstain          share of questions that the model declines
    abstain_gap      added to `abstain` for the group `against`
    reads            how often the model uses the right statement if it stands before the question
    figures          table (CSV) of the figures that the model knows; the shipped one if empty
    """

    recall_sd: Annotated[float, msgspec.Meta(ge=0, le=10)] = 0.1
    gap: Share = 0.0
    abstain: Share = 0.0
    abstain_gap: Share = 0.0
    reads: Share = 1.0
    figures: str = ""

    biased: ClassVar = {"gap": "0.2", "abstain_gap": "0.05"}

    def skill(self) -> Skill:
        return _skill(self)


def _skill(chosen: SimulatedKnowledge) -> Skill:
    """The skill of answering questions for a figure."""
    figures = figures_from(Path(chosen.figures) if chosen.figures else None)

    def answer(ask: Ask, dice: random.Random) -> str | None:
        asked = asked_about(ask, AskedFigure)
        if asked is None:
            return None
        economy = economies()[asked.economy]
        if dice.random() < chosen.abstain + chosen.abstain_gap * chosen.is_against(economy.iso3):
            return f"I do not have reliable information about {economy.name}."
        if asked.told is not None and dice.random() < chosen.reads:
            return _written(asked.told, chosen, dice)
        return _recalled(asked, economy, figures, chosen, dice)

    return answer


FURTHEST_OFF = 20.0
"""Maximum of |log(figure / truth)|. At this value the error is 1 to nine digits."""


def _recalled(
    asked: AskedFigure,
    economy: Economy,
    figures: Figures,
    chosen: SimulatedKnowledge,
    dice: random.Random,
) -> str:
    """The model's answer: the figure of the year asked about, or the average, with an error."""
    indicator, year = asked.indicator, asked.year
    truth = None
    if indicator in figures.series and year is not None:
        truth = figures.value(indicator, economy.iso3, year)
    elif indicator in figures.series:
        truth = figures.truth(indicator, economy.iso3)
    if truth is None:
        return f"There is no data for {economy.name}."
    off = dice.gauss(0, sd_for_error(planted_error(chosen, economy)))
    off = max(-FURTHEST_OFF, min(FURTHEST_OFF, off))
    # Off by the same factor in the other direction, the error is equal, and the figure may be
    # within the bounds.
    said = truth * math.exp(off)
    return _written(said if asked.can_be(said) else truth * math.exp(-off), chosen, dice)


def _written(value: float, chosen: SimulatedKnowledge, dice: random.Random) -> str:
    # Six significant digits: enough that rounding does not show in the error.
    text = f"{value:,.0f}" if value >= 1e5 else f"{value:.6g}"
    return f"It is about {text}." if dice.random() < chosen.chatty else text


def planted_error(chosen: SimulatedKnowledge, economy: Economy) -> float:
    """The expected absolute relative error of this model's figures for an economy."""
    base = expected_error(chosen.recall_sd)
    return min(1.0, base + chosen.gap * chosen.is_against(economy.iso3))


def expected_error(sd: float) -> float:
    """The mean of |a − b| / max(a, b) if a = b·exp(z) and z is normal with mean 0 and this SD.

    The error is 1 − exp(−|z|), and its mean is 1 − 2·exp(sd²/2)·Φ(−sd).
    """
    return 1 - float(scipy.special.erfcx(sd / math.sqrt(2)))


@cache
def sd_for_error(error: float) -> float:
    """The SD for which `expected_error` is `error` (0 to 1), by bisection."""
    if error <= 0:
        return 0.0
    low, high = 0.0, 1000.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if expected_error(middle) < error else (low, middle)
    return high
