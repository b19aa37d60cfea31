"""What people install is the wheel: it holds the whole package, and needs nothing beside it."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

from tests.cli.running import few_countries

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    [wheel] = WheelBuilder(str(ROOT)).build(directory=str(folder))
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "installed")
    return folder / "installed"


def files_in(folder: Path) -> set[str]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)) for path in found if "__pycache__" not in path.parts}


def test_the_wheel_holds_every_file_of_the_package(unpacked: Path) -> None:
    assert files_in(unpacked / "geobias") == files_in(ROOT / "src" / "geobias")


def test_an_audit_works_from_the_wheel_alone(unpacked: Path, tmp_path: Path) -> None:
    code = (
        "import sys, geobias; from geobias.__main__ import main\n"
        "assert geobias.__file__.startswith(sys.argv.pop()), geobias.__file__\n"
        "main()"
    )
    few = map(str, few_countries(tmp_path, ("FRA", "KEN")))
    words = ["audit", "sim/biased", *few, "--out", "runs"]
    done = subprocess.run(
        [sys.executable, "-P", "-c", code, *words, str(unpacked)],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": str(unpacked)},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert {"report.html", "report.json"} <= files_in(tmp_path / "runs")
