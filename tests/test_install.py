"""What people install is the wheel, whole and alone; installing says a line now and then."""

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


INSTALL = Path(__file__).parent.parent / "tools" / "install.py"


def installed(folder: Path, *arguments: str) -> tuple[int, str, str]:
    """Exit code, output and errors; pip is one that does as `arguments` say, in `folder`."""
    (folder / "pip").mkdir()
    (folder / "pip" / "__init__.py").touch()
    (folder / "pip" / "__main__.py").write_text(
        "import sys\nprint(sys.argv[-2])\nsys.exit(int(sys.argv[-1]))\n"
    )
    done = subprocess.run(
        [sys.executable, INSTALL, *arguments],
        cwd=folder,
        env={"PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    "line",
    [
        "WARNING: Location 'https://index.example/' is ignored: it is either a non-existing path",
        "[notice] A new release of pip is available: 23.2.1 -> 25.3",
        "WARNING: There was an error checking the latest version of pip.",
    ],
)
def test_what_pip_warns_of_is_not_shown_while_all_goes_well(tmp_path: Path, line: str) -> None:
    assert installed(tmp_path, line, "0") == (0, "", "")


def test_everything_that_pip_said_is_shown_where_it_fails(tmp_path: Path) -> None:
    said = "WARNING: something\nERROR: No matching distribution found for geobias"
    code, out, err = installed(tmp_path, said, "1")
    assert (code, out) == (1, "")
    assert err.strip() == said


def test_a_step_is_told_without_its_address(tmp_path: Path) -> None:
    line = "  Downloading https://index.example/packages/ab/numpy-2.3-cp311.whl (5.1 MB)"
    assert installed(tmp_path, line, "0")[1] == "  Downloading numpy-2.3-cp311.whl (5.1 MB)\n"
