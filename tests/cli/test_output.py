"""What becomes of output that cannot go where it should: a sentence and an exit code."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

import geobias as api
from geobias.probes import worldbench
from tests.cli.running import geobias

FULL = Path("/dev/full")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run of WorldBench."""
    folder = tmp_path_factory.mktemp("output")
    plan = worldbench.plan(countries="KEN;FRA")
    api.run([plan], "sim/biased", folder / "r.geobias")
    return folder


def shell(folder: Path, line: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", line.replace("geobias ", f"{sys.executable} -m geobias ", 1)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ,
    )


@pytest.mark.skipif(not FULL.exists(), reason="only Linux has a device that is always full")
@pytest.mark.parametrize(
    "words", ["show r.geobias", "replies r.geobias", "report r.geobias --format csv", "--help"]
)
def test_output_that_does_not_fit_is_a_sentence(folder: Path, words: str) -> None:
    done = shell(folder, f"geobias {words} > /dev/full")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "No space left" in done.stderr


def test_a_reader_that_has_seen_enough_is_no_failure(folder: Path) -> None:
    line = "geobias replies r.geobias --limit 3000 | head -n 1; echo ${PIPESTATUS[0]}"
    done = shell(folder, line)
    assert done.stdout.splitlines()[-1] == "0"
    assert done.stderr == ""


@pytest.mark.parametrize(
    "words",
    [
        "export r.geobias --to x.parquet",
        "export r.geobias --to x.csv",
        "report r.geobias --out x.json",
    ],
)
def test_a_file_that_does_not_fit_is_not_left_in_half(folder: Path, words: str) -> None:
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1024, most))
    try:
        done = geobias(*words.split(), cwd=folder)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    assert done.code == 2, done.err
    assert "cannot write x." in done.err
    assert not list(folder.glob("x.*"))


def test_a_terminal_without_unicode_gets_the_results_all_the_same(folder: Path) -> None:
    code, _, err = geobias("show", "r.geobias", cwd=folder, charset="ascii")
    assert (code, err) == (0, "")
    code, out, err = geobias(
        "table", "r.geobias", "worldbench.region_disparity", cwd=folder, charset="ascii"
    )
    assert (code, err.isascii()) == (0, True)
    assert "gap between regions" in out
    assert out.isascii()


def test_a_report_to_standard_output_is_utf_8_as_in_a_file(folder: Path) -> None:
    printed = geobias("report", "r.geobias", "--format", "md", cwd=folder, charset="ascii").out
    in_file = folder / "r.md"
    assert geobias("report", folder / "r.geobias", "--out", in_file).code == 0
    assert not printed.isascii()
    assert printed == in_file.read_text("utf-8")
