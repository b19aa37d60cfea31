"""What is made when it is first used, since most commands use little of it.

from geobias.probes.lazy import pl       # Polars: a tenth of a second to load
from geobias.probes.lazy import regex    # the readers' 450 patterns: half a second to compile
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from re import compile as regex

    import polars as pl
else:

    class _Polars:
        def __getattr__(self, name: str) -> Any:
            found = self.__dict__[name] = getattr(import_module("polars"), name)
            return found

    pl = _Polars()

    class regex:
        """`re.compile`, later."""

        def __init__(self, text: str, flags: int = 0) -> None:
            self._text, self._flags = text, flags

        def __getattr__(self, name: str) -> Any:
            compiled = re.compile(self._text, self._flags)
            # From now on as quick as the pattern itself.
            self.__dict__ |= {one: getattr(compiled, one) for one in dir(compiled) if one[0] != "_"}
            return getattr(compiled, name)


__all__ = ["pl", "regex"]
