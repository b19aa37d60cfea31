"""Whether games of Geo20Q+ say anything about places.

A judge that does not know, in one of its languages, what the table knows, a guesser that repeats
itself or asks no yes/no questions, and games that break off, have shown nothing about the world.
Nor has a run in which no game, or every game, was won.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from geobias.atlas.entities import LANGUAGES
from geobias.atlas.languages import load_language
from geobias.probes.geo20q.judge_scores import judge_groups
from geobias.probes.geo20q.play_style import questions
from geobias.probes.geo20q.scores import broken_off, by_setting
from geobias.results.screens import Screen

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
        _unbroken(frame),
        _some_won(games),
        *_guesser(frame),
        *_judge(frame, judge),
    ]


def _unbroken(frame: pl.DataFrame) -> Screen:
    broken, total = broken_off(frame)
    return Screen(
        name="games that came to an end",
        ok=broken <= MOST * total,
        value=1 - broken / total,
        threshold=MOST,
        n=total,
        says=f"{broken:,} of {total:,} games broke off",
    )


def _some_won(games: pl.DataFrame) -> Screen:
    """Whether games end differently, in one setting at least; a game in both counts as one."""
    import polars as pl

    name = "games that differ"
    ended = games.filter(pl.col("won").is_not_null())
    each = ended.group_by("trial").agg(pl.col("won").max())["won"]
    if not len(each):
        says = "no game came to an end"
        return Screen(name=name, ok=False, value=None, threshold=0, n=0, says=says)
    won = int(each.sum())
    same = ended["won"].n_unique() == 1
    word = f"{won:,} were" if not same else "every one was" if won else "none was"
    said = f"of {len(each):,} games {word} won"
    if len(each) == 1:
        said = f"the only game was {'won' if won else 'not won'}"
    return Screen(
        name=name,
        ok=not same,
        value=won / len(each),
        threshold=0,
        n=len(each),
        says=said + same * ", so that no group can differ",
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
    """On known facts where they were asked, else on those answers of games that can be checked.

    Each language by itself: a judge that knows everything in English and tosses a coin in Spanish
    loses the Spanish games for the guesser.
    """
    if judge is not None and judge.height:
        parts = by_language(judge)
        return [one for code, own in parts for one in _known(own, _named(code, len(parts)))]
    parts = by_language(frame)
    return [_checked(own, _named(code, len(parts))) for code, own in parts]


def by_language(frame: pl.DataFrame) -> list[tuple[str, pl.DataFrame]]:
    """The rows of each language, in the order of their codes; "" is the code where none is told."""
    import polars as pl

    named = frame.with_columns(pl.col("language").fill_null(""))
    return [(str(code), own) for (code,), own in sorted(named.group_by("language"))]


def language_named(code: str) -> str:
    """The English name of a language; a code that is none of ours as it is."""
    return load_language(code).name if code in LANGUAGES else code


def _named(code: str, languages: int) -> str:
    """Which language is meant (" in Spanish") where there are several, else ""."""
    return f" in {language_named(code)}" if languages > 1 and code else ""


def _known(judge: pl.DataFrame, where: str) -> list[Screen]:
    row = judge_groups(judge).row(0, named=True)
    read, asked = row["read"], row["asked"]
    readable = Screen(
        name=f"judge's answers read{where}",
        ok=read >= MOST * asked,
        value=read / asked,
        threshold=MOST,
        n=asked,
        says=f"{'' if read >= MOST * asked else 'only '}{read:,} of {asked:,} of the judge's "
        f"answers{where} can be read",
    )
    if not readable.ok:
        return [readable]
    low = row["accuracy_low"] if row["accuracy_low"] is not None else row["accuracy"]
    ok = low is not None and low > GUESSING
    return [
        readable,
        Screen(
            name=f"judge's accuracy{where}",
            ok=ok,
            value=row["accuracy"],
            threshold=GUESSING,
            n=read,
            says=f"on facts that are known the judge is right{where} {row['accuracy']:.0%} of the "
            f"time (n = {read:,}), {'' if ok else 'not '}clearly more than a coin",
        ),
    ]


def _checked(frame: pl.DataFrame, where: str) -> Screen:
    checked, errors = int(frame["checked"].sum()), int(frame["errors"].sum())
    return Screen(
        name=f"judge's accuracy{where}",
        ok=not checked or errors / checked < GUESSING,
        value=1 - errors / checked if checked else None,
        threshold=GUESSING,
        n=checked,
        says=f"the judge was wrong{where} on {errors:,} of the {checked:,} answers that can be "
        "checked",
    )
