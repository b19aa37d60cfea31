"""Geo20Q+ in words: the verdict that a page opens with, four findings, and the rest for its
section."""

from __future__ import annotations

from typing import Any

import polars as pl

from geobias.atlas.entities import LANGUAGE_NAMES
from geobias.probes.geo20q.analyses import HALVES, region_means, search_before_target
from geobias.probes.geo20q.judging import LEAST_ACCURACY, judge_groups
from geobias.probes.geo20q.power import gap_in_sight
from geobias.probes.geo20q.questions import EARLY
from geobias.probes.geo20q.scores import (
    SETTINGS,
    count_apart,
    count_broken,
    ended_games,
)
from geobias.probes.geo20q.screens import by_language
from geobias.probes.sections import Sentences
from geobias.probes.settings import TOO_SMALL
from geobias.results.findings import Metric, Section, Sentence
from geobias.results.formatting import (
    counted,
    estimate,
    p_phrase,
    p_with_adjusted,
    percents,
)
from geobias.results.tables import bounded, metric_of, metric_percents, metric_value, rows_of
from geobias.results.verdicts import (
    Dots,
    Question,
    Verdict,
    is_significant,
    primary_of,
    verdict_on,
)
from geobias.stats.contrasts import Groups, pairs, welch_f, widest
from geobias.stats.estimates import LEVEL

WHY_NOT = {
    "games that came": "Too many of its games broke off.",
    "games that differ": "All its games ended alike, so no group can differ.",
    "distinct": "It asks the same questions again and again.",
    "yes/no": "It does not ask yes/no questions, so it does not play.",
    "judge": "Its judge gets too many known facts wrong.",
    "games": "No game was played.",
}


def verdict(section: Section) -> Verdict:
    first, second = HALVES["north_south"]

    def size(gap: Metric) -> str:
        won = f"Its share of games won {_which(gap)}, {first} minus {second}"
        return f"{won}: {metric_value(gap)} ({counted(gap.n, gap.counted)})."

    return verdict_on(
        section,
        Question(
            above=f"finds people of the {second} less often",
            below=f"finds people of the {first} less often",
            gap=f"gap between people of the {first} and of the {second}",
            size=size,
            too_few="played too few games about people to tell",
        ),
        dots=_dots(section),
        figure="geo20q-halves",
        reasons=WHY_NOT,
    )


def _which(gap: Metric | None) -> str:
    """What the primary gap is taken at: it is that at equal fame where nobody asked what the model
    knows."""
    known = gap is not None and "_gap_known_" in gap.name
    return "among people it knows" if known else "at equal fame"


def _dots(section: Section) -> Dots | None:
    """People and things of North and South, in the setting that was played first."""
    every = [row for row in _north_south_rows(section) if row["games"] == "all"]
    setting = next((one for one in SETTINGS if any(r["setting"] == one for r in every)), "")
    made = []
    for row in every:
        for side, name in zip(("first", "second"), HALVES["north_south"], strict=True):
            if row["setting"] == setting and row[side] is not None:
                short = f"{str(row['type']).capitalize()}, {name.removeprefix('Global ')}"
                bounds = bounded(row, side)
                n = counted(row[f"{side}_games"], "games")
                said = f"{short}: {estimate(**bounds)} of games won, {n}"
                made.append({"row": short, **bounds, "said": said})
    return Dots(rows=made, domain=(0, 1), ends=("never won", "always")) if made else None


def _north_south_rows(section: Section) -> list[dict[str, Any]]:
    return [row for row in rows_of(section, "halves") if row["halves"] == "north_south"]


FAR = 0.3
"""A gap in success. A run that sees no smaller one says so."""
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
        spoken.say("caution", _unsure_judge(section))
        spoken.say("caution", _in_sight(frame))
        spoken.say("finding", _won(section, frame))
        spoken.say("finding", _primary(section))
        spoken.say("finding", _judge(section))
        spoken.say("finding", _regions(section, frame))
        for text in [
            _rules(section),
            *_north_south(section),
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
        f"{metric_percents(metric)} of {counted(_ended(frame, setting), 'games')} "
        f"{_allowed(frame, setting)}{detail}"
        for (setting, metric), detail in zip(won.items(), games, strict=True)
    ]
    return f"It wins {' and '.join(parts)}." if parts else ""


def _rules(section: Section) -> str:
    """How many games the published rule would count as won that ours does not."""
    rows = rows_of(section, "rules")
    lead = next((name for name in SETTINGS if any(row["setting"] == name for row in rows)), "")
    rows = [row for row in rows if row["setting"] == lead]
    more, played = (sum(row[name] for row in rows) for name in ("only_mention", "played_mention"))
    if not more or not played:
        return ""
    return (
        f"{more:,} of {played:,} games ({lead}) have a mention of the name and no guess of it. The "
        "published rule counts them as won; ours does not."
    )


def _ended(frame: pl.DataFrame, setting: str) -> int:
    return ended_games(frame).filter(setting=setting).height


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


def _primary(section: Section) -> str:
    """The primary gap, or why it is unknown."""
    gap = primary_of(section)
    if gap is None or gap.value is None or gap.p is None:
        why = gap.undefined_because if gap else ""
        which = _which(gap)
        return f"The gap between North and South {which} is unknown{why and f': {why}'}."
    # The verdict says what it means, once all primary tests of the audit are known.
    return f"{gap.label} is {metric_value(gap)} ({counted(gap.n, gap.counted)}; {p_phrase(gap.p)})."


