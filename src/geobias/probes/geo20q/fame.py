"""Gaps between North and South: among targets that the guesser knows, and at equal fame.

**Among people that the guesser knows, is the share of games won lower for those of the South?**
People of the North are looked up about four times as often as those of the South. A plain
difference therefore mixes two causes: the guesser does not look in a place, or it does not know who
is there. So the guesser is asked about every target directly (`knowledge`), and success is compared
among the targets that it knows. The method is least squares on the half of the world, with
countries as units (`stats.regression.difference_at_equal`). Games about one country count as
somewhat alike, so that a country with ninety games does not decide for its half.

A second gap compares people at equal fame, that is at equal log page views, whether the guesser
knows them or not. People without page views are left out and counted. If too many people of either
half lack page views, this gap is not computed, since obscure people would be left out. Two further
gaps are at equal standing, which leaves out nobody, and at equal frequency in a corpus. Page views
of things are not known. Things are compared at equal standing, the level of vital article, which is
not a measure of fame.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from typing import Any, Literal

import msgspec
import numpy as np
import polars as pl

from geobias.atlas.economies import economies
from geobias.atlas.entities import STANDINGS, Entity, entities
from geobias.errors import BadRequest
from geobias.measures.estimates import NO_RESULT, NOTHING
from geobias.measures.frames import table_of
from geobias.measures.measure import HALVES, Contrast, Contrasted, Planned, by_half
from geobias.probes.geo20q.analyses import ended_games
from geobias.probes.geo20q.scores import LENGTHS, grouped
from geobias.stats.estimates import Estimate, undefined
from geobias.stats.regression import (
    LEAST_CHANCE,
    difference_at_equal,
    freedom_at_equal,
    overlap,
    pulls,
)

FAME = "fame"
LEAST_OVERLAP = 0.75
"""Minimum share of games whose fame (`stats.regression.overlap`) or standing is plausible in both
halves.

Below it a caution says that the gap depends on the shape of the curve, or on few games. For the
people of the shipped table the share is at least 0.87.
"""
MOST = 0.5
"""Minimum share of each half's games with page views. Below it there is no gap at equal fame."""
NO_FAME = "no game has a figure of fame"
NOT_ASKED = "whether the model knows its targets was not asked"
TOO_FEW_FIGURES = "page views are known for under half of the people on one side"

Known = Literal["knowledge", "page views", "standing", "frequency"]
"""The kind of gap. "knowledge" uses targets that the guesser knows. The others compare the halves
at equal values of a figure.
"""
_COLUMNS = {
    "knowledge": "knows",
    "page views": "views",
    "standing": "standing",
    "frequency": "frequency",
}


def known_gap(half: str, type_: str, setting: str, known: Known) -> Contrast:
    """Declare the gap between two halves of the world among known targets, or at equal fame."""
    first, second = (side.removeprefix("Global ") for side in HALVES[half])
    more: dict[str, Any] = {}
    if known == "knowledge":
        name, of = "known", "it knows"
        that, which = "that it knows", "among people it knows"
        note = (
            "Difference of the shares of games won among targets that the model knows when it is "
            "asked directly. Games of one country are treated as correlated."
        )
        more["asked"] = {"knowledge": ("ask",)}
    else:
        figure = "fame" if known == "page views" else known
        name, of = f"equal_{figure}", f"at equal {figure}"
        that = which = of
        note = (
            "Games of one country are treated as correlated. The interval and p come from the same "
            "test."
        )
    question = f"{first} minus {second}, {type_} {of}, {LENGTHS[setting]} games"
    if type_ == "people":
        more["planned"] = partial(planned, half=half, known=known)
    return by_half(
        half,
        question,
        note,
        name=f"{half}_gap_{name}_{type_}_{setting}",
        short=f"{first}–{second} gap, {type_} {of}",
        between=f"between the {' and the '.join(HALVES[half])} {that}",
        which=which,
        estimate=partial(gap, half=half, known=known),
        **more,
    )


# The gap ------------------------------------------------------------------------------------------


