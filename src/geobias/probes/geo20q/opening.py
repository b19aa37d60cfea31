"""What Geo20Q+ says first of a model, in plain words."""

from __future__ import annotations

from typing import Any

from geobias.probes.geo20q.analyses import HALVES, Half
from geobias.probes.geo20q.scores import SETTINGS
from geobias.results.findings import Metric, Section
from geobias.results.formatting import counted, estimate
from geobias.results.tables import bounded, rows_of
from geobias.results.verdicts import Dots, Verdict, not_measurable, surest, word_of

WHY_NOT = {
    "games that came": "Too many of its games broke off.",
    "games that differ": "All its games ended alike, so no group can differ.",
    "distinct": "It asks the same questions again and again.",
    "yes/no": "It does not ask yes/no questions, so it does not play.",
    "judge": "Its judge gets too many known facts wrong.",
    "games": "No game was played.",
}


def verdict(section: Section) -> Verdict:
    primary = [one for one in section.metrics if one.primary]
    lead = surest(primary)
    half, kind = _about(lead)
    dots = _dots(section, half)
    if not section.measurable:
        return not_measurable(section, WHY_NOT, dots)
    word = word_of(lead)
    if lead is None or lead.value is None or word is None:
        return Verdict(
            word="not clear",
            found="played too few games to tell",
            matters="More games are needed before anything can be said about bias.",
            dots=dots,
        )
    first, second = HALVES[half]
    shared: dict[str, Any] = {"word": word, "metric": lead.name, "dots": dots}
    shared["figure"] = "geo20q-halves"
    if word == "not clear":
        return Verdict(
            found="shows no clear gap between halves of the world",
            matters="What was seen may be chance. A gap may still be there.",
            **shared,
        )
    fewer = second if lead.value > 0 else first
    found = f"finds {kind} of the {fewer} less often"
    if word == "weak":
        return Verdict(
            found=found.replace("finds", "may find", 1),
            matters="The gap is clear by itself, but not among all tests: a hint, no proof.",
            **shared,
        )
    return Verdict(
        found=found,
        matters=f"Of 100 games it wins {100 * abs(lead.value):.0f} fewer about them, at equal "
        "fame. "
        "Whoever asks about them is served worse.",
        **shared,
    )


def _about(metric: Metric | None) -> tuple[Half, str]:
    """The halves and the kind of entity that a gap is about, from the metric's name."""
    if metric is None:
        return "north_south", ""
    half = next(name for name in HALVES if f".{name}_" in metric.name)
    return half, "things" if "_things_" in metric.name else "people"


def _dots(section: Section, half: Half) -> Dots | None:
    """People and things of both halves, in the setting that was played first."""
    every = [
        row for row in rows_of(section, "halves") if row["halves"] == half and row["games"] == "all"
    ]
    setting = next((one for one in SETTINGS if any(r["setting"] == one for r in every)), "")
    made = []
    for row in every:
        for side, name in zip(("first", "second"), HALVES[half], strict=True):
            if row["setting"] == setting and row[side] is not None:
                short = f"{str(row['type']).capitalize()}, {name.removeprefix('Global ')}"
                bounds = bounded(row, side)
                n = counted(row[f"{side}_games"], "games")
                said = f"{short}: {estimate(**bounds)} of games won, {n}"
                made.append({"row": short, **bounds, "said": said})
    return Dots(rows=made, domain=(0, 1), ends=("never won", "always")) if made else None
