"""The image and the action, as far as they can be tried without an engine and a runner."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8")
pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")


def test_the_image_is_given_every_file_that_it_copies() -> None:
    let_in = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", DOCKERFILE, re.MULTILINE)
    for name in " ".join(copied).split():
        assert f"!{name}" in let_in
        assert (ROOT / name).exists()


def test_what_the_image_installs_is_pinned() -> None:
    [line] = [one for one in DOCKERFILE.splitlines() if one.startswith("RUN python -c")]
    command = line.removeprefix("RUN python").replace("> requirements.txt", "")
    done = subprocess.run(
        ["bash", "-c", f'"{sys.executable}" {command}'],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    names = {re.split(r"[<>=; ]", one)[0].lower() for one in done.stdout.splitlines()}
    pinned = re.findall(r"^([\w.-]+)==", (ROOT / "constraints.txt").read_text("utf-8"), re.M)
    assert {"aiohttp", "starlette"} <= names
    assert names <= {one.lower() for one in pinned}


@pytest.fixture(scope="module")
def steps() -> dict[str, str]:
    yaml = pytest.importorskip("yaml")
    action: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    return {one["name"]: one["run"] for one in action["runs"]["steps"] if "run" in one}


def test_the_page_about_gates_has_every_input_of_the_action() -> None:
    yaml = pytest.importorskip("yaml")
    action: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    page = (ROOT / "docs" / "compare-and-gate.md").read_text("utf-8")
    assert [
        name for name in (*action["inputs"], *action["outputs"]) if f"`{name}`" not in page
    ] == []


def step(script: str, folder: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """A step as a runner does it: bash, its inputs in the environment."""
    program = folder / "bin" / "geobias"
    if not program.exists():
        program.parent.mkdir()
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m geobias "$@"\n')
        program.chmod(0o755)
    given = dict.fromkeys(
        ("MODELS", "CONFIG", "SIZE", "PROBES", "MAX_COST", "LIMITS", "BASELINE", "UNDECIDED"), ""
    )
    own = {
        "PATH": f"{program.parent}:{os.environ['PATH']}",
        "OUT": "runs",
        "RUNNER_TEMP": str(folder),
        "GITHUB_STEP_SUMMARY": str(folder / "step.md"),
    }
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        cwd=folder,
        env=os.environ | given | own | inputs,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_action_audits_by_a_file_sums_up_and_holds_the_gate(
    steps: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "audit.toml").write_text(
        'models = ["sim/fair"]\nprobes = ["worldbench"]\n'
        '[worldbench]\nindicators = ["population"]\ncountries = ["KEN", "FRA", "IND", "BRA"]'
    )
    (tmp_path / "limits.toml").write_text('[max]\n"worldbench.eror" = 0.0001')
    refused = step(steps["Audit"], tmp_path, CONFIG="audit.toml", LIMITS="limits.toml")
    assert (refused.returncode, (tmp_path / "runs").exists()) == (2, False)
    (tmp_path / "limits.toml").write_text('[max]\n"worldbench.error" = 0.0001')
    audited = step(steps["Audit"], tmp_path, CONFIG="audit.toml", LIMITS="limits.toml")
    assert audited.returncode == 1, audited.stderr
    assert step(steps["Summary"], tmp_path).returncode == 0
    assert step(steps["Gate"], tmp_path, LIMITS="limits.toml").returncode == 0
    for path in (tmp_path / "runs" / "summary.md", tmp_path / "step.md"):
        text = path.read_text("utf-8")
        assert "| sim/fair |" in text
        assert "undecided, 1 fail" in text


def test_the_action_without_a_model_is_a_plain_sentence(
    steps: dict[str, str], tmp_path: Path
) -> None:
    done = step(steps["Audit"], tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
