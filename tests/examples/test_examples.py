"""The examples run as they are, and a probe of another package is like our own."""

from __future__ import annotations

import json
import os
import re
import runpy
import subprocess
import sys
import zipfile
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"


@pytest.mark.parametrize("script", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_an_example_runs_without_a_key(
    script: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(script), run_name="__main__")
    assert capsys.readouterr().out


@pytest.fixture(scope="module")
def capitals(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package of examples/capitals, built and unpacked as an installer does."""
    from hatchling.builders.wheel import WheelBuilder

    folder = tmp_path_factory.mktemp("installed")
    [wheel] = WheelBuilder(str(EXAMPLES / "capitals")).build(directory=str(folder))
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


SCRIPT = """
import json
from pathlib import Path
from starlette.testclient import TestClient
from geobias.view.app import build
from geobias.view.viewer import Viewer
from tests.cli.running import geobias

audit = "audit sim/fair sim/biased --probes capitals --size paper --out runs"
done = {"audit": geobias(*audit.split())}
biased, fair = runs = sorted(Path("runs").glob("*.geobias"))
plan = ("plan", "capitals", "--continents", "Oceania", "--size", "paper", "--json")
done["plan"] = geobias(*plan)
done["regions"] = geobias("table", *runs, "accuracy", "--by", "region", "--json")
done["compare"] = geobias("compare", *runs, "--json")
for name, run in (("biased", biased), ("fair", fair)):
    done[f"gate {name}"] = geobias("gate", run, "--min", "capitals.accuracy=0.95")
viewer = Viewer([fair], port=8123)
run = next(iter(viewer.listed.runs()))
viewer.index(run).refresh()
with TestClient(build(viewer), base_url="http://127.0.0.1:8123") as pages:
    pages.get("/", params={"secret": viewer.secret})
    viewed = [f"/run/{run}/trials?q=Nairobi", f"/run/{run}/trial/capitals/KEN/0"]
    done["view"] = (0, "".join(pages.get(page).text for page in viewed), "")
print(json.dumps(done))
"""


class Audited(NamedTuple):
    """Where the audit of two simulated models by that probe alone lies, and what each command said:
    its exit code, output and errors."""

    folder: Path
    said: dict[str, list[Any]]


@pytest.fixture(scope="module")
def audited(capitals: Path, tmp_path_factory: pytest.TempPathFactory) -> Audited:
    """All commands in one process that has the package: each would begin with the same imports."""
    folder = tmp_path_factory.mktemp("audit")
    paths = os.pathsep.join([str(capitals), str(ROOT), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return Audited(folder, json.loads(done.stdout))


def test_a_probe_of_another_package_is_audited(audited: Audited) -> None:
    assert audited.said["audit"][0] == 0, audited.said["audit"]
    found = json.loads((audited.folder / "runs" / "report.json").read_text("utf-8"))
    metrics = {one["model"]: one["metrics"][0] for one in found["sections"]}
    assert metrics["sim/fair"]["value"] == 1
    assert metrics["sim/biased"]["low"] < metrics["sim/biased"]["value"] < 0.9


def test_it_has_a_chapter_figures_and_a_map_entry_of_its_own(audited: Audited) -> None:
    page = (audited.folder / "runs" / "report.html").read_text("utf-8")
    assert "What they can name" in page
    assert 'id="capitals-accuracy-north-south"' in page, "its primary contrast"
    assert 'id="capitals-accuracy-map"' in page, "a gap was found in one of the models"


def test_it_has_tables_by_its_name(audited: Audited) -> None:
    rows = json.loads(audited.said["regions"][1])
    assert {row["model"] for row in rows} == {"sim/biased", "sim/fair", "all models"}
    assert all(row["mean"] == 1 for row in rows if row["model"] == "sim/fair")


def test_its_settings_are_options_of_the_command_line(audited: Audited) -> None:
    planned = json.loads(audited.said["plan"][1])
    assert planned["settings"]["continents"] == ["Oceania"]
    assert planned["trials"] < 20


def test_two_of_its_runs_are_compared(audited: Audited) -> None:
    change = json.loads(audited.said["compare"][1])["pairs"][0]["changes"][0]
    assert (change["metric"], change["by"]) == ("capitals.accuracy", "all")
    assert change["difference_low"] > 0
    assert change["gained"] > 0 == change["lost"]


def test_its_metrics_can_be_gated(audited: Audited) -> None:
    assert [audited.said[f"gate {name}"][0] for name in ("biased", "fair")] == [1, 0]


def test_its_replies_are_viewed_in_its_own_words(audited: Audited) -> None:
    text = audited.said["view"][1]
    assert text.count("Capitals: Kenya") >= 2
    assert "What is the capital of Kenya?" in text


def squeezed(code: str) -> str:
    """Its lines without indentation and blank ones, which a formatter of pages changes."""
    return "\n".join(line.strip() for line in code.splitlines() if line.strip())


def test_every_piece_of_code_in_the_guide_stands_in_the_example() -> None:
    guide = (ROOT / "docs" / "extending.md").read_text("utf-8")
    files = EXAMPLES.glob("*/src/*/__init__.py")
    source = squeezed("\n".join(file.read_text("utf-8") for file in files))
    pieces = re.findall(r"```python\n(.*?)```", guide, re.S)
    assert len(pieces) >= 4
    assert [piece for piece in pieces if squeezed(piece) not in source] == []


def test_every_name_in_the_guides_table_of_modules_is_in_its_module() -> None:
    guide = (ROOT / "docs" / "extending.md").read_text("utf-8")
    rows = re.findall(r"^\| `(geobias\.[\w.]+)` \| (.+) \|$", guide, re.M)
    assert len(rows) > 5
    for module, names in rows:
        there = dir(import_module(module))
        assert [name for name in re.findall(r"`(\w+)`", names) if name not in there] == [], module


def test_the_entry_point_in_the_guide_is_that_of_the_example() -> None:
    guide = (ROOT / "docs" / "extending.md").read_text("utf-8")
    lines, *_ = re.findall(r"```toml\n(.*?)```", guide, re.S)
    assert lines in (EXAMPLES / "capitals/pyproject.toml").read_text("utf-8")
