"""Turn Inspect's logs into run files, and compute the report's metrics for Inspect.

The trials of a log are replayed with the logged replies. So a log gives the same records as a
native run with these replies, and replies in an older log are read by today's rules.
"""

from __future__ import annotations

import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from geobias.errors import BadRequest, MissingPart
from geobias.probes.plan import Plan
from geobias.probes.registry import find_probe, plan_of, probe_names
from geobias.report.findings import collect
from geobias.runfile import Manifest, RunReader, RunWriter
from geobias.running import make_manifest
from geobias.trials import Ask, Reply, StoredRecord, StoredSettings, Trial, drive
from geobias.version import __version__

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample


NO_EPOCHS = "geobias counts repeats itself: give -T repeats=N in place of --epochs N"
REPLIES = "geobias_replies"
"""Key in a sample's store. The value has all replies that led to the record, in order."""
MOST_PART_BYTES = 256 << 20
MOST_LOG_BYTES = 4 << 30
MOST_TRIALS = 2_000_000
"""Maximum trials in the plan that a log names.

The largest plan of geobias has ten thousand.
"""
_KEPT = tuple(name for name in Reply.__struct_fields__ if name != "digest")


def run_from_log(log: Path, out: Path) -> RunReader:
    """Convert the log to a run file at `out`.

    Samples that ended in an error have no record and count as not done.
    """
    try:
        return _made(log, _read(log), out)
    except (msgspec.ValidationError, UnicodeEncodeError) as error:  # for example half a character
        raise BadRequest(f"{log} is not a log of geobias: {error}") from None


def _made(log: Path, read: EvalLog, out: Path) -> RunReader:
    probe = read.eval.task.removeprefix("geobias/")
    if probe not in probe_names():
        raise BadRequest(f"{log} is a log of the task {read.eval.task!r}, not one of geobias'")
    if (read.eval.config.epochs or 1) > 1:
        raise BadRequest(f"{log}: {NO_EPOCHS}")
    plan = plan_of(find_probe(probe), read.eval.task_args)
    wanted = {str(sample.id) for sample in read.samples or []}
    if sum(plan.planned.values()) > MOST_TRIALS:
        raise BadRequest(f"{log} is of a plan with more than {MOST_TRIALS:,} trials")
    trials = {trial.name: trial for trial in plan.trials() if trial.name in wanted}
    models = {"model": read.eval.model} | {
        role: str(getattr(config, "model", config))
        for role, config in (read.eval.model_roles or {}).items()
    }
    command = f"inspect eval {read.eval.task} --model {read.eval.model}"
    manifest = msgspec.structs.replace(
        make_manifest([plan], models, {}, command),
        created=read.eval.created,
        planned=_planned(read, plan),
    )
    file = RunWriter.open(out, manifest)
    try:
        for sample in read.samples or []:
            if (trial := trials.get(str(sample.id))) is None:
                raise BadRequest(f"{log} has a sample {sample.id!r} that the task does not have")
            _replay(file, trial, sample, models)
    finally:
        file.close()
    if file.failure:
        raise file.failure
    return RunReader(out)


def _read(log: Path) -> EvalLog:
    _check_size(log)
    try:
        from inspect_ai.log import read_eval_log
    except ImportError:
        raise MissingPart(
            "reading Inspect's logs needs Inspect AI: pip install 'geobias[inspect]'"
        ) from None
    try:
        return read_eval_log(str(log))
    except Exception as error:  # a broken zip or JSON raises many errors
        raise BadRequest(f"{log} is not a log of Inspect: {' '.join(str(error).split())}") from None


def _check_size(log: Path) -> None:
    """Refuse a log whose stated sizes are too large. Readers unpack no more than is stated."""
    try:
        with zipfile.ZipFile(log) as archive:
            parts = archive.infolist()
    except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise BadRequest(f"{log} is not a log of Inspect: {error}") from None
    largest = max((part.file_size for part in parts), default=0)
    if largest > MOST_PART_BYTES or sum(part.file_size for part in parts) > MOST_LOG_BYTES:
        raise BadRequest(f"{log} is not a log of Inspect: it unpacks to more than the maximum size")


def _planned(log: EvalLog, plan: Plan) -> dict[str, int]:
    """Return the number of trials by record name. --limit makes fewer than planned."""
    samples = log.eval.dataset.sample_ids
    return Counter(str(id_).split("/")[0] for id_ in samples) if samples else plan.planned


def _replay(file: RunWriter, trial: Trial, sample: EvalSample, models: Mapping[str, str]) -> None:
    """Drive the trial with the stored replies. A trial that was cut short gets no record."""
    digests: list[bytes] = []
    stored = iter(msgspec.convert(sample.store.get(REPLIES, []), list[Any]))

    def kept(ask: Ask) -> Reply | None:
        if ask.optional:  # Inspect's tasks ask none of these
            return Reply("", "unasked")
        if (one := next(stored, None)) is None:
            return None
        digest = ask.digest(models.get(ask.role) or models["model"])
        said = msgspec.convert(one, StoredRecord)
        known = {name: said[name] for name in _KEPT if name in said}
        reply = msgspec.structs.replace(msgspec.convert(known, Reply), digest=digest)
        file.save_reply(ask, reply)
        digests.append(digest)
        return reply

    if (record := drive(trial.start(), kept)) is not None:
        file.save_record(record, digests)


def metrics_of(
    probe: str, settings: StoredSettings, records: Iterable[StoredRecord]
) -> dict[str, float]:
    """Return the report's metrics for a probe's records by name, without undefined metrics.

    `PROBE.measurable` is 1, or 0 if a screen failed. In that case only metrics that need no screen
    are included, such as the share of declined questions.
    """
    rows = list(records)
    counts = Counter(str(row["probe"]) for row in rows)
    if probe not in counts:
        return {}
    manifest = Manifest(
        geobias=__version__,
        created="",
        probes={probe: dict(settings)},
        models={"model": "model"},
        planned=dict(counts),
    )
    with tempfile.TemporaryDirectory(prefix="geobias-") as folder:
        path = Path(folder) / "records.geobias"
        file = RunWriter.open(path, manifest)
        for row in rows:
            file.save_row(row)
        file.close()
        with RunReader(path) as run:
            sections = collect([run], brief=True).sections
    known = {f"{one.probe}.measurable": float(one.measurable) for one in sections}
    return known | {
        metric.name: metric.value
        for section in sections
        for metric in section.metrics
        if metric.value is not None and (section.measurable or not metric.screened)
    }
