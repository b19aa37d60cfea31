from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import geobias.sources

PROGRAM = """
import sys
import geobias.sources.pulling, geobias.cli.data
heavy = {"polars", "numpy", "aiohttp", "rich"} & set(sys.modules)
assert not heavy, heavy
"""


def test_sources_know_the_atlas_and_nothing_to_their_right() -> None:
    for path in Path(geobias.sources.__path__[0]).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("geobias."):
                room = (node.module or "").split(".")[1]
                assert room in {"atlas", "errors", "files", "retry_after", "sources"}, (
                    f"{path.name} imports {node.module}"
                )


def test_importing_them_loads_no_heavy_library() -> None:
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
