"""The parts of run files that probes may see, and a check for records that geobias did not write.

Code that reads records assumes that geobias wrote them, but a file from elsewhere can hold anything
in a record. Checking every field beforehand would slow down reading of good files, so the check
runs only after reading has failed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import chain, count
from typing import Any, TypedDict

import msgspec

from geobias.atlas.economies import economies
from geobias.errors import BadRequest, BadRunFile, GeobiasError
from geobias.probes import derived
from geobias.probes.probe import Rows, RunRecords
from geobias.probes.registry import AnyProbe, all_probes
from geobias.probes.settings import fields_of, settings_from
from geobias.results.descriptions import Key
from geobias.results.findings import Run
from geobias.results.formatting import counted, one_line
from geobias.runfile import Manifest, RunReader
from geobias.runfile.manifest import sum_known
from geobias.trials import StoredRecord

Given = Mapping[str, object]
"""Files that the user gives in addition to runs, for probes that need them: `{"figures": path}`."""


WITH_CORRECTIONS = "with_corrections"
"""Key in `Given` for scores with the reviewers' corrections."""


def records_of(
    run: RunReader, probe: AnyProbe, label: str, id_: str = "", given: Given | None = None
) -> RunRecords:
    """Return what a probe may see of a run. `label` is the name under which the run is shown."""
    manifest = run.manifest()
    rows: Rows = run.records
    notes = list(manifest.notes.get(probe.name, []))
    if given and given.get(WITH_CORRECTIONS):
        rows, note = corrected(run, probe)
        notes += filter(None, [note])
    return RunRecords(
        model=label,
        manifest=manifest,
        settings=manifest.probes.get(probe.name, {}),
        notes=notes,
        rows=rows,
        run=id_,
    )


def corrected(run: RunReader, probe: AnyProbe) -> tuple[Rows, str]:
    """Return the records with corrections from `geobias view`, and a note ("" without corrections).

    A correction counts if every reviewer of the item gave it. If reviewers differ, or if the typed
    text is not an answer, the reading of the rules counts.
    """
    keys = {
        (sample.name, key.verdict): key for sample in probe.showing.samples for key in sample.keys
    }
    said: dict[str, set[tuple[Key, str]]] = {}
    for one in run.verdicts():
        key = keys.get((one.sample, one.verdict))
        if key is not None and one.verdict != "unsure":
            said.setdefault(one.item, set()).add((key, one.value))
    agreed = {
        item: (key.corrects, value)
        for item, votes in said.items()
        if len(votes) == 1
        for key, value in votes
        if key.corrects
    }

    def rows(name: str) -> Iterator[StoredRecord]:
        for row in run.records(name):
            correct, value = agreed.get(row["trial"], (None, ""))
            with suppress(ValueError):
                row.update(correct(row, value) if correct else {})
            yield row

    disputed = sum(len(votes) > 1 for votes in said.values())
    if not agreed and not disputed:
        return rows, ""
    note = f"With {counted(len(agreed), 'readings')} corrected by people"
    if disputed:
        note += f"; {disputed:,} on which reviewers differ stay as read"
    return rows, f"{note}."


def reading_of(probe: AnyProbe, given: Given) -> Any:
    """The files in `given` that this probe needs to read its runs, as its `Reading` struct."""
    wanted = {field.name for field in fields_of(probe.Reading)}
    return settings_from(
        probe.Reading,
        {name: value for name, value in given.items() if name in wanted and value is not None},
        probe.name,
    )


def answers_of(probe: AnyProbe, runs: Sequence[tuple[RunReader, str]], given: Given) -> list[Any]:
    """Return the answers to one probe in each run. Raises `BadRequest` if a run lacks the probe."""
    for run, _ in runs:
        probes = run.manifest().probes
        if probe.name not in probes:
            raise BadRequest(f"{run.path} holds no {probe.name}, only {', '.join(probes)}")
    reading = reading_of(probe, given)
    every = (records_of(run, probe, label, given=given) for run, label in runs)
    return [derived.answers_of(probe, one, reading) for one in every]


