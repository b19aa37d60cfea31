"""Geo20Q+ in words: four findings for the opening, and the rest for its own section."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from geobias.probes.geo20q.analyses import HALVES, halves
from geobias.probes.geo20q.judge_scores import judge_groups
from geobias.probes.geo20q.moves import EARLY
from geobias.probes.geo20q.play_style import judging_in_games, search_before_target
from geobias.probes.geo20q.scores import (
    SETTINGS,
    broken_off,
    by_setting,
    country_means,
    told_apart,
)
from geobias.probes.geo20q.screens import by_language, language_named
from geobias.probes.sections import Sentences
from geobias.probes.settings import TOO_SMALL
from geobias.results.findings import Cell, Metric, Section, Sentence
from geobias.results.formatting import (
    counted,
    interval,
    metric_percents,
    metric_value,
    p_phrase,
    percents,
)
from geobias.stats.multiple import SIGNIFICANCE, rules_out

if TYPE_CHECKING:
    import polars as pl

SIDES = ("first", "second")
FEW_COUNTRIES = 100
"""Countries under which a run is called small."""


def sentences(
    section: Section, frame: pl.DataFrame, judge: pl.DataFrame, size: str | None
) -> list[Sentence]:
    """What the games showed, each thing once: in the opening, or as a detail of the section."""
    told = Sentences(section)
    told.say_missing("games", "played")
    told.say("caution", _broken(frame))
    if section.measurable:
        gap = _surest(section)
        told.say("finding", _won(section, frame))
        told.say("finding", _gap(section, frame, gap))
        told.say("finding", _judge(section))
        told.say("finding", _regions(section, frame))
        for text in _details(frame, gap):
            told.say("finding", text, opening=False)
        for text in _limits(frame, size):
            told.say("limit", text)
    else:
        known = [] if any("known" in why for why in section.why_not) else _known_facts(judge)
        for text in [_judge_in_games(frame), *known]:
            told.say("caution", text, opening=False)
    return told.said


def _details(frame: pl.DataFrame, gap: dict[str, Cell]) -> list[str]:
    """What the opening does not say: other gaps, the search, and the judge in the games."""
    said = _halves_gaps(frame)
    if gap.get("halves") == "north_south":
        key = str(gap["type"]), str(gap["setting"])
        without = _without_judge_errors(frame).get(key)
        rest = without and without[0].lower() + without[1:]
        said = {**said, key: f"{key[0].capitalize()}, {key[1]}, {rest}" if rest else ""}
    return [*filter(None, said.values()), _search(frame), _judge_in_games(frame)]


def _won(section: Section, frame: pl.DataFrame) -> str:
    metrics = _metrics(section)
    found = [(setting, metrics.get(f"geo20q.success_{setting}")) for setting in SETTINGS]
    won = [(setting, one) for setting, one in found if one is not None and one.value is not None]
    told = [_played_by(frame, setting) for setting, _ in won]
    if len(set(told)) == 1:
        told = [*[""] * (len(told) - 1), told[0]]  # once is enough where both are of the same games
    parts = [
        f"{metric_percents(one)} of {one.n:,} game{'s' if one.n != 1 else ''} "
        f"{_allowed(frame, setting)}{said}"
        for (setting, one), said in zip(won, told, strict=True)
    ]
    return f"It wins {' and '.join(parts)}." if parts else ""


def _allowed(frame: pl.DataFrame, setting: str) -> str:
    """ "within 20 turns"; the setting's name where its games had several limits."""
    limits = frame[f"{setting}_limit"].drop_nulls().unique().to_list()
    return f"within {limits[0]:,} turns" if len(limits) == 1 else f"({setting})"


def _played_by(frame: pl.DataFrame, setting: str) -> str:
    """ " (6 entities, 3 languages, 3 repeats)" where games are not one for each entity."""
    import polars as pl

    games = by_setting(frame).filter(pl.col("won").is_not_null(), setting=setting)
    entities, languages, repeats = (
        games[name].n_unique() for name in ("entity", "language", "repeat")
    )
    if languages == repeats == 1:
        return ""
    said = [f"{entities:,} entit{'ies' if entities != 1 else 'y'}"]
    said += [f"{languages} languages"] if languages > 1 else []
    said += [f"{repeats:,} repeats"] if repeats > 1 else []
    return f" ({', '.join(said)})"


