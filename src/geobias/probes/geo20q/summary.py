"""What a person wants to see first: who was found, whether that measures anything, what it cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from geobias.probes.geo20q.analyses import halves
from geobias.probes.geo20q.judge_scores import judge_groups
from geobias.probes.geo20q.manner import entering, judging_in_games
from geobias.probes.geo20q.scores import By, endings, success, turns
from geobias.probes.geo20q.screens import screens
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
    lines = []
    counted = endings(frame)
    broken, total = int(counted["broken"].sum()), int(counted["games"].sum())
    if broken:
        lines.append(f"{broken:,} of {total:,} games broke off without usable text: in no share.")
    if not why_not_measurable(frame, judge):
        lines += _gap_sentences(frame) + _search_sentence(frame)
    return lines + _judge_sentences(frame, judge)


def _gap_sentences(frame: pl.DataFrame) -> list[str]:
    lines = []
    table = halves(frame).filter(halves="north_south")
    for (kind, setting), rows in table.group_by("type", "setting", maintain_order=True):
        everything, kept = rows.filter(games="all"), rows.filter(games="judge right")
        row = everything.row(0, named=True)
        if row["p"] is None:
            continue
        word = (
            (
                "the North is found more often"
                if row["effect"] > 0
                else "the South is found more often"
            )
            if row["p_holm"] < SURE
            else "no difference beyond chance"
        )
        other = kept.row(0, named=True)
        without = ""
        if other["p"] is not None and other["first_games"] + other["second_games"] < (
            row["first_games"] + row["second_games"]
        ):
            left = other["first_games"] + other["second_games"]
            without = (
                f" Without games in which the judge erred: {other['first']:.0%} and "
                f"{other['second']:.0%} (n = {left:,})."
            )
        lines.append(
            f"{str(kind).capitalize()}, {setting}: North {row['first']:.0%} (n = "
            f"{row['first_countries']} countries), South {row['second']:.0%} (n = "
            f"{row['second_countries']}); {word} ({_p(row['p_holm'])}).{without}"
        )
    return lines


def _search_sentence(frame: pl.DataFrame) -> list[str]:
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


def _judge_sentences(frame: pl.DataFrame, judge: pl.DataFrame | None) -> list[str]:
    lines = []
    table = judging_in_games(frame)
    answers, checked = int(table["answers"].sum()), int(table["checked"].sum())
    if answers:
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
        lines.append(
            f"The judge gave {answers:,} answers: of {checked:,} that the table can check, "
            f"{wrong:,} wrong; {flips:,} against its own earlier ones"
            f"{'; ' + ', '.join(faults) if faults else ''}."
        )
    if judge is not None and judge.height:
        row = judge_groups(judge).row(0, named=True)
        if row["accuracy"] is not None:
            bounds = ""
            if row["accuracy_low"] is not None:
                bounds = f" [{row['accuracy_low']:.0%}, {row['accuracy_high']:.0%}]"
            lines.append(
                f"Asked {row['asked']:,} known facts, it was right on {row['accuracy']:.0%}"
                f"{bounds}."
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
