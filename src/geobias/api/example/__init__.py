"""A recorded run of a real model, shipped with geobias. README.md describes it.

The run file is packed beside this module and is unpacked into the cache when it is first used. Its
report is packed too.
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
"""Names the recorded run wherever a run is expected."""
PACKED = ".xz"
PAGE = "report.html"


class Example(msgspec.Struct, frozen=True, kw_only=True):
    """Facts about the recorded run."""

    model: str
    licence: str
    source: str
    recorded: str
    """The day of the recording, e.g. 2026-11-17."""
    size: str
    """The run's size in words, e.g. "size standard"."""
    replies: int
    file: str
    """Name of the run file. The packed file has the suffix `PACKED` as well."""
    sha256: str
    """Hash of the run file."""

    @property
    def in_words(self) -> str:
        return (
            f"A recorded run of a real model: {self.model} ({self.licence}), {self.recorded}, "
            f"{self.size}, {self.replies:,} replies."
        )


def example() -> Example:
    return msgspec.json.decode((HERE / "example.json").read_bytes(), type=Example)


def run_named(path: Path) -> Path:
    """Return the recorded run if the path is "example" and no such file exists, else the path."""
    return example_run() if path == WORD and not path.exists() else path


def example_run() -> Path:
    known = example()
    out = cache_folder() / f"example-{known.sha256[:12]}" / known.file  # each recording has its own
    if out.exists():  # complete, perhaps with verdicts of the user
        return out
    content = _unpacked(known.file)
    if sha256(content).hexdigest() != known.sha256:
        raise _damaged(known.file)
    try:
        write_whole(out, content)
    except CannotWrite as error:
        raise CannotWrite(f"{error}; GEOBIAS_CACHE=FOLDER names another place") from None
    return out


def packed_page() -> bytes:
    return _unpacked(PAGE)


def _unpacked(name: str) -> bytes:
    try:
        return lzma.decompress((HERE / (name + PACKED)).read_bytes())
    except (OSError, lzma.LZMAError) as error:
        raise _damaged(name) from error


def _damaged(name: str) -> MissingPart:
    return MissingPart(f"the recorded {name} is damaged: reinstall geobias")
