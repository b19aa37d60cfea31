"""Every table by name, for whoever has games: from a run, or from records made elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from geobias.errors import BadRequest
from geobias.probes.geo20q import analyses, fame, manner, published, scores
from geobias.probes.geo20q.grouping import BYS, By

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars as pl

    Tables: TypeAlias = dict[str, pl.DataFrame]
    Maker: TypeAlias = Callable[[pl.DataFrame, By], Tables]


def _success(frame: pl.DataFrame, by: By) -> Tables:
    if by == "country":
        won = scores.country_success(frame)
    elif by == "language":
        same = scores.in_every_language(frame)
        won = scores.success(same if same.height else frame, by)
    else:
        won = scores.success(frame, by)
    return {"success": won, "endings": scores.endings(frame)}


def _turns(frame: pl.DataFrame, by: By) -> Tables:
    return {"turns to success": scores.turns(frame, by), "giving up": scores.give_ups(frame, by)}


def _curve(frame: pl.DataFrame, by: By) -> Tables:
    return {"success against allowed turns": analyses.curve(frame, by)}


def _halves(frame: pl.DataFrame, by: By) -> Tables:
    return {"halves of the world": analyses.halves(frame)}


def _regression(frame: pl.DataFrame, by: By) -> Tables:
    return {"fame": fame.regression(frame), "the gap at equal fame": fame.held_constant(frame)}


def _instead(frame: pl.DataFrame, by: By) -> Tables:
    if by not in ("region", "continent", "north_south"):
        raise BadRequest(f"guesses are placed by region, continent or north_south, not by {by}")
    return {"guessed instead": manner.instead(frame, by)}


def _questions(frame: pl.DataFrame, by: By) -> Tables:
    return {
        "the guesser's questions": manner.questions(frame, by),
        "the judge's answers": manner.judging_in_games(frame, by),
    }


def _places(frame: pl.DataFrame, by: By) -> Tables:
    return {
        "questions before the right place": manner.entering(frame, by),
        "asked about first": manner.first_places(frame),
    }


def _repeats(frame: pl.DataFrame, by: By) -> Tables:
    return {"repeats": scores.repeats(frame, by)}


def _published(frame: pl.DataFrame, by: By) -> Tables:
    return published.beside(frame)


TABLES: dict[str, tuple[Maker, By]] = {
    "success": (_success, "all"),
    "turns": (_turns, "all"),
    "curve": (_curve, "all"),
    "groups": (_halves, "all"),
    "regression": (_regression, "all"),
    "instead": (_instead, "region"),
    "questions": (_questions, "all"),
    "places": (_places, "region"),
    "repeats": (_repeats, "continent"),
    "published": (_published, "all"),
}
"""Name → what makes its tables of a frame of games, and what it groups by if nobody says."""


def tables(name: str, frame: pl.DataFrame, by: str | None = None) -> Tables:
    """The tables of this name; where the games are of several models, with a column for them."""
    import polars as pl

    make, usual = TABLES[name]
    if by is not None and by not in BYS:
        raise BadRequest(f"nothing is grouped by {by!r}: there are {', '.join(BYS)}")
    chosen: By = by or usual
    models = frame["model"].unique(maintain_order=True)
    if len(models) <= 1:
        return make(frame, chosen)
    parts: dict[str, list[pl.DataFrame]] = {}
    for model in models:
        for title, table in make(frame.filter(model=model), chosen).items():
            named = table.select(pl.lit(model).alias("model"), pl.exclude("model"))
            if name == "published":
                named = table
            parts.setdefault(title, []).append(named)
    return {
        title: pl.concat(found, how="diagonal").unique(maintain_order=True)
        for title, found in parts.items()
    }
