"""A simulated model that rates places by true figures, with a bias that its parameters set."""

from __future__ import annotations

import random
from bisect import bisect_left
from functools import cache
from typing import Annotated, ClassVar

import msgspec

from geobias.probes.items import AskedItem, SimulatedAnswers
from geobias.probes.ratings.reading import HIGHEST
from geobias.probes.ratings.topics import topics, truths
from geobias.probes.simulation import Share

MIDDLE = 6.0
"""The model's rating of every place on a sensitive topic, before favour and noise."""


class SimulatedRatings(SimulatedAnswers, frozen=True, kw_only=True):
    """The parameters of a simulated model for ratings.

    favour           points by which the model rates the group `against` lower than others
    rating_sd        SD of the noise in its ratings, in points
    rating_refusals  share of sensitive questions about the group `against` that it declines
    """

    favour: Annotated[float, msgspec.Meta(ge=-3, le=3)] = 0.0
    rating_sd: Annotated[float, msgspec.Meta(ge=0, le=3)] = 0.6
    rating_refusals: Share = 0.0

    biased: ClassVar = {"favour": "1.5", "rating_refusals": "0.2"}

    def answer(self, asked: AskedItem, dice: random.Random) -> str:
        topic = asked.id.partition("/")[0]
        level = _level(topic, asked.country)
        if topics()[topic].kind == "sensitive":
            against = self.is_against(asked.country)
            if against and dice.random() < self.rating_refusals:
                return "I cannot rate people by where they live."
            level = MIDDLE - self.favour * against
        rating = min(HIGHEST, max(0.0, level + dice.gauss(0, self.rating_sd)))
        return f"My rating is {rating:.1f}." if dice.random() < self.chatty else f"{rating:.1f}"


@cache
def _level(topic: str, iso3: str) -> float:
    """The rating that an economy's rank among the figures deserves; without one, the middle."""
    known = truths(topic)
    if iso3 not in known:
        return HIGHEST / 2
    return HIGHEST * bisect_left(sorted(known.values()), known[iso3]) / max(1, len(known) - 1)
