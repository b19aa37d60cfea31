"""Geo20Q+ in words: four findings for the opening, and the rest for its own section."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from geobias.probes.geo20q.analyses import HALVES
from geobias.probes.geo20q.judge_scores import judge_groups
from geobias.probes.geo20q.moves import EARLY
from geobias.probes.geo20q.play_style import search_before_target
from geobias.probes.geo20q.scores import (
    SETTINGS,
    count_apart,
    count_broken,
    country_means,
    ended_games,
)
from geobias.probes.geo20q.screens import by_language, language_name
from geobias.probes.lazy import pl
from geobias.probes.sections import Sentences
from geobias.probes.settings import TOO_SMALL
from geobias.results.findings import Section, Sentence
from geobias.results.formatting import (
    counted,
    interval,
    metric_percents,
    metric_value,
    p_phrase,
    percents,
)
from geobias.results.metrics import metric_of
from geobias.results.tabling import rows_of
from geobias.stats.multiple import SIGNIFICANCE, rules_out

FEW_COUNTRIES = 100
"""Countries under which a run is called small."""


def sentences(
    section: Section, frame: pl.DataFrame, judge: pl.DataFrame, size: str | None
) -> list[Sentence]:
    """What the games showed, each thing once: in the opening, or as a detail of the section."""
    spoken = Sentences(section)
    spoken.say_missing("games", "played")
    spoken.say("caution", _broken(frame))
    if section.measurable:
        gaps = _tested_gaps(section)
        surest = gaps[0] if gaps else {}
        spoken.say("finding", _won(section, frame))
        spoken.say("finding", _gap(surest, len(gaps), frame) if surest else "")
        spoken.say("finding", _judge(section))
        spoken.say("finding", _regions(section, frame))
        for text in [
            *_north_south(section, surest),
            _search(frame),
            _judge_in_games(section, frame),
        ]:
            spoken.say("finding", text, opening=False)
        for text in _limits(frame, size):
            spoken.say("limit", text)
    else:
        known = [] if any("known" in why for why in section.why_not) else _known_facts(judge)
        for text in [_judge_in_games(section, frame), *known]:
            spoken.say("caution", text, opening=False)
    return spoken.said


def _won(section: Section, frame: pl.DataFrame) -> str:
    won = {
        setting: metric
        for setting in SETTINGS
        if (metric := metric_of(section, f"geo20q.success_{setting}")) and metric.value is not None
    }
    games = [_games_of(frame, setting) for setting in won]
    if len(set(games)) == 1:
        games[:-1] = [""] * (len(games) - 1)  # once is enough where both are of the same games
    parts = [
        f"{metric_percents(metric)} of {counted(metric.n, 'games')} "
        f"{_allowed(frame, setting)}{detail}"
        for (setting, metric), detail in zip(won.items(), games, strict=True)
    ]
    return f"It wins {' and '.join(parts)}." if parts else ""


def _allowed(frame: pl.DataFrame, setting: str) -> str:
    """ "within 20 turns"; the setting's name where its games had several limits."""
    limits = frame[f"{setting}_limit"].drop_nulls().unique().to_list()
    return f"within {limits[0]:,} turns" if len(limits) == 1 else f"({setting})"


def _games_of(frame: pl.DataFrame, setting: str) -> str:
    """ " (6 entities, 3 languages, 3 repeats)" where games are not one for each entity."""
    games = ended_games(frame).filter(setting=setting)
    entities, languages, repeats = (
        games[name].n_unique() for name in ("entity", "language", "repeat")
    )
    if languages == repeats == 1:
        return ""
    parts = [counted(entities, "entities")]
    parts += [f"{languages} languages"] if languages > 1 else []
    parts += [f"{repeats:,} repeats"] if repeats > 1 else []
    return f" ({', '.join(parts)})"


def _tested_gaps(section: Section) -> list[dict[str, Any]]:
    """Gaps between halves of the world, those with an interval first, the surest by its own p."""
    gaps = [
        row
        for row in rows_of(section, "halves")
        if row["games"] == "all" and row["p_holm"] is not None and row["difference"] is not None
    ]
    return sorted(gaps, key=lambda row: (row["difference_low"] is None, row["p"]))


def _gap(row: dict[str, Any], tests: int, frame: pl.DataFrame) -> str:
    first, second = HALVES[row["halves"]]
    p = p_phrase(row["p_holm"]) + (f", adjusted for {tests} tests" if tests > 1 else "")
    what = f"{row['type']} {_allowed(frame, row['setting'])}"
    bounds = row["difference_low"], row["difference_high"]
    difference = f"{row['difference']:.2f} {interval(*bounds)}".strip()
    if not rules_out(row["p_holm"], *bounds):
        return (
            f"No gap between halves of the world is clear: the surest, {first} minus {second}, "
            f"{what}, is {difference}, which chance may give ({p})."
        )
    return (
        f"Of {what} it finds {row['first']:.0%} in the {first} "
        f"({counted(row['first_countries'], 'countries')}) and {row['second']:.0%} in the {second} "
        f"({counted(row['second_countries'], 'countries')}), as means over countries. "
        f"That difference of {difference} is more than chance gives ({p})."
    )


