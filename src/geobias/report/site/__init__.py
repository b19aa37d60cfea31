"""A static site of many runs: the table of models that opens a report, and a page for each.

    index.html      what was found over all models, and a row for each; sorts and filters
    models/         the report page of each model, from which its numbers can be downloaded

Runs of one model with different probes make one page, as in a report. Models are processed one
after another with only their own runs open, so memory does not grow with their number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from geobias.errors import BadRequest
from geobias.files import write_whole
from geobias.probes.registry import all_probes
from geobias.report.findings import collect, need_probes
from geobias.report.page import contents, page_assets, rendered, templates
from geobias.report.page.comparison import comparison
from geobias.report.page.opening import about_line, banner
from geobias.report.records import Given, labels_of
from geobias.report.verdicts import key_of, title_of
from geobias.results.findings import Findings
from geobias.runfile import RunReader
from geobias.runfile.reading import Opening, all_opened

HERE = Path(__file__).parent


def write_site(
    runs: Sequence[Path],
    folder: Path,
    *,
    opening: Opening = RunReader,
    given: Given | None = None,
    said: Callable[[str], None] = lambda _: None,
) -> list[Path]:
    """Write the site of these run files into the folder, and return the paths of its pages.

    `opening` opens a run. `said` is called with each model's name when its page is written.
    """
    if not runs:
        raise BadRequest("name at least one run for the site")
    models = _models(runs, opening)
    files = [page_name(name, number) for number, name in enumerate(models, start=1)]
    pages, found = [], []
    for file, (name, own) in zip(files, models.items(), strict=True):
        with all_opened(own, opening) as readers:
            findings = collect(readers, given=given)
            page = rendered(findings, readers, home=("../index.html", "All models"))
        pages.append(_write(folder / "models" / f"{file}.html", page))
        found.append(msgspec.structs.replace(findings, countries=[]))
        said(name)
    return [*pages, _write(folder / "index.html", _index(files, _together([*models], found)))]


def _together(names: Sequence[str], found: Sequence[Findings]) -> Findings:
    """Join the findings of all models as one report, each model under its name in the site."""
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


def _index(files: Sequence[str], findings: Findings) -> str:
    """The site's first page, in the style of a report."""
    probes = [all_probes()[name] for name in contents.by_probe(findings)]
    index = templates(HERE / "templates").get_template("index.html")
    return index.render(
        comparison=comparison(findings, [one.name for one in probes]),
        heading=title_of(findings),
        titles={one.name: contents.probe_title(one, several=True) for one in probes},
        files=files,
        models=findings.models,
        about=about_line(findings),
        banner=banner(findings),
        key=key_of(findings),
        not_asked=contents.not_asked(findings),
        version=findings.geobias,
        **page_assets((HERE / "site.js").read_text("utf-8")),
    )


def _write(path: Path, text: str) -> Path:
    write_whole(path, text.encode(errors="replace"), BadRequest)
    return path


def _models(runs: Sequence[Path], opening: Opening) -> dict[str, list[Path]]:
    """Map each model's name to its run files.

    Every run is opened once, so that a run which cannot be shown is refused before the work begins.
    """
    manifests = []
    for path in runs:
        with opening(path) as run:
            need_probes([run])
            manifests.append(run.manifest())
    files = [path.name for path in runs]
    by_name: dict[str, list[Path]] = {}
    for path, label in zip(runs, labels_of(manifests, files), strict=True):
        by_name.setdefault(label, []).append(path)
    return by_name


def page_name(label: str, number: int) -> str:
    """A name that file systems and addresses accept. `number` makes it unique."""
    name = re.sub(r"[^a-zA-Z0-9]+", "-", label).strip("-").lower()[:60]
    return f"{number}-{name}" if name else str(number)
