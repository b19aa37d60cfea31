"""Made-up games with a known truth."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable
from typing import Any

import msgspec
import polars as pl

from geobias.atlas.economies import economies
from geobias.atlas.entities import Entity
from geobias.probes.geo20q.game import GameRecord
from geobias.probes.geo20q.judging import judge_frame_of
from geobias.probes.geo20q.knowledge import with_knowledge
from geobias.probes.geo20q.scores import Games, by_setting, frame_of, language_names
from geobias.trials import StoredSettings
from tests.probes.answering import run_of


def game(
    country: str,
    canonical: str = "",
    turns: int | None = None,
    *,
    unlimited: str = "",
    unlimited_turns: int | None = None,
    number: int = 0,
    **rest: Any,
) -> dict[str, Any]:
    """The row of one game about an entity of this country."""
    kind = rest.get("type", "person")
    entity = rest.get("entity", f"{country.lower()}-{kind}-{number}")
    language, repeat = rest.get("language", "en"), rest.get("repeat", 0)
    usual = {
        "trial": f"geo20q/{language}/{entity}/{repeat}",
        "probe": "geo20q",
        "country": country,
        "outcome": "played",
        "entity": entity,
        "name": entity,
        "type": kind,
        "category": "sport",
        "repeat": repeat,
        "language": language,
    }
    for setting, ending, turn in (
        ("canonical", canonical, turns),
        ("unlimited", unlimited, unlimited_turns),
    ):
        usual |= {setting: ending, f"{setting}_mention": ending}
        usual |= {f"{setting}_turns": turn, f"{setting}_mention_turns": turn}
    built: dict[str, Any] = msgspec.to_builtins(GameRecord(**(usual | rest)))
    return built


def frame(
    games: Iterable[dict[str, Any]], known: Iterable[Entity] = (), **settings: int
) -> pl.DataFrame:
    """The games as a frame, with the views of known targets, by settings of a run."""
    views = {one.id: one.views for one in known}
    seen = [one | {"views": views.get(one["entity"])} for one in games]
    return with_knowledge(frame_of(seen, "made", settings), ())


def members(half: str) -> list[str]:
    """Codes of one half of the world."""
    return [e.iso3 for e in economies().values() if half in (e.north_south, e.west_east)]


def planted(
    north: float,
    south: float,
    *,
    each: int = 10,
    countries: int = 40,
    seed: int = 0,
    type: str = "person",
) -> pl.DataFrame:
    """Games that are won with a chance that differs by half, and a little by country."""
    dice = random.Random(seed)
    rows = []
    for half, chance in (("Global North", north), ("Global South", south)):
        for country in members(half)[:countries]:
            own = min(1.0, max(0.0, chance + dice.uniform(-0.1, 0.1)))
            for number in range(each):
                won = dice.random() < own
                ending, turns = ("won", 12) if won else ("lost", 20)
                rows.append(game(country, ending, turns, number=number, type=type))
    return frame(rows)


def entity(country: str, number: int, views: float | None) -> Entity:
    return Entity(
        id=f"{country.lower()}-person-{number}",
        name="x",
        type="person",
        category="sport",
        country=country,
        views=views,
    )


def famous(gap: float, *, broken: int = 0, unknown: int = 0) -> pl.DataFrame:
    """Games whose chance rises with fame; the North is two units of log fame ahead. The first
    `broken` games of each half broke off, of the first `unknown` of each no figure is known."""
    dice = random.Random(5)
    games: list[dict[str, object]] = []
    known: list[Entity] = []
    for half, typical, less in (("Global North", 9.0, 0.0), ("Global South", 7.0, gap)):
        made = 0
        for country in members(half)[:22]:
            for number in range(10):
                log = dice.gauss(typical, 1.5)
                if made >= unknown:
                    known.append(entity(country, number, math.exp(log)))
                won = dice.random() < min(1, max(0, 0.1 * log - 0.3 - less))
                ending = "broken" if made < broken else "won" if won else "lost"
                games.append(game(country, ending, 9, number=number))
                made += 1
    return frame(games, known)


def games_of(
    frame: pl.DataFrame, judge: pl.DataFrame | None = None, settings: StoredSettings | None = None
) -> Games:
    """The games as a probe reads them of a run with these settings, with the judge's answers to
    known facts."""
    facts = judge_frame_of([]) if judge is None else judge
    model = frame["model"][0] if frame.height else "made"
    return Games(
        model=model,
        frame=language_names(by_setting(frame)),
        games=frame,
        judge=language_names(facts),
        records=run_of(**(settings or {})),
    )


def judged(language: str, right: int, of: int = 24) -> list[dict[str, Any]]:
    """Questions to a judge in one language, so many of which it answers rightly."""
    codes = ("KEN", "FRA", "IND", "BRA", "JPN", "MEX")
    return [
        {
            "country": codes[i % 6],
            "entity": f"{codes[i % 6]}-{i}",
            "truth": "yes",
            "answer": "yes" if i < right else "no",
            "question": "type",
            "type": "thing",
            "language": language,
        }
        for i in range(of)
    ]
