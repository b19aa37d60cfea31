"""Reuse replies of other run files, so that an ask to a model is paid for only once.

A reply is found by the digest of its ask, so the other run may have other probes, another size or
another seed. The reply is copied with a note of its file and the price 0.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from geobias.errors import BadRunFile
from geobias.runfile.manifest import Manifest
from geobias.runfile.reading import RunReader
from geobias.runfile.schema import Batch, run_files_at
from geobias.runfile.writing import RunWriter, parts_of
from geobias.trials import Ask, Reply, Trial, replayed


def copy_replies(
    manifest: Manifest, trials: Iterable[Trial], file: RunWriter, others: OtherRuns
) -> None:
    def find(ask: Ask, digest: bytes) -> Reply | None:
        if (known := file.find(digest)) is not None:
            return known
        if (found := others.find(digest)) is not None:
            file.save_reused(ask, *found)
        return found[0] if found else None

    for trial in trials if others else ():
        replayed(trial, manifest.models, find)


REUSED = ("ok", "empty", "filtered", "too_long")
"""Outcomes of replies that are reused, because another call would hardly change them."""


def _asked(manifest: Manifest, role: str) -> tuple[str, str]:
    role = role if role in manifest.models else "model"
    return manifest.models.get(role, ""), str(manifest.asked.get(role, {}))


class OtherRuns:
    """Other run files with replies of the models of the run at `path`.

    `named` are files and folders that must be readable. In `folder`, unreadable files are skipped.
    Only replies that exist when the files are opened count. If `path` is a part of another run,
    that run's replies count whatever their outcome.
    """

    def __init__(
        self,
        path: Path,
        manifest: Manifest,
        named: Iterable[Path | str] = (),
        folder: Path | None = None,
    ) -> None:
        self._path = path
        self._runs: list[tuple[RunReader, set[bytes], Batch]] = []
        seen = {path.resolve()}
        try:
            for other in (one for place in named for one in run_files_at(Path(place))):
                self._open(other, manifest, seen)
            for other in run_files_at(folder) if folder is not None and folder.is_dir() else ():
                with suppress(BadRunFile):
                    self._open(other, manifest, seen)
        except BaseException:
            self.close()
            raise

    def _open(self, path: Path, ours: Manifest, seen: set[Path]) -> None:
        if path.resolve() in seen:
            return
        seen.add(path.resolve())
        run = RunReader(path)
        try:
            theirs = run.manifest()
            # A digest names the model, but not the parameters of its calls.
            asked = {_asked(ours, role) for role in ours.models}
            roles = [role for (role,) in run.query("SELECT DISTINCT role FROM replies")]
            alike = [role for role in roles if _asked(theirs, role) in asked]
            if theirs.elsewhere is not None or not alike:
                run.close()
                return
            wanted = f"role IN ({', '.join('?' * len(alike))})"
            if parts_of(path) != self._path.parent:
                wanted += f" AND outcome IN {REUSED}"
            sql = f"SELECT digest FROM replies WHERE {wanted}"  # noqa: S608 - our own words
            known = {digest for (digest,) in run.query(sql, tuple(alike))}
        except BadRunFile:
            run.close()
            raise
        tag = f"reused {path.resolve()}"
        source = Batch(tag=tag, model="", file=path.name, state="reused", price=0.0, at=time.time())
        self._runs.append((run, known, source))

    def __bool__(self) -> bool:
        return bool(self._runs)

    def find(self, digest: bytes) -> tuple[Reply, Batch] | None:
        for run, known, source in self._runs:
            if digest not in known:
                continue
            reply = None
            with suppress(BadRunFile):  # foreign, damaged or removed meanwhile
                saved = run.reply(digest)
                reply = saved.as_reply() if saved else None
            if reply is not None:
                return reply, source
        return None

    def close(self) -> None:
        for run, *_ in self._runs:
            run.close()
        self._runs.clear()
