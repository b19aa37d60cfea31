"""What is wrong with the content of a run file, looked for once reading it has failed.

A file from elsewhere can hold anything in a record. The rooms that read records take them to be
what geobias writes; looking at every field beforehand would cost every reader of every good file.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from geobias.atlas.economies import economies
from geobias.errors import BadRunFile, GeobiasError
from geobias.probes.registry import all_probes
from geobias.results.text import one_line
from geobias.runfile import RunReader

LATEST = 32_503_680_000.0
"""Of times in a file, in Unix seconds: the year 3000."""
_TEXTS = {
    "replies": ("said", "role", "sampling", "text", "reasoning", "outcome", "finish", "model"),
    "records": ("trial", "probe", "country", "outcome", "record"),
    "sessions": ("counts",),
}
_NUMBERS = {"replies": ("tokens_in", "tokens_out", "seconds", "at"), "sessions": ("started",)}


class _Record(msgspec.Struct):
    """What the records of any probe have."""

    trial: str
    probe: str
    outcome: str
    country: str = ""


@contextmanager
def blaming(run: RunReader, *foreseen: type[Exception]) -> Iterator[None]:
    """Where something fails in a way that nobody foresaw, and the run file holds what geobias never
    writes, that is the reason which is given: a `BadRunFile`."""
    try:
        yield
    except Exception as error:
        if not isinstance(error, (GeobiasError, OSError, *foreseen)):
            check(run, error)
        raise


def check(run: RunReader, because: Exception | None = None) -> None:
    """Raises a `BadRunFile` where the run file holds what geobias would not have written."""
    if fault := fault_in(run):
        raise BadRunFile(f"{run.path} is damaged, or not made by geobias: {fault}") from because


def fault_in(run: RunReader) -> str:
    """The first thing that geobias would not have written; "" where there is none."""
    try:
        return one_line(next(_faults(run), ""))
    except BadRunFile as error:
        return str(error)


def _faults(run: RunReader) -> Iterator[str]:
    for table, names in _TEXTS.items():
        for name in names:
            if _is_there(run, f"SELECT 1 FROM {table} WHERE typeof({name}) <> 'text' LIMIT 1"):  # noqa: S608
                yield f"{table}.{name} is not text everywhere"
    for table, names in _NUMBERS.items():
        for name in names:
            odd = f"typeof({name}) NOT IN ('integer', 'real') OR abs({name}) > {LATEST}"
            if _is_there(run, f"SELECT 1 FROM {table} WHERE {odd} LIMIT 1"):  # noqa: S608
                yield f"{table}.{name} is not a sensible number everywhere"
    run.sessions()
    manifest = run.manifest()
    if "model" not in manifest.models:
        yield "its manifest names no model"
    yield from _faulty_records(run)


def _faulty_records(run: RunReader) -> Iterator[str]:
    kinds: dict[str, type] = {}
    for own in all_probes().values():
        kinds |= {own.name: own.Record, **own.record_kinds}
    for text, *columns in run.query("SELECT record, trial, probe, country, outcome FROM records"):
        trial, name = columns[:2]
        probe = all_probes().get(name)
        try:
            record = run.decoded(text)
            common = msgspec.convert(record, _Record)
            msgspec.convert(record, kinds.get(name, _Record))
        except msgspec.ValidationError as error:
            yield f"the record of {trial} is none of {name}'s: {error}"
            continue
        if common.country and common.country not in economies():
            yield f"the record of {trial} names no country: {common.country}"
        try:
            if probe:
                probe.describe(record)
        except Exception as error:  # whatever a record of another shape leads to
            yield f"the record of {trial} is none of {name}'s: {type(error).__name__}: {error}"
        if [common.trial, common.probe, common.country, common.outcome] != columns:
            yield f"the record of {trial} is that of another trial"


def _is_there(run: RunReader, sql: str) -> bool:
    return next(run.query(sql), None) is not None
