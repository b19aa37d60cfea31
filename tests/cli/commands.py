"""Running the command line as a user does: a process, its output and its exit code."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.waiting import PATIENCE


def start(*arguments: str, cwd: Path, **env: str) -> subprocess.Popen[str]:
    """The command in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "geobias", *arguments],
        cwd=cwd,
        env=os.environ | env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def geobias(*arguments: str, cwd: Path, **env: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of a command."""
    process = start(*arguments, cwd=cwd, **env)
    out, err = process.communicate(timeout=PATIENCE)
    return process.returncode, out, err
