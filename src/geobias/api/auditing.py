"""Run the probes on one or more models, and write one report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import msgspec

from geobias.errors import AsksWait, BadRequest, GeobiasError, Stopped
from geobias.files import write_whole
from geobias.probes.plan import Plan
from geobias.probes.registry import AnyProbe, all_probes, find_probe, plan_of, usual_probes
from geobias.report.baseline import (
    Baseline,
    Limit,
    check_baseline,
    limits_from,
    read_report,
    worsened,
)
from geobias.report.comparing import Compared
from geobias.report.comparing import compare as compare_runs
from geobias.report.findings import collect
from geobias.report.formats import as_json
from geobias.report.gating import GateVerdict, Undecided, verdicts
from geobias.report.page import rendered
from geobias.results.findings import Findings
from geobias.runfile.reading import Opening, all_opened, runs_at
from geobias.running import (
    DEFAULT_FOLDER,
    SILENT,
    Display,
    Job,
    Options,
    Result,
    default_path,
    open_run,
    run,
    run_together,
    with_reader,
)


class Audit(msgspec.Struct, frozen=True, kw_only=True):
    """The result of an audit: its findings, one run file per model, and the two report files."""

    findings: Findings
    runs: dict[str, Path]
    page: Path
    data: Path

    def __repr__(self) -> str:
        return f"<Audit of {', '.join(self.runs)}: {self.page}>"


class Incomplete(Stopped):
    """Some models of an audit did not finish. Run the same audit again to resume them.

    `reasons` maps them to their errors. `audit` is the report of the complete models, or None.
    """

    def __init__(self, reasons: Mapping[str, GeobiasError], audit: Audit | None) -> None:
        super().__init__("; ".join(with_model(model, reason) for model, reason in reasons.items()))
        self.reasons = dict(reasons)
        self.audit = audit


def audit(
    models: str | Sequence[str] = "embedded",
    *,
    size: str = "quick",
    probes: Sequence[str] | None = None,
    out: Path | str = DEFAULT_FOLDER,
    options: Options | None = None,
    display: Display | None = None,
) -> Audit:
    """Run the probes on each model, into one folder, and write report.html and report.json there.

    By default all probes of geobias are run. Probes of other packages must be named.

    A repeated call resumes stopped runs and reuses complete ones. The limits in `options` apply to
    all models together.

    Raises `BadRequest` before the first call if a model, its key or its price is missing, and
    `Stopped` if the audit ends early; all replies are kept. All models are asked at once. If one
    fails, the others go on, and `Incomplete` carries their report and the errors. A limit that is
    reached stops every model. After Ctrl-C or on a full disk no report is written.
    """
    plans = [plan_of(probe, {"size": size}) for probe in chosen_probes(probes)]
    folder = Path(out)
    specs = [models] if isinstance(models, str) else list(models)
    if not specs:
        raise BadRequest("name at least one model to audit")
    paths = {model: default_path(plans, model, folder) for model in dict.fromkeys(specs)}
    results, reasons = run_each(plans, paths, options or Options(), display=display or SILENT)
    made = write_report(results, folder) if results else None
    if made is None or reasons:
        raise Incomplete(reasons, made)
    return made


def with_model(model: str, reason: GeobiasError) -> str:
    return str(reason) if str(reason).startswith(model) else f"{model}: {reason}"


def run_each(
    plans: Sequence[Plan],
    paths: Mapping[str, Path],
    options: Options,
    *,
    engine: Callable[..., Result] = run,
    display: Display = SILENT,
    command: str = "",
    roles: Mapping[str, str] | None = None,
) -> tuple[dict[str, Result], dict[str, GeobiasError]]:
    """Run the same plans on each model, as `audit` does, into one file per model.

    Return the results of the complete models and the errors of the others, by model. `roles` are
    further models, such as a judge, which all tested models share. If only one model is tested, its
    failure is raised. Other engines than geobias' own accept only one.
    """
    specs = {model: with_reader({"model": model, **(roles or {})}, plans) for model in paths}
    for sentence in dict.fromkeys(one for plan in plans for one in plan.notes):
        display.note(sentence)
    if engine is not run:
        if len(paths) > 1:
            raise BadRequest("--engine ray asks one model at a time: name one model")
        return {
            model: engine(
                plans, specs[model], path, options=options, display=display, command=command
            )
            for model, path in paths.items()
        }, {}
    jobs = {
        model: Job(plans, specs[model], path, options, display) for model, path in paths.items()
    }
    ends = run_together(jobs, display=display, command=command)
    reasons = {model: end for model, end in ends.items() if isinstance(end, GeobiasError)}
    alone = [] if len(paths) > 1 else [*reasons.values()]
    if alone and not isinstance(alone[0], AsksWait):
        raise alone[0]
    return {model: end for model, end in ends.items() if isinstance(end, Result)}, reasons


def chosen_probes(names: Sequence[str] | None) -> list[AnyProbe]:
    """Return the named probes (None: all probes of geobias), in the order of the report."""
    if names is None:
        return list(usual_probes().values())
    if not names:
        raise BadRequest(f"name at least one probe of {', '.join(all_probes())}")
    wanted = {find_probe(name).name for name in names}
    return [probe for name, probe in all_probes().items() if name in wanted]


def write_report(results: Mapping[str, Result], folder: Path) -> Audit:
    """Write the report of finished runs: report.html and report.json, with the same numbers."""
    page, data = folder / "report.html", folder / "report.json"
    runs = {model: result.path for model, result in results.items()}
    with all_opened(runs.values(), open_run) as readers:
        findings = collect(readers)
        write_whole(data, as_json(findings).encode())
        write_whole(page, rendered(findings, readers).encode(errors="replace"))
    return Audit(findings=findings, runs=runs, page=page, data=data)


def findings(*paths: Path | str | Iterable[Path | str]) -> Findings:
    """Return the findings of runs: every number, table and sentence of the report, as plain data.

    `paths` are run files or folders of them, one by one or as a list. In a folder, a run is left
    out if another run includes it, for example if the same audit was repeated with one more probe.
    """
    files = [file for path in _each(paths) for file in runs_at(path)]
    with all_opened(files, open_run) as readers:
        return collect(readers)


def _each(paths: Iterable[Path | str | Iterable[Path | str]]) -> list[Path]:
    lists = [[given] if isinstance(given, Path | str) else given for given in paths]
    return [Path(path) for several in lists for path in several]


def compare(*runs: Path | str | Iterable[Path | str], anyway: bool = False) -> Compared:
    """Compare the first run file with each of the others, on the items they share."""
    with all_opened(_each(runs), open_run) as readers:
        return compare_runs(readers, anyway=anyway)


def opened_baseline(path: Path, opening: Opening = open_run) -> AbstractContextManager[Baseline]:
    """Open the earlier runs that a gate compares with: a file, a folder, or a report.json."""
    if path.suffix == ".json":
        return nullcontext(read_report(path))
    return all_opened(runs_at(path), opening)


def gate(
    *runs: Path | str | Iterable[Path | str],
    limits: Mapping[str, Mapping[str, float]] | Sequence[Limit],
    baseline: Path | str | None = None,
    undecided: Undecided = "pass",
    anyway: bool = False,
    findings: Findings | None = None,
) -> list[GateVerdict]:
    """Compare each run file with each limit: "pass", "fail" or "undecided".

    `limits` are written as in a limits file: {"max": {"worldbench.error": 0.4}}. Their kinds are
    "max", "min", "within" and "worse". A limit under "worse" says how much a metric may worsen
    since the `baseline` (a run file or a report.json). If the interval includes the limit, the
    outcome is "undecided"; the argument `undecided` says whether such a verdict has `passed`. To
    save time, pass the `findings` of these runs if you have them.
    """
    asked = limits_from(limits, "limits") if isinstance(limits, Mapping) else limits
    with (
        all_opened(_each(runs), open_run) as readers,
        opened_baseline(Path(baseline)) if baseline else nullcontext() as before,
    ):
        if before is not None:
            check_baseline(before, asked)  # checked before collecting
        findings = findings or collect(readers, brief=True)
        since = worsened(readers, before, findings, asked, anyway=anyway) if before else {}
    return verdicts(findings, asked, undecided=undecided, since=since)
