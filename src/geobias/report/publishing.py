"""What may leave the report by itself: a number that stands in somebody else's table or card.

There it loses its screens and its cautions. So only numbers of what can be measured go, and what
does not go is named with the reason.

A section for a model card on Hugging Face, with the metadata that goes to the card's head.

The metadata are `model-index`, which the hub reads: one result for each headline number that could
be measured. They are written as JSON, which YAML contains, so that no name can break out of them.

A run as a document of Every Eval Ever, the field's common form for results of evaluations.

The schema is version 0.3.0, of the package `every-eval-ever` on PyPI. It wants a number for every
result, so what is undefined or not measurable is no result: it is named in the details of the
source, with the reason. A document is the same whenever it is made of the same run: its time is
that of the run.
"""

from __future__ import annotations

import json
import re
from datetime import datetime
from typing import Any, NamedTuple

import msgspec

from geobias.errors import BadRequest
from geobias.probes.registry import all_probes
from geobias.report.documents import in_markdown, markdown_table
from geobias.report.grids import Grid, headline_metrics, without_number
from geobias.report.records import is_simulated
from geobias.results.findings import Findings, Metric, Run, Section
from geobias.results.formatting import one_line
from geobias.results.tables import metric_value

_BETTER = {"low": "lower", "high": "higher", "zero": "nearer to 0"}


class Travelling(NamedTuple):
    """A section's metrics that have a number to show; and the others, by name with the reason."""

    shown: list[Metric]
    left_out: dict[str, str]


def travelling(section: Section) -> Travelling:
    shown, left_out = [], {}
    for metric in section.metrics:
        words, why = without_number(section, metric)
        if words:
            left_out[metric.name] = f"{words}: {why or 'no answers'}"
        else:
            shown.append(metric)
    return Travelling(shown, left_out)


def only_run(findings: Findings, what: str) -> Run:
    """The one run that a document is about; a `BadRequest` where there are more."""
    if len(findings.runs) > 1:
        raise BadRequest(f"{what} is about one model: name one run, and make one for each")
    return findings.runs[0]


def public_name(model: str) -> str:
    """The model without the address that it was asked at, which is nobody else's business."""
    place = re.fullmatch(r"(?:completions:)?https?://[^/]+(?:/.*)?/v1(?:beta/openai)?/(.+)", model)
    return one_line(place[1] if place else model)


def model_card(findings: Findings) -> str:
    run = only_run(findings, "a model card")
    name = public_name(run.models.get("model", run.model))
    results = [result for section in findings.sections if (result := _result(section))]
    index = [{"name": name, "results": results}]
    head = msgspec.json.encode(index).decode()
    blocks = [
        f"---\nmodel-index: {head}\n---" if results else "",
        "## Geographic bias",
        f"Measured with geobias {in_markdown(run.geobias)} on {in_markdown(run.created[:10])}."
        + (" **The model is simulated.**" if is_simulated(run) else ""),
        in_markdown(run.elsewhere),
        *(_found(findings, section) for section in findings.sections),
        markdown_table(_grid(findings)),
        "95% intervals in brackets; n is what an interval rests on.",
        *(block for section in findings.sections for block in _reservations(section)),
    ]
    return "\n\n".join(filter(None, blocks)) + "\n"


def _found(findings: Findings, section: Section) -> str:
    own = (section.probe, section.model)
    said = [
        in_markdown(one.text)
        for one in findings.sentences
        if one.opening and (one.probe, one.model) == own
    ]
    title = in_markdown(all_probes()[section.probe].title)
    return " ".join(filter(None, (f"**{title}.**", in_markdown(section.verdict), *said)))


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
            probe = all_probes()[section.probe].title
            rows.append([probe, metric.label, value, counted, _BETTER[metric.better]])
    headings = ["probe", "measure", "value", "n", "better is"]
    return Grid(headings, [False, False, True, True, False], rows)


def _reservations(section: Section) -> list[str]:
    replies, title = section.replies, all_probes()[section.probe].title
    said = [
        f"{in_markdown(title)}: checked by people: {in_markdown(one.text)}"
        for one in section.checks
    ]
    if replies.asked > replies.read or replies.missing:
        said.append(
            f"{in_markdown(title)}: of {replies.planned:,} planned, {replies.asked:,} were asked "
            f"and {replies.read:,} read."
        )
    return said


SCHEMA_VERSION = "0.3.0"


