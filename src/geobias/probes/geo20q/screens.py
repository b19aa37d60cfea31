"""The screens of Geo20Q+, and the sentences other than those of measures.

Games say nothing about places if the judge does not know the facts of the table, if the guesser
repeats itself or does not ask yes/no questions, if games break off, or if no game or every game was
won.
"""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from geobias.probes.geo20q.game import ANSWERS
from geobias.probes.geo20q.scores import by_setting, share
from geobias.probes.probe import Said
from geobias.results.findings import Screen, Section
from geobias.results.formatting import counted, percents
from geobias.results.tables import metric_of, metric_percents

COIN_TOSS = 0.5
UNFIT = "Its judge does not know the facts."
LEAST = 0.5
"""Minimum share of games that end, of questions that are new, and of answers that are read."""


def screens(games: pl.DataFrame, judge: pl.DataFrame) -> list[Screen]:
    played = by_setting(games)
    if not played.height:
        return [_screen("games", False, None, 0, "no game was played", "No game was played.")]
    return [*_games(played), *_guesser(games), *(_judge(judge) if judge.height else ())]


def _screen(
    name: str,
    ok: bool,
    value: float | None,
    n: int,
    says: str,
    plain: str,
    threshold: float = LEAST,
) -> Screen:
    return Screen(name=name, ok=ok, value=value, threshold=threshold, n=n, says=says, plain=plain)


def _games(played: pl.DataFrame) -> Iterator[Screen]:
    ended = played.drop_nulls("won").group_by("trial").agg(pl.col("won").any())["won"]
    total, known, won = played["trial"].n_unique(), len(ended), int(ended.sum())
    yield _screen(
        "games that came to an end",
        known >= LEAST * total,
        known / total,
        total,
        f"{total - known:,} of {total:,} games broke off",
        "Too many of its games broke off.",
    )
    same = played["won"].drop_nulls().n_unique() <= 1
    count = f"{won:,}" if not same else "every one" if won else "none"
    says = f"it won {count} of {known:,} games" + same * ", so no group can differ"
    plain = f"It {'won' if won else 'lost'} all {known:,} games, so regions cannot be compared."
    yield _screen(
        "games that differ",
        not same,
        won / known if known else None,
        known,
        says if known else "no game came to an end",
        plain if known else "No game came to an end.",
        0,
    )


_FAULTS = {
    "repeated": (
        "distinct questions",
        "repeated an earlier one of the same game",
        "It asks the same questions again and again.",
    ),
    "not_yes_no": (
        "yes/no questions",
        "were not yes/no questions",
        "It does not ask yes/no questions, so it does not play.",
    ),
}


def _guesser(games: pl.DataFrame) -> Iterator[Screen]:
    total = int(games.select(pl.sum_horizontal(pl.col(ANSWERS).fill_null(0))).to_series().sum())
    for column, (name, fault, plain) in _FAULTS.items():
        count = int(games[column].sum())
        share = count / total if total else 0.0
        yield _screen(
            name,
            share <= 1 - LEAST,
            1 - share if total else None,
            total,
            f"{count:,} of the guesser's {total:,} questions {fault}",
            plain,
        )


def _judge(judge: pl.DataFrame) -> Iterator[Screen]:
    read, asked = judge["correct"].count(), judge.height
    enough = read >= LEAST * asked
    says = f"{read:,} of {asked:,} of the judge's answers can be read"
    only = "" if enough else "only "
    yield _screen("judge's answers read", enough, read / asked, asked, only + says, UNFIT)
    if not enough:
        return
    accuracy = share(judge, "correct")
    low = accuracy.value if accuracy.low is None else accuracy.low
    right = percents(accuracy.value, accuracy.low, accuracy.high)
    says = f"the judge is right on {right} of the {read:,} known facts that it was asked"
    ok = low is not None and low > COIN_TOSS
    chance = "" if ok else ", which may be chance"
    yield _screen("judge's accuracy", ok, accuracy.value, accuracy.n, says + chance, UNFIT)


# Sentences ----------------------------------------------------------------------------------------


def sentences(section: Section, _: object) -> Iterator[Said]:
    judge = metric_of(section, "geo20q.judge_accuracy")
    if section.measurable and judge is not None and judge.value is not None:
        right, n = metric_percents(judge), counted(judge.n, judge.counted)
        yield "finding", f"The judge is right on {right} of known facts ({n}).", True
    yield (
        "limit",
        "A game is played by two models. A gap may come from the guesser, from the judge, or "
        "from how well known the entities are; the tables of the judge and of fame help to tell "
        "these apart.",
        True,
    )
