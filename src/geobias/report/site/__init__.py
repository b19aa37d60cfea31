"""A static site of many runs: the table of models, a page for each, and downloads.

    index.html      findings over all models, and a row for each; sorts and filters
    models/         the report page of each model, and its findings as JSON and CSV
    summary.csv     the table of index.html

Runs of one model with different probes make one page, as in a report. Models are processed one
after another with only their own runs open, so memory does not grow with their number. Every number
comes from the findings.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Any

import msgspec
from markupsafe import Markup

from geobias.errors import BadRequest, CannotWrite, GeobiasError
from geobias.files import write_whole
from geobias.report.findings import collect, need_probes
from geobias.report.formats import as_json, tidy_csv, without_formula
from geobias.report.grids import summary_grid
from geobias.report.page import HERE as PAGE
from geobias.report.page import contents, hash_of, page_style, rendered
from geobias.report.page.comparison import comparison
from geobias.report.page.opening import about_line, banner
from geobias.report.page.text import template_environment
from geobias.report.records import Given, labels_of, short_name
from geobias.report.verdicts import simulated_models, title_of
from geobias.results.findings import Findings
from geobias.runfile import RunReader

HERE = Path(__file__).parent
Opening = Callable[[Path], AbstractContextManager[RunReader]]


class _Model(msgspec.Struct, frozen=True):
    """A row of the table: the model's name, that of its files, and its runs."""

    name: str
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
) -> list[Path]:
    """Write the site of these run files into the folder, and return its files.

    `opening` opens a run. `said` is called with the name of each model in turn.
    """
    if not runs:
        raise BadRequest("name at least one run for the site")
    models = _models(runs, opening)
    written: list[Path] = []
    found = []
    for model in models:
        findings, files = _write_model(model, folder, opening, given, refusal)
        said(model.name)
        found.append(findings)
        written += files
    together = _together([model.name for model in models], found)
    table = comparison(together, list(contents.by_probe(together)))
    for name, text in (
        ("index.html", _index(models, together, table)),
        ("summary.csv", _summary(together)),
    ):
        written.append(_write(folder / name, text, refusal))
    return written


def _together(names: Sequence[str], found: Sequence[Findings]) -> Findings:
    """The findings of all models as those of one report, each under its name in the site."""
    pairs = [*zip(names, found, strict=True)]
    return msgspec.structs.replace(
        found[0],
        models=list(names),
        runs=[
            msgspec.structs.replace(run, id=f"{run.id}-{i}", model=name)
            for i, (name, one) in enumerate(pairs)
            for run in one.runs
        ],
        sections=[
            msgspec.structs.replace(section, model=name)
            for name, one in pairs
            for section in one.sections
        ],
        sentences=[],
    )


def _index(models: Sequence[_Model], findings: Findings, table: Mapping[str, Any]) -> str:
    """The first page of the site, in the style of a report."""
    style, script = page_style(), (HERE / "site.js").read_text("utf-8")
    environment = template_environment([PAGE / "templates", HERE / "templates"])
    return environment.get_template("index.html").render(
        comparison=table,
        heading=title_of(findings),
        titles={name: contents.probe_title(findings, name) for name in contents.by_probe(findings)},
        files=[model.file for model in models],
        models=findings.models,
        about=about_line(findings),
        banner=banner(findings),
        version=findings.geobias,
        style=Markup(style),  # noqa: S704
        style_hash=hash_of(style),
        script=Markup(script),  # noqa: S704
        script_hash=hash_of(script),
    )


def _write(path: Path, text: str, refusal: type[GeobiasError]) -> Path:
    write_whole(path, text.encode(errors="replace"), refusal)
    return path


def _models(runs: Sequence[Path], opening: Opening) -> list[_Model]:
    """The rows of the table.

    Opens every run once, so that one which cannot be shown is refused before the work begins.
    """
    manifests = []
    for path in runs:
        with opening(path) as run:
            need_probes([run])
            manifests.append(run.manifest())
    by_name: dict[str, list[Path]] = {}
    for path, name in zip(runs, labels_of(manifests, [path.name for path in runs]), strict=True):
        by_name.setdefault(name, []).append(path)
    return [
        _Model(name, page_name(name, number), tuple(own))
        for number, (name, own) in enumerate(by_name.items(), start=1)
    ]


def _write_model(
    model: _Model,
    folder: Path,
    opening: Opening,
    given: Given | None,
    refusal: type[GeobiasError],
) -> tuple[Findings, list[Path]]:
    """Write the files of one model; return what the table needs of its findings, and the files."""
    with ExitStack() as stack:
        runs = [stack.enter_context(opening(path)) for path in model.runs]
        findings = _without_addresses(collect(runs, given=given))
        texts = {
            "html": rendered(findings, runs, home=("../index.html", "All models")),
            "json": as_json(findings),
            "csv": tidy_csv(findings),
        }
    files = [
        _write(folder / "models" / f"{model.file}.{kind}", text, refusal)
        for kind, text in texts.items()
    ]
    return msgspec.structs.replace(findings, countries=[]), files


def _without_addresses(findings: Findings) -> Findings:
    """The findings without models' addresses, since a site is public."""
    runs = [
        msgspec.structs.replace(
            run, models={role: short_name(name) for role, name in run.models.items()}
        )
        for run in findings.runs
    ]
    return msgspec.structs.replace(findings, runs=runs)


def page_name(label: str, number: int) -> str:
    """A name for file systems and addresses that no two models share."""
    name = re.sub(r"[^a-zA-Z0-9]+", "-", label).strip("-").lower()[:60]
    return f"{number}-{name}" if name else str(number)


def _summary(findings: Findings) -> str:
    """The table of models for a spreadsheet."""
    out, grid = io.StringIO(), summary_grid(findings)
    writer = csv.writer(out, lineterminator="\n")
    simulated = simulated_models(findings)
    writer.writerow([*grid.headings, "made", "simulated"])
    for row in grid.rows:
        made = max(run.created for run in findings.runs if run.model == row[0])[:10]
        cells = [*row, made, str(row[0] in simulated).lower()]
        writer.writerow([without_formula(text) for text in cells])
    return out.getvalue().encode(errors="replace").decode()
