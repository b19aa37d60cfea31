"""What a run and a figure rest on, and whom to cite: editions of the data, sources, papers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from geobias.atlas.editions import published_editions
from geobias.probes.registry import AnyProbe, all_probes
from geobias.report.page.text import readable
from geobias.results.findings import Findings, Run, Section

_OTHER = "another edition than this geobias ships"


def run_editions(run: Run) -> list[dict[str, str]]:
    """Each table and prompt of a run: its name, its edition in words, the hash of its content."""
    rows = []
    for name, digest in sorted(run.editions.items()):
        probe = _owner(name, run)
        words = probe.edition(name, digest, run.probes[probe.name]) if probe else ""
        label = probe.editions[name] if probe else name
        rows.append({"name": label, "edition": words or _shipped(name, digest), "hash": digest})
    rows += [
        {"name": f"Prompts, {name}", "edition": "", "hash": digest}
        for name, digest in sorted(run.prompts.items())
    ]
    return [{key: readable(text, 200) for key, text in row.items()} for row in rows]


def _owner(name: str, run: Run) -> AnyProbe | None:
    """The probe of the run that calls some of its data so."""
    probes = (all_probes().get(probe) for probe in run.probes)
    return next((one for one in probes if one is not None and name in one.editions), None)


def _shipped(name: str, digest: str) -> str:
    """The edition of one of our own tables; "" for what is none of them."""
    known = {one.table: one for one in published_editions()}
    if name not in known:
        return ""
    same = known[name].sha256.startswith(digest)
    return known[name].edition if same and digest else _OTHER


def citations(probes: list[str], version: str) -> list[dict[str, str]]:
    own = f"geobias: an audit of geographic bias in language models. Version {version}."
    papers = [
        {"text": f"{one.authors}: {one.title}. {one.where}.", "link": one.link}
        for name in probes
        for one in all_probes()[name].papers
    ]
    return [{"text": own, "link": ""}, *papers]


def figure_source(findings: Findings, sections: Sequence[Section], *, on_map: bool = False) -> str:
    """Whose numbers a figure shows, in a line that goes with it when it is saved: model, probe and
    count, data, version and date of the sections of one probe.

    "m · WorldBench, 216 economies · World Bank (CC BY 4.0) · geobias 0.1.0, 2026-11-16". Runs that
    differ are given as a range, data that differ one after the other.
    """
    probe = all_probes()[sections[0].probe]
    runs = [run for run in findings.runs if run.id in {section.run for section in sections}]
    models = ", ".join(dict.fromkeys(section.model for section in sections))
    data = list(dict.fromkeys(probe.data_source(run.probes.get(probe.name, {})) for run in runs))
    if on_map:
        data.append("outlines Natural Earth")
    made = ", ".join(filter(None, (f"geobias {findings.geobias}", run_days(runs))))
    asked = ", ".join(filter(None, (probe.title, _size(probe, sections))))
    # A line breaks after a point, not before it.
    return "\N{NO-BREAK SPACE}· ".join(filter(None, (models, asked, ", ".join(data), made)))


def _size(probe: AnyProbe, sections: Sequence[Section]) -> str:
    name, counted = probe.size_metric
    counts = sorted(
        metric.n
        for section in sections
        for metric in section.metrics
        if name and metric.name.startswith(name) and metric.counted == counted
    )
    return f"{_range(f'{n:,}' for n in counts)} {counted}" if counts else ""


def run_days(runs: Iterable[Run]) -> str:
    """When runs were made: a day, or the first and the last; "" of no runs."""
    return _range(sorted(run.created[:10] for run in runs))


def _range(ordered: Iterable[str]) -> str:
    texts = list(ordered)
    if not texts or texts[0] == texts[-1]:
        return "".join(texts[:1])
    return f"{texts[0]} to {texts[-1]}"
