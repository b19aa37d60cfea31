"""Geo20Q+ in words: four findings for the opening, and the rest for its own section."""

from __future__ import annotations

from typing import TYPE_CHECKING

from geobias.probes.geo20q.analyses import HALVES
from geobias.probes.geo20q.scores import SETTINGS, by_setting, country_means, told_apart
from geobias.probes.geo20q.summary import (
    broken_sentence,
    countries,
    gap_sentences,
    judge_sentence,
    known_sentences,
    search_sentence,
    without_errors,
)
from geobias.probes.screens import because
from geobias.report.findings import Cell, Metric, Section, Sentence, SentenceKind
from geobias.report.metrics import TOO_SMALL, percents, said_p, written
from geobias.stats.multiple import SURE, rules_out

if TYPE_CHECKING:
    import polars as pl

SIDES = ("first", "second")
TELLING = 100
"""Countries under which a run is called small."""


def sentences(
    section: Section, frame: pl.DataFrame, judge: pl.DataFrame, size: str | None
) -> list[Sentence]:
    """What the games showed, each thing once: in the opening, or as a detail of the section."""

    def say(kind: SentenceKind, text: str, *, opening: bool = True) -> None:
        said.append(
            Sentence(
                kind=kind, probe=section.probe, model=section.model, text=text, opening=opening
            )
        )

    said: list[Sentence] = []
    replies = section.replies
    if section.why_not:
        say("unmeasurable", because(section.why_not))
    if replies.missing:
        say("caution", f"{replies.missing:,} of {replies.planned:,} games are not played yet.")
    for text in broken_sentence(frame):
        say("caution", text)
    if section.measurable:
        gap = _surest(section)
        for text in (
            _won(section, frame),
            _gap(section, frame, gap),
            _judge(section),
            _regions(section, frame),
        ):
            if text:
                say("finding", text)
        for text in _details(frame, gap):
            say("finding", text, opening=False)
        for text in _limits(frame, size):
            say("limit", text)
    else:
        known = [] if any("known" in why for why in section.why_not) else known_sentences(judge)
        for text in [*judge_sentence(frame), *known]:
            say("caution", text, opening=False)
    return said


def _details(frame: pl.DataFrame, gap: dict[str, Cell]) -> list[str]:
    """What the opening does not say: other gaps, the search, and the judge in the games."""
    said = gap_sentences(frame)
    if gap.get("halves") == "north_south":
        key = str(gap["type"]), str(gap["setting"])
        without = without_errors(frame).get(key)
        rest = without and without[0].lower() + without[1:]
        said = {**said, key: f"{key[0].capitalize()}, {key[1]}, {rest}" if rest else ""}
    return [*filter(None, said.values()), *search_sentence(frame), *judge_sentence(frame)]


def _won(section: Section, frame: pl.DataFrame) -> str:
    metrics = _metrics(section)
    found = [(setting, metrics.get(f"geo20q.success_{setting}")) for setting in SETTINGS]
    won = [(setting, one) for setting, one in found if one is not None and one.value is not None]
    told = [_played_by(frame, setting) for setting, _ in won]
    if len(set(told)) == 1:
        told = [*[""] * (len(told) - 1), told[0]]  # once is enough where both are of the same games
    parts = [
        f"{percents(one)} of {one.n:,} game{'s' if one.n != 1 else ''} "
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
    bounds = ""
    if row["difference_low"] is not None and row["difference_high"] is not None:
        low, high = _number(row["difference_low"]), _number(row["difference_high"])
        bounds = f" [{low:.2f}, {high:.2f}]"
    tests = len(_tested(section))
    adjusted = f", adjusted for {tests} tests" if tests > 1 else ""
    p = f"{said_p(_number(row['p_holm']))}{adjusted}"
    what = f"{row['type']} {_allowed(frame, str(row['setting']))}"
    difference = f"{_number(row['difference']):.2f}{bounds}"
    if not rules_out(
        _number(row["p_holm"]),
        row["difference_low"],  # type: ignore[arg-type]
        row["difference_high"],  # type: ignore[arg-type]
    ):
        return (
            f"No gap between halves of the world is clear: the surest, {first} minus {second}, "
            f"{what}, is {difference}, which chance may give ({p})."
        )
    numbers = {side: countries(int(_number(row[f"{side}_countries"]))) for side in SIDES}
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
        f"The judge is right on {percents(known)} of {known.n:,} known facts that it was asked"
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
        chance = f"({gap.chance:.2f} on average; {said_p(gap.p_adjusted)}, adjusted)"
        if gap.p_adjusted >= SURE:
            return (
                f"Between regions no difference is clear: the largest gap in {won}, "
                f"{gap.observed:.2f}, is one that chance may give {chance}."
            )
        freed = "" if gap.value is None else f" Without what noise adds, it is {written(gap)}."
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
    if played < TELLING:
        told = (
            "no country's pooled interval leaves out the mean of all, so that none can be told "
            "from it"
            if not apart
            else f"of {apart:,} the pooled interval leaves out the mean of all, and no other can "
            "be told from it"
        )
        found.append(
            f"Games about {countries(played)} are a sample: only large gaps can be seen, and "
            f"{told}."
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
