from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys
import geobias.sources.pulling, geobias.cli.data
heavy = {"polars", "numpy", "aiohttp", "rich"} & set(sys.modules)
assert not heavy, heavy
"""


def test_importing_them_loads_no_heavy_library() -> None:
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
