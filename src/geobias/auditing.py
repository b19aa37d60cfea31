"""A whole audit as a function: the probes on one or more models, and one report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from geobias.api import (
    DEFAULT_FOLDER,
    Display,
    Options,
    Result,
    default_path,
    open_run,
    run,
    used_so_far,
)
from geobias.errors import (
    BadRequest,
    BudgetReached,
    CannotWrite,
    GeobiasError,
    Interrupted,
    Stopped,
)
from geobias.files import write_whole
from geobias.probes.registry import AnyProbe, all_probes, find_probe

if TYPE_CHECKING:
    from geobias.probes.plan import Plan
    from geobias.report.comparing import Compared
    from geobias.report.gating import GateVerdict, Undecided
    from geobias.results.findings import Findings


class Audit(msgspec.Struct, frozen=True, kw_only=True):
    """What an audit leaves: its findings, a run file for each model, and the report's two files."""

    findings: Findings
    runs: dict[str, Path]
    page: Path
    data: Path


class Incomplete(Stopped):
    """An audit of several models that some of them did not finish.

    `reasons` says why, for each of these; the same audit again goes on with them. `audit` is the
    report of the models that are complete, None if there are none.
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

    Every probe that is installed is run, unless some are named.

    The same call again resumes what was stopped and reuses what is complete. The limits in
    `options` hold for all models together.

    Raises `BadRequest` before the first call where a model, its key or its price is missing. Raises
    `Stopped` when the audit ends early; nothing is lost. With several models, one that cannot be
    asked does not keep the others from it: `Incomplete` then carries the report of those that are
    complete and the reasons of the rest. A limit that is reached leaves the models that follow
    unasked, and is one of these reasons. After Ctrl-C or on a full disk there is no report.
    """
    plans = [probe.make_plan(size=size) for probe in chosen_probes(probes)]
    folder = Path(out)
    specs = [models] if isinstance(models, str) else list(models)
    if not specs:
        raise BadRequest("name at least one model to audit")
    paths = {
        model: default_path(plans, model, folder, usual=size == "quick")
        for model in dict.fromkeys(specs)
    }
    ends = dict(run_each(plans, paths, options or Options(), display=display))
    results, reasons = results_and_reasons(ends)
    made = write_report(results, folder) if results else None
    if made is None or reasons:
        raise Incomplete(reasons, made)
    return made


def with_model(model: str, reason: GeobiasError) -> str:
    """The reason with its model before it, unless it begins with that already."""
    return str(reason) if str(reason).startswith(model) else f"{model}: {reason}"


End: TypeAlias = "Result | GeobiasError"
"""How the run of one model ended."""


def run_each(
    plans: Sequence[Plan],
    paths: Mapping[str, Path],
    options: Options,
    *,
    engine: Callable[..., Result] = run,
    display: Display | None = None,
    command: str = "",
) -> Iterator[tuple[str, End]]:
    """Run the same plans on each model, into its file, within one budget; how each ended.

    Whatever can be known to be impossible is refused before the first call. After that a model
    stops alone if the reason is its own; a limit that is reached stops those that follow too.
    Ctrl-C and a full disk are raised, and so is the reason of a model that is alone.
    """
    used = {
        model: used_so_far(plans, {"model": model}, path, options) for model, path in paths.items()
    }
    reached: BudgetReached | None = None
    for model, path in paths.items():
        if reached:
            yield model, BudgetReached(f"not run: {reached}")
            continue
        others = [budget for other, budget in used.items() if other != model]
        end: End
        try:
            end = engine(
                plans,
                {"model": model},
                path,
                options=options,
                display=display,
                command=command,
                others=others,
            )
        except (Interrupted, CannotWrite):
            raise
        except GeobiasError as reason:
            if len(paths) == 1:
                raise
            end = reason
            reached = reason if isinstance(reason, BudgetReached) else None
        used[model] = used_so_far(plans, {"model": model}, path, options)
        yield model, end


def results_and_reasons(
    ends: Mapping[str, End],
) -> tuple[dict[str, Result], dict[str, GeobiasError]]:
    """The models that are complete, with their results; and the others, with their reasons."""
    results = {model: end for model, end in ends.items() if isinstance(end, Result)}
    return results, {model: end for model, end in ends.items() if not isinstance(end, Result)}


def chosen_probes(names: Sequence[str] | None) -> list[AnyProbe]:
    """The probes of an audit, in reading order."""
    if names is None:
        return list(all_probes().values())
    if not names:
        raise BadRequest(f"name at least one probe of {', '.join(all_probes())}")
    wanted = {find_probe(name).name for name in names}
    return [probe for name, probe in all_probes().items() if name in wanted]


def write_report(results: Mapping[str, Result], folder: Path) -> Audit:
    """The report of finished runs: report.html and report.json, with the same numbers."""
    from geobias.report.findings import collect
    from geobias.report.formats import as_json
    from geobias.report.page import write

    page, data = folder / "report.html", folder / "report.json"
    runs = {model: result.path for model, result in results.items()}
    with ExitStack() as stack:
        readers = [stack.enter_context(open_run(path)) for path in runs.values()]
        findings = collect(readers)
        write_whole(data, as_json(findings).encode())
        write(findings, readers, page)
    return Audit(findings=findings, runs=runs, page=page, data=data)


def compare(*runs: Path | str, anyway: bool = False) -> Compared:
    """The first run file against each of the others, on the items that they share."""
    from geobias.report.comparing import compare as compare_runs

    with ExitStack() as stack:
        readers = [stack.enter_context(open_run(path)) for path in runs]
        return compare_runs(readers, anyway=anyway)


def gate(
    *runs: Path | str,
    limits: Mapping[str, Mapping[str, float]],
    baseline: Path | str | None = None,
    undecided: Undecided = "pass",
    allow_unmeasurable: bool = False,
    allow_unfinished: bool = False,
    anyway: bool = False,
) -> list[GateVerdict]:
    """Each limit held against each run file: kept ("pass"), broken ("fail") or "undecided".

    `limits` are those of a limits file: {"max": {"worldbench.error": 0.4}}, also "min", "within",
    and "worse" for what may have got worse since the `baseline`. The gate lets all through whose
    verdict has `passed`, which `undecided` decides where the interval does not.
    """
    from geobias.report.baseline import worsened
    from geobias.report.findings import collect
    from geobias.report.gating import verdicts
    from geobias.report.limits import limits_from

    asked = limits_from(limits, "limits")
    with ExitStack() as stack:
        readers = [stack.enter_context(open_run(path)) for path in runs]
        findings, since = collect(readers), {}
        if baseline is not None:
            before = stack.enter_context(open_run(baseline))
            since = worsened(readers, before, findings, asked, anyway=anyway)
    return verdicts(
        findings,
        asked,
        undecided=undecided,
        allow_unmeasurable=allow_unmeasurable,
        allow_unfinished=allow_unfinished,
        since=since,
    )


__all__ = ["Audit", "Incomplete", "audit", "compare", "gate"]