def every_eval_ever(findings: Findings) -> str:
    run = only_run(findings, "a document of Every Eval Ever")
    time, model = _time(run), public_name(run.models.get("model", run.model))
    document = {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": f"geobias/{model}/{time}",
        "evaluation_timestamp": one_line(run.created),
        "retrieved_timestamp": time,
        "source_metadata": {
            "source_name": "geobias",
            "source_type": "evaluation_run",
            "source_organization_name": "unknown",
            "evaluator_relationship": "other",
            "additional_details": _left_out(findings),
        },
        "eval_library": {"name": "geobias", "version": one_line(run.geobias)},
        "model_info": {
            "name": public_name(run.model),
            "id": model,
            "additional_details": {
                "deployment_type": "unknown",
                "model_availability": "unknown",
                "simulated": "true" if is_simulated(run) else "false",
                "answered_as": _text(run.answered_as),
                "roles": _text({role: public_name(one) for role, one in run.models.items()}),
            },
        },
        "evaluation_results": [
            _evaluation_result(metric, section, run)
            for section in findings.sections
            for metric in travelling(section).shown
        ],
    }
    return msgspec.json.format(msgspec.json.encode(document), indent=1).decode() + "\n"


def _evaluation_result(metric: Metric, section: Section, run: Run) -> dict[str, Any]:
    probe = all_probes()[section.probe]
    # Of a bias both signs are bad. The schema has no word for that, so the details say it.
    better = _BETTER[metric.better]
    return {
        "evaluation_result_id": metric.name,
        "evaluation_name": probe.title,
        "source_data": {
            "dataset_name": probe.title,
            "source_type": "other",
            "additional_details": {
                "papers": " ".join(paper.link for paper in probe.papers),
                "editions": _text(run.editions),
            },
        },
        "metric_config": {
            "evaluation_description": one_line(metric.note) or one_line(metric.label),
            "metric_id": metric.name,
            "metric_name": one_line(metric.label),
            "metric_unit": one_line(metric.unit),
            "lower_is_better": metric.better != "high",
            "score_type": "continuous",
            "min_score": None,
            "max_score": None,
            "additional_details": {"better": better, "primary": _text(metric.primary)},
        },
        "score_details": {
            "score": metric.value,
            "details": _details(metric, section),
            "uncertainty": _uncertainty(metric),
        },
        "generation_config": _generation(section, run),
    }


def _uncertainty(metric: Metric) -> dict[str, Any]:
    found: dict[str, Any] = {"num_samples": metric.n}
    if metric.low is not None and metric.high is not None:
        found["confidence_interval"] = {
            "lower": metric.low,
            "upper": metric.high,
            "confidence_level": 0.95,
        }
    return found


def _details(metric: Metric, section: Section) -> dict[str, str]:
    counts = msgspec.structs.asdict(section.replies)
    not_asked_yet = counts.pop("missing")
    return {
        "n_counts": one_line(metric.counted),
        **{name: str(count) for name, count in counts.items()},
        "not_asked_yet": str(not_asked_yet),
        **({"caution": one_line(metric.caution)} if metric.caution else {}),
        **({"p": repr(metric.p)} if metric.p is not None else {}),
    }


def _generation(section: Section, run: Run) -> dict[str, Any]:
    settings = run.probes.get(section.probe, {})
    arguments = {
        name: value
        for name in ("temperature", "max_tokens")
        if isinstance(value := settings.get(name), int | float) and name not in run.not_sent
    }
    return {
        "generation_args": arguments,
        "additional_details": {one_line(name): _text(value) for name, value in settings.items()}
        | ({"not_sent": ", ".join(run.not_sent)} if run.not_sent else {}),
    }


def _left_out(findings: Findings) -> dict[str, str]:
    """Metrics without a result, what people found who checked the readings, and who asked."""
    said = {
        f"no result for {name}": one_line(why)
        for section in findings.sections
        for name, why in travelling(section).left_out.items()
    }
    for section in findings.sections:
        if section.checks:
            texts = " ".join(check.text for check in section.checks)
            said[f"{section.probe} checked by people"] = one_line(texts)
    if elsewhere := findings.runs[0].elsewhere:
        said["elsewhere"] = one_line(elsewhere)
    return said


def _time(run: Run) -> str:
    """Seconds since 1970: when the run ended, or else was made; "unknown" if neither is told."""
    if run.ended is not None:
        return str(int(run.ended))
    try:
        return str(int(datetime.fromisoformat(run.created).timestamp()))
    except ValueError:
        return "unknown"


def _text(value: object) -> str:
    """The schema's details are all text."""
    return one_line(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
