"""Geo20Q+ in words: four findings for the opening, and the rest for its own section."""

from __future__ import annotations

from typing import TYPE_CHECKING

from geobias.probes.geo20q.analyses import HALVES
from geobias.probes.geo20q.scores import SETTINGS, by_setting, country_means
from geobias.probes.geo20q.summary import sentences as details
from geobias.probes.screens import because
from geobias.report.findings import Cell, Metric, Section, Sentence, SentenceKind
from geobias.report.metrics import TOO_SMALL, said_p, written

if TYPE_CHECKING:
    import polars as pl

SURE = 0.05
TELLING = 100
"""Countries under which a run is called small."""


def sentences(
    section: Section, frame: pl.DataFrame, judge: pl.DataFrame, size: str | None
) -> list[Sentence]:
    """What the games showed. Details that the opening sums up are not part of it (`opening`)."""

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
    if broken := _broken(section):
        say("caution", broken)
    if section.measurable:
        metrics = {one.name: one for one in section.metrics}
        for text in (_won(metrics), _gap(section), _judge(metrics), _regions(frame, metrics)):
            if text:
                say("finding", text)
    kind: SentenceKind = "finding" if section.measurable else "caution"
    for text in details(frame, judge):
        if text != broken:
            say(kind, text, opening=False)
    if section.measurable:
        for text in _limits(frame, size):
            say("limit", text)
    return said


def _broken(section: Section) -> str:
    rows = section.tables["endings"].rows
    broken, games = (sum(_number(row[name]) for row in rows) for name in ("broken", "games"))
    if not broken:
        return ""
    return f"{broken:,.0f} of {games:,.0f} games broke off without usable text: in no share."


def _won(metrics: dict[str, Metric]) -> str:
    found = [(setting, metrics.get(f"geo20q.success_{setting}")) for setting in SETTINGS]
    parts = [
        f"{written(one)} of {one.n:,} {setting} games"
        for setting, one in found
        if one is not None and one.value is not None
    ]
    return f"It wins {' and '.join(parts)}." if parts else ""


def _gap(section: Section) -> str:
    """The surest gap between halves of the world; of equally sure ones the largest."""
    rows = [
        row
        for row in section.tables["halves"].rows
        if row["games"] == "all" and row["p_holm"] is not None and row["difference"] is not None
    ]
    if not rows:
        return ""
    row = min(rows, key=lambda one: (_number(one["p_holm"]), -abs(_number(one["difference"]))))
    first, second = HALVES[row["halves"]]  # type: ignore[index]
    sure = _number(row["p_holm"]) < SURE
    bounds = ""
    if row["difference_low"] is not None and row["difference_high"] is not None:
        low, high = _number(row["difference_low"]), _number(row["difference_high"])
        bounds = f" [{low:.2f}, {high:.2f}]"
    others = f", the surest of {len(rows)}," if len(rows) > 1 else ""
    return (
        f"{str(row['type']).capitalize()}, {row['setting']}: it finds {_number(row['first']):.0%} "
        f"of the {first} ({_countries(row['first_countries'])}) and {_number(row['second']):.0%} "
        f"of the {second} ({row['second_countries']:,}). That difference of "
        f"{_number(row['difference']):.2f}{bounds}{others} is "
        f"{'more than' if sure else 'no more than'} chance gives "
        f"({said_p(_number(row['p_holm']))})."
    )


def _judge(metrics: dict[str, Metric]) -> str:
    known = metrics.get("geo20q.judge_accuracy")
    if known is None or known.value is None:
        return ""
    return f"The judge is right on {written(known)} of {known.n:,} known facts that it was asked."


def _regions(frame: pl.DataFrame, metrics: dict[str, Metric]) -> str:
    """The regions that are found most and least often, and whether chance could do that."""
    for setting in SETTINGS:
        gap = metrics.get(f"geo20q.region_disparity_{setting}")
        if gap is None or gap.observed is None or gap.p_adjusted is None or gap.chance is None:
            continue
        (most, high), (least, low) = _extremes(frame, setting)
        word = "more than" if gap.p_adjusted < SURE else "no more than"
        freed = f"; freed of what noise adds to it, it is {written(gap)}"
        return (
            f"By region, {setting} games are won most often about {most} ({high:.2f}) and least "
            f"about {least} ({low:.2f}). That gap of {gap.observed:.2f} is {word} chance gives "
            f"({gap.chance:.2f} on average; {said_p(gap.p_adjusted)})"
            f"{freed if gap.value is not None else ''}."
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
    countries = frame["country"].n_unique()
    if countries < TELLING:
        found.append(
            f"Games about {countries:,} countries are a sample: only large gaps can be seen, and "
            "no country can be told from another."
        )
    return [
        *found,
        "A game is played by two models. A gap may come from the guesser, from the judge, or from "
        "how well known the entities are; the tables of the judge and of fame tell these apart as "
        "far as they can be.",
    ]


def _countries(cell: Cell) -> str:
    return "1 country" if cell == 1 else f"{cell:,} countries"


def _number(cell: Cell) -> float:
    assert isinstance(cell, int | float)
    return cell
