"""The first screen of a report: what a reader with thirty seconds takes away.

One model: what was found in each part, with the numbers. Several: a row of drawn intervals for
each; of three or more, first what was found over all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from geobias.probes import derived
from geobias.probes.registry import all_probes
from geobias.report.page.charts import draw_chart
from geobias.report.page.drawing import DrawnFigure, inlined_figure
from geobias.report.page.intervals import draw_intervals
from geobias.report.page.svg import inlined
from geobias.report.page.text import with_true_minuses
from geobias.report.records import is_simulated
from geobias.report.verdicts import (
    verdict_of,
)
from geobias.results.charts import WorldMap
from geobias.results.findings import Findings, Run, Section
from geobias.results.formatting import counted
from geobias.results.verdicts import SURENESS, Verdict


def cards(findings: Findings, sections: Sequence[Section]) -> list[dict[str, Any]]:
    """What each probe found about a model, ready for the template."""
    made = []
    for section in sections:
        verdict = verdict_of(findings, section)
        made.append(
            {
                "probe": section.probe,
                "name": all_probes()[section.probe].title,
                "model": section.model,
                "measurable": section.measurable,
                "word": verdict.word,
                "label": verdict.label,
                "found": verdict.found,
                # The label of what depends on missing answers says so already.
                "claim": verdict.found.partition(", unless ")[0],
                "figure": verdict.figure,
                "matters": with_true_minuses(matters_in_brief(verdict)),
                "further": with_true_minuses(verdict.further),
                "caution": with_true_minuses(verdict.caution),
                "dots": _picture(verdict),
            }
        )
    return made


def _picture(verdict: Verdict) -> str:
    """The dots, described for who cannot see them; nothing of what could not be tested."""
    if verdict.dots is None or verdict.word == "untested":
        return ""
    said = "; ".join(str(row["said"]) for row in verdict.dots.rows)
    return inlined(draw_intervals(verdict.dots), with_true_minuses(said))


def matters_in_brief(verdict: Verdict) -> str:
    """Of the reason why nothing could be tested its first clause; a chapter has the rest."""
    first, colon, _ = verdict.matters.partition(": ")
    return f"{first}." if colon and verdict.word == "untested" else verdict.matters


def lead_of(made: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The surest of the cards, the first of equally sure ones: it comes first."""
    return min(made, key=lambda card: SURENESS.index(card["word"]))


def map_for(drawn: Sequence[DrawnFigure]) -> tuple[str, str]:
    """The map of the leading probe and its legend; both empty where it has none. What the shades
    measure is written below the dots beside it."""
    for one in drawn:
        figure = one.figure
        if isinstance(figure.panels[0].chart, WorldMap) and figure.legend:
            shades = draw_chart(msgspec.structs.replace(figure.legend, words=""))
            return inlined_figure(one.panels[0].svg, figure), inlined(shades, "Legend")
    return "", ""


def about_line(findings: Findings) -> list[str]:
    """What this page is of: its size, how many questions and replies, and when."""
    asked: Counter[str] = Counter()
    for section in findings.sections:
        asked[all_probes()[section.probe].showing.counted] += section.replies.asked
    done = [counted(n, unit) for unit, n in asked.items()]
    sizes = {
        str(settings.get("size", "")) for run in findings.runs for settings in run.probes.values()
    }
    # What is of size quick alone is marked so beside this line.
    named = sorted(sizes - {""}) if sizes != {"quick"} else []
    size = [f"size {' and '.join(named)}"] if named else []
    replies = sum(run.calls for run in findings.runs)
    told = [counted(replies, "replies")] if replies else []
    return [*size, ", ".join(done), *told, _days(findings.runs)]


def banner(findings: Findings) -> list[str]:
    """What a reader must know before any number: too small, simulated, not finished."""
    runs = findings.runs
    simulated = {is_simulated(run) for run in runs}
    said = []
    if True in simulated:
        models = "model" if len(findings.models) == 1 else "models"
        said.append("some are simulated" if False in simulated else f"simulated {models}")
    said += _too_small(runs)
    if any(section.replies.missing for section in findings.sections):
        said.append("unfinished")
    return said


def _too_small(runs: Sequence[Run]) -> list[str]:
    """What is of size quick, where anything is."""
    every = [
        settings.get("size")
        for run in runs
        for probe, settings in run.probes.items()
        if probe in all_probes()
    ]
    quick = every.count("quick")
    of = f" ({quick} of {len(every)} parts)" if quick < len(every) else ""
    return [f"quick: too small for conclusions{of}"] if quick else []


def chapter_of(probe: str, models: int) -> str:
    """A chapter in the line of sections: "Knows"."""
    found = all_probes()[probe]
    return (found.verb if models == 1 else derived.verb_of_several(found)).capitalize()


def _days(runs: Sequence[Run]) -> str:
    """ "2026-11-17", or the first and the last day."""
    days = sorted({run.created[:10] for run in runs})
    return " to ".join(dict.fromkeys((days[0], days[-1])))
