"""The gap between North and South among targets that the guesser knows, and gaps at equal fame.

People of the North are looked up about four times as often as those of the South. A plain
difference therefore mixes two causes: the guesser does not look in a place, or it does not know who
is there. So success is compared among the targets that it knows when it is asked directly
(`knowledge`). Games about one country count as somewhat alike, so that a country with ninety games
does not decide for its half (`stats.regression.difference_at_equal`).
"""

from __future__ import annotations

from functools import partial
from typing import Any

import msgspec
import polars as pl

from geobias.measures.estimates import NO_RESULT, NOTHING
from geobias.measures.frames import table_of
from geobias.measures.measure import HALVES, Contrast, Contrasted, by_half
from geobias.probes.geo20q.analyses import ended_games
from geobias.probes.geo20q.scores import LENGTHS, grouped
from geobias.stats.estimates import Estimate, undefined
from geobias.stats.regression import difference_at_equal, overlap

LEAST_OVERLAP = 0.75
"""Minimum share of games whose fame is plausible in both halves (`stats.regression.overlap`).

For the people of the shipped table the share is at least 0.87.
"""
MOST = 0.5
"""Minimum share of each half's games with a figure of fame. Obscure targets often lack one."""
NOT_ASKED = "whether the model knows its targets was not asked"
NONE_KNOWN = "the model knows none of its targets"
TOO_FEW_FIGURES = "the figure is known for under half of the games on one side"
COMPARED = {"knowledge": "knows", "page views": "views", "frequency": "frequency"}
"""What halves are compared at → the column of games. Only games above 0 count."""


def known_gap(half: str, type_: str, setting: str) -> Contrast:
    first, second = (side.removeprefix("Global ") for side in HALVES[half])
    question = f"{first} minus {second}, {type_} it knows, {LENGTHS[setting]} games"
    return by_half(
        half,
        question,
        "Difference of the shares of games won among targets that the model knows when it is "
        "asked directly. Games of one country are treated as correlated.",
        name=f"{half}_gap_known_{type_}_{setting}",
        short=f"{first}–{second} gap, {type_} it knows",
        between=f"between the {' and the '.join(HALVES[half])} that it knows",
        which=f"among {type_} it knows",
        estimate=partial(gap, half=half),
    )


def gap(rows: pl.DataFrame, value: str, most: float, *, half: str) -> Contrasted:
    """Return the share of games won for the first half minus the share for the second.

    `n` counts countries. For a change between two runs, the guesser must know the target in both.
    """
    asked = rows.drop_nulls(half)
    if "knows_2" in asked.columns:
        asked = asked.with_columns(knows=pl.col("knows") & pl.col("knows_2"))
    known, played = asked.filter("knows"), asked.drop_nulls(value)
    own = known.drop_nulls(value)
    if not played.height:
        return Contrasted(undefined(0, NO_RESULT if rows.height else NOTHING))
    if not own.height:
        return Contrasted(undefined(0, _why_none(played)))
    found = halves_apart(own, half, value, most)
    return Contrasted(
        found,
        counted="countries",
        note=_left_out(played, half),
        rows=own.height,
        missing=known[value].null_count(),
    )


def _why_none(played: pl.DataFrame) -> str:
    return NONE_KNOWN if played["knows"].count() else NOT_ASKED


def halves_apart(
    games: pl.DataFrame, half: str, value: str = "won", most: float = 1, figure: str = ""
) -> Estimate:
    """Estimate the gap between halves from games that came to an end, at equal values of a figure.

    The figure enters as its logarithm and the square of it. Without the square, halves with very
    different fame would show a gap only because success levels off near 0 and 1.
    """
    second = (games[half] == HALVES[half][1]).cast(float).to_numpy()
    fame: dict[str, Any] = {}
    if figure:
        log = games[figure].log(2)
        centred = (log - log.mean()).to_numpy()
        fame = {"fame": centred, "its square": centred**2}
    values, countries = games[value].cast(pl.Float64).to_numpy(), games["country"].to_numpy()
    found = difference_at_equal(values, second, fame, countries, most=most)
    shared = overlap(fame["fame"], second) if fame else 1.0
    if found.value is None or shared is None or shared >= LEAST_OVERLAP:
        return found
    says = f"only {shared:.0%} of the games have a fame that is plausible in both halves"
    return msgspec.structs.replace(found, caution="; ".join(filter(None, (found.caution, says))))


def _left_out(played: pl.DataFrame, half: str) -> str:
    sides = {name: played.filter(~pl.col("knows"), pl.col(half) == name) for name in HALVES[half]}
    counts = ", ".join(
        f"{lost.height:,} games of the {name} ({int(lost['won'].sum()):,} won)"
        for name, lost in sides.items()
    )
    unread = played["knows"].null_count()
    return f"Not known: {counts}." + (f" Without a readable answer: {unread:,}." if unread else "")


def equal_fame(games: pl.DataFrame) -> pl.DataFrame:
    """Return every gap between halves, for each type and setting. p-values are not adjusted."""
    rows = []
    for half in HALVES:
        for named, ended in grouped(ended_games(games)):
            played = ended.drop_nulls(half)
            for compared, column in COMPARED.items():
                own = played.filter(pl.col(column).cast(float) > 0)
                out = played.join(own, on="trial", how="anti")
                found = _compared(played, own, half, column)
                rows.append(
                    {"halves": half, **named, "compared_at": compared}
                    | {"difference": found, "p": found.p}
                    | {"games": own.height, "countries": found.n}
                    | {"left_out": out.height, "left_out_won": out["won"].mean()}
                    | {"note": found.note}
                )
    return table_of(rows)


def _compared(played: pl.DataFrame, own: pl.DataFrame, half: str, column: str) -> Estimate:
    """Estimate a gap from `own`: the `played` games in which the target's `column` is known."""
    if column == "knows":
        return halves_apart(own, half) if own.height else undefined(0, _why_none(played))
    sides = ((own.filter(pl.col(half) == name), played.filter(pl.col(half) == name))
             for name in HALVES[half])  # fmt: skip
    if own.height and all(known.height >= MOST * every.height for known, every in sides):
        return halves_apart(own, half, figure=column)
    return undefined(own["country"].n_unique(), TOO_FEW_FIGURES)