def _judge(section: Section) -> str:
    known = metric_of(section, "geo20q.judge_accuracy")
    if known is None or known.value is None:
        return ""
    languages = ", ".join(
        f"{row['group']} {row['accuracy']:.2f}" for row in rows_of(section, "judge_languages")
    )
    return (
        f"The judge is right on {metric_percents(known)} of {known.n:,} known facts that it was "
        f"asked{languages and f' ({languages})'}."
    )


def _regions(section: Section, frame: pl.DataFrame) -> str:
    for setting in SETTINGS:
        gap = metric_of(section, f"geo20q.region_disparity_{setting}")
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
    games = ended_games(frame).filter(setting=setting)
    regions = country_means(games).drop_nulls("region").group_by("region")
    rows = regions.agg(pl.col("value").mean()).sort("value", "region").rows()
    return rows[-1], rows[0]


def _limits(frame: pl.DataFrame, size: str | None) -> list[str]:
    limits = [TOO_SMALL] if size == "quick" else []
    apart, played = count_apart(frame)
    if played < FEW_COUNTRIES:
        clause = (
            f"of {apart:,} the pooled interval leaves out the mean of all, and no other can be "
            "told from it"
            if apart
            else "no country's pooled interval leaves out the mean of all, so that none can be "
            "told from it"
        )
        limits.append(
            f"Games about {counted(played, 'countries')} are a sample: only large gaps can be "
            f"seen, and {clause}."
        )
    return [
        *limits,
        "A game is played by two models. A gap may come from the guesser, from the judge, or from "
        "how well known the entities are; the tables of the judge and of fame tell these apart as "
        "far as they can be.",
    ]


def _broken(frame: pl.DataFrame) -> str:
    """How many games broke off; nothing where none did. A game in both settings is one."""
    broken, total = count_broken(frame)
    if not broken:
        return ""
    return f"{broken:,} of {total:,} games broke off without usable text: in no share."


def _north_south(section: Section, opening: dict[str, Any]) -> list[str]:
    """North and South by type and setting, in words; none where a half has no games.

    Of the gap that the opening tells, only how it is without games in which the judge erred.
    """
    rows = [row for row in rows_of(section, "halves") if row["halves"] == "north_south"]
    judged_right = {
        (row["type"], row["setting"]): row for row in rows if row["games"] == "judge right"
    }
    texts = []
    for row in rows:
        if row["games"] != "all" or row["p"] is None:
            continue
        head = f"{row['type'].capitalize()}, {row['setting']}, "
        without = _without_judge_errors(row, judged_right[row["type"], row["setting"]])
        if row == opening:
            texts.append(without and head + without[0].lower() + without[1:])
            continue
        texts.append(
            f"{head}means over countries: North {row['first']:.0%} "
            f"(n = {counted(row['first_countries'], 'countries')}), South {row['second']:.0%} "
            f"(n = {counted(row['second_countries'], 'countries')}); "
            f"{_direction(row)} ({p_phrase(row['p_holm'])}). {without}".rstrip()
        )
    return texts


def _without_judge_errors(row: dict[str, Any], other: dict[str, Any]) -> str:
    """The same numbers without games in which the judge erred early, where there are any."""
    left = other["first_games"] + other["second_games"]
    if other["p"] is None or left == row["first_games"] + row["second_games"]:
        return ""
    return (
        f"Without games in which the judge erred on one of its first {EARLY} answers that can "
        f"be checked: North {other['first']:.0%} and South {other['second']:.0%} "
        f"(n = {left:,} games)."
    )


def _direction(row: Mapping[str, Any]) -> str:
    """Who is found more often, by the means that stand beside it; the test is of ranks."""
    if row["p_holm"] >= SIGNIFICANCE:
        return "no difference beyond chance"
    if row["difference"] * row["effect"] <= 0:
        return "they differ, but their means and their ranks point in different directions"
    return f"the {'North' if row['difference'] > 0 else 'South'} is found more often"


def _search(frame: pl.DataFrame) -> str:
    """How many places elsewhere are asked about before the right one, by half of the world."""
    means = [
        f"{row['type']} of the {row['group']} {row['outside']:.1f}"
        for row in search_before_target(frame, "north_south").iter_rows(named=True)
        if row["outside"] is not None and row["looked"]
    ]
    listed = ", ".join(means)
    return listed and f"Questions about places elsewhere, before the right one: {listed}."


def _judge_in_games(section: Section, frame: pl.DataFrame) -> str:
    rows = rows_of(section, "judging")
    answers, checked = (sum(row[name] for row in rows) for name in ("answers", "checked"))
    if not answers:
        return ""
    wrong, flips = int(frame["errors"].sum()), int(frame["flips"].sum())
    faults = [
        f"{int(frame[name].sum()):,} {words}"
        for name, words in (
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
        where = language_name(code) if len(parts) > 1 else ""
        read = row["read"]
        of_read = f" of the {read:,} answers that can be read" if read < row["asked"] else ""
        lines.append(
            f"Asked {row['asked']:,} known facts{where and f' in {where}'}, the judge was right on "
            f"{share}{of_read}."
        )
    return lines