def gap(rows: pl.DataFrame, value: str, most: float, *, half: str, known: Known) -> Contrasted:
    """Return the share of games won for the first half minus the share for the second.

    `n` counts countries. For a change between two runs, the guesser must know the target in both.
    """
    own = rows.drop_nulls(half)
    if "knows_2" in own.columns:
        own = own.with_columns(knows=pl.col("knows") & pl.col("knows_2"))
    played = own.drop_nulls(value)
    if not played.height:
        return Contrasted(undefined(0, NO_RESULT if rows.height else NOTHING))
    found = halves_apart(played, half, known, value, most)
    return Contrasted(
        found,
        counted="countries",
        note=_left_out(played, half, known),
        rows=with_figure(played, known).height,
        missing=with_figure(own, known)[value].null_count(),
    )


def halves_apart(
    played: pl.DataFrame,
    half: str,
    known: Known,
    value: str = "won",
    most: float = 1,
) -> Estimate:
    """Estimate the gap between halves from the games that came to an end.

    The result has a caution if fame or standing hardly overlap between the halves.
    """
    games = with_figure(played.drop_nulls(half), known)
    countries = games["country"].n_unique()
    if not games.height and known == "knowledge":
        asked = played["knows"].count()
        return undefined(0, "the model knows none of its targets" if asked else NOT_ASKED)
    if not games.height:
        return undefined(0, NO_FAME)
    sides = [played.filter(pl.col(half) == name) for name in HALVES[half]]
    shares = [with_figure(side, known).height >= MOST * side.height for side in sides]
    if known == "page views" and not all(shares):
        return undefined(countries, TOO_FEW_FIGURES)
    second, fame = _second(games, half), covariates(games, known)
    found = difference_at_equal(
        games[value].cast(pl.Float64).to_numpy(),
        second,
        fame,
        games["country"].to_numpy(),
        most=most,
    )
    shared: float | None = None
    if known == "page views":
        shared = overlap(fame[FAME], second)
    elif known == "standing":
        rate = (pl.col(half) == HALVES[half][1]).mean().over("standing")
        both = rate.is_between(LEAST_CHANCE, 1 - LEAST_CHANCE)
        shared = games.select(both.mean()).item()
    if found.value is None or shared is None or shared >= LEAST_OVERLAP:
        return found
    figure = FAME if known == "page views" else known
    says = f"only {shared:.0%} of the games have a {figure} that is plausible in both halves"
    caution = "; ".join(filter(None, (found.caution, says)))
    return msgspec.structs.replace(found, caution=caution)


def _left_out(played: pl.DataFrame, half: str, known: Known) -> str:
    """Return a sentence on how many games of each half the gap leaves out."""
    sides = {name: played.filter(pl.col(half) == name) for name in HALVES[half]}
    if known == "knowledge":
        lost = {name: side.filter(~pl.col("knows")) for name, side in sides.items()}
        counts = ", ".join(
            f"{one.height:,} games of the {name} ({int(one['won'].sum()):,} won)"
            for name, one in lost.items()
        )
        unread = played["knows"].null_count()
        return f"Not known: {counts}." + (
            f" Without a readable answer: {unread:,}." if unread else ""
        )
    unknown = {name: side.height - with_figure(side, known).height for name, side in sides.items()}
    if not any(unknown.values()):
        return ""
    counts = ", ".join(f"{count:,} games of the {name}" for name, count in unknown.items())
    return f"Left out, with {known} unknown: {counts}."


def with_figure(games: pl.DataFrame, known: Known) -> pl.DataFrame:
    """Return the games whose target the guesser knows or, for another gap, has a known figure."""
    column = pl.col(_COLUMNS[known])
    wanted = {"knowledge": column, "standing": column.is_not_null()}.get(known, column > 0)
    return games.filter(wanted.fill_null(value=False))


def _second(games: pl.DataFrame, half: str) -> Any:
    """Return 1 for games of the second half, and 0 for the others."""
    return (games[half] == HALVES[half][1]).cast(float).to_numpy()