def _surest(section: Section) -> dict[str, Cell]:
    """The row of the surest gap between halves of the world, by its own p; one with an interval, if
    there is any. Empty where no gap is defined.
    """
    rows = _tested(section)
    if not rows:
        return {}
    return min(rows, key=lambda one: (one["difference_low"] is None, _number(one["p"])))


def _tested(section: Section) -> list[dict[str, Cell]]:
    return [
        row
        for row in section.tables["halves"].rows
        if row["games"] == "all" and row["p_holm"] is not None and row["difference"] is not None
    ]


def _gap(section: Section, frame: pl.DataFrame, row: dict[str, Cell]) -> str:
    if not row:
        return ""
    first, second = HALVES[row["halves"]]  # type: ignore[index]
    tests = len(_tested(section))
    adjusted = f", adjusted for {tests} tests" if tests > 1 else ""
    p = f"{p_phrase(_number(row['p_holm']))}{adjusted}"
    what = f"{row['type']} {_allowed(frame, str(row['setting']))}"
    bounds = interval(row["difference_low"], row["difference_high"])  # type: ignore[arg-type]
    difference = f"{_number(row['difference']):.2f} {bounds}".strip()
    if not rules_out(
        _number(row["p_holm"]),
        row["difference_low"],  # type: ignore[arg-type]
        row["difference_high"],  # type: ignore[arg-type]
    ):
        return (
            f"No gap between halves of the world is clear: the surest, {first} minus {second}, "
            f"{what}, is {difference}, which chance may give ({p})."
        )
    numbers = {side: counted(int(_number(row[f"{side}_countries"])), "countries") for side in SIDES}
    return (
        f"Of {what} it finds {_number(row['first']):.0%} in the {first} ({numbers['first']}) and "
        f"{_number(row['second']):.0%} in the {second} ({numbers['second']}), as means over "
        f"countries. That difference of {difference} is more than chance gives ({p})."
    )


def _judge(section: Section) -> str:
    known = _metrics(section).get("geo20q.judge_accuracy")
    if known is None or known.value is None:
        return ""
    languages = section.tables.get("judge_languages")
    each = [] if languages is None else languages.rows
    said = ", ".join(f"{row['group']} {_number(row['accuracy']):.2f}" for row in each)
    return (
        f"The judge is right on {metric_percents(known)} of {known.n:,} known facts that it was "
        f"asked"
        f"{said and f' ({said})'}."
    )


def _regions(section: Section, frame: pl.DataFrame) -> str:
    """The regions that are found most and least often, and whether chance could do that."""
    metrics = _metrics(section)
    for setting in SETTINGS:
        gap = metrics.get(f"geo20q.region_disparity_{setting}")
        if gap is None or gap.observed is None or gap.p_adjusted is None or gap.chance is None:
            continue
        (most, high), (least, low) = _extremes(frame, setting)
        won = f"games won {_allowed(frame, setting)}"
        chance = f"({gap.chance:.2f} on average; {p_phrase(gap.p_adjusted)}, adjusted)"
        if gap.p_adjusted >= SIGNIFICANCE:
            return (
                f"Between regions no difference is clear: the largest gap in {won}, "
                f"{gap.observed:.2f}, is one that chance may give {chance}."
            )
        freed = "" if gap.value is None else f" Without what noise adds, it is {metric_value(gap)}."
        return (
            f"By region, {won} are most about {most} ({high:.0%}, the mean over its countries) and "
            f"least about {least} ({low:.0%}), more than chance gives {chance}.{freed}"
        )
    return ""


def _extremes(frame: pl.DataFrame, setting: str) -> tuple[tuple[str, float], tuple[str, float]]:
    """The regions with the largest and the smallest mean of their countries."""
    import polars as pl

    games = by_setting(frame).filter(pl.col("won").is_not_null(), setting=setting)
    regions = country_means(games).drop_nulls("region").group_by("region")
    rows = regions.agg(pl.col("value").mean()).sort("value", "region").rows()
    return rows[-1], rows[0]


