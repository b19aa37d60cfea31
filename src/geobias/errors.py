"""All errors that geobias raises for the user.

::

    GeobiasError                one plain sentence for the user; carries the exit code
    ├── BadRequest         2    the user asked for something impossible
    │   ├── BadRunFile     2    not a run file, damaged, of another version, or another run
    │   ├── MissingPart    2    an optional part (extra, weights, key) is not installed or set
    │   └── AtlasError     2    no such economy, indicator or year, or a file that is not the
    │                           table it should be (also a ValueError)
    └── Stopped            3    the run ended early; nothing is lost, and it can be resumed
        ├── Interrupted    3    Ctrl-C, SIGTERM, a closed terminal
        ├── BudgetReached  3    the limit of calls, tokens or money
        ├── ProviderSaysNo 3    key, model name, quota: asking again will not help
        ├── Unreachable    3    the server has not answered for a long time
        ├── Incomplete     3    some models of an audit failed; carries the report of the others
        │                       (geobias.api)
        ├── AsksWait       3    asks are in files and wait for results made elsewhere
        ├── BadDownload    3    a data service sent something other than the requested data
        └── CannotWrite    3    the disk is full, read-only or gone

A failure of a single question (a content filter, a context that is too long, an empty reply) is not
an error. It is the `outcome` of a `Reply`, and the trial's record keeps it.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

MOST_LETTERS = 3_000
"""Maximum characters of a message. The longest message of geobias lists twenty faults of a file."""


class GeobiasError(Exception):
    """Base of all errors that the user sees: `str(error)` is the whole message.

    A message that is too long, for example because it quotes a file, is cut in the middle.
    """

    exit_code = 2

    def __str__(self) -> str:
        words = super().__str__()
        half = MOST_LETTERS // 2
        return words if len(words) <= MOST_LETTERS else f"{words[:half]} … {words[-half:]}"


class BadRequest(GeobiasError):
    """The user asked for something impossible. The message says what, and what to do instead."""


class BadRunFile(BadRequest):
    """The file is not a run file, is damaged or of another version, or holds another run."""


class MissingPart(BadRequest):
    """An optional part is needed but absent: an extra, model weights, an API key."""


class AtlasError(BadRequest, ValueError):
    """The tables have no such entry, or a file is not the table it should be.

    AtlasError is also a ValueError, which users of the atlas expect for a wrong argument.
    """


class Stopped(GeobiasError):
    """The run ended before all trials were done. The replies so far are kept."""

    exit_code = 3


class Interrupted(Stopped):
    """The user asked to stop."""


class BudgetReached(Stopped):
    """The next call would exceed the budget the user set."""


class ProviderSaysNo(Stopped):
    """The provider refuses permanently: key, model name, quota, malformed request."""


class Unreachable(Stopped):
    """The server has given no useful answer for a long time."""


class AsksWait(Stopped):
    """The run's asks are in files and wait for results that are made elsewhere."""


class BadDownload(Stopped):
    """A download was incomplete, or not the requested data. Nothing was stored."""


class CannotWrite(Stopped):
    """A run file or the cache cannot be written: the disk is full, read-only or gone."""


def meant(name: str, known: Iterable[str], *, before: str = "", after: str = "") -> str:
    """Return a hint to end an error message with ("did you mean …?"); "" if no name is similar.

    `before` and `after` are put around the suggested name.
    """

    near = get_close_matches(name[:80].lower(), list(known), n=2, cutoff=0.6)
    return f" Did you mean {' or '.join(before + one + after for one in near)}?" if near else ""


def unknown(what: str, name: str, known: Iterable[str]) -> BadRequest:
    """The error for an unknown name. Its message lists the known ones."""
    names = list(known)
    return BadRequest(
        f"no {what} is called {name!r}: choose from {', '.join(names)}.{meant(name, names)}"
    )
