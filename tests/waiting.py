"""Waiting for another process or thread: for a sign that it has come so far, never for a time."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from typing import Any

PATIENCE = 240
"""Seconds until something that does not come is a failure: so long that a slow or busy machine does
not reach them, and under pytest's own limit for a test."""


def until(reached: Callable[[], bool], process: subprocess.Popen[Any] | None = None) -> None:
    """Return when `reached` says so; it fails at once if the process ends before that."""
    give_up = time.monotonic() + PATIENCE
    while not reached():
        assert process is None or process.poll() is None or reached(), ended(process)
        assert time.monotonic() < give_up, "it never came so far"
        time.sleep(0.02)


def ended(process: subprocess.Popen[Any]) -> str:
    """What a process says that has ended too soon."""
    out, err = process.communicate()
    return f"exit code {process.returncode}\n{out}\n{err}"