def _limits(frame: pl.DataFrame, size: str | None) -> list[str]:
    found = [TOO_SMALL] if size == "quick" else []
    apart, played = told_apart(frame)
    if played < FEW_COUNTRIES:
        told = (
            "no country's pooled interval leaves out the mean of all, so that none can be told "
            "from it"
            if not apart
            else f"of {apart:,} the pooled interval leaves out the mean of all, and no other can "
            "be told from it"
        )
        found.append(
            f"Games about {counted(played, 'countries')} are a sample: only large gaps can be "
            f"seen, and {told}."
        )
    return [
        *found,
        "A game is played by two models. A gap may come from the guesser, from the judge, or from "
        "how well known the entities are; the tables of the judge and of fame tell these apart as "
        "far as they can be.",
    ]


def _metrics(section: Section) -> dict[str, Metric]:
    return {one.name: one for one in section.metrics}


def _number(cell: Cell) -> float:
    assert isinstance(cell, int | float)
    return cell


def _broken(frame: pl.DataFrame) -> str:
    """How many games broke off; nothing where none did. A game in both settings is one."""
    broken, total = broken_off(frame)
    if not broken:
        return ""
    return f"{broken:,} of {total:,} games broke off without usable text: in no share."


def _halves_gaps(frame: pl.DataFrame) -> dict[tuple[str, str], str]:
    """North and South by type and setting, in words; none where a half has no games."""
    lines: dict[tuple[str, str], str] = {}
    table = halves(frame).filter(halves="north_south", games="all")
    without = _without_judge_errors(frame)
    for row in table.iter_rows(named=True):
        if row["p"] is None:
            continue
        key = row["type"], row["setting"]
        more = f" {without[key]}" if key in without else ""
        lines[key] = (
            f"{row['type'].capitalize()}, {row['setting']}, means over countries: North "
            f"{row['first']:.0%} (n = {counted(row['first_countries'], 'countries')}), South "
            f"{row['second']:.0%} (n = {counted(row['second_countries'], 'countries')}); "
            f"{_direction(row)} ({p_phrase(row['p_holm'])}).{more}"
        )
    return lines


def _without_judge_errors(frame: pl.DataFrame) -> dict[tuple[str, str], str]:
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


def _direction(row: Mapping[str, Any]) -> str:
    """Who is found more often, by the means that stand beside it; the test is of ranks."""
    if row["p_holm"] >= SIGNIFICANCE:
        return "no difference beyond chance"
    if row["difference"] * row["effect"] <= 0:
        return "they differ, but their means and their ranks point in different directions"
    return f"the {'North' if row['difference'] > 0 else 'South'} is found more often"


def _search(frame: pl.DataFrame) -> str:
    """How many places elsewhere are asked about before the right one, by half of the world."""
    table = search_before_target(frame, "north_south")
    said = []
    for row in table.iter_rows(named=True):
        if row["outside"] is not None and row["looked"]:
            said.append(f"{row['type']} of the {row['group']} {row['outside']:.1f}")
    return (
        f"Questions about places elsewhere, before the right one: {', '.join(said)}."
        if said
        else ""
    )


def _judge_in_games(frame: pl.DataFrame) -> str:
    """How the judge answered in the games."""
    table = judging_in_games(frame)
    answers, checked = int(table["answers"].sum()), int(table["checked"].sum())
    if not answers:
        return ""
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
    return (
        f"The judge gave {answers:,} answers: of {checked:,} that the table can check, "
        f"{wrong:,} wrong; {flips:,} against its own earlier ones"
        f"{'; ' + ', '.join(faults) if faults else ''}."
    )


def _known_facts(judge: pl.DataFrame) -> list[str]:
    """How the judge did on known facts, in each language by itself."""
    parts = by_language(judge)
    lines = []
    for code, own in parts:
        row = judge_groups(own).row(0, named=True)
        if row["accuracy"] is None:
            continue
        share = percents(row["accuracy"], row["accuracy_low"], row["accuracy_high"])
        if row["accuracy_low"] is None:
            share += f" (no interval: {counted(row['countries'], 'countries')})"
        where = language_named(code) if len(parts) > 1 else ""
        read = row["read"]
        of_read = f" of the {read:,} answers that can be read" if read < row["asked"] else ""
        lines.append(
            f"Asked {row['asked']:,} known facts{where and f' in {where}'}, the judge was right on "
            f"{share}{of_read}."
        )
    return lines
