"""The same count on a Ray cluster, also when a node dies."""

from __future__ import annotations

import gzip
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from geobias.atlas.entities import read_entities
from geobias.corpus import count, read_counts
from tests.corpus.made import write_table
from tests.waiting import PATIENCE

pytestmark = pytest.mark.skipif(find_spec("ray") is None, reason="the extra [ray] is not installed")

REPO = Path(__file__).parents[2]


def test_a_count_that_loses_a_node_is_the_native_count(tmp_path: Path) -> None:
    table = read_entities(write_table(tmp_path))
    folder = tmp_path / "corpus"
    folder.mkdir()
    for number in range(24):
        text = b"Fado in Otago.\n" * number + b"Nothing of note here.\n" * 200_000
        (folder / f"{number}.txt.gz").write_bytes(gzip.compress(text, 1))
    done = subprocess.run(
        [sys.executable, "-m", "tests.integrations.counting_on_a_cluster", tmp_path, "4"],
        cwd=REPO,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "killed" in done.stdout
    count([folder], table, tmp_path / "native.parquet")
    assert read_counts(tmp_path / "counts.parquet") == read_counts(tmp_path / "native.parquet")
    assert read_counts(tmp_path / "native.parquet")["fado"] == sum(range(24))
