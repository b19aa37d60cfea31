"""The same work on many things, in several processes."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

from geobias.errors import Stopped

T = TypeVar("T")
R = TypeVar("R")


def in_processes(work: Callable[[T], R], things: Sequence[T], number: int) -> Iterator[R]:
    """What comes of each, in their order. `work` and all that it is told can be pickled."""
    # Started afresh: a fork would carry threads' locks over.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(number, context, _begin)
    try:
        yield from pool.map(work, things)
    except BrokenProcessPool:
        raise Stopped(
            "A process that was at work is gone, for want of memory perhaps; fewer --workers need "
            "less."
        ) from None
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _begin() -> None:
    """Start a worker process. Ctrl-C is for the first process, which then ends the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Each has a core to itself: threads of its own would only wait for each other.
    os.environ["POLARS_MAX_THREADS"] = "1"