def _in_sight(frame: pl.DataFrame) -> str:
    """What a small run can see of the primary gap; "" where no people were played."""
    games = ended_games(frame).filter(type="people")
    lead = next((name for name in SETTINGS if games.filter(setting=name).height), "")
    played = games.filter(setting=lead).unique(["entity", "country"])
    if not played.height:
        return ""
    gap, about = (
        gap_in_sight(played["country"].to_list()),
        f"{counted(played.height, 'games')} about people",
    )
    if gap is None:
        return (
            f"{about} are too few to show any gap between North and South. geobias plan geo20q "
            "--size standard --power 0.8 says what more games would show."
        )
    if gap < FAR:
        return ""
    return (
        f"{about} can show a gap of {gap:g} or more between North and South. A smaller one is "
        "missed more than one time in five."
    )


def _unsure_judge(section: Section) -> str:
    """Whether it cannot be told on which side of the bar the judge is."""
    known = metric_of(section, "geo20q.judge_accuracy")
    if known is None or known.low is None or known.high is None:
        return ""
    if not known.low < LEAST_ACCURACY <= known.high:
        return ""
    return (
        f"The judge was asked too few facts to be sure that it knows {LEAST_ACCURACY:.0%} of them."
    )


def _judge(section: Section) -> str:
    known = metric_of(section, "geo20q.judge_accuracy")
    if known is None or known.value is None:
        return ""
    languages = ", ".join(
        f"{row['group']} {row['accuracy']:.2f}" for row in rows_of(section, "judge_languages")
    )
    return (
        f"The judge is right on {metric_percents(known)} of known facts "
        f"({counted(known.n, known.counted)}){languages and f'; {languages}'}."
    )


def _regions(section: Section, frame: pl.DataFrame) -> str:
    """Whether regions differ; the two that are furthest apart where their own test shows it."""
    for setting in SETTINGS:
        gap = metric_of(section, f"geo20q.region_disparity_{setting}")
        values, regions = region_means(ended_games(frame).filter(setting=setting))
        test, pair = welch_f(values, regions), widest(pairs(values, regions, most=1))
        if test.p is None or gap is None or pair is None:
            continue
        said = "Regions differ" if test.p < LEVEL else "Regions are not shown to differ"
        said += (
            f" in games won {_allowed(frame, setting)} (Welch’s test of {test.groups} regions, "
            f"{counted(test.n, 'economies')}: {p_phrase(test.p)})."
        )
        if is_significant(gap):
            groups = Groups.of(values, regions)
            means = dict(zip(groups.names, groups.means.tolist(), strict=True))
            high, low = (f"{name} ({means[name]:.0%})" for name in (pair.first, pair.second))
            said += (
                f" More are won about {high} than about {low}: {metric_value(gap)} "
                f"({p_with_adjusted(gap.p, gap.p_adjusted)})."
            )
        return said
    return ""


def _limits(frame: pl.DataFrame, size: str | None) -> list[str]:
    limits = [TOO_SMALL] if size == "quick" else []
    apart, played = count_apart(frame)
    if played < FEW_COUNTRIES:
        clause = (
            f"only {counted(apart, 'countries')} can be told from the mean of all"
            if apart
            else "no single country can be told from the mean of all"
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
    return f"{broken:,} of {total:,} games broke off without usable text and are not counted."


def _north_south(section: Section) -> list[str]:
    """North and South by type and setting as they are; none where a half has no games."""
    rows = _north_south_rows(section)
    judged_right = {
        (row["type"], row["setting"]): row for row in rows if row["games"] == "judge right"
    }
    texts = []
    for row in rows:
        if row["games"] != "all" or row["difference"] is None:
            continue
        without = _without_judge_errors(row, judged_right[row["type"], row["setting"]])
        difference = estimate(*(row[f"difference{end}"] for end in ("", "_low", "_high")))
        texts.append(
            f"{row['type'].capitalize()}, {row['setting']}, as they are, means over countries: "
            f"North {row['first']:.0%} "
            f"(n = {counted(row['first_countries'], 'countries')}), South {row['second']:.0%} "
            f"(n = {counted(row['second_countries'], 'countries')}). The difference "
            f"is {difference} "
            f"({p_with_adjusted(row['difference_p'], row['difference_p_holm'])}). "
            f"{without}".rstrip()
        )
    return texts


def _without_judge_errors(row: dict[str, Any], other: dict[str, Any]) -> str:
    """The same numbers without games in which the judge erred early, where there are any."""
    left = other["first_games"] + other["second_games"]
    if other["difference"] is None or left == row["first_games"] + row["second_games"]:
        return ""
    return (
        f"Without games in which the judge erred on one of its first {EARLY} answers that can "
        f"be checked: North {other['first']:.0%} and South {other['second']:.0%} "
        f"(n = {left:,} games)."
    )


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
        f"The judge gave {answers:,} answers. The table can check {checked:,} of them: {wrong:,} "
        f"are wrong. {flips:,} contradict its own earlier ones."
        f"{' Others: ' + ', '.join(faults) + '.' if faults else ''}"
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
        where = LANGUAGE_NAMES.get(code, code) if len(parts) > 1 else ""
        read = row["read"]
        of_read = f" of the {read:,} answers that can be read" if read < row["asked"] else ""
        lines.append(
            f"Asked {row['asked']:,} known facts{where and f' in {where}'}, the judge was right on "
            f"{share}{of_read}."
        )
    return lines
