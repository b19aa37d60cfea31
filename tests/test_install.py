"""Installing: a line now and then, nothing of pip's warnings, everything where it fails."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

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
