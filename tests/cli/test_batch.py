"""A run by files, round after round."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from geobias import api
from geobias.errors import AsksWait
from geobias.models.batch import files
from geobias.probes.registry import find_probe, plan_of
from tests.batch_server import BatchServer
from tests.cli.running import Done, geobias


@pytest.fixture(autouse=True, scope="module")
def _soon() -> Iterator[None]:
    """Asks of a simulated model are all there at once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "FILES_QUIET_SECONDS", 0.02)
        yield


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
    plans = [plan_of(find_probe("geo20q"), {"judge_questions": 0, "turns": 2})]
    for _ in range(8):
        try:
            api.run(plans, "sim/biased", run, options=api.Options(batch_files=folder))
        except AsksWait:
            executed(folder)
        else:
            break
    single = api.run(plans, "sim/biased", tmp_path / "alone" / "single.geobias")
    assert len(records(run)) == 2 * 6
    assert records(run) == records(single.path)
    assert len(list(folder.glob("round-*.jsonl"))) > 2


def asked(run: Path, folder: Path, *more: str, model: str = "openai/gpt-4o-mini") -> Done:
    """What the command says that writes asks to files and reads what came back: one ask a question,
    since the stand-in's words state no number."""
    words = ("--indicators", "population", "--unread", "leave", "--batch-files", folder)
    return geobias("run", "worldbench", model, *words, "--out", run, *more)


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run that has written its asks to files, and with these."""
    folder = tmp_path_factory.mktemp("batch")
    assert asked(folder / "r.geobias", folder / "files").code == 0
    return folder


@pytest.fixture
def written(once: Path, tmp_path: Path) -> tuple[Path, Path]:
    """The same for one test alone: it holds that its asks are in the files that it first wrote."""
    shutil.copytree(once, tmp_path, dirs_exist_ok=True)
    return tmp_path / "r.geobias", tmp_path / "files"


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
    read = asked(run, folder)
    assert read.code == 0
    assert "2 asks wait" in read.out
    assert "stranger" in read.err
    assert twice["custom_id"] in read.err
    assert "is not JSON" in read.err
    assert len(records(run)) == 25


def test_results_that_are_read_twice_change_nothing(written: tuple[Path, Path]) -> None:
    run, folder = written
    executed(folder)
    for _ in range(2):
        done = asked(run, folder)
        assert (done.code, done.err) == (0, "")
        assert "(27 by batch)" in done.out


def test_asks_in_files_are_given_up_before_they_are_asked_otherwise(
    written: tuple[Path, Path], once: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, folder = written
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    model = ("openai/gpt-4o-mini", "--indicators", "population", "--unread", "leave", "--out", run)
    waits = geobias("run", "worldbench", *model)
    assert waits.code == 2
    assert f"27 asks in {once / 'files'}" in waits.err
    given_up = geobias("run", "worldbench", *model, "--give-up-batches")
    assert (given_up.code, "27 asks" in given_up.out) == (0, True)
    assert "0 asks" in asked(run, folder, "--give-up-batches").out
    assert "asks wait in" in asked(run, folder).out


def test_an_ask_is_written_once_unless_its_file_is_given_up(written: tuple[Path, Path]) -> None:
    run, folder = written
    for there in (folder, folder.parent / "other"):
        second = asked(run, there)
        assert second.code == 0
        assert "27 asks wait" in second.out
        assert f"--batch-files {there}" in second.out, "the command that reads them"
    assert len(list(folder.iterdir())) == 1
    assert "27 results, of" in geobias("show", run).out
    asked(run, folder, "--give-up-batches")
    assert "asks wait in" in asked(run, folder).out
    assert len(list(folder.iterdir())) == 2


def executed_but_one(folder: Path, error: dict[str, Any]) -> None:
    """Results of the last file of requests, the first of which is an error."""
    executed(folder)
    done = sorted(folder.glob("done-*.jsonl"))[-1]
    first, *lines = done.read_bytes().splitlines()
    failed = {"custom_id": json.loads(first)["custom_id"]} | error
    done.write_bytes(b"\n".join([json.dumps(failed).encode(), *lines]))
    for other in sorted(folder.glob("done-*.jsonl"))[:-1]:  # lost, as the users say
        other.write_bytes(b"")


def test_an_ask_that_fails_is_written_anew_however_often_and_its_answer_taken(
    written: tuple[Path, Path],
) -> None:
    run, folder = written
    asked(run, folder, "--give-up-batches")
    asked(run, folder)
    for _ in range(2):  # the very same words, the second time in another file
        executed_but_one(folder, {"error": {"code": 500}})
        assert "ask waits in" in asked(run, folder).out
    assert "written earlier" in asked(run, folder).out
    executed(folder)
    assert "(27 by batch)" in asked(run, folder).out


def test_a_line_that_failed_is_told_and_counted_once(written: tuple[Path, Path]) -> None:
    run, folder = written
    executed_but_one(folder, {"error": {"code": 500}})
    assert "1 HTTP 500" in asked(run, folder).err
    assert "failed" not in asked(run, folder).err
    assert "1 HTTP 500" in geobias("show", run).out


def test_a_refusal_by_a_filter_is_a_reply(written: tuple[Path, Path]) -> None:
    run, folder = written
    words = {"message": "The prompt violates the content policy", "code": "content_filter"}
    executed_but_one(folder, {"response": {"status_code": 400, "body": {"error": words}}})
    assert "failed" not in asked(run, folder).err
    assert [row["outcome"] for row in records(run).values()].count("filtered") == 1


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        (None, "", "no line of"),
        ("done.jsonl", "<html>", "1 line refused: a line is not JSON"),
        ("done.jsonl", '{"custom_id": "abc", "response": {}}', "is one of this run's"),
    ],
)
def test_a_folder_without_results_of_this_run_says_what_is_wrong(
    written: tuple[Path, Path], name: str | None, text: str, says: str
) -> None:
    folder = written[1].parent / "elsewhere"
    folder.mkdir()
    if name:
        (folder / name).write_text(text)
    read = asked(written[0], folder)
    assert read.code == 0
    assert says in read.err
    assert "27 asks wait" in read.out


def test_a_folder_that_is_refused_leaves_the_run_as_it_is(written: tuple[Path, Path]) -> None:
    run, folder = written
    before = run.read_bytes()
    (folder / "done.jsonl").write_bytes(b"\n" * (files.MOST_LINES + 1))
    for place in (folder, run):
        assert asked(run, place).code == 2
        assert run.read_bytes() == before


def test_results_of_another_run_in_the_folder_are_left_to_it(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    for model in ("sim/fair", "sim/biased"):
        asked(tmp_path / f"{model[4:]}.geobias", folder, model=model)
    executed(folder)
    read = asked(tmp_path / "fair.geobias", folder, model="sim/fair")
    assert "(27 by batch)" in read.out
    assert "27 lines refused" in read.err
