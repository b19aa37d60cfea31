"""The runs that were named on the command line. Nothing else can be opened."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import msgspec

from geobias.errors import GeobiasError
from geobias.report.records import Spending, spending
from geobias.runfile import RunReader
from geobias.runfile.lock import is_written
from geobias.runfile.manifest import Manifest
from geobias.runfile.schema import SUFFIX, run_files_at
from geobias.view.index import state_of

LOOK_AGAIN_SECONDS = 1.0


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """A run in the list of runs. A file that cannot be read has only `id`, `file` and `fault`.

    `parts` has the name of each part, with the numbers of trials done and planned.
    """

    id: str
    file: str
    fault: str = ""
    manifest: Manifest | None = None
    parts: list[tuple[str, int, int]] = []
    spent: Spending | None = None
    created: str = ""
    verdicts: int = 0


class RunList:
    """Run files by id. A folder named on the command line stands for its current runs."""

    def __init__(self, named: Sequence[Path]) -> None:
        self._named = [path.absolute() for path in named]
        self._runs: dict[str, Path] = {}
        self._looked = 0.0
        self._counted: dict[str, tuple[tuple[int, ...], Progress]] = {}

    def runs(self) -> Mapping[str, Path]:
        """Id → file. An id comes from the name of the file, so addresses of pages stay valid."""
        if time.monotonic() - self._looked > LOOK_AGAIN_SECONDS:
            files = (file for path in self._named for file in run_files_at(path))
            self._runs = _by_id(list(dict.fromkeys(files)))
            self._looked = time.monotonic()
        return self._runs

    def progress(self, run: str) -> Progress:
        """The progress of a run, counted again only if the file has changed."""
        path = self.runs()[run]
        try:
            state = state_of(path)
        except OSError:
            state = ()
        if run not in self._counted or self._counted[run][0] != state:
            self._counted[run] = state, progress(run, path)
        return self._counted[run][1]

    def state(self, run: str) -> str:
        """Whether a run is running, complete or stopped; "" for an unreadable file."""
        found = self.progress(run)
        if found.fault:
            return ""
        if is_written(self.runs()[run]):
            return "running"
        return "complete" if all(done >= planned for _, done, planned in found.parts) else "stopped"


def _by_id(files: Sequence[Path]) -> dict[str, Path]:
    """Id → file. If two files share a name, their ids end in digits of a hash of their path."""
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


def progress(run: str, path: Path) -> Progress:
    try:
        with RunReader(path) as reader:
            manifest = reader.manifest()
            return Progress(
                id=run,
                file=path.name,
                manifest=manifest,
                parts=[
                    (name, done, manifest.planned.get(name, done))
                    for name, done in manifest.done(reader.done()).items()
                    if name in manifest.probes or manifest.planned[name]
                ],
                spent=spending(reader),
                created=_minute(manifest.created),
                verdicts=len(reader.verdicts()),
            )
    except GeobiasError as error:
        return Progress(id=run, file=path.name, fault=str(error))


def _minute(created: str) -> str:
    try:
        return datetime.fromisoformat(created).astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")
    except ValueError:
        return created
