"""Everything geobias says "no" with.

::

    GeobiasError                one plain sentence for the user; carries the exit code
    ├── BadRequest         2    the user asked for something impossible
    │   ├── BadRunFile     2    not a run file, damaged, too new, or another run
    │   ├── MissingPart    2    an optional part (extra, weights, key) is not installed or set
    │   └── AtlasError     2    no such economy, indicator or year; a file that is not the table
    │                           it should be (a ValueError too)
    └── Stopped            3    the run ended early; nothing is lost, and it can be resumed
        ├── Interrupted    3    Ctrl-C, SIGTERM, a closed terminal
        ├── BudgetReached  3    calls, tokens or money
        ├── ProviderSaysNo 3    key, model name, quota: asking again will not help
        ├── Unreachable    3    the server did not answer for so long that waiting is pointless
        ├── Incomplete     3    some models of an audit; the report of the others comes with it
        │                       (geobias.api)
        ├── AsksWait       3    asks are in files, for whoever executes them
        ├── BadDownload    3    what a data service sent is not what was asked for
        └── CannotWrite    3    disk full or gone

What concerns one question only (a content filter, a context that is too long, an empty reply) is
not an error: it is the `outcome` of a `Reply`, and it ends up in the trial's record.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path

MOST_LETTERS = 3_000
"""Of a message. The longest of ours names twenty faults of a file."""


class GeobiasError(Exception):
    """Base of all errors meant for the user's eyes: `str(error)` is the whole message.

    Of a very long one, which quotes what somebody put into a file, it is both ends.
    """

    exit_code = 2

    def __str__(self) -> str:
        words = super().__str__()
        half = MOST_LETTERS // 2
        return words if len(words) <= MOST_LETTERS else f"{words[:half]} … {words[-half:]}"


class BadRequest(GeobiasError):
    """The user asked for something impossible; says what, and what to do instead."""


class BadRunFile(BadRequest):
    """Not a run file, or a damaged one, or of a newer version, or of another run."""


class MissingPart(BadRequest):
    """Something optional is needed and absent: an extra, model weights, an API key."""


class AtlasError(BadRequest, ValueError):
    """The tables have no such thing, or a file is no such table.

    A ValueError too, as someone who uses the atlas from Python expects of a wrong argument.
    """


class Stopped(GeobiasError):
    """The run ended before all trials were done. What was answered is kept."""

    exit_code = 3


class Interrupted(Stopped):
    """The user asked to stop."""


class BudgetReached(Stopped):
    """The next call would exceed the budget the user set."""


class ProviderSaysNo(Stopped):
    """The provider refuses for good: key, model name, quota, malformed request."""


class Unreachable(Stopped):
    """No useful answer from the server for a long time."""


class AsksWait(Stopped):
    """Asks wait for results that somebody else is to make.

    `count` of them; `files` were written just now; `handed_out` of them are in earlier files.
    """

    def __init__(
        self, message: str, count: int, files: Sequence[Path], *, handed_out: int = 0
    ) -> None:
        super().__init__(message)
        self.count = count
        self.files = tuple(files)
        self.handed_out = handed_out


class BadDownload(Stopped):
    """A web page, half an answer or another file came instead of the data; nothing was kept."""


class CannotWrite(Stopped):
    """A run file or the cache cannot be written: disk full, read-only, gone."""


def meant(name: str, known: Iterable[str], *, before: str = "", after: str = "") -> str:
    """A question to end an error with: which known name was meant; "" where none is like it.

    `before` and `after` are what stands around the name in any case.
    """

    near = get_close_matches(name[:80].lower(), list(known), n=2, cutoff=0.6)
    return f" Did you mean {' or '.join(before + one + after for one in near)}?" if near else ""
