from __future__ import annotations

import re
from pathlib import Path

import geobias.stats

FOLDER = Path(geobias.stats.__file__).parent


def test_stats_knows_numbers_and_not_benchmarks() -> None:
    for path in FOLDER.glob("*.py"):
        for module in re.findall(r"^\s*(?:from|import) (geobias[\w.]*)", path.read_text(), re.M):
            assert module.startswith("geobias.stats"), f"{path.name} imports {module}"
