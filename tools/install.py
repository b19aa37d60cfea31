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

LINE_SECONDS = 3.0
_STEP = re.compile(r"(Collecting|Downloading|Building|Preparing|Installing) (\S.*)")
_ADDRESS = re.compile(r"\S*/(?=[^/\s]+$|[^/\s]+ \()")
"""Before the name of a file; its size may follow."""


def step(line: str) -> str:
    """What pip is at, where a line of its says so: "Downloading numpy-2.3.whl (5.1 MB)"."""
    found = _STEP.match(line.strip())
    return f"{found[1]} {_ADDRESS.sub('', found[2])}"[:100] if found else ""


def main() -> int:
    pip = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
    process = subprocess.Popen(  # noqa: S603
        [*pip, "--progress-bar", "off", *sys.argv[1:]],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    said, told = [], 0.0
    assert process.stdout is not None
    for line in process.stdout:
        said.append(line)
        if (words := step(line)) and time.monotonic() - told >= LINE_SECONDS:
            told = time.monotonic()
            print(f"  {words}", flush=True)
    if code := process.wait():
        print("".join(said), end="", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
