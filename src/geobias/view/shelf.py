"""The runs that were named on the command line. Nothing else can be opened."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from geobias.errors import GeobiasError
from geobias.report.records import spending
from geobias.runfile import RunReader
from geobias.runfile.lock import is_written
from geobias.runfile.manifest import Manifest, belongs_to
from geobias.runfile.schema import SUFFIX, run_files_at
from geobias.view.index import outcome_words, state_of

LOOK_AGAIN_SECONDS = 1.0


class Shelf:
    """Run files by id. A folder that was named stands for its current runs."""

    def __init__(self, named: Sequence[Path]) -> None:
        self._named = [path.absolute() for path in named]
        self._runs: dict[str, Path] = {}
        self._looked = 0.0
        self._counted: dict[str, tuple[tuple[int, ...], dict[str, Any]]] = {}

    def runs(self) -> Mapping[str, Path]:
        """Id → file. Ids come from file names, so addresses stay valid."""
        if time.monotonic() - self._looked > LOOK_AGAIN_SECONDS:
            files = (file for path in self._named for file in run_files_at(path))
            self._runs = _by_id(list(dict.fromkeys(files)))
            self._looked = time.monotonic()
        return self._runs

    def progress(self, run: str) -> dict[str, Any]:
        """A run for the list, counted anew only when the file has changed."""
        path = self.runs()[run]
        try:
            state = state_of(path)
        except OSError:
            state = ()
        if run not in self._counted or self._counted[run][0] != state:
            self._counted[run] = state, progress(run, path)
        facts = self._counted[run][1]
        return facts if facts["fault"] else facts | {"state": _state(path, facts["probes"])}


def _by_id(files: Sequence[Path]) -> dict[str, Path]:
    """Files by id; names that two files share get a few digits of a hash of their place."""
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
    """A run for the list: its description, progress and cost, or what is wrong with it."""
    try:
        with RunReader(path) as reader:
            manifest = reader.manifest()
            probes = _probes(manifest, reader.done())
            return spending(reader) | {
                "id": run,
                "file": path.name,
                "fault": "",
                "models": manifest.models,
                "probes": probes,
                "done": sum(one["done"] for one in probes),
                "planned": sum(one["planned"] for one in probes),
                "created": _minute(manifest.created),
                "verdicts": len(reader.verdicts()),
                "version": manifest.geobias,
            }
    except GeobiasError as error:
        return {"id": run, "file": path.name, "fault": str(error)}


def _probes(manifest: Manifest, done: Mapping[str, Mapping[str, int]]) -> list[dict[str, Any]]:
    """The progress of each probe, and of what is planned beside it (the judge's questions)."""
    planned_beside = [name for name, n in manifest.planned.items() if n]
    outcomes = {name: Counter[str]() for name in (*manifest.probes, *planned_beside)}
    for name, counts in done.items():
        if (owner := belongs_to(name, outcomes)) is not None:
            for outcome, count in counts.items():
                outcomes[owner][outcome_words(name, outcome)] += count
    rows = []
    for name, counted in outcomes.items():
        finished = counted.total()
        planned = manifest.planned.get(name, finished)
        share = finished / planned if planned else 0.0
        row = {"probe": name, "done": finished, "planned": planned, "share": share}
        rows.append(row | {"outcomes": counted.most_common()})
    return rows


def _state(path: Path, probes: Sequence[Mapping[str, Any]]) -> str:
    if is_written(path):
        return "running"
    return "complete" if all(one["done"] >= one["planned"] for one in probes) else "stopped"


def _minute(created: str) -> str:
    try:
        return datetime.fromisoformat(created).astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")
    except ValueError:
        return created
