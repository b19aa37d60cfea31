"""A static site of many runs: a table of models, a page for each, two side by side, downloads.

    index.html      every model with its headline numbers; sorts and filters
    compare.html    the metrics of two models side by side
    models/         the report page of each model, and its findings as JSON and CSV
    summary.csv     the table of index.html
    data.js         the metrics of all models, for compare.html

Runs of one model with different probes make one page, as in a report. Models are worked out one
after another, or in several processes, and only the runs of a model at work are open: so memory
does not grow with their number. Every number is one of the findings.
"""

from __future__ import annotations

import csv
import io
import multiprocessing
import os
import re
import signal
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, ExitStack, closing
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from geobias.errors import BadRequest, CannotWrite, GeobiasError, Stopped
from geobias.files import write_whole
from geobias.probes.registry import all_probes
from geobias.report.findings import collect, need_probes
from geobias.report.formats import as_json, tidy_csv, without_formula
from geobias.report.grids import headline_table
from geobias.report.page import rendered
from geobias.report.page.text import template_environment, with_true_minuses
from geobias.report.records import Given, is_simulated, labels_of
from geobias.results.findings import Findings, Metric, Section
from geobias.results.formatting import with_true_minus
from geobias.results.tables import metric_value
from geobias.runfile import RunReader

HERE = Path(__file__).parent
T = TypeVar("T")
R = TypeVar("R")
Opening = Callable[[Path], AbstractContextManager[RunReader]]


class _Model(msgspec.Struct, frozen=True):
    """A row of the table: its name, that of its files, and its runs."""

    label: str
    file: str
    runs: tuple[Path, ...]


def write_site(
    runs: Sequence[Path],
    folder: Path,
    *,
    opening: Opening = RunReader,
    given: Given | None = None,
    said: Callable[[str], None] = lambda _: None,
    refusal: type[GeobiasError] = CannotWrite,
    workers: int = 1,
) -> list[Path]:
    """Write the site of these run files into the folder; its files.

    `opening` opens a run. `said` is told the name of each model in turn. `workers` are processes;
    with more than one, a script needs `if __name__ == "__main__":` before it calls this.
    """
    if not runs:
        raise BadRequest("name at least one run for the site")
    models, titles = _models(runs, opening)
    written: list[Path] = []

    def write(name: str, text: str) -> None:
        written.append(_write(folder / name, text, refusal))

    work = partial(
        _write_model, folder=folder, titles=titles, opening=opening, given=given, refusal=refusal
    )
    entries, tables = [], []
    with closing(_each(work, models, workers)) as results:
        for model, (head, entry, files) in zip(models, results, strict=True):
            said(model.label)
            tables.append(head)
            entries.append(entry)
            written += files
    heads = tables[0]
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


def _write(path: Path, text: str, refusal: type[GeobiasError]) -> Path:
    write_whole(path, text.encode(errors="replace"), refusal)
    return path


def _models(runs: Sequence[Path], opening: Opening) -> tuple[list[_Model], dict[str, str]]:
    """The rows of the table, and the probes that any run has, in reading order, with their titles.

    Opens every run once, so that one which cannot be shown is refused before the work begins.
    """
    manifests = []
    for path in runs:
        with opening(path) as run:
            need_probes([run])
            manifests.append(run.manifest())
    by_label: dict[str, list[Path]] = {}
    for path, label in zip(runs, labels_of(manifests, [path.name for path in runs]), strict=True):
        by_label.setdefault(label, []).append(path)
    there = {name for manifest in manifests for name in manifest.probes}
    return (
        [
            _Model(label, page_name(label, number), tuple(own))
            for number, (label, own) in enumerate(by_label.items(), start=1)
        ],
        {name: probe.title for name, probe in all_probes().items() if name in there},
    )


Work = Callable[[_Model], tuple[dict[str, Any], dict[str, Any], list[Path]]]


def _each(work: Work, models: Sequence[_Model], workers: int) -> Generator[Any, None, None]:
    """What comes of each model, in their order."""
    number = min(workers, len(models))
    if number < 2:
        yield from map(work, models)
    else:
        yield from _in_processes(work, models, number)


def _write_model(
    model: _Model,
    *,
    folder: Path,
    titles: dict[str, str],
    opening: Opening,
    given: Given | None,
    refusal: type[GeobiasError],
) -> tuple[dict[str, Any], dict[str, Any], list[Path]]:
    """Write the files of one model; the head of the table, the model's entry, and the files."""
    with ExitStack() as stack:
        runs = [stack.enter_context(opening(path)) for path in model.runs]
        findings = collect(runs, given=given)
        texts = {
            "html": rendered(findings, runs),
            "json": as_json(findings),
            "csv": tidy_csv(findings),
        }
    files = [
        _write(folder / "models" / f"{model.file}.{kind}", text, refusal)
        for kind, text in texts.items()
    ]
    heads = headline_table(findings, titles)
    return heads, _entry(findings, model, heads["rows"][0]["cells"]), files


def page_name(label: str, number: int) -> str:
    """A name that any file system and address takes, and that no two models share."""
    name = re.sub(r"[^a-zA-Z0-9]+", "-", label).strip("-").lower()[:60]
    return f"{number}-{name}" if name else str(number)


def _entry(findings: Findings, model: _Model, cells: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    sizes = (own.get("size") for run in findings.runs for own in run.probes.values())
    return {
        "model": model.label,
        "file": model.file,
        "cells": cells,
        "simulated": any(map(is_simulated, findings.runs)),
        "size": ", ".join(dict.fromkeys(str(size) for size in sizes if size)),
        "made": max(run.created for run in findings.runs)[:10],
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


def _in_processes(work: Callable[[T], R], things: Sequence[T], number: int) -> Iterator[R]:
    """What comes of each, in their order. `work` and all that it is told can be pickled."""
    # Started afresh: a fork would carry threads' locks over.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(number, context, _begin)
    # Each has a core to itself: threads of its own would only wait for each other. Polars counts
    # its threads when it is imported, so the processes inherit the number.
    before = os.environ.get("POLARS_MAX_THREADS")
    os.environ["POLARS_MAX_THREADS"] = "1"
    try:
        yield from pool.map(work, things)
    except BrokenProcessPool:
        raise Stopped(
            "A process that was at work is gone, for want of memory perhaps; fewer --workers need "
            "less."
        ) from None
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
        del os.environ["POLARS_MAX_THREADS"]
        if before is not None:
            os.environ["POLARS_MAX_THREADS"] = before


def _begin() -> None:
    """Start a worker process. Ctrl-C is for the first process, which then ends the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
