"""pip install, told in a line every few seconds; pip's warnings and notices only where it fails.

    .venv/bin/python tools/install.py ARGUMENTS OF PIP INSTALL...

What pip warns of (an index that it ignores, a newer pip) is nothing that a user of geobias can or
need act on while all goes well. Where something fails, all that pip said is shown.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from threading import Thread
from typing import IO

LINE_SECONDS = 3.0
_STEP = re.compile(r"(Collecting|Downloading|Building|Preparing|Installing) (\S.*)")
_ADDRESS = re.compile(r"\S*/(?=[^/\s]+$|[^/\s]+ \()")
"""Before the name of a file; its size may follow."""


def step(line: str) -> str:
    """What pip is at, where a line of its says so: "Downloading numpy-2.3.whl (5.1 MB)"."""
    found = _STEP.match(line.strip())
    return f"{found[1]} {_ADDRESS.sub('', found[2])}"[:100] if found else ""


def _read(output: IO[str], said: list[str], steps: list[str]) -> None:
    for line in output:
        said.append(line)
        if words := step(line):
            steps.append(words)


def main() -> int:
    pip = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
    process = subprocess.Popen(  # noqa: S603
        [*pip, "--progress-bar", "off", *sys.argv[1:]],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    assert process.stdout is not None
    said: list[str] = []
    steps: list[str] = []
    reading = Thread(target=_read, args=(process.stdout, said, steps))
    reading.start()
    began, shown, going = time.monotonic(), "", True
    while going:
        reading.join(LINE_SECONDS)
        going = reading.is_alive()
        if steps and (going or steps[-1] != shown):
            again = f" ({time.monotonic() - began:.0f} s)" if steps[-1] == shown else ""
            shown = steps[-1]
            print(f"  {shown}{again}", flush=True)
    if code := process.wait():
        print("".join(said), end="", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
