"""The first screen of a report, for a reader with thirty seconds.

For one model it has the findings of each part, with their numbers. For several it has a row of
intervals for each model; from three models on it begins with the findings over all of them.
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
                # The label of this verdict mentions missing answers already.
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
    """The dots, with a description for readers who cannot see them; "" if nothing could be
    tested.
    """
    if verdict.dots is None or verdict.word == "untested":
        return ""
    said = "; ".join(str(row["said"]) for row in verdict.dots.rows)
    return inlined(draw_intervals(verdict.dots), with_true_minuses(said))


def matters_in_brief(verdict: Verdict) -> str:
    """The first clause of the reason why nothing could be tested; a chapter has the rest."""
    first, colon, _ = verdict.matters.partition(": ")
    return f"{first}." if colon and verdict.word == "untested" else verdict.matters


def lead_of(made: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The most certain of the cards, or the first of equally certain ones."""
    return min(made, key=lambda card: SURENESS.index(card["word"]))


def map_for(drawn: Sequence[DrawnFigure]) -> tuple[str, str]:
    """The map of the leading probe and its legend, or two empty texts.

    The text below the dots beside it says what the shades measure.
    """
    for one in drawn:
        figure = one.figure
        if isinstance(figure.panels[0].chart, WorldMap) and figure.legend:
            shades = draw_chart(msgspec.structs.replace(figure.legend, words=""))
            return inlined_figure(one.panels[0].svg, figure), inlined(shades, "Legend")
    return "", ""


def about_line(findings: Findings) -> list[str]:
    """What this page is about: size, number of questions and replies, and date."""
    asked: Counter[str] = Counter()
    for section in findings.sections:
        asked[all_probes()[section.probe].showing.counted] += section.replies.asked
    done = [counted(n, unit) for unit, n in asked.items()]
    sizes = {
        str(settings.get("size", "")) for run in findings.runs for settings in run.probes.values()
    }
    # A run of size quick only is marked beside this line.
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
    """The parts of size quick, if any."""
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
    """The short title of a chapter for the navigation: "Knows"."""
    found = all_probes()[probe]
    return (found.verb if models == 1 else derived.verb_of_several(found)).capitalize()


def _days(runs: Sequence[Run]) -> str:
    """ "2026-11-17", or the first and the last day."""
    days = sorted({run.created[:10] for run in runs})
    return " to ".join(dict.fromkeys((days[0], days[-1])))
