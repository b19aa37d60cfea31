"""Tables on terminals of every width: no number and no label is ever cut.

Output that cannot go where it should ends in a sentence and an exit code.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from io import StringIO
from pathlib import Path

import polars as pl
import pytest

import geobias as api
from geobias.cli.terminal import Console, as_table, print_table
from geobias.probes import worldbench
from geobias.results.tables import table_from
from tests.cli.running import geobias

FRAME = pl.DataFrame(
    {
        "group": ["Latin America & Caribbean", "a-name-that-cannot-be-broken"],
        "error": [0.755, 0.5],
        "error_low": [0.562, 0.25],
        "error_high": [0.871, 0.75],
        "highest_of_all": ["Middle East & North Africa", "South Asia"],
        **{f"number_{i}": [1000 + i, 2000 + i] for i in range(20)},
        "views": [1_089_807.0, 284_347.0],
    }
)
NUMBERS = ["0.755 [0.562, 0.871]", "0.500 [0.250, 0.750]", "1,089,807", "284,347"]
NUMBERS += [f"{1000 * k + i:,}" for k in (1, 2) for i in range(20)]


def printed(width: int, *, terminal: bool) -> tuple[str, list[str]]:
    """What is printed, and the columns that were left out."""
    file = StringIO()
    console = Console(file=file, width=width, force_terminal=terminal, color_system=None)
    left_out = print_table(console, as_table(table_from(FRAME, "a [bold] title")))
    return file.getvalue(), left_out


@pytest.mark.parametrize(("terminal", "width"), [(True, 400), (False, 40), (False, 400)])
def test_no_number_and_no_label_is_cut(width: int, terminal: bool) -> None:
    out, left_out = printed(width, terminal=terminal)
    assert "…" not in out
    assert left_out == []
    for number in NUMBERS:
        assert number in out
    words = "Latin America & Caribbean a-name-that-cannot-be-broken Middle East North Africa [bold]"
    assert set(words.split()) <= set(out.split())


@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_terminal_gets_lines_that_fit_and_is_told_what_is_left_out(width: int) -> None:
    out, left_out = printed(width, terminal=True)
    assert max(map(len, out.splitlines())) <= width
    assert "0.755 [0.562, 0.871]" in out
    assert left_out[-2:] == ["number 19", "views"]


def test_a_pipe_gets_each_row_on_one_line() -> None:
    lines = printed(80, terminal=False)[0].splitlines()
    row = next(line for line in lines if "Latin America & Caribbean" in line)
    assert "0.755 [0.562, 0.871]" in row
    assert "Middle East & North Africa" in row
    assert "1,019" in row
    assert "1,089,807" in row


def test_a_pipe_with_a_width_gets_lines_that_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert max(map(len, printed(80, terminal=False)[0].splitlines())) <= 80


def test_text_of_elsewhere_cannot_control_the_terminal() -> None:
    file = StringIO()
    console = Console(file=file, width=80)
    frame = pl.DataFrame({"name": ["\x1b[2Jgone", "two\nlines"]})
    print_table(console, as_table(table_from(frame, "\x1b[2Jtitle")))
    assert "\x1b" not in file.getvalue()
    assert "two lines" in file.getvalue()


def test_records_can_be_written_for_a_paper(tmp_path: Path) -> None:
    out = tmp_path / "records.tex"
    assert geobias("export", "example", "--probe", "ratings", "--to", out).code == 0
    assert "\\midrule" in out.read_text("utf-8") or "\\toprule" in out.read_text("utf-8")


def test_records_can_be_exported_with_what_was_asked_and_said(tmp_path: Path) -> None:
    run, out = tmp_path / "r.geobias", tmp_path / "records.jsonl"
    few = ("--indicators", "population", "--countries", "KEN,FRA")
    assert geobias("run", "worldbench", "sim/fair", *few, "--out", run).code == 0
    assert geobias("export", run, "--to", out, "--texts").code == 0
    rows = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert all("total population" in row["question"] and row["reply"] for row in rows)
    found = api.findings(tmp_path)
    assert [one.probe for one in found.sections] == ["worldbench"]


def test_a_table_is_printed_for_a_spreadsheet_and_for_a_paper() -> None:
    words = ("table", "example", "worldbench.error", "--by", "income")
    rows = geobias(*words, "--json").json()
    printed = pl.read_csv(geobias(*words, "--csv").out.encode())
    assert printed["mean"].to_list() == pytest.approx([row["mean"] for row in rows])
    lines = geobias(*words, "--latex").out.splitlines()
    assert sum(line.endswith("\\\\") for line in lines) > len(rows)


def test_a_folder_hides_no_table_of_its_name(tmp_path: Path) -> None:
    (tmp_path / "years").mkdir()
    assert geobias("table", "example", "years", cwd=tmp_path).code == 0


def test_a_run_with_probabilities_is_tabled_by_expected_values(path: Path) -> None:
    asked = ("--topics", "morality", "--size", "quick", "--read", "logprobs", "--out", path)
    assert geobias("run", "ratings", "sim/fair", *asked).code == 0
    shown = geobias("table", path, "favour", "--by", "income", "--json")
    assert "expected values" in shown.err


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