def covariates(games: pl.DataFrame, known: Known) -> dict[str, Any]:
    """Return the variables of the regression other than the half of the world.

    Each standing except the commonest has an indicator. Page views and frequency enter as the
    logarithm and its square. Without the square, halves with very different fame would show a gap
    only because success levels off near 0 and 1.
    """
    if known == "knowledge":
        return {}
    figures = games[_COLUMNS[known]].to_numpy()
    if known != "standing":
        fame = np.log2(figures)
        centred = fame - fame.mean() if len(fame) else fame
        return {FAME: centred, "its square": centred**2}
    counts = {name: int((figures == name).sum()) for name in STANDINGS}
    common = max(counts, key=lambda name: counts[name])
    return {
        f"standing {name}": (figures == name).astype(float)
        for name, count in counts.items()
        if count and name != common
    }


# Plans, and every gap beside each other -----------------------------------------------------------


LEAST = 3
"""Minimum countries of a half for a test."""


def planned(
    asked: Collection[tuple[str, str]], between: float, within: float, *, half: str, known: Known
) -> Planned:
    """Return what power analysis needs: the people of a plan and the inflation of the variance.

    The inflation is the variance of the regression's gap divided by that of a gap of country means.
    Both gaps are weighted sums of games, so the weights determine the variances. At equal fame only
    people whose page views are known count.
    """
    table, homes = entities(), economies()
    people = [table[id_] for id_, _ in asked if id_ in table]
    games: list[Entity] = []
    for name in HALVES[half]:
        side = [one for one in people if getattr(homes.get(one.country), half, None) == name]
        own = [one for one in side if one.views or known == "knowledge"]
        if len({one.country for one in own}) < LEAST or len(own) < MOST * len(side):
            views = "" if known == "knowledge" else " whose page views are known,"
            raise BadRequest(
                f"planning needs games about people{views} from {LEAST} countries of the North and "
                "of the South: try --size standard"
            )
        games += own
    _, country = np.unique([one.country for one in games], return_inverse=True)
    second = np.array([getattr(homes[one.country], half) == name for one in games], dtype=float)
    frame = pl.DataFrame({"views": [one.views or 1.0 for one in games]})
    fame = covariates(frame, known)

    def variance(weights: Any) -> float:
        scale = float(weights @ second)
        shared = np.bincount(country, weights) / scale
        return float(between**2 * (shared @ shared) + within**2 * (weights @ weights) / scale**2)

    once = 1 / np.bincount(country)[country]
    plain = once * (second - float(once @ second) / once.sum())
    inflation = variance(pulls(second, fame, country)) / variance(plain)
    pairs = [(one.id, one.country) for one in games]
    return Planned(pairs, inflation, freedom_at_equal(second, fame, country))


_COMPARED: dict[str, tuple[Known, ...]] = {
    "people": ("knowledge", "page views", "standing", "frequency"),
    "things": ("knowledge", "standing", "frequency"),
}


def equal_fame(games: pl.DataFrame) -> pl.DataFrame:
    """Return every gap between halves, for each type and setting.

    compared_at   "knowledge" if the halves are compared over known targets, otherwise the figure
                  that is held equal
    difference    first half minus second half, with its interval over countries and unadjusted p
    games         games that the gap is estimated from; `countries` counts the targets' countries
    left_out      games that the gap leaves out, since the guesser does not know the target or the
                  target has no figure
    left_out_won  share of the left-out games that was won
    note          why a number is missing, or why its interval may be too narrow
    """
    rows = []
    for half in HALVES:
        for named, played in grouped(ended_games(games)):
            own = played.drop_nulls(half)
            for known in _COMPARED[named["type"]]:
                found = halves_apart(own, half, known)
                out = own.join(with_figure(own, known), on="trial", how="anti")
                rows.append(
                    {"halves": half}
                    | named
                    | {"compared_at": known, "difference": found, "p": found.p}
                    | {"games": own.height - out.height, "countries": found.n}
                    | {"left_out": out.height, "left_out_won": out["won"].mean()}
                    | {"note": found.note}
                )
    return table_of(rows)
