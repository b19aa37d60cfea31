"""Results kept by the content of what they were worked out from.

A report asks for the same numbers more than once: for a table, for the sentence about it and for
the paper's numbers beside it. Each is worked out once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from hashlib import blake2b
from threading import Lock
from types import NoneType
from typing import Any, ParamSpec, TypeVar

import numpy as np

P = ParamSpec("P")
T = TypeVar("T")

_MOST = 20_000
"""Results that are kept, the oldest dropped first. Each is a few numbers."""
_kept: dict[bytes, Any] = {}
_lock = Lock()


def remembered(work: Callable[P, T]) -> Callable[P, T]:
    """A function that works the same arguments out once. For functions of arrays, lists and plain
    values, whose results nobody changes; with an argument of another type it is simply called."""
    name = f"{work.__module__}.{work.__qualname__}"

    @wraps(work)
    def asked(*args: P.args, **kwargs: P.kwargs) -> T:
        key = _key([name, *args, *kwargs, *kwargs.values()])
        if key is None:
            return work(*args, **kwargs)
        with _lock:
            if key in _kept:
                known: T = _kept[key]
                return known
        found = work(*args, **kwargs)
        with _lock:
            if len(_kept) >= _MOST:
                del _kept[next(iter(_kept))]
            _kept[key] = found
        return found

    return asked


def _key(arguments: Sequence[Any]) -> bytes | None:
    """The content of arguments; None where it cannot be told."""
    digest = blake2b(digest_size=16)
    for one in arguments:
        if isinstance(one, np.ndarray):
            content = repr(one.tolist()).encode() if one.dtype == object else one.tobytes()
            digest.update(f"{one.dtype}{one.shape}".encode() + content)
        elif isinstance(one, tuple):
            if (inner := _key(one)) is None:
                return None
            digest.update(inner)
        elif isinstance(one, list | range | str | int | float | NoneType):
            digest.update(f"{one!r};".encode())  # 1, 23 is not 12, 3
        else:
            return None
    return digest.digest()
