"""The examples run as they are, and a probe of another package is like our own."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"


def python(*words: str, cwd: Path, path: Path | None = None) -> subprocess.CompletedProcess[str]:
    more = {} if path is None else {"PYTHONPATH": str(path)}
    return subprocess.run(
        [sys.executable, *words],
        cwd=cwd,
        env=os.environ | more,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("script", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_an_example_runs_without_a_key(script: Path, tmp_path: Path) -> None:
    done = python(str(script), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout


@pytest.fixture(scope="module")
def capitals(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package of examples/capitals, built and installed into a folder."""
    folder = tmp_path_factory.mktemp("installed")
    words = ("-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--target")
    done = python(*words, str(folder), str(EXAMPLES / "capitals"), cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def audited(capitals: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An audit of two simulated models by that probe alone."""
    folder = tmp_path_factory.mktemp("audit")
    words = ("audit", "sim/fair", "sim/biased", "--probes", "capitals", "--size", "paper")
    done = geobias(*words, "--out", "runs", cwd=folder, path=capitals)
    assert done.returncode == 0, done.stderr
    return folder


def geobias(*words: str, cwd: Path, path: Path) -> subprocess.CompletedProcess[str]:
    return python("-m", "geobias", *words, cwd=cwd, path=path)


def runs(folder: Path) -> list[str]:
    return sorted(str(path) for path in (folder / "runs").glob("*.geobias"))


def test_a_probe_of_another_package_is_audited(audited: Path) -> None:
    found = json.loads((audited / "runs" / "report.json").read_text("utf-8"))
    metrics = {one["model"]: one["metrics"][0] for one in found["sections"]}
    assert metrics["sim/fair"]["value"] == 1
    assert metrics["sim/biased"]["low"] < metrics["sim/biased"]["value"] < 0.9


def test_it_has_a_chapter_figures_and_a_map_entry_of_its_own(audited: Path) -> None:
    page = (audited / "runs" / "report.html").read_text("utf-8")
    assert "What they can name" in page
    assert 'id="capitals-regions"' in page


def test_it_has_tables_by_its_name(audited: Path, capitals: Path) -> None:
    done = geobias("capitals", "regions", *runs(audited), "--json", cwd=audited, path=capitals)
    rows = json.loads(done.stdout)
    assert {row["model"] for row in rows} == {"sim/biased", "sim/fair"}
    assert all(row["known"] == 1 for row in rows if row["model"] == "sim/fair")


def test_its_settings_are_options_of_the_command_line(capitals: Path, tmp_path: Path) -> None:
    words = ("plan", "capitals", "--continents", "Oceania", "--size", "paper", "--json")
    planned = json.loads(geobias(*words, cwd=tmp_path, path=capitals).stdout)
    assert planned["settings"]["continents"] == ["Oceania"]
    assert planned["trials"] < 20


def test_two_of_its_runs_are_compared(audited: Path, capitals: Path) -> None:
    one, other = runs(audited)
    done = geobias("compare", one, other, "--json", cwd=audited, path=capitals)
    change = json.loads(done.stdout)["pairs"][0]["changes"][0]
    assert (change["metric"], change["by"]) == ("capitals.accuracy", "all")
    assert change["difference_low"] > 0
    assert change["gained"] > 0 == change["lost"]


def test_its_metrics_can_be_gated(audited: Path, capitals: Path) -> None:
    limit = ("--min", "capitals.accuracy=0.95")
    codes = [
        geobias("gate", run, *limit, cwd=audited, path=capitals).returncode for run in runs(audited)
    ]
    assert codes == [1, 0]


def test_its_replies_are_viewed_in_its_own_words(audited: Path, capitals: Path) -> None:
    script = (
        "import sys\n"
        "from pathlib import Path\n"
        "from starlette.testclient import TestClient\n"
        "from geobias.view.app import build\n"
        "from geobias.view.viewer import Viewer\n"
        "viewer = Viewer([Path(sys.argv[1])], cache=Path(sys.argv[2]), port=8123)\n"
        "run = next(iter(viewer.shelf.runs()))\n"
        "viewer.index(run).refresh()\n"
        "with TestClient(build(viewer), base_url='http://127.0.0.1:8123') as pages:\n"
        "    pages.get('/', params={'secret': viewer.secret})\n"
        "    print(pages.get(f'/run/{run}/trials?q=Nairobi').text)\n"
        "    print(pages.get(f'/run/{run}/trial/capitals/KEN/0').text)\n"
    )
    done = python("-c", script, runs(audited)[1], str(audited), cwd=audited, path=capitals)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("Capital of Kenya") >= 2
    assert "What is the capital of Kenya?" in done.stdout


def test_every_piece_of_code_in_the_guide_stands_in_the_example() -> None:
    guide = (ROOT / "docs" / "extending.md").read_text("utf-8")
    source = (EXAMPLES / "capitals/src/geobias_capitals/__init__.py").read_text("utf-8")
    pieces = re.findall(r"```python\n(.*?)```", guide, re.S)
    assert len(pieces) >= 8
    assert [piece for piece in pieces if piece not in source] == []


def test_the_entry_point_in_the_guide_is_that_of_the_example() -> None:
    guide = (ROOT / "docs" / "extending.md").read_text("utf-8")
    [lines] = re.findall(r"```toml\n(.*?)```", guide, re.S)
    assert lines in (EXAMPLES / "capitals/pyproject.toml").read_text("utf-8")
