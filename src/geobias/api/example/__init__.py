"""A recorded run of a real model that comes with geobias: README.md says which and how it was made.

The run file is packed beside this module. It is unpacked into the cache once, and found there from
then on. Its report is packed too, with a fingerprint of the code that made it: other code, which
may find other numbers in the same replies, makes it anew.
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
PAGE = "report.html"


class Example(msgspec.Struct, frozen=True, kw_only=True):
    """What was recorded."""

    model: str
    licence: str
    source: str
    recorded: str
    """The day, e.g. 2026-11-17."""
    size: str
    """In words, e.g. "size standard"."""
    replies: int
    file: str
    """The run file; it is packed under this name and `PACKED`."""
    sha256: str
    """Of the run file."""
    page_by: str = ""
    """Fingerprint of the code that made the packed report."""

    @property
    def in_words(self) -> str:
        return (
            f"A recorded run of a real model: {self.model} ({self.licence}), {self.recorded}, "
            f"{self.size}, {self.replies:,} replies."
        )


def example() -> Example:
    """What comes with this installation."""
    return msgspec.json.decode((HERE / "example.json").read_bytes(), type=Example)


def run_named(path: Path) -> Path:
    """The path as it is; the recorded run for the word "example", unless there is such a file."""
    return example_run() if path == WORD and not path.exists() else path


def example_run() -> Path:
    """The recorded run, unpacked."""
    known = example()
    out = cache_folder() / f"example-{known.sha256[:12]}" / known.file  # each recording has its own
    if out.exists():  # whole, since it was written so; it may hold verdicts of the user's by now
        return out
    try:
        content = lzma.decompress((HERE / (known.file + PACKED)).read_bytes())
    except (OSError, lzma.LZMAError) as error:
        raise _damaged(known.file) from error
    if sha256(content).hexdigest() != known.sha256:
        raise _damaged(known.file)
    try:
        write_whole(out, content)
    except CannotWrite as error:
        raise CannotWrite(f"{error}; GEOBIAS_CACHE=FOLDER names another place") from None
    return out


def packed_page() -> bytes | None:
    """The report of the recorded run, if it is what this code would make of it."""
    if example().page_by != code_fingerprint():
        return None
    try:
        return lzma.decompress((HERE / (PAGE + PACKED)).read_bytes())
    except (OSError, lzma.LZMAError):
        return None


def code_fingerprint() -> str:
    """Of everything in the package that a report may rest on: code, templates, tables."""
    digest = sha256()
    here = Path(__file__).parent
    package = here.parents[1]
    for path in sorted(package.rglob("*")):
        if path.is_file() and here not in path.parents and path.suffix != ".pyc":
            digest.update(f"{path.relative_to(package).as_posix()}\0".encode())
            digest.update(sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:32]


def _damaged(name: str) -> MissingPart:
    return MissingPart(f"the recorded run {name} of this installation is damaged: install anew")
