"""What Geo20Q+ could see of a gap between North and South."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from geobias.atlas.economies import economies
from geobias.atlas.entities import Entity, entities
from geobias.errors import BadRequest
from geobias.measures.planning import Aim
from geobias.probes.geo20q import analyses
from geobias.probes.geo20q.scores import ENDINGS
from geobias.probes.plan import Plan
from geobias.stats.planning import Design, smallest_gap, unit_spread
from geobias.stats.regression import freedom_at_equal, pulls

SUCCESS = 0.2
"""Share of canonical games won: about what the paper's three models reach (Table 1)."""
BETWEEN = 0.1
"""SD of countries' true success rates within North or South. No publication gives it."""
WITHIN = math.sqrt(SUCCESS * (1 - SUCCESS) - BETWEEN**2)
"""SD of a game around its country's rate: what is left of the variance of won or lost."""
HALVES = analyses.HALVES["north_south"]
LEAST = 3
"""Countries of a half without which there is no test."""
FOUND_SHORT, LOST_SHORT = 0.45, 0.5
"""A canonical game: where the target is found, after this share of the turns; else after all of
them, which this share of games are."""
FOUND_LONG, LOST_LONG = 26, 0.2
"""A game without that limit: turns to a target that is found; share of games that go on to the end.
Simulated models take 46 and 72 turns on average; the plan stands between them."""
GUESSER, JUDGE, TURN, SAID = 75, 105, 17, 10
"""Tokens of the guesser's and the judge's prompt, what a turn adds to the guesser's, and what both
say in a turn."""


def aim(plan: Plan, spread: tuple[float, ...] | None = None) -> Aim:
    """Success of games about people that the model knows, North against South; `spread` (between,
    within) of one's own.

    Another repeat or language of a person is no new one: a greedy model plays it alike, and what
    varies within a country is whom it is asked about.
    """
    games = tested_games(plan)
    sides = [
        Counter(one.country for one in games if half_of(one.country) == half) for half in HALVES
    ]
    north, south = map(len, sides)
    between, within = spread or (BETWEEN, WITHIN)
    inflation, freedom = _beside_plain_means(games, between, within)
    return Aim(
        gap="in success between North and South, of people that the model knows",
        unit="country",
        units="countries",
        items="games",
        design=Design(
            groups=(north, south),
            weights=(1.0, -1.0),
            items=tuple(count for side in sides for _, count in sorted(side.items())),
            between=between,
            within=within,
            inflation=inflation,
            freedom=freedom,
        ),
        most_items=10_000,
        assumptions=[
            "A gap counts as seen where the test over countries has p < 0.05, of this test alone. "
            "The model is taken to know every person; those that it does not know are left out.",
            f"{north} countries of the North and {south} of the South, whose true rates differ "
            f"with an SD of {between:.2f}; games of a country with {within:.2f}"
            + ("." if spread else " (an assumption: --like RUN measures it)."),
            "Each game is about another person of its country; repeats, and the same person in "
            "another language, add none.",
        ],
    )


def tested_games(plan: Plan) -> list[Entity]:
    """The people of a plan."""
    named = [name.split("/") for trial in plan.trials() if (name := trial.name)]
    known = entities()
    ids = dict.fromkeys(parts[2] for parts in named if parts[0] == "geo20q")
    people = [known[one] for one in ids if one in known and known[one].type == "person"]
    sides = [[one for one in people if half_of(one.country) == half] for half in HALVES]
    if any(len({one.country for one in side}) < LEAST for side in sides):
        raise BadRequest(
            f"planning needs games about people from {LEAST} countries of the North and of the "
            "South: try --size standard"
        )
    return [one for side in sides for one in side]


