"""`geobias batch`: a run by files, round after round."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from geobias import api
from geobias.errors import AsksWait
from geobias.probes.registry import find_probe
from tests.batch_server import BatchServer
from tests.cli.running import geobias


def executed(folder: Path) -> None:
    """What a colleague with the weights does: every file of requests that has no results yet."""
    server = BatchServer()
    for file in sorted(folder.glob("round-*.jsonl")):
        done = folder / file.name.replace("round-", "done-")
        if not done.exists():
            done.write_bytes(asyncio.run(server.executed_file(file.read_bytes())))


def records(path: Path) -> dict[str, Any]:
    with api.open_run(path) as reader:
        return {row["trial"]: row for row in reader.records()}


def test_a_game_by_files_goes_round_after_round_to_the_same_records(tmp_path: Path) -> None:
    run, folder = tmp_path / "r.geobias", tmp_path / "files"
    plans = [find_probe("geo20q").make_plan(judge_questions=0, turns=2)]
    for _ in range(8):
        try:
            api.run(plans, "sim/biased", run, options=api.Options(batch_files=folder))
        except AsksWait:
            executed(folder)
        else:
            break
    single = api.run(plans, "sim/biased", tmp_path / "single.geobias")
    assert len(records(run)) == 6
    assert records(run) == records(single.path)
    assert len(list(folder.glob("round-*.jsonl"))) > 2


@pytest.fixture
def written(tmp_path: Path) -> tuple[Path, Path]:
    run, folder = tmp_path / "r.geobias", tmp_path / "files"
    words = ("--indicators", "population", "--out", run, "--batch-files", folder)
    assert geobias("run", "worldbench", "openai/gpt-4o-mini", *words).code == 0
    return run, folder


def test_writing_takes_no_key_and_a_model_of_ones_choice(written: tuple[Path, Path]) -> None:
    [file] = written[1].iterdir()
    first = json.loads(file.read_text().splitlines()[0])
    assert (first["method"], first["url"]) == ("POST", "/v1/chat/completions")
    assert first["body"]["model"] == "gpt-4o-mini"


def test_strangers_and_doubles_are_refused_by_name_and_the_rest_is_kept(
    written: tuple[Path, Path],
) -> None:
    run, folder = written
    executed(folder)
    [done] = folder.glob("done-*.jsonl")
    lines = done.read_bytes().splitlines()
    twice = json.loads(lines[0])
    twice["response"]["body"]["choices"][0]["message"]["content"] = "another"
    strange = json.loads(lines[1]) | {"custom_id": "stranger"}
    cut = lines[-1][: len(lines[-1]) // 2]
    (folder / "more.jsonl").write_bytes(
        b"\n".join([json.dumps(twice).encode(), json.dumps(strange).encode()])
    )
    done.write_bytes(b"\n".join([*lines[:-1], cut]))
    read = geobias("batch", "read", run, folder)
    assert read.code == 0
    assert "25 replies taken" in read.out
    assert "2 asks wait" in read.out
    assert "custom_id unknown: stranger" in read.err
    assert f"custom_id doubled: {twice['custom_id']}" in read.err
    assert "is no JSON" in read.err
    assert len(records(run)) == 25


def test_results_that_are_read_twice_change_nothing(written: tuple[Path, Path]) -> None:
    run, folder = written
    executed(folder)
    first = geobias("batch", "read", run, folder)
    assert "27 calls (27 by batch)" in first.out
    again = geobias("batch", "read", run, folder)
    assert (again.code, again.err) == (0, "")
    assert "27 calls (27 by batch)" in again.out


def test_a_run_that_waits_for_nobody_has_nothing_to_forget(written: tuple[Path, Path]) -> None:
    assert "0 asks" in geobias("batch", "forget", written[0]).out


def test_a_folder_that_is_not_there_is_a_plain_sentence(written: tuple[Path, Path]) -> None:
    read = geobias("batch", "read", written[0], written[1] / "nowhere")
    assert (read.code, "there is no folder" in read.err) == (2, True)
