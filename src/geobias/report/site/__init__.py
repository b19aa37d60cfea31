"""A static site of many runs: a table of models, a page for each, two side by side, downloads.

    index.html      every model with its headline numbers; sorts and filters
    compare.html    the metrics of two models side by side
    models/         the report page of each model, and its findings as JSON and CSV
    summary.csv     the table of index.html
    data.js         the metrics of all models, for compare.html

Runs are read one after another, so that memory does not grow with their number, and a page of one
model has no other model's numbers in it. Every number is one of the findings.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from geobias.errors import BadRequest, CannotWrite, GeobiasError
from geobias.files import write_whole
from geobias.probes.registry import all_probes
from geobias.report.findings import collect
from geobias.report.formats import as_json
from geobias.report.headlines import headline_table
from geobias.report.page import rendered
from geobias.report.page.text import template_environment, with_true_minuses
from geobias.report.records import Given, labelled
from geobias.report.tidy import tidy_csv, without_formula
from geobias.report.travelling import is_simulated
from geobias.results.findings import Findings, Metric, Section
from geobias.results.formatting import metric_value, with_true_minus

if TYPE_CHECKING:
    from geobias.runfile import RunReader

HERE = Path(__file__).parent


def write_site(
    runs: Sequence[RunReader],
    folder: Path,
    *,
    given: Given | None = None,
    said: Callable[[str], None] = lambda _: None,
    refusal: type[GeobiasError] = CannotWrite,
) -> list[Path]:
    """Write the site into the folder; its files. `said` is told the name of each model in turn."""
    if not runs:
        raise BadRequest("name at least one run for the site")
    titles = _titles(runs)
    written: list[Path] = []

    def write(name: str, text: str) -> None:
        write_whole(folder / name, text.encode(errors="replace"), refusal)
        written.append(folder / name)

    entries, heads = [], {}
    for number, (run, label) in enumerate(labelled(runs), start=1):
        said(label)
        findings = collect([run], given=given)
        file = page_name(label, number)
        write(f"models/{file}.html", rendered(findings, [run]))
        write(f"models/{file}.json", as_json(findings))
        write(f"models/{file}.csv", tidy_csv(findings))
        heads = headline_table(findings, titles)
        entries.append(_entry(findings, label, file, heads["rows"][0]["cells"]))
    environment = template_environment([HERE / "templates"])
    version = entries[0]["geobias"]
    table = {"groups": heads["groups"], "heads": heads["heads"], "entries": entries}
    for page in ("index.html", "compare.html"):
        text = environment.get_template(page).render(version=version, **with_true_minuses(table))
        write(page, text)
    write("data.js", f"const MODELS = {msgspec.json.encode(_data(entries)).decode()};\n")
    write("summary.csv", _summary(heads["heads"], entries))
    for name in ("site.css", "site.js"):
        write(name, (HERE / name).read_text("utf-8"))
    return written


def _titles(runs: Sequence[RunReader]) -> dict[str, str]:
    """The probes that any run has, in reading order, with their titles."""
    there = {name for run in runs for name in run.manifest().probes}
    return {name: probe.title for name, probe in all_probes().items() if name in there}


def page_name(label: str, number: int) -> str:
    """A name that any file system and address takes, and that no two models share."""
    name = re.sub(r"[^a-zA-Z0-9]+", "-", label).strip("-").lower()[:60]
    return f"{number}-{name}" if name else str(number)


def _entry(
    findings: Findings, label: str, file: str, cells: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    (run,) = findings.runs
    return {
        "model": label,
        "file": file,
        "cells": cells,
        "simulated": is_simulated(run),
        "size": ", ".join(
            dict.fromkeys(str(own["size"]) for own in run.probes.values() if own.get("size"))
        ),
        "made": run.created[:10],
        "geobias": findings.geobias,
        "metrics": {
            metric.name: _metric(metric, section)
            for section in findings.sections
            for metric in section.metrics
        },
    }


def _metric(metric: Metric, section: Section) -> dict[str, Any]:
    """A metric as compare.html shows it. What is not measurable has words and no number."""
    about = {"probe": all_probes()[section.probe].title, "label": metric.label}
    if metric.screened and not section.measurable:
        return about | {"text": "not measurable", "n": "", "why": "; ".join(section.why_not)}
    counted = f"{metric.n:,} {metric.counted}"
    text = with_true_minus(metric_value(metric))
    return about | {"text": text, "n": counted, "why": metric.undefined_because}


def _data(entries: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{name: one[name] for name in ("model", "file", "metrics")} for one in entries]


def _summary(heads: Sequence[Mapping[str, Any]], entries: Sequence[Mapping[str, Any]]) -> str:
    """The table of models for a spreadsheet: numbers, or words in their place; then intervals."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    names = [f"{head['group']}: {head['label']}" for head in heads]
    intervals = [f"{name}, 95% interval" for name in names]
    writer.writerow(["model", "size", "made", "simulated", *names, *intervals])
    for one in entries:
        values = [cell["words"] or cell["value"] for cell in one["cells"]]
        bounds = [cell.get("interval", "") for cell in one["cells"]]
        facts = [one["model"], one["size"], one["made"]]
        texts = [without_formula(text) for text in facts]
        writer.writerow([*texts, str(one["simulated"]).lower(), *values, *bounds])
    return out.getvalue().encode(errors="replace").decode()
