"""geobias audits what a language model knows and assumes about the places of the world."""

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
    """Import a public function when it is first used, so that `import geobias` is fast.

    A run never imports the statistics, which need about 30 MB of memory.
    """
    if name in {"Options", "Result", "open_run", "run"}:
        from geobias import running

        return getattr(running, name)
    if name in __all__:
        from geobias import api

        return getattr(api, name)
    raise AttributeError(f"module 'geobias' has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return the public names, including those that are not imported yet."""
    return __all__