def labelled(runs: Sequence[RunReader]) -> list[tuple[RunReader, str]]:
    manifests = [run.manifest() for run in runs]
    return list(zip(runs, labels_of(manifests, [run.path.name for run in runs]), strict=True))


def labels_of(manifests: Sequence[Manifest], files: Sequence[str]) -> list[str]:
    """The name of each run's column, as `short_names` makes it; `files` are the runs' file names.

    Runs of one model with different probes share a column. A second run of a probe on the same
    model has its own column, named after its file, or numbered if the file's name holds an address.
    """
    taken: dict[str, set[str]] = {}
    labels = []
    for number, (manifest, file) in enumerate(zip(manifests, files, strict=True), start=1):
        model = manifest.models["model"]
        numbered = f"{model} (run {number})"
        named = numbered if holds_address(file, manifest.models) else f"{model} ({file})"
        for label in (model, named, numbered):
            if not taken.get(label, set()) & manifest.probes.keys():
                break
        taken.setdefault(label, set()).update(manifest.probes)
        labels.append(label)
    names = short_names(taken)
    return [names[label] for label in labels]


def holds_address(file: str, models: Mapping[str, str]) -> bool:
    """Whether the file name of a run contains the address of one of its models."""
    return any(host in file for host in re.findall(r"://([^/:]+)", " ".join(models.values())))


MOST_LETTERS = 60
"""Maximum length of a model's name on a page or in a table."""
_PLACE = re.compile(r"[/:\\]")
_FILE = re.compile(r"(.+?)\.gguf(?:#\w+)?")
"""Pattern of a whole file name. A search from every letter would take minutes for a long name."""
_QUANTIZED = re.compile(r"[-._](?:i?q\d\w*|bf16|f(?:p)?(?:16|32))$", re.I)
"""The quantization of a file's weights, which the facts of a run mention."""
_ADDRESS = re.compile(r"(?:completions:)?https?://\S*/([^/\s]+)/?")
_RUN = re.compile(r" \((?:[^()]+\.geobias|run \d+)\)$")
"""The suffix of a model's name in a second run of the same model."""


def short_names(labels: Iterable[str]) -> dict[str, str]:
    """Label → short name: the last part of an address, or a file's name. Labels must be unique.

    A name that an earlier label has gets a number.
    """
    names: dict[str, str] = {}
    for label in labels:
        name = one_line(_last_part(label))
        name = name if len(name) <= MOST_LETTERS else f"{name[: MOST_LETTERS - 1]}…"
        copies = chain([name], (f"{name} ({number})" for number in count(2)))
        names[label] = next(copy for copy in copies if copy not in names.values())
    return names


def short_name(label: str) -> str:
    return short_names([label])[label]


def _last_part(label: str) -> str:
    run = _RUN.search(label)
    name, ending = (label[: run.start()], run[0]) if run else (label, "")
    if file := _FILE.match(_PLACE.split(name)[-1]):
        return _QUANTIZED.sub("", file[1]) + ending
    address = _ADDRESS.fullmatch(name)
    return _QUANTIZED.sub("", address[1] if address else name) + ending


def probes_of(run: RunReader) -> list[AnyProbe]:
    """The installed probes that a run has, in reading order."""
    names = run.manifest().probes
    return [probe for name, probe in all_probes().items() if name in names]


class Spending(TypedDict):
    """What a run spent, summed over all roles; None if the amount of a role is unknown."""

    calls: int
    tokens_in: int | None
    tokens_out: int | None
    cost: float | None


def spending(run: RunReader) -> Spending:
    spent = run.spent().values()
    cost, counted = cost_of(run), all(one.counted for one in spent)
    return {
        "calls": sum(one.calls for one in spent),
        "tokens_in": sum(one.tokens_in for one in spent) if counted else None,
        "tokens_out": sum(one.tokens_out for one in spent) if counted else None,
        "cost": cost if counted or not cost else None,
    }


