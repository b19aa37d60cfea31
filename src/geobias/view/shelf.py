"""The runs that were named on the command line: nothing else can be opened."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from geobias.errors import GeobiasError
from geobias.runfile import RunReader
from geobias.runfile.lock import is_written
from geobias.runfile.manifest import Manifest, belongs_to, sum_known
from geobias.runfile.schema import SUFFIX
from geobias.view.index import state_of

LOOK_AGAIN_SECONDS = 1.0
REST = 20
"""Counting a large run that is going takes a while; then it is let alone for so many times that."""


class Shelf:
    """Run files by id. A folder that was named stands for whatever runs are in it by now."""

    def __init__(self, named: Sequence[Path]) -> None:
        self._named = [path.absolute() for path in named]
        self._runs: dict[str, Path] = {}
        self._looked = 0.0
        self._counted: dict[str, _Counted] = {}

    def runs(self) -> Mapping[str, Path]:
        """Id → file. Ids are made from file names, so that an address stays good tomorrow."""
        if time.monotonic() - self._looked > LOOK_AGAIN_SECONDS:
            self._runs = _by_id(self._files())
            self._looked = time.monotonic()
        return self._runs

    def _files(self) -> list[Path]:
        found: list[Path] = []
        for path in self._named:
            found += sorted(path.glob(f"*{SUFFIX}")) if path.is_dir() else [path]
        return list(dict.fromkeys(found))

    def path(self, run: str) -> Path | None:
        """The file of a run; None if no run of this id was named."""
        return self.runs().get(run)

    def progress(self, run: str) -> dict[str, Any]:
        """A run as the list shows it; counted anew only when the file has changed."""
        path = self.runs()[run]
        before, began = self._counted.get(run), time.monotonic()
        try:
            state = state_of(path)
        except OSError:
            state = ()
        if before is None or (before.state != state and began > before.good_until):
            facts = progress(run, path)
            took = time.monotonic() - began
            before = _Counted(state, facts, time.monotonic() + REST * took)
            self._counted[run] = before
        if before.facts["fault"]:
            return before.facts
        going = is_written(path)
        return before.facts | {"going": going, "state": _state(going, before.facts["probes"])}


class _Counted(NamedTuple):
    state: tuple[int, ...]
    facts: dict[str, Any]
    good_until: float


def _by_id(files: Sequence[Path]) -> dict[str, Path]:
    """Names that two files share get a few digits of where each lies."""
    slugs = [_slug(path) for path in files]
    return {
        slug if slugs.count(slug) == 1 else f"{slug}-{_where(path)}": path
        for slug, path in zip(slugs, files, strict=True)
    }


def _slug(path: Path) -> str:
    name = path.name.removesuffix(SUFFIX).encode(errors="replace").decode()
    return re.sub(r"[^A-Za-z0-9_.+-]+", "-", name).strip("-.")[:80] or "run"


def _where(path: Path) -> str:
    return sha256(str(path).encode(errors="surrogateescape")).hexdigest()[:6]


def progress(run: str, path: Path) -> dict[str, Any]:
    """A run as the list shows it: what it is, how far it got, what it cost; or what is wrong."""
    try:
        with RunReader(path) as reader:
            return {"id": run, "file": path.name, "fault": ""} | _facts(reader)
    except GeobiasError as error:
        return {"id": run, "file": path.name, "fault": str(error)}


def _facts(reader: RunReader) -> dict[str, Any]:
    manifest, done = reader.manifest(), reader.done()
    spent, sessions = reader.spent(), reader.sessions()
    costs = [manifest.cost(role, one.tokens_in, one.tokens_out) for role, one in spent.items()]
    parts = _parts(manifest)
    probes = [
        _part(
            part,
            manifest.planned,
            [n for name, n in done.items() if belongs_to(name, parts) == part],
        )
        for part in parts
    ]
    return {
        "models": manifest.models,
        "probes": probes,
        "done": sum(one["done"] for one in probes),
        "planned": sum(one["planned"] for one in probes),
        "calls": sum(one.calls for one in spent.values()),
        "tokens_in": sum_known(one.tokens_in for one in spent.values()),
        "tokens_out": sum_known(one.tokens_out for one in spent.values()),
        "cost": sum_known(costs),
        "created": _minute(manifest.created),
        "started": sessions[-1].started if sessions else None,
        "ended": sessions[-1].ended if sessions else None,
        "verdicts": len(reader.verdicts()),
        "version": manifest.geobias,
    }


def _parts(manifest: Manifest) -> list[str]:
    """What is counted apart: each probe, and what is planned beside it (the judge's questions)."""
    beside = [name for name, n in manifest.planned.items() if n and name not in manifest.probes]
    return [*manifest.probes, *beside]


def _part(part: str, planned: Mapping[str, int], done: Sequence[Mapping[str, int]]) -> Any:
    outcomes: dict[str, int] = {}
    for counts in done:
        for word, n in counts.items():
            outcomes[word] = outcomes.get(word, 0) + n
    finished = sum(outcomes.values())
    wanted = planned.get(part, finished)
    return {
        "probe": part,
        "done": finished,
        "planned": wanted,
        "share": finished / wanted if wanted else 0.0,
        "outcomes": sorted(outcomes.items(), key=lambda one: -one[1]),
    }


def _state(going: bool, probes: Sequence[Mapping[str, Any]]) -> str:
    if going:
        return "running"
    return "complete" if all(one["done"] >= one["planned"] for one in probes) else "stopped"


def _minute(created: str) -> str:
    try:
        return datetime.fromisoformat(created).astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")
    except ValueError:
        return created
