"""A recorded run of a real model that comes with geobias: README.md says which and how it was made.

The run file is packed beside this module. It is unpacked into the cache once, and found there from
then on.
"""

from __future__ import annotations

import lzma
from hashlib import sha256
from pathlib import Path

import msgspec

from geobias.errors import CannotWrite, MissingPart
from geobias.files import write_whole
from geobias.sources.cache import cache_folder

HERE = Path(__file__).parent
WORD = Path("example")
"""Stands for the recorded run wherever a run is named."""
PACKED = ".xz"


class PackedRun(msgspec.Struct, frozen=True):
    """One run file of the example: its name, and the hash of what it unpacks to."""

    name: str
    sha256: str


class Example(msgspec.Struct, frozen=True, kw_only=True):
    """What was recorded."""

    model: str
    licence: str
    source: str
    recorded: str
    """The day, e.g. 2026-11-17."""
    size: str
    replies: int
    simulated: bool
    files: list[PackedRun]

    @property
    def in_words(self) -> str:
        kind = "a simulated model" if self.simulated else "a real model"
        return (
            f"A recorded run of {kind}: {self.model} ({self.licence}), {self.recorded}, size "
            f"{self.size}, {self.replies:,} replies."
        )


def example() -> Example:
    """What comes with this installation."""
    return msgspec.json.decode((HERE / "example.json").read_bytes(), type=Example)


def run_named(path: Path) -> Path:
    """The path as it is; the recorded run for the word "example", unless there is such a file."""
    return example_run() if path == WORD and not path.exists() else path


def example_run() -> Path:
    """The recorded run, unpacked: its file, or the folder of its files where there are several."""
    known = example()
    folder = cache_folder() / f"example-{_fingerprint(known)}"
    files = [_unpacked(one, folder) for one in known.files]
    return files[0] if len(files) == 1 else folder


def _fingerprint(known: Example) -> str:
    """Another recording has a folder of its own."""
    return sha256("".join(one.sha256 for one in known.files).encode()).hexdigest()[:12]


def _unpacked(run: PackedRun, folder: Path) -> Path:
    out = folder / run.name
    if out.exists():  # whole, since it was written so; it may hold verdicts of the user's by now
        return out
    try:
        content = lzma.decompress((HERE / (run.name + PACKED)).read_bytes())
    except (OSError, lzma.LZMAError) as error:
        raise _damaged(run.name) from error
    if sha256(content).hexdigest() != run.sha256:
        raise _damaged(run.name)
    try:
        write_whole(out, content)
    except CannotWrite as error:
        raise CannotWrite(f"{error}; GEOBIAS_CACHE=FOLDER names another place") from None
    return out


def _damaged(name: str) -> MissingPart:
    return MissingPart(f"the recorded run {name} of this installation is damaged: install anew")
