"""A whole audit as a function: the probes on one or more models, and one report."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from geobias.api import DEFAULT_FOLDER, Display, Options, default_path, open_run, run
from geobias.errors import BadRequest, CannotWrite
from geobias.probes.audited import AUDITED

if TYPE_CHECKING:
    from geobias.probes.plan import Plan
    from geobias.report.comparing import Compared
    from geobias.report.findings import Findings


class Audit(msgspec.Struct, frozen=True, kw_only=True):
    """What an audit leaves: its findings, a run file for each model, and the report's two files."""

    findings: Findings
    runs: dict[str, Path]
    page: Path
    data: Path


def audit(
    models: str | Sequence[str] = "embedded",
    *,
    size: str = "quick",
    probes: Sequence[str] = tuple(AUDITED),
    out: Path | str = DEFAULT_FOLDER,
    options: Options | None = None,
    display: Display | None = None,
) -> Audit:
    """Run the probes on each model, into one folder, and write report.html and report.json there.

    The same call again resumes what was stopped and reuses what is complete. Raises `Stopped` when
    a run ends early; nothing is lost.
    """
    plans = plans_of(probes, size)
    folder = Path(out)
    specs = [models] if isinstance(models, str) else list(models)
    if not specs:
        raise BadRequest("name at least one model to audit")
    runs = {}
    for model in dict.fromkeys(specs):
        path = default_path(plans, model, folder, usual=size == "quick")
        runs[model] = run(plans, model, path, options=options, display=display).path
    return reported(runs, folder)


def plans_of(probes: Sequence[str], size: str) -> list[Plan]:
    """The probes of an audit with the settings of a size."""
    if unknown := [name for name in probes if name not in AUDITED]:
        raise BadRequest(f"no probe {unknown[0]!r} in an audit; there is {', '.join(AUDITED)}")
    if not probes:
        raise BadRequest(f"name at least one probe of {', '.join(AUDITED)}")
    wanted = [name for name in AUDITED if name in probes]
    return [import_module(f"geobias.probes.{name}").plan(size=size) for name in wanted]


def reported(runs: dict[str, Path], folder: Path) -> Audit:
    """The report of finished runs: report.html and report.json, with the same numbers."""
    from geobias.report.findings import collect
    from geobias.report.formats import as_json
    from geobias.report.page import write

    page, data = folder / "report.html", folder / "report.json"
    with ExitStack() as stack:
        readers = [stack.enter_context(open_run(path)) for path in runs.values()]
        findings = collect(readers)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            draft = data.with_name(data.name + "-new")
            draft.write_text(as_json(findings), encoding="utf-8")
            draft.replace(data)
            write(findings, readers, page)
        except OSError as error:
            raise CannotWrite(f"cannot write the report: {error}") from None
    return Audit(findings=findings, runs=runs, page=page, data=data)


def compare(*runs: Path | str, anyway: bool = False) -> Compared:
    """The first run file against each of the others, on the items that they share."""
    from geobias.report.comparing import compare as compare_runs

    with ExitStack() as stack:
        readers = [stack.enter_context(open_run(path)) for path in runs]
        return compare_runs(readers, anyway=anyway)


__all__ = ["Audit", "audit", "compare"]
