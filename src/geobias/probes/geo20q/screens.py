"""Whether games of Geo20Q+ say anything about places.

A judge that does not know, in one of its languages, what the table knows, a guesser that repeats
itself or asks no yes/no questions, and games that break off, have shown nothing about the world.
Nor has a run in which no game, or every game, was won.
"""

from __future__ import annotations

import polars as pl

from geobias.atlas.entities import LANGUAGE_NAMES
from geobias.probes.geo20q.judging import LEAST_ACCURACY, accuracy_of, is_fit
from geobias.probes.geo20q.play import questions
from geobias.probes.geo20q.scores import by_setting
from geobias.results.findings import Screen
from geobias.results.formatting import percents

COIN_TOSS = 0.5
"""What a judge that tosses a coin gets right."""
UNFIT = "Its judge gets too many known facts wrong."
LEAST = 0.5
"""Share of games that must end, of questions that must be new, of answers that must be read."""


def screens(frame: pl.DataFrame, judge: pl.DataFrame | None = None) -> list[Screen]:
    """The screens of a run; `judge` is the frame of questions to the judge, where there are any."""
    games = by_setting(frame)
    if not games.height:
        none = "no game was played"
        plain = "No game was played."
        return [
            Screen(name="games", ok=False, value=None, threshold=LEAST, n=0, says=none, plain=plain)
        ]
    return [_ended(frame), _differ(games), *_guesser(frame), *_judge(frame, judge)]


def count_broken(frame: pl.DataFrame) -> tuple[int, int]:
    """Games that broke off in every setting they were played in, and all games."""
    played = by_setting(frame).group_by("trial").agg(pl.col("won").is_null().all())
    return int(played["won"].sum()), played.height


def _ended(frame: pl.DataFrame) -> Screen:
    broken, total = count_broken(frame)
    return Screen(
        name="games that came to an end",
        ok=broken <= (1 - LEAST) * total,
        value=1 - broken / total,
        threshold=LEAST,
        n=total,
        says=f"{broken:,} of {total:,} games broke off",
        plain="Too many of its games broke off.",
    )


def _differ(games: pl.DataFrame) -> Screen:
    """Whether games end differently, in one setting at least; a game in both counts as one."""
    ended = games.drop_nulls("won")
    by_game = ended.group_by("trial").agg(pl.col("won").any())["won"]
    won, total = int(by_game.sum()), len(by_game)
    same = ended["won"].n_unique() <= 1
    if not total:
        says = "no game came to an end"
    else:
        count = f"{won:,}" if not same else "every one" if won else "none"
        says = f"it won {count} of {total:,} games"
        if total == 1:
            says = f"the only game was {'won' if won else 'not won'}"
        says += same * ", so no group can differ"
    return Screen(
        name="games that differ",
        ok=not same,
        value=won / total if total else None,
        threshold=0,
        n=total,
        says=says,
        plain="All its games ended alike, so no group can differ.",
    )


def _guesser(frame: pl.DataFrame) -> list[Screen]:
    asked = questions(frame)
    total = int(asked["questions"].sum())
    screens = []
    for column, name, fault, plain in _FAULTS:
        count = sum((row[column] or 0) * row["questions"] for row in asked.iter_rows(named=True))
        share = count / total if total else None
        screens.append(
            Screen(
                name=name,
                ok=share is None or share <= 1 - LEAST,
                value=None if share is None else 1 - share,
                threshold=LEAST,
                n=total,
                says=_faulty(round(count), total, fault),
                plain=plain,
            )
        )
    return screens


_FAULTS = (
    (
        "repeated",
        "distinct questions",
        "repeated an earlier one of the same game",
        "It asks the same questions again and again.",
    ),
    (
        "not_yes_no",
        "yes/no questions",
        "was not a yes/no question",
        "It does not ask yes/no questions, so it does not play.",
    ),
)


def _faulty(count: int, total: int, fault: str) -> str:
    """ "none of the guesser's 114 questions was a yes/no question"."""
    if count == total and "not a" in fault:
        return f"none of the guesser's {total:,} questions {fault.replace('not a', 'a')}"
    if count == 0:
        return f"none of the guesser's {total:,} questions {fault}"
    if count > 1:
        fault = fault.replace("was not a yes/no question", "were not yes/no questions")
    return f"{count:,} of the guesser's {total:,} questions {fault}"


def _judge(frame: pl.DataFrame, judge: pl.DataFrame | None) -> list[Screen]:
    """On known facts where they were asked, else on those answers of games that can be checked.

    Each language by itself: a judge that knows everything in English and tosses a coin in Spanish
    loses the Spanish games for the guesser.
    """
    if judge is not None and judge.height:
        parts = by_language(judge)
        return [one for code, own in parts for one in _known_facts(own, _where(code, len(parts)))]
    parts = by_language(frame)
    return [_checked_answers(own, _where(code, len(parts))) for code, own in parts]


def by_language(frame: pl.DataFrame) -> list[tuple[str, pl.DataFrame]]:
    """The rows of each language, in the order of their codes; "" is the code where none is told."""
    named = frame.with_columns(pl.col("language").fill_null(""))
    return [(str(code), own) for (code,), own in sorted(named.group_by("language"))]


def _where(code: str, languages: int) -> str:
    """Which language is meant (" in Spanish") where there are several, else ""."""
    return f" in {LANGUAGE_NAMES.get(code, code)}" if languages > 1 and code else ""


def _known_facts(judge: pl.DataFrame, where: str) -> list[Screen]:
    read, asked = int(judge["read"].sum()), judge.height
    enough = read >= LEAST * asked
    readable = Screen(
        name=f"judge's answers read{where}",
        ok=enough,
        value=read / asked,
        threshold=LEAST,
        n=asked,
        says=f"{'' if enough else 'only '}{read:,} of {asked:,} of the judge's answers{where} can "
        "be read",
        plain=UNFIT,
    )
    if not enough:
        return [readable]
    accuracy = accuracy_of(judge.filter(read=1))
    ok = is_fit(accuracy)
    right = percents(accuracy.value, accuracy.low, accuracy.high)
    return [
        readable,
        Screen(
            name=f"judge's accuracy{where}",
            ok=ok,
            value=accuracy.value,
            threshold=LEAST_ACCURACY,
            n=accuracy.n,
            says=f"the judge is right{where} on {right} of the {read:,} known facts that it was "
            f"asked, {'' if ok else 'and '}{LEAST_ACCURACY:.0%} are needed",
            plain=UNFIT,
        ),
    ]


def _checked_answers(frame: pl.DataFrame, where: str) -> Screen:
    checked, errors = int(frame["checked"].sum()), int(frame["errors"].sum())
    return Screen(
        name=f"judge's accuracy{where}",
        ok=not checked or errors / checked < COIN_TOSS,
        value=1 - errors / checked if checked else None,
        threshold=COIN_TOSS,
        n=checked,
        says=f"the judge was wrong{where} on {errors:,} of the {checked:,} answers that can be "
        "checked",
        plain=UNFIT,
    )
