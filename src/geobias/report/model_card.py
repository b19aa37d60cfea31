"""A section for a model card on Hugging Face, with the metadata that goes to the card's head.

The metadata are `model-index`, which the hub reads: one result for each headline number that could
be measured. They are written as JSON, which YAML contains, so that no name can break out of them.
"""

from __future__ import annotations

from typing import Any

import msgspec

from geobias.probes.registry import all_probes
from geobias.report.grid import Grid
from geobias.report.headlines import headline_metrics
from geobias.report.markdown import escaped, markdown_table
from geobias.report.travelling import is_simulated, only_run, travelling
from geobias.results.findings import Findings, Metric, Section
from geobias.results.formatting import metric_value
from geobias.results.text import one_line


def model_card(findings: Findings) -> str:
    run = only_run(findings, "a model card")
    name = one_line(run.models.get("model", run.model))
    results = [result for section in findings.sections if (result := _result(section))]
    index = [{"name": name, "results": results}]
    head = msgspec.json.encode(index).decode()
    blocks = [
        f"---\nmodel-index: {head}\n---" if results else "",
        "## Geographic bias",
        f"Measured with geobias {escaped(run.geobias)} on {escaped(run.created[:10])}."
        + (" **The model is simulated.**" if is_simulated(run) else ""),
        escaped(run.elsewhere),
        *(_found(findings, section) for section in findings.sections),
        markdown_table(_grid(findings)),
        "95% intervals in brackets; n is what an interval rests on.",
        *(block for section in findings.sections for block in _reservations(section)),
    ]
    return "\n\n".join(filter(None, blocks)) + "\n"


def _found(findings: Findings, section: Section) -> str:
    own = (section.probe, section.model)
    said = [
        escaped(one.text)
        for one in findings.sentences
        if one.opening and (one.probe, one.model) == own
    ]
    return f"**{escaped(all_probes()[section.probe].title)}.** {' '.join(said)}" if said else ""


def _shown(section: Section) -> list[Metric]:
    able = travelling(section).shown
    return [metric for metric in headline_metrics(section) if metric in able]


def _result(section: Section) -> dict[str, Any] | None:
    metrics = [
        {"type": metric.name, "name": one_line(metric.label), "value": metric.value}
        for metric in _shown(section)
    ]
    if not metrics:
        return None
    probe = all_probes()[section.probe]
    return {
        "task": {"type": "text-generation"},
        "dataset": {"name": probe.title, "type": probe.name},
        "metrics": metrics,
        **({"source": {"name": probe.title, "url": probe.papers[0].link}} if probe.papers else {}),
    }


def _grid(findings: Findings) -> Grid:
    rows = []
    for section in findings.sections:
        left_out = travelling(section).left_out
        for metric in headline_metrics(section):
            value = left_out[metric.name] if metric.name in left_out else metric_value(metric)
            counted = f"{metric.n:,} {metric.counted}"
            better = {"low": "lower", "high": "higher", "zero": "nearer to 0"}[metric.better]
            probe = all_probes()[section.probe].title
            rows.append([probe, metric.label, value, counted, better])
    headings = ["probe", "measure", "value", "n", "better is"]
    return Grid(headings, [False, False, True, True, False], rows)


def _reservations(section: Section) -> list[str]:
    replies, title = section.replies, all_probes()[section.probe].title
    said = [f"{escaped(title)}: checked by people: {escaped(one.text)}" for one in section.checks]
    if replies.asked > replies.read or replies.missing:
        said.append(
            f"{escaped(title)}: of {replies.planned:,} planned, {replies.asked:,} were asked and "
            f"{replies.read:,} read."
        )
    return said