def _beside_plain_means(
    games: Sequence[Entity], between: float, within: float
) -> tuple[float, float]:
    """By what the variance of the test's difference is larger than that of plain country means, and
    its degrees of freedom.

    Either is a weighted sum of games, whose variance is that of its weights.
    """
    _, country = np.unique([one.country for one in games], return_inverse=True)
    south = np.array([half_of(one.country) == HALVES[1] for one in games], dtype=float)

    def variance(weights: Any) -> float:
        scale = float(weights @ south)
        shared = np.bincount(country, weights) / scale
        return float(between**2 * (shared @ shared) + within**2 * (weights @ weights) / scale**2)

    once = 1 / np.bincount(country)[country]
    plain = once * (south - float(once @ south) / once.sum())
    inflation = variance(pulls(south, {}, country)) / variance(plain)
    return inflation, freedom_at_equal(south, {}, country)


def half_of(iso3: str) -> str | None:
    place = economies().get(iso3)
    return place.north_south if place else None


def gap_in_sight(countries: Sequence[str]) -> float | None:
    """The smallest gap between North and South that games about these countries, one for each
    entity, see four times in five; None where they see none. Fame is not allowed for, and rates
    vary as a plan assumes."""
    sides = [Counter(one for one in countries if half_of(one) == half) for half in HALVES]
    if min(map(len, sides)) < LEAST:
        return None
    design = Design(
        groups=(len(sides[0]), len(sides[1])),
        weights=(1.0, -1.0),
        items=tuple(count for side in sides for _, count in sorted(side.items())),
        between=BETWEEN,
        within=WITHIN,
    )
    return smallest_gap(design)


def spread_of(records: Iterable[Mapping[str, Any]]) -> tuple[float, float] | None:
    """SD between countries of a half of the world and within a country, from a run's games.

    People and things of a country are two units, since they are tested apart. An entity that was
    played several times counts once, by the share it won.
    """
    won: dict[tuple[str, str], dict[tuple[str, str], list[float]]] = {}
    for record in records:
        ending = record.get("canonical") or record.get("unlimited")
        where = half_of(record.get("country") or "")
        if ending in ENDINGS and where in HALVES:
            type = record.get("type", "")
            unit = f"{record['country']} {type}"
            games = won.setdefault((where, type), {})
            games.setdefault((unit, record.get("entity", "")), []).append(float(ending == "won"))
    values, units = [], []
    for part in won.values():
        shares = [sum(games) / len(games) for games in part.values()]
        mean = sum(shares) / len(shares)
        units += [unit for unit, _ in part]
        values += [share - mean for share in shares]
    return unit_spread(values, units)


def expected(plan: Plan, items: int | None = None) -> tuple[int, int, int]:
    """Calls, tokens in and tokens out of a run, or of so many games of its kind and nothing else;
    without what games share.

    The guesser sees the whole dialogue again at each turn, so that tokens go with the square of a
    game's length, and the long games of a run are most of them; the judge only sees the question.
    In a game of both settings the canonical one ends with a guess of its own. Giving up is one
    more call a turn where it is asked at every turn, and hardly any call elsewhere.
    """
    short, setting = plan.settings["turns"], plan.settings["setting"]
    most = short if setting == "canonical" else plan.settings["most_turns"]
    found, lost = (
        (FOUND_SHORT * short, LOST_SHORT) if setting == "canonical" else (FOUND_LONG, LOST_LONG)
    )
    found = min(found, most)
    turns = (1 - lost) * found + lost * most
    squares = (1 - lost) * found**2 + lost * most**2
    judged = plan.count - plan.parts["geo20q"] if items is None else 0
    count = plan.parts["geo20q"] if items is None else items
    guesses = LOST_SHORT * count if setting == "both" else 0.0
    to_judge = 2 if plan.settings["give_up"] == "every" else 1
    calls = (1 + to_judge) * count * turns + guesses + judged
    tokens_in = count * (turns * (GUESSER + to_judge * JUDGE) + TURN * squares / 2)
    tokens_in += guesses * (GUESSER + TURN * short) + judged * JUDGE
    return round(calls), round(tokens_in), round(count * turns * SAID + judged * 2)
