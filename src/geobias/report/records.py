"""Run files as probes see them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from geobias.errors import BadRequest
from geobias.probes.probe import RunRecords
from geobias.probes.registry import AnyProbe, all_probes
from geobias.probes.settings import completed, fields_of, settings_from
from geobias.runfile import Manifest, RunReader
from geobias.runfile.manifest import sum_known

Given = Mapping[str, Any]
"""What the user gives beside runs, for any probe that wants it: `{"figures": path}`."""


def settings_of(manifest: Manifest) -> dict[str, dict[str, Any]]:
    """A run's settings by probe, with those that its manifest is too old to have."""
    known = all_probes()
    return {
        name: completed(known[name].Settings, said) if name in known else said
        for name, said in manifest.probes.items()
    }


def records_of(run: RunReader, probe: AnyProbe, label: str, id_: str = "") -> RunRecords:
    """What a probe gets to see of a run that is shown under this label."""
    manifest = run.manifest()
    return RunRecords(
        model=label,
        models=manifest.models,
        settings=settings_of(manifest).get(probe.name, {}),
        editions=manifest.editions,
        planned=manifest.planned,
        notes=manifest.notes.get(probe.name, []),
        rows=run.records,
        run=id_,
        prompts=manifest.prompts,
    )


def reading_of(probe: AnyProbe, given: Given) -> Any:
    """Of what the user gives, what this probe reads its runs with."""
    wanted = {field.name for field in fields_of(probe.Reading)}
    return settings_from(
        probe.Reading,
        {name: value for name, value in given.items() if name in wanted and value is not None},
        probe.name,
    )


def answers_of(
    probe: AnyProbe, runs: Sequence[tuple[RunReader, str]], given: Given, records: str = ""
) -> list[Any]:
    """The answers of one probe in each run; a run without the probe is a `BadRequest`.

    Where further `records` of the probe are wanted, a run of these alone will do.
    """
    for run, _ in runs:
        probes = run.manifest().probes
        if not {probe.name, records} & probes.keys():
            raise BadRequest(f"{run.path} holds {', '.join(probes)} and no {probe.name}")
    reading = reading_of(probe, given)
    return [probe.answers(records_of(run, probe, label), reading) for run, label in runs]


def labelled(runs: Sequence[RunReader]) -> list[tuple[RunReader, str]]:
    """Each run with the name of its column."""
    manifests = [run.manifest() for run in runs]
    return list(zip(runs, labels_of(manifests, [run.path.name for run in runs]), strict=True))


def labels_of(manifests: Sequence[Manifest], files: Sequence[str]) -> list[str]:
    """The name of each run's column; `files` are the names of their files.

    Runs of one model with different probes form one column; a second run of the same probe and
    model gets a column of its own, named for its file.
    """
    taken: dict[str, set[str]] = {}
    labels = []
    for number, (manifest, file) in enumerate(zip(manifests, files, strict=True), start=1):
        model = manifest.models["model"]
        for label in (model, f"{model} ({file})", f"{model} (run {number})"):
            if not taken.get(label, set()) & manifest.probes.keys():
                break
        taken.setdefault(label, set()).update(manifest.probes)
        labels.append(label)
    return labels


def probes_of(run: RunReader) -> list[AnyProbe]:
    """The probes of a run that are installed, in reading order."""
    names = run.manifest().probes
    return [probe for name, probe in all_probes().items() if name in names]


def spending(run: RunReader) -> dict[str, Any]:
    """Calls, tokens and cost over all roles; None where one of them is not known."""
    manifest, spent = run.manifest(), run.spent()
    costs = (manifest.cost(role, *one.billed()) for role, one in spent.items())
    return {
        "calls": sum(one.calls for one in spent.values()),
        "tokens_in": sum_known(one.tokens_in for one in spent.values()),
        "tokens_out": sum_known(one.tokens_out for one in spent.values()),
        "cost": sum_known(costs),
    }
