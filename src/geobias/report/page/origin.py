"""Whose numbers a figure shows, in a line that goes with it when it is saved."""

from __future__ import annotations

from collections.abc import Sequence

from geobias.probes.audited import TITLES
from geobias.report.findings import Findings, Run, Section

_RESTS_ON = {
    "worldbench": ("worldbench.error", "economies"),
    "namebbq": ("namebbq.accuracy", "templates"),
    "geo20q": ("geo20q.success", "games"),
}
"""The metric whose count tells the size of a run."""


def origin(findings: Findings, sections: Sequence[Section], *, on_map: bool = False) -> str:
    """Model, probe and count, data, version and date of the sections of one probe.

    "m · WorldBench, 216 economies · World Bank (CC BY 4.0) · geobias 0.1.0, 2026-11-16". Runs that
    differ are given as a range, data that differ one after the other.
    """
    probe = sections[0].probe
    runs = [run for run in findings.runs if run.id in {section.run for section in sections}]
    models = ", ".join(dict.fromkeys(section.model for section in sections))
    data = list(dict.fromkeys(_data(probe, run) for run in runs))
    if on_map:
        data.append("outlines Natural Earth")
    days = sorted({run.created[:10] for run in runs})
    when = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}" if days else ""
    made = ", ".join(filter(None, (f"geobias {findings.geobias}", when)))
    size = _size(probe, sections)
    asked = ", ".join(filter(None, (TITLES[probe], size)))
    # A line breaks after a point, not before it.
    return "\N{NO-BREAK SPACE}· ".join(filter(None, (models, asked, ", ".join(data), made)))


def _size(probe: str, sections: Sequence[Section]) -> str:
    name, counted = _RESTS_ON[probe]
    counts = sorted(
        {
            one.n
            for section in sections
            for one in section.metrics
            if one.name.startswith(name) and one.counted == counted
        }
    )
    if not counts:
        return ""
    low, high = counts[0], counts[-1]
    return f"{low:,} {counted}" if low == high else f"{low:,} to {high:,} {counted}"


def _data(probe: str, run: Run) -> str:
    settings = run.probes.get(probe, {})
    if probe == "worldbench":
        return (
            "World Bank (CC BY 4.0)"
            if settings.get("figures", "shipped") == "shipped"
            else "own figures"
        )
    if probe == "namebbq":
        known = {"builtin": "items of geobias", "bbq": "items of BBQ (CC BY 4.0)"}
        return known.get(settings.get("items", "builtin"), "own items")
    return f"{str(settings['entities']).split(' ')[0]} entities" if "entities" in settings else ""