def cost_of(run: RunReader) -> float | None:
    """Return the cost of a run in US$, or an upper bound; None if a price is unknown."""
    manifest = run.manifest()
    spent = run.spent().items()
    return sum_known(manifest.cost(role, one.billed_in, one.billed_out) for role, one in spent)


SIMULATED = "sim/"
"""Prefix of simulated models' names."""


def is_simulated(run: Run) -> bool:
    return run.models.get("model", run.model).startswith(SIMULATED)


LATEST = 32_503_680_000.0
"""Latest time accepted in a file, in Unix seconds: the year 3000."""
_TEXTS = {
    "replies": ("said", "role", "sampling", "text", "reasoning", "outcome", "finish", "model"),
    "records": ("trial", "probe", "country", "outcome", "record"),
    "sessions": ("counts",),
}
_NUMBERS = {"replies": ("tokens_in", "tokens_out", "seconds", "at"), "sessions": ("started",)}


class _Record(msgspec.Struct):
    """The fields that every probe's records have."""

    trial: str
    probe: str
    outcome: str
    country: str = ""


@contextmanager
def blaming(run: RunReader, *foreseen: type[Exception]) -> Iterator[None]:
    """Raise `BadRunFile` for an unexpected error, if the run file holds what geobias never writes.

    An error of a type in `foreseen` is raised unchanged.
    """
    try:
        yield
    except Exception as error:
        if not isinstance(error, (GeobiasError, OSError, *foreseen)):
            check(run, error)
        raise


def check(run: RunReader, because: Exception | None = None) -> None:
    if fault := fault_in(run):
        raise BadRunFile(f"{run.path} is damaged, or not made by geobias: {fault}") from because


def fault_in(run: RunReader) -> str:
    """The first thing in the file that geobias never writes, or ""."""
    try:
        return one_line(next(_faults(run), ""))
    except BadRunFile as error:
        return str(error)


def _faults(run: RunReader) -> Iterator[str]:
    for table, names in _TEXTS.items():
        for name in names:
            if _is_there(run, f"SELECT 1 FROM {table} WHERE typeof({name}) <> 'text' LIMIT 1"):  # noqa: S608
                yield f"{table}.{name} has values that are not text"
    for table, names in _NUMBERS.items():
        for name in names:
            odd = f"typeof({name}) NOT IN ('integer', 'real') OR abs({name}) > {LATEST}"
            if _is_there(run, f"SELECT 1 FROM {table} WHERE {odd} LIMIT 1"):  # noqa: S608
                yield f"{table}.{name} has values that are not sensible numbers"
    run.sessions()
    manifest = run.manifest()
    if "model" not in manifest.models:
        yield "its manifest names no model"
    yield from _faulty_records(run)


def _faulty_records(run: RunReader) -> Iterator[str]:
    kinds: dict[str, type] = {}
    for own in all_probes().values():
        kinds |= own.records
    for text, *columns in run.query("SELECT record, trial, probe, country, outcome FROM records"):
        trial, name = columns[:2]
        probe = all_probes().get(name)
        try:
            record = run.decoded(text, StoredRecord)
            common = msgspec.convert(record, _Record)
            msgspec.convert(record, kinds.get(name, _Record))
        except msgspec.ValidationError as error:
            yield f"the record of {trial} is not a {name} record: {error}"
            continue
        if common.country and common.country not in economies():
            yield f"the record of {trial} names no country: {common.country}"
        try:
            if probe:
                probe.showing.describe(record)
        except Exception as error:  # a record of another shape raises many errors
            yield f"the record of {trial} is not a {name} record: {type(error).__name__}: {error}"
        if [common.trial, common.probe, common.country, common.outcome] != columns:
            yield f"the record of {trial} is that of another trial"


def _is_there(run: RunReader, sql: str) -> bool:
    return next(run.query(sql), None) is not None
