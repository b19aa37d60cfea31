"""Replies from elsewhere as a run file, which report, compare, gate and view take like any other.

The manifest says where they come from, and holds of the settings only what is known. How they were
sampled, what they cost and, where the file does not give it, what was asked is not known and not
made up.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from geobias import __version__
from geobias.errors import BadRequest
from geobias.probes.predictions import Scored, Told
from geobias.runfile import Elsewhere, Manifest, RunWriter

MOST_MODELS = 200
"""Of one file: each becomes a run file of its own."""


def save_runs(
    probe: str, scored: Scored[Any], to: Path, source: Elsewhere, command: str = ""
) -> list[Path]:
    """A run file for each model of the file: `to` itself for one, `to` with the model's name for
    several. A run file that is there already is not touched: a `BadRequest`.
    """
    if not scored.told:
        raise BadRequest(f"replies to {probe} can be tabled, and not made a run file")
    models: dict[str, list[Told]] = {}
    for one in scored.told:
        models.setdefault(one.model or Path(source.file).stem or "replies", []).append(one)
    if len(models) > MOST_MODELS:
        raise BadRequest(f"{source.file} names {len(models):,} models, and at most {MOST_MODELS}")
    paths = _paths(to, list(models))
    for path in paths:
        if path.exists():
            raise BadRequest(f"{path} is there already; choose another --to, or remove it")
    for path, (model, told) in zip(paths, models.items(), strict=True):
        own = msgspec.structs.replace(source, used=len(told))
        _save(path, _manifest(probe, scored, model, told, own, command), told)
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


def _manifest(
    probe: str, scored: Scored[Any], model: str, told: list[Told], source: Elsewhere, command: str
) -> Manifest:
    counts = Counter(one.record.probe for one in told)
    return Manifest(
        geobias=__version__,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        probes={probe: dict(scored.settings)},
        models={"model": model},
        editions=dict(scored.editions),
        prompts=dict(scored.prompts),
        planned={probe: 0} | dict(counts),
        command=command,
        notes={probe: [source.in_words()]},
        elsewhere=source,
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
