"""Trials of a plan carried out with replies from a user's file, and stored as a run file.

Each line of the file names a trial and gives the replies to it, for a game turn by turn. This works
for every probe with a plan, and `geobias score` uses it for a probe that declares no format of
lines (`Probe.elsewhere`).

The manifest of the run file says where the replies come from, and has only the settings that are
known. The sampling and the cost of the replies are unknown, and so are questions that the file does
not give.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from geobias.errors import BadRequest
from geobias.probes.predictions import (
    PredictionLine,
    Predictions,
    Scored,
    Text,
    Told,
    as_reply,
    asked,
    reply_digest,
    told_by,
)
from geobias.probes.probe import Probe, RunRecords
from geobias.reading import VERSION as READING
from geobias.runfile import Elsewhere, Manifest, RunWriter
from geobias.trials import Ask, Reply, Trial, drive
from geobias.version import __version__

MOST_TURNS = 10_000


class Turn(msgspec.Struct, frozen=True):
    text: Text
    role: str = ""


class TrialLine(PredictionLine, frozen=True, kw_only=True):
    """A trial's name in the plan, and the replies to it, in the order in which it asks for them."""

    trial: str
    reply: Text = None
    replies: list[str | Turn] | None = None


def replayed(probe: Probe[Any, Any]) -> Predictions:
    turns = (
        '"replies": [{"role": "guesser", "text": "…"}, …]'
        if probe.showing.in_turns
        else '"reply": "…"'
    )
    trial = f"{probe.name}/…/0"

    def read(lines: Iterable[bytes], options: Any) -> Scored:
        plan = probe.plan(options)
        trials = {trial.name: trial for trial in plan.trials()}
        told, left_out = told_by(lines, TrialLine, lambda line: _driven(line, trials))
        return Scored(
            told, left_out, settings=plan.settings, editions=plan.editions, prompts=plan.prompts
        )

    return Predictions(
        help=f"""Score replies to the trials of {probe.name} from a file of JSON lines.

        \b
        geobias score {probe.name} --predictions replies.jsonl

        Each line names a trial of the plan with the settings below, as a run file has it
        (`geobias export RUN --to records.csv` lists them), and gives its replies in order:

        \b
        {{"trial": "{trial}", {turns}, "model": "m"}}
        """,
        Options=probe.Settings,
        read=read,
        table=next(iter(probe.tables), ""),
    )


def _driven(line: TrialLine, trials: dict[str, Trial]) -> Told:
    if (trial := trials.get(line.trial)) is None:
        raise ValueError(f"no trial of the plan is called {line.trial[:80]!r}")
    if line.replies is not None and len(line.replies) > MOST_TURNS:
        raise ValueError(f"it has more than {MOST_TURNS:,} replies")
    turns = [
        one if isinstance(one, Turn) else Turn(one)
        for one in ([Turn(line.reply)] if line.replies is None else line.replies)
    ]
    said: list[tuple[Ask, Reply]] = []

    def answer(ask: Ask) -> Reply:
        if len(said) == len(turns):
            raise ValueError(
                f"the line has {len(turns)} replies, but the trial then asks the {ask.role} again"
            )
        turn = turns[len(said)]
        if turn.role and turn.role != ask.role:
            raise ValueError(
                f"reply {len(said) + 1} is of role {turn.role[:40]}, but there the trial asks the "
                f"{ask.role}"
            )
        digest = reply_digest(line.model, line.trial, len(said))
        reply = msgspec.structs.replace(as_reply(turn.text), digest=digest)
        said.append((asked(ask.dialogue, ask.role), reply))
        return reply

    record = drive(trial.start(), answer)
    assert record is not None
    if len(said) < len(turns):
        raise ValueError(f"the trial ends after {len(said)} of its {len(turns)} replies")
    return Told(line.model, record, said)


def answers_of(probe: Probe[Any, Any], scored: Scored, options: Any) -> list[Any]:
    """The `options` may give files that reading the records needs, such as a user's figures."""
    names = probe.Reading.__struct_fields__
    reading = probe.Reading(**{n: getattr(options, n) for n in names if hasattr(options, n)})
    models: dict[str, dict[str, list[dict[str, object]]]] = {}
    for one in scored.told:
        rows = models.setdefault(one.model, {}).setdefault(one.record.probe, [])
        rows.append(msgspec.structs.asdict(one.record))
    runs = [
        RunRecords(
            model=model,
            manifest=_manifest(probe.name, scored, model),
            settings=scored.settings,
            notes=(),
            rows=lambda name, kinds=kinds: kinds.get(name, []),  # type: ignore[misc]
        )
        for model, kinds in models.items()
    ]
    return [probe.answers(run, reading) for run in runs]


MOST_MODELS = 200
"""Maximum number of models in one file. Each model becomes a run file."""


def save_runs(
    probe: str, scored: Scored, to: Path, source: Elsewhere, command: str = ""
) -> list[Path]:
    """Write a run file for each model in `scored`, and return the paths.

    The path is `to` for a single model, and `to` with the model's name added for several. Raises
    `BadRequest` if a run file exists already.
    """
    if not scored.told:
        raise BadRequest(
            f"replies to {probe} can be printed as a table, but not written to a run file: leave "
            "out --to"
        )
    models: dict[str, list[Told]] = {}
    for one in scored.told:
        models.setdefault(one.model or Path(source.file).stem or "replies", []).append(one)
    if len(models) > MOST_MODELS:
        raise BadRequest(
            f"{source.file} names {len(models):,} models: split it into files of {MOST_MODELS}"
        )
    paths = _paths(to, list(models))
    for path in paths:
        if path.exists():
            raise BadRequest(f"{path} exists already; choose another --to, or remove it")
    for path, (model, told) in zip(paths, models.items(), strict=True):
        own = msgspec.structs.replace(source, used=len(told))
        manifest = msgspec.structs.replace(
            _manifest(probe, scored, model),
            planned={probe: 0} | Counter(one.record.probe for one in told),
            command=command,
            notes={probe: [own.in_words()]},
            elsewhere=own,
        )
        _save(path, manifest, told)
    return paths


def _paths(to: Path, models: Sequence[str]) -> list[Path]:
    if len(models) == 1:
        return [to]
    paths = []
    for number, model in enumerate(models, start=1):
        name = re.sub(r"[^\w.+-]+", "-", model).strip("-.")[:80] or f"model{number}"
        path = to.with_name(f"{to.stem}-{name}{to.suffix}")
        paths.append(to.with_name(f"{path.stem}-{number}{to.suffix}") if path in paths else path)
    return paths


def _manifest(probe: str, scored: Scored, model: str) -> Manifest:
    return Manifest(
        geobias=__version__,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        probes={probe: dict(scored.settings)},
        models={"model": model},
        editions=dict(scored.editions),
        prompts=dict(scored.prompts),
        reading=READING,
    )


def _save(path: Path, manifest: Manifest, told: list[Told]) -> None:
    file = RunWriter.open(path, manifest)
    try:
        for one in told:
            for ask, reply in one.said:
                file.save_reply(ask, reply)
            file.save_record(one.record, [reply.digest for _, reply in one.said])
    finally:
        file.close()
    if file.failure:
        raise file.failure
