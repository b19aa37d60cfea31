"""Whose numbers a figure shows, in a line that goes with it when it is saved."""

from __future__ import annotations

from collections.abc import Sequence

from geobias.probes.registry import AnyProbe, all_probes
from geobias.results.findings import Findings, Section


def origin(findings: Findings, sections: Sequence[Section], *, on_map: bool = False) -> str:
    """Model, probe and count, data, version and date of the sections of one probe.

    "m · WorldBench, 216 economies · World Bank (CC BY 4.0) · geobias 0.1.0, 2026-11-16". Runs that
    differ are given as a range, data that differ one after the other.
    """
    probe = all_probes()[sections[0].probe]
    runs = [run for run in findings.runs if run.id in {section.run for section in sections}]
    models = ", ".join(dict.fromkeys(section.model for section in sections))
    data = list(dict.fromkeys(probe.data_source(run.probes.get(probe.name, {})) for run in runs))
    if on_map:
        data.append("outlines Natural Earth")
    days = sorted({run.created[:10] for run in runs})
    when = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}" if days else ""
    made = ", ".join(filter(None, (f"geobias {findings.geobias}", when)))
    size = _size(probe, sections)
    asked = ", ".join(filter(None, (probe.title, size)))
    # A line breaks after a point, not before it.
    return "\N{NO-BREAK SPACE}· ".join(filter(None, (models, asked, ", ".join(data), made)))


def _size(probe: AnyProbe, sections: Sequence[Section]) -> str:
    name, counted = probe.size_metric
    counts = sorted(
        {
            one.n
            for section in sections
            for one in section.metrics
            if name and one.name.startswith(name) and one.counted == counted
        }
    )
    if not counts:
        return ""
    low, high = counts[0], counts[-1]
    return f"{low:,} {counted}" if low == high else f"{low:,} to {high:,} {counted}"
