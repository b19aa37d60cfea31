from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

import geobias as api
from geobias.probes import worldbench
from tests.cli.running import geobias


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("runs") / "r.geobias"
    few = worldbench.plan(indicators="gdp,population", countries="KEN;NGA;GHA;FRA;DEU;ITA")
    return api.run([few], "sim/biased", path).path


def test_json_goes_to_standard_output_and_is_of_the_schema(run: Path) -> None:
    import jsonschema  # type: ignore[import-untyped]

    schema = geobias("report", "--schema").json()
    jsonschema.validate(geobias("report", run, "--format", "json").json(), schema)


@pytest.mark.parametrize(
    ("name", "begins"),
    [("r.md", "# Geographic bias audit"), ("r.csv", "model,probe"), ("r.tex", "% Made by geobias")],
)
def test_a_files_name_says_its_format(run: Path, tmp_path: Path, name: str, begins: str) -> None:
    out = tmp_path / "new folder" / name
    done = geobias("report", run, "--out", out)
    assert (done.code, done.out.strip()) == (0, str(out))
    assert out.read_text("utf-8").startswith(begins)


def test_all_formats_have_the_same_numbers(run: Path) -> None:
    found = geobias("report", run, "--format", "json").json()
    error = next(m for m in found["sections"][0]["metrics"] if m["name"] == "worldbench.error")
    rows = csv.DictReader(io.StringIO(geobias("report", run, "--format", "csv").out))
    row = next(r for r in rows if r["name"] == "worldbench.error")
    assert float(row["value"]) == error["value"]
    assert f"{error['value']:.3f} [{error['low']:.3f}, {error['high']:.3f}]" in (
        geobias("report", run, "--format", "md").out
    )


def test_a_gate_that_holds_is_silent_about_failure(run: Path) -> None:
    done = geobias("gate", run, "--max", "worldbench.error=0.9", "--min", "worldbench.answered=0.1")
    assert done.code == 0
    assert len(re.findall("^ pass ", done.out, re.M)) == 2
    assert done.out.splitlines()[-1].startswith("gate: 2 pass")
    assert done.err == ""


@pytest.mark.parametrize(
    ("words", "code", "sum_"),
    [
        ((), 4, "0 pass, 1 undecided, 0 fail"),
        (("--undecided", "pass"), 0, "0 pass, 1 undecided, 0 fail"),
        (("--undecided", "fail"), 1, "0 pass, 1 undecided (counts as fail), 0 fail"),
    ],
)
def test_a_limit_inside_the_interval_is_undecided_and_the_user_says_what_that_means(
    run: Path, words: tuple[str, ...], code: int, sum_: str
) -> None:
    limit = geobias("gate", run, "--list", "--json").json()[0]
    done = geobias("gate", run, "--max", f"{limit['name']}={limit['value']}", *words)
    assert done.code == code
    assert re.search("^ undecided +worldbench.error ", done.out, re.M)
    assert done.out.endswith(f"\ngate: {sum_}\n")
    assert ("let through" in done.err) == ("pass" in words)
    assert ("exit code 4" in done.err) == (not words)


def test_a_gate_that_breaks_says_why_and_writes_junit(run: Path, tmp_path: Path) -> None:
    xml = tmp_path / "gate.xml"
    words = ("gate", run, "--max", "worldbench.error=0.01")
    done = geobias(*words, "--junit", xml)
    assert done.code == 1
    assert re.search("^ FAIL +worldbench.error ", done.out, re.M)
    assert ElementTree.parse(xml).getroot().attrib["failures"] == "1"
    [verdict] = geobias(*words, "--json").json()
    assert (verdict["passed"], verdict["limit"]["bound"]) == (False, "max")


def test_a_gate_lists_what_can_be_limited(run: Path) -> None:
    assert "worldbench.region_disparity" in geobias("gate", run, "--list").out
    rows = geobias("gate", run, "--list", "--json").json()
    assert {"worldbench.error", "worldbench.region_disparity"} <= {row["name"] for row in rows}


def test_one_figure_goes_into_a_paper_without_its_words(run: Path, tmp_path: Path) -> None:
    words = ("report", run, "--figure", "worldbench-error-region", "--out")
    whole, bare = tmp_path / "whole.svg", tmp_path / "bare.svg"
    assert geobias(*words, whole).code == 0
    assert geobias(*words, bare, "--bare").code == 0
    assert "<svg" in bare.read_text("utf-8")
    assert len(bare.read_text("utf-8")) < len(whole.read_text("utf-8"))
