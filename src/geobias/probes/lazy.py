"""Polars, loaded when it is first used: that takes a tenth of a second, and most commands make no
table.

    from geobias.probes.lazy import pl
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl
else:

    class _Polars:
        def __getattr__(self, name: str) -> Any:
            return getattr(import_module("polars"), name)

    pl = _Polars()

__all__ = ["pl"]
