"""The cores that this process may use, and the signals that ask it to stop."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def hearing_stop(stop: Callable[[], object]) -> Iterator[None]:
    """Call `stop` at SIGINT, SIGTERM, and SIGHUP unless it is ignored (nohup).

    Outside the main thread, no signal is heard.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        numbers.append(signal.SIGHUP)
    before = [signal.signal(number, lambda *_: stop()) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


def usable_cores() -> int:
    """Return the number of cores that this process may use. A container may limit it."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
