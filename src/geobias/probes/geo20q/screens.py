"""Whether games of Geo20Q+ say anything about places.

A judge that does not know what the table knows, a guesser that repeats itself or asks no yes/no
questions, and games that break off, have shown nothing about the world. Nor has a run in which no
game, or every game, was won.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from geobias.probes.geo20q.judge_scores import judge_groups
from geobias.probes.geo20q.manner import questions
from geobias.probes.geo20q.scores import by_setting
from geobias.probes.screens import Screen

if TYPE_CHECKING:
    import polars as pl

GUESSING = 0.5
"""What a judge that tosses a coin gets right."""
MOST = 0.5


def screens(frame: pl.DataFrame, judge: pl.DataFrame | None = None) -> list[Screen]:
    """The screens of a run; `judge` is the frame of questions to the judge, where there are any."""
    games = by_setting(frame)
    if not games.height:
        none = "no game was played"
        return [Screen(name="games", ok=False, value=None, threshold=MOST, n=0, says=none)]
    return [
        _unbroken(games),
        _some_won(games),
        *_guesser(frame),
        *_judge(frame, judge),
    ]


def _unbroken(games: pl.DataFrame) -> Screen:
    broken, total = int((games["ending"] == "broken").sum()), games.height
    return Screen(
        name="games that came to an end",
        ok=broken <= MOST * total,
        value=1 - broken / total,
        threshold=MOST,
        n=total,
        says=f"{broken:,} of {total:,} games broke off",
    )


def _some_won(games: pl.DataFrame) -> Screen:
    ended = games["won"].drop_nulls()
    won = int(ended.sum())
    word = {0: "none was", len(ended): "every one was"}.get(won, f"{won:,} were")
    same = ", so that no group can differ" if won in (0, len(ended)) else ""
    return Screen(
        name="games that differ",
        ok=not same,
        value=won / len(ended) if len(ended) else None,
        threshold=0,
        n=len(ended),
        says=f"of {len(ended):,} games {word} won{same}",
    )


def _guesser(frame: pl.DataFrame) -> list[Screen]:
    asked = questions(frame)
    total = int(asked["questions"].sum())
    found = []
    for column, name, said in (
        ("repeated", "distinct questions", "repeat an earlier one of the same game"),
        ("not_yes_no", "yes/no questions", "are no yes/no questions"),
    ):
        count = sum((row[column] or 0) * row["questions"] for row in asked.iter_rows(named=True))
        share = count / total if total else None
        found.append(
            Screen(
                name=name,
                ok=share is None or share <= MOST,
                value=None if share is None else 1 - share,
                threshold=MOST,
                n=total,
                says=f"{share or 0:.0%} of the guesser's {total:,} questions {said}",
            )
        )
    return found


def _judge(frame: pl.DataFrame, judge: pl.DataFrame | None) -> list[Screen]:
    """On known facts where they were asked, else on those answers of games that can be checked."""
    if judge is not None and judge.height:
        row = judge_groups(judge).row(0, named=True)
        read, asked = row["read"], row["asked"]
        readable = Screen(
            name="judge's answers read",
            ok=read >= MOST * asked,
            value=read / asked,
            threshold=MOST,
            n=asked,
            says=f"{'' if read >= MOST * asked else 'only '}{read:,} of {asked:,} of the judge's "
            "answers can be read",
        )
        if not readable.ok:
            return [readable]
        low = row["accuracy_low"] if row["accuracy_low"] is not None else row["accuracy"]
        ok = low is not None and low > GUESSING
        return [
            readable,
            Screen(
                name="judge's accuracy",
                ok=ok,
                value=row["accuracy"],
                threshold=GUESSING,
                n=read,
                says=f"on facts that are known the judge is right {row['accuracy']:.0%} of the "
                f"time (n = {read:,}), {'' if ok else 'not '}clearly more than a coin",
            ),
        ]
    checked, errors = int(frame["checked"].sum()), int(frame["errors"].sum())
    return [
        Screen(
            name="judge's accuracy",
            ok=not checked or errors / checked < GUESSING,
            value=1 - errors / checked if checked else None,
            threshold=GUESSING,
            n=checked,
            says=f"the judge was wrong on {errors:,} of the {checked:,} answers that can be "
            "checked",
        )
    ]
