"""geobias: an audit of what a language model knows, assumes and works out about the world."""

from __future__ import annotations

from geobias.version import __version__

TYPE_CHECKING = (
    False  # `typing` is not imported: Ctrl-C while it loads would be a traceback of ours
)

__all__ = [
    "Audit",
    "Incomplete",
    "Options",
    "Result",
    "__version__",
    "audit",
    "compare",
    "findings",
    "gate",
    "open_run",
    "run",
]

if TYPE_CHECKING:
    from typing import Any

    from geobias.api import (
        Audit,
        Incomplete,
        Options,
        Result,
        audit,
        compare,
        findings,
        gate,
        open_run,
        run,
    )


def __getattr__(name: str) -> Any:
    """Import a public function when it is first used, so that importing geobias is fast.

    Making a run does not import the statistics, which take about 30 MB.
    """
    if name in {"Options", "Result", "open_run", "run"}:
        from geobias import running

        return getattr(running, name)
    if name in __all__:
        from geobias import api

        return getattr(api, name)
    raise AttributeError(f"module 'geobias' has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public names, including those not imported yet."""
    return __all__
