"""What a person wants to see first: who was found, whether that measures anything, what it cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from geobias.probes.geo20q.analyses import halves
from geobias.probes.geo20q.grouping import By
from geobias.probes.geo20q.judge_scores import judge_groups
from geobias.probes.geo20q.manner import entering, judging_in_games
from geobias.probes.geo20q.moves import EARLY
from geobias.probes.geo20q.scores import broken_off, success, turns
from geobias.probes.geo20q.screens import by_language, language_named, screens
from geobias.probes.geo20q.trials import naive_calls
from geobias.probes.screens import reasons

if TYPE_CHECKING:
    import polars as pl

SURE = 0.05


def score_table(frame: pl.DataFrame) -> pl.DataFrame:
    """Success and turns of each type and setting: of all games, and of either half of the world.

    `played` counts games that came to an end; turns are of those that were won.
    """
    import polars as pl

    parts = []
    groupings: tuple[By, ...] = ("all", "north_south")
    keys = ["type", "setting", "group"]
    bounds = ["turns", "turns_low", "turns_high"]
    for by in groupings:
        pace = turns(frame, by).select(*keys, *bounds)
        parts.append(success(frame, by).join(pace, on=keys, how="left"))
    said = pl.concat_str(
        "type", "setting", pl.col("group").str.strip_prefix("Global "), separator=" "
    )
    table = pl.concat(parts).with_columns(games=said, first=pl.col("group") != "all")
    return table.sort("type", "setting", "first", "group").select(
        "games", "success", "success_low", "success_high", *bounds, "played"
    )


def why_not_measurable(frame: pl.DataFrame, judge: pl.DataFrame | None = None) -> list[str]:
    """Reasons why success of these games says nothing about places; none where it does."""
    return reasons(screens(frame, judge))


def sentences(frame: pl.DataFrame, judge: pl.DataFrame | None = None) -> list[str]:
    """What broke off; and where it can be measured, the gap, and where one looked first; the judge.

    That nothing can be measured is said by `why_not_measurable`, before any of this.
    """
    lines = broken_sentence(frame)
    if not why_not_measurable(frame, judge):
        lines += [*gap_sentences(frame).values(), *search_sentence(frame)]
    return lines + judge_sentence(frame) + known_sentences(judge)


def broken_sentence(frame: pl.DataFrame) -> list[str]:
    """How many games broke off; nothing where none did. A game in both settings is one."""
    broken, total = broken_off(frame)
    if not broken:
        return []
    return [f"{broken:,} of {total:,} games broke off without usable text: in no share."]


def gap_sentences(frame: pl.DataFrame) -> dict[tuple[str, str], str]:
    """North and South by type and setting, in words; none where a half has no games."""
    lines: dict[tuple[str, str], str] = {}
    table = halves(frame).filter(halves="north_south", games="all")
    without = without_errors(frame)
    for row in table.iter_rows(named=True):
        if row["p"] is None:
            continue
        key = row["type"], row["setting"]
        more = f" {without[key]}" if key in without else ""
        lines[key] = (
            f"{row['type'].capitalize()}, {row['setting']}, means over countries: North "
            f"{row['first']:.0%} (n = {countries(row['first_countries'])}), South "
            f"{row['second']:.0%} (n = {countries(row['second_countries'])}); {_direction(row)} "
            f"({_p(row['p_holm'])}).{more}"
        )
    return lines


def without_errors(frame: pl.DataFrame) -> dict[tuple[str, str], str]:
    """The same numbers without games in which the judge erred early, where there are any."""
    lines: dict[tuple[str, str], str] = {}
    table = halves(frame).filter(halves="north_south")
    for (kind, setting), rows in table.group_by("type", "setting", maintain_order=True):
        row, other = (rows.filter(games=said).row(0, named=True) for said in ("all", "judge right"))
        left = other["first_games"] + other["second_games"]
        if other["p"] is None or left == row["first_games"] + row["second_games"]:
            continue
        lines[str(kind), str(setting)] = (
            f"Without games in which the judge erred on one of its first {EARLY} answers that can "
            f"be checked: North {other['first']:.0%} and South {other['second']:.0%} "
            f"(n = {left:,} games)."
        )
    return lines


def countries(count: int) -> str:
    """ "1 country", "12 countries"."""
    return "1 country" if count == 1 else f"{count:,} countries"


def _direction(row: Mapping[str, Any]) -> str:
    """Who is found more often, by the means that stand beside it; the test is of ranks."""
    if row["p_holm"] >= SURE:
        return "no difference beyond chance"
    if row["difference"] * row["effect"] <= 0:
        return "they differ, but their means and their ranks point in different directions"
    return f"the {'North' if row['difference'] > 0 else 'South'} is found more often"


def search_sentence(frame: pl.DataFrame) -> list[str]:
    """How many places elsewhere are asked about before the right one, by half of the world."""
    table = entering(frame, "north_south")
    said = []
    for row in table.iter_rows(named=True):
        if row["outside"] is not None and row["looked"]:
            said.append(f"{row['type']} of the {row['group']} {row['outside']:.1f}")
    return (
        [f"Questions about places elsewhere, before the right one: {', '.join(said)}."]
        if said
        else []
    )


def judge_sentence(frame: pl.DataFrame) -> list[str]:
    """How the judge answered in the games."""
    table = judging_in_games(frame)
    answers, checked = int(table["answers"].sum()), int(table["checked"].sum())
    if not answers:
        return []
    wrong, flips = int(frame["errors"].sum()), int(frame["flips"].sum())
    faults = [
        f"{int(frame[name].sum()):,} {said}"
        for name, said in (
            ("unread", "unread"),
            ("rambles", "with other words"),
            ("refusals", "refusals"),
            ("leaks", "with the name"),
        )
        if frame[name].sum()
    ]
    return [
        f"The judge gave {answers:,} answers: of {checked:,} that the table can check, "
        f"{wrong:,} wrong; {flips:,} against its own earlier ones"
        f"{'; ' + ', '.join(faults) if faults else ''}."
    ]


def known_sentences(judge: pl.DataFrame | None) -> list[str]:
    """How the judge did on known facts, in each language by itself."""
    parts = [] if judge is None else by_language(judge)
    lines = []
    for code, own in parts:
        row = judge_groups(own).row(0, named=True)
        if row["accuracy"] is None:
            continue
        bounds = f" (no interval: {countries(row['countries'])})"
        if row["accuracy_low"] is not None:
            bounds = f" [{row['accuracy_low']:.0%}, {row['accuracy_high']:.0%}]"
        where = language_named(code) if len(parts) > 1 else ""
        read = row["read"]
        of_read = f" of the {read:,} answers that can be read" if read < row["asked"] else ""
        lines.append(
            f"Asked {row['asked']:,} known facts{where and f' in {where}'}, the judge was right on "
            f"{row['accuracy']:.0%}{bounds}{of_read}."
        )
    return lines


def _p(value: float) -> str:
    return f"p = {value:.3f}" if value >= 0.001 else "p < 0.001"


def saving(games: Iterable[Mapping[str, Any]], made: int) -> list[str]:
    """The calls made beside those of the published protocol; `made` counts guesser and judge."""
    pairs = [naive_calls(game) for game in games]
    full, unchecked = (sum(column) for column in zip(*pairs, strict=True)) if pairs else (0, 0)
    if not full:
        return []
    return [
        f"The naive protocol takes {full:,} calls for these games ({unchecked:,} without its "
        f"give-up checks); {made:,} were made, {1 - made / full:.0%} fewer."
    ]
