"""The first screen of a report: what a reader with thirty seconds takes away.

One model: what was found in each part, with the numbers. Two: the same side by side. Three or more:
what was found over all of them, and a row of drawn intervals for each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any

import msgspec

from geobias.probes import derived
from geobias.probes.registry import all_probes
from geobias.report.page.drawing import DrawnFigure, inlined_figure
from geobias.report.page.glance import picture
from geobias.report.page.svg import inlined
from geobias.report.page.text import with_true_minuses
from geobias.report.records import is_simulated
from geobias.report.verdicts import (
    MANY,
    verdict_of,
)
from geobias.results.charts import WorldMap
from geobias.results.findings import Findings, Run, Section
from geobias.results.formatting import counted
from geobias.results.verdicts import SURENESS, Verdict

SIZES = {
    "quick": "quick: too small for conclusions",
    "standard": "standard size",
    "paper": "paper size",
}


def cards(findings: Findings, sections: Sequence[Section]) -> list[dict[str, Any]]:
    """What each probe found about a model, ready for the template."""
    verdicts = [verdict_of(findings, section) for section in sections]
    made = []
    for section, verdict in zip(sections, _on_one_scale(verdicts), strict=True):
        made.append(
            {
                "probe": section.probe,
                "name": all_probes()[section.probe].title,
                "model": section.model,
                "measurable": section.measurable,
                "word": verdict.word,
                "label": verdict.label,
                "found": verdict.found,
                "figure": verdict.figure,
                "matters": with_true_minuses(verdict.matters),
                "caution": with_true_minuses(verdict.caution),
                "dots": picture(verdict.dots if section.measurable else None),
            }
        )
    return made


def _on_one_scale(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """Models side by side are drawn on one scale."""
    domains = [one.dots.domain for one in verdicts if one.dots is not None]
    if not domains:
        return list(verdicts)
    domain = min(low for low, _ in domains), max(high for _, high in domains)
    return [
        one
        if one.dots is None
        else msgspec.structs.replace(one, dots=msgspec.structs.replace(one.dots, domain=domain))
        for one in verdicts
    ]


def lead_of(made: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The surest of the cards, the first of equally sure ones: it comes first."""
    return min(made, key=lambda card: SURENESS.index(card["word"]))


def map_for(drawn: Sequence[DrawnFigure]) -> tuple[str, str]:
    """The map of the leading probe and its legend; both empty where it has none."""
    for one in drawn:
        figure = one.figure
        if isinstance(figure.panels[0].chart, WorldMap) and one.legend:
            return inlined_figure(one.panels[0].svg, figure), inlined(one.legend, "Legend")
    return "", ""


def about_line(findings: Findings) -> list[str]:
    """What this page is: of how many questions and replies, of which probes, when and by what."""
    asked: Counter[str] = Counter()
    for section in findings.sections:
        asked[all_probes()[section.probe].showing.counted] += section.replies.asked
    calls = sum({run.id: run.calls for run in findings.runs}.values())
    done = [counted(n, unit) for unit, n in asked.items()]
    done += [counted(calls, "replies")] if calls else []
    titles = dict.fromkeys(all_probes()[one.probe].title for one in findings.sections)
    return [", ".join(done), ", ".join(titles), _days(findings.runs), f"geobias {findings.geobias}"]


def banner(findings: Findings) -> list[dict[str, str]]:
    """How far to trust it: size, simulated or real, measurable or not, finished or not."""
    runs, models = findings.runs, "model" if len(findings.models) == 1 else "models"
    simulated = {is_simulated(run) for run in runs}
    text = f"simulated {models}" if all(simulated) else f"real {models}"
    text = "some are simulated" if len(simulated) > 1 else text
    if all(run.elsewhere for run in runs):
        text = "replies made elsewhere"
    said = [{"kind": "warn" if True in simulated else "plain", "text": text}]
    said += _sizes(runs, findings.models)
    said.append(_tested(findings.sections))
    if any(section.replies.missing for section in findings.sections):
        said.append({"kind": "warn", "text": "unfinished"})
    return said


def _sizes(runs: Sequence[Run], models: Sequence[str]) -> list[dict[str, str]]:
    """The sizes in words; model by model where two are of different sizes, counted where many."""
    found: dict[str, dict[str, str]] = {}
    for run in runs:
        for probe, settings in run.probes.items():
            if (size := str(settings.get("size", ""))) in SIZES and probe in all_probes():
                found.setdefault(run.model, {})[probe] = size
    together = {probe: size for sizes in found.values() for probe, size in sizes.items()}
    if all(sizes.items() <= together.items() for sizes in found.values()):
        return [_size_chip("", together, len(models))] if together else []
    if len(found) < MANY:
        return [_size_chip(f"{model}: ", sizes, 1) for model, sizes in found.items()]
    of_size = Counter(size for sizes in found.values() for size in set(sizes.values()))
    return [
        {"kind": _kind([size]), "text": f"{words} ({counted(of_size[size], 'models')})"}
        for size, words in SIZES.items()
        if of_size[size]
    ]


def _size_chip(before: str, sizes: Mapping[str, str], models: int) -> dict[str, str]:
    """ "paper size", or with the chapters that differ: "paper size (works out: standard size)"."""
    (most, _), *others = Counter(sizes.values()).most_common()
    differing = [
        ", ".join(chapter_of(one, models).lower() for one in all_probes() if sizes.get(one) == size)
        + f": {SIZES[size]}"
        for size, _ in others
    ]
    beside = f" ({'; '.join(differing)})" if differing else ""
    return {"kind": _kind(sizes.values()), "text": f"{before}{SIZES[most]}{beside}"}


def _kind(sizes: Iterable[str]) -> str:
    return "warn" if "quick" in sizes else "plain"


def chapter_of(probe: str, models: int) -> str:
    """A chapter in the line of sections: "Knows"."""
    found = all_probes()[probe]
    return (found.verb if models == 1 else derived.verb_of_several(found)).capitalize()


def _tested(sections: Sequence[Section]) -> dict[str, str]:
    """ "2 of 4 parts could be tested"."""
    could, every = sum(section.measurable for section in sections), len(sections)
    parts = "1 part" if every == 1 else f"{every} parts"
    if could == every:
        return {
            "kind": "plain",
            "text": f"{parts} measured" if every == 1 else f"all {parts} measured",
        }
    return {"kind": "warn", "text": f"{could} of {parts} could be measured"}


def _days(runs: Sequence[Run]) -> str:
    """ "17 Nov 2026", or the first and the last day."""
    days = sorted({run.created[:10] for run in runs})
    return " to ".join(dict.fromkeys(_day(day) for day in (days[0], days[-1])))


def _day(iso: str) -> str:
    """A run file may be anybody's: what is no date stays as it is."""
    try:
        day = date.fromisoformat(iso)
    except ValueError:
        return iso
    return f"{day.day} {day:%b %Y}"
