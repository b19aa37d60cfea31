"""The fault suite, small: `python bench/faults.py` runs the same with larger numbers."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.waiting import PATIENCE

ROOT = Path(__file__).parent.parent
IN_FLIGHT = 16
"""Calls in flight in the suite's runs."""
PAGE = (ROOT / "docs" / "reliability.md").read_text("utf-8")


@pytest.fixture(scope="module")
def rows() -> dict[str, dict[str, Any]]:
    """What the suite printed, by the name of the row."""
    small = ["--kills", "3", "--questions", "30", "--lines", "6", "--files", "8"]
    done = subprocess.run(
        [sys.executable, str(ROOT / "bench" / "faults.py"), *small, "--few-commands", "--json"],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert found, done.stderr
    assert done.returncode == 0, done.stdout + done.stderr
    return {row["what"]: row for row in found}


def test_everything_that_was_tried_held(rows: dict[str, dict[str, Any]]) -> None:
    assert {name: row for name, row in rows.items() if row["held"] != row["tried"]} == {}


def test_every_kind_was_tried(rows: dict[str, dict[str, Any]]) -> None:
    assert [name for name, row in rows.items() if not row["tried"]] == []
    assert len(rows) >= 60


def test_nothing_is_lost(rows: dict[str, dict[str, Any]]) -> None:
    assert {name for name, row in rows.items() if row["lost"]} == set()


def test_a_kill_costs_no_more_than_what_was_under_way(rows: dict[str, dict[str, Any]]) -> None:
    """The calls in flight, and the answers of the last tenth of a second."""
    row = rows["kills (SIGKILL)"]
    assert row["paid_twice"] <= row["tried"] * (IN_FLIGHT + 100)


def test_no_fault_of_a_server_makes_a_good_answer_be_paid_twice(
    rows: dict[str, dict[str, Any]],
) -> None:
    twice = {name for name, row in rows.items() if row["paid_twice"]}
    assert twice - {"kills (SIGKILL)", "a silent server"} == set()


def test_the_page_has_every_row_and_no_other(rows: dict[str, dict[str, Any]]) -> None:
    lists = re.findall(
        r"^- \*\*(Fuzzed)?[^*]*\*\*: (.+)$", PAGE.partition("## What we tried")[2], re.M
    )
    named = [
        f"fuzzed: {name}" if fuzzed else name
        for fuzzed, names in lists
        for name in names.split("; ")
    ]
    assert [name for name in named if name in rows] == list(rows)
    needs = {"corpus": "ahocorasick_rs", "zst": "zstandard", "Inspect": "inspect_ai"}
    there = {word for word, library in needs.items() if find_spec(library)}
    missing = [name for name in named if name not in rows]
    assert [name for name in missing if any(word in name for word in there)] == []
    assert all(any(word in name for word in needs) for name in missing)


@pytest.mark.parametrize("name", re.findall(r"`(tests/\S+\.py)`", PAGE))
def test_a_check_that_the_page_names_is_there(name: str) -> None:
    assert (ROOT / name).exists()
