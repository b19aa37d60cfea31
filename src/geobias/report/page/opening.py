"""The first screen of a report, for a reader with thirty seconds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from geobias.probes.registry import all_probes
from geobias.report.page.contents import run_days
from geobias.report.records import is_simulated
from geobias.report.verdicts import verdict_of
from geobias.results.charts import WorldMap
from geobias.results.figures import Figure
from geobias.results.findings import Findings, Section
from geobias.results.formatting import counted
from geobias.results.verdicts import SURENESS, Verdict


class Card(NamedTuple):
    section: Section
    verdict: Verdict


def cards(findings: Findings, sections: Sequence[Section]) -> list[Card]:
    return [Card(section, verdict_of(findings, section)) for section in sections]


def lead_of(made: Sequence[Card]) -> Card:
    """The card with the surest verdict, which opens the page. Of equally sure cards, the first."""
    return min(made, key=lambda card: SURENESS.index(card.verdict.word))


def map_for(figures: Sequence[Figure]) -> Figure | None:
    for one in figures:
        if isinstance(one.panels[0].chart, WorldMap) and one.legend:
            # The dots above the map say what is measured.
            legend = msgspec.structs.replace(one.legend, words="")
            return msgspec.structs.replace(one, legend=legend)
    return None


def about_line(findings: Findings) -> list[str]:
    """A line on the report's data: questions asked of each model, replies of all, and the date."""
    asked: dict[str, Counter[str]] = {}
    for section in findings.sections:
        unit = all_probes()[section.probe].showing.counted
        asked.setdefault(unit, Counter())[section.model] += section.replies.asked
    replies = sum(run.calls for run in findings.runs)
    told = [counted(replies, "replies")] if replies else []
    done = []
    for unit, of in asked.items():
        least, most = min(of.values()), max(of.values())
        done.append(f"{least:,} to " * (least < most) + counted(most, unit))
    models = f", asked of {n} models" if (n := len(findings.models)) > 1 else ""
    return [f"{', '.join(done)}{models}", *told, run_days(findings.runs)]


def banner(findings: Findings) -> list[str]:
    """Warnings to read before any number: simulated models, size quick, unfinished."""
    simulated = dict.fromkeys(run.model for run in findings.runs if is_simulated(run))
    sizes = _sizes(findings)
    said = []
    if len(simulated) == len(findings.models):
        said.append(f"simulated model{'s' * (len(simulated) > 1)}")
    elif simulated:
        said.append(f"simulated: {', '.join(simulated)}")
    if quick := sizes.count("quick"):
        of = f" ({quick} of {len(sizes)} parts)" if quick < len(sizes) else ""
        said.append(f"size quick{of}: finds only large gaps")
    if any(section.replies.missing for section in findings.sections):
        said.append("unfinished")
    return said


def _sizes(findings: Findings) -> list[str]:
    return [
        str(settings.get("size", ""))
        for run in findings.runs
        for probe, settings in run.probes.items()
        if probe in all_probes()
    ]
