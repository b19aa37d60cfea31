"""What Geo20Q+ could see of a gap between North and South."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from geobias.atlas.economies import economies
from geobias.atlas.entities import entities
from geobias.errors import BadRequest
from geobias.probes.geo20q.scores import ENDINGS
from geobias.probes.plan import Plan
from geobias.probes.power import Aim
from geobias.stats.planning import Design, unit_spread

SUCCESS = 0.2
"""Share of canonical games won: about what the paper's three models reach (Table 1)."""
BETWEEN = 0.1
"""SD of countries' true success rates within North or South. No publication gives it."""
HALVES = ("Global North", "Global South")
UNLIMITED_TURNS = 40
"""What a game without a limit of 20 takes on average: won ones take about 30 turns in the paper,
the others go on until the guesser gives up."""
GUESSER, JUDGE, TURN = 150, 130, 30
"""Tokens of the guesser's and the judge's prompt, and what a turn adds to the guesser's."""


def aim(plan: Plan, spread: tuple[float, float] | None = None) -> Aim:
    """Success of these games, North against South; `spread` (between, within) of one's own."""
    named = [name.split("/") for trial in plan.trials() if (name := trial.name)]
    ids = [parts[2] for parts in named if parts[0] == "geo20q"]
    known = entities()
    games = Counter(half(known[one].country) for one in ids if one in known)
    countries = {known[one].country for one in ids if one in known}
    north, south = (sum(half(iso3) == name for iso3 in countries) for name in HALVES)
    if not (north and south):
        raise BadRequest("planning needs games of our own entities, from North and South")
    between, within = spread or (BETWEEN, math.sqrt(SUCCESS * (1 - SUCCESS)))
    return Aim(
        gap="in success between North and South",
        unit="country",
        units="countries",
        items="games",
        design=Design(
            test="two_groups",
            groups=(north, south),
            items=max(1, round(sum(games[name] for name in HALVES) / (north + south))),
            between=between,
            within=within,
        ),
        most_items=10_000,
        assumptions=[
            "A gap counts as seen where the Mann–Whitney test of country means has p ≤ 0.05.",
            f"{north} countries of the North and {south} of the South, whose true rates differ "
            f"with an SD of {between:.2f}; games of a country with {within:.2f}"
            + ("." if spread else " (an assumption: --like RUN measures it)."),
            "Games of other entities; the same entity in another language is not quite one.",
        ],
    )


def half(iso3: str) -> str | None:
    """Global North, Global South, or neither."""
    place = economies().get(iso3)
    return place.north_south if place else None


def spread_of(records: Iterable[Mapping[str, Any]]) -> tuple[float, float] | None:
    """SD between countries of a half of the world and within a country, from a run's games."""
    won: dict[str, list[tuple[str, float]]] = {name: [] for name in HALVES}
    for record in records:
        ending = record.get("canonical") or record.get("unlimited")
        where = half(record.get("country") or "")
        if ending in ENDINGS and where in won:
            won[where].append((record["country"], float(ending == "won")))
    values, units = [], []
    for part in won.values():
        mean = sum(success for _, success in part) / max(1, len(part))
        units += [iso3 for iso3, _ in part]
        values += [success - mean for _, success in part]
    return unit_spread(values, units)


def expected(plan: Plan) -> tuple[int, int, int]:
    """Calls, tokens in and tokens out of a run, without what games share.

    The guesser sees the whole dialogue again at each turn; the judge only the question.
    """
    short = plan.settings["setting"] == "canonical"
    turns = 0.9 * plan.settings["turns"] if short else UNLIMITED_TURNS
    judged = plan.settings["judge_questions"] * len(plan.settings["languages"])
    games = plan.count - judged
    calls = games * 2 * turns + judged
    tokens_in = games * turns * (GUESSER + JUDGE + TURN * turns / 2) + judged * JUDGE
    return round(calls), round(tokens_in), round(games * turns * TURN + judged * 3)
