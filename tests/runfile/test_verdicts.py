"""Verdicts in the run file: kept apart, no trouble for an engine."""

from __future__ import annotations

import sqlite3
import threading
import time
from pathlib import Path

import msgspec
import pytest

from geobias.errors import CannotWrite
from geobias.runfile import Manifest, RunReader, RunWriter, Verdict, save_verdict
from geobias.runfile.lock import is_written
from geobias.trials import Ask, Dialogue, Record, Reply

MANIFEST = Manifest(geobias="0", created="", probes={"p": {}}, models={"model": "m"})


@pytest.fixture
def run(tmp_path: Path) -> Path:
    path = tmp_path / "a.geobias"
    RunWriter.open(path, MANIFEST).close()
    return path


def word(verdict: str = "right", reviewer: str = "Ada") -> Verdict:
    return Verdict(reviewer=reviewer, sample="worldbench.parsed", item="t", verdict=verdict)


def verdicts(path: Path) -> list[Verdict]:
    with RunReader(path) as reader:
        return reader.verdicts()


def test_a_run_that_nobody_judged_has_no_verdicts_and_no_table(run: Path) -> None:
    assert verdicts(run) == []
    with RunReader(run) as reader:
        assert reader.verdicts_frame().height == 0
        assert "verdicts" not in {
            name for (name,) in reader.query("SELECT name FROM sqlite_master")
        }


def test_a_later_verdict_takes_the_place_of_an_earlier_one(run: Path) -> None:
    for said in ("right", "", "wrong"):
        save_verdict(run, word(said))
        assert [one.verdict for one in verdicts(run)] == ([said] if said else [])


def test_many_at_once_lose_nothing(run: Path) -> None:
    lost: list[Exception] = []

    def judge(reviewer: str) -> None:
        for i in range(10):
            one = msgspec.structs.replace(word(reviewer=reviewer), item=f"t{i}")
            try:
                save_verdict(run, one)
            except Exception as error:  # a thread's error would go unseen
                lost.append(error)

    threads = [threading.Thread(target=judge, args=(f"r{i}",)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert lost == []
    assert len(verdicts(run)) == 40


def test_an_engine_at_work_is_not_disturbed(tmp_path: Path) -> None:
    path = tmp_path / "going.geobias"
    writer = RunWriter.open(path, MANIFEST)
    try:
        assert is_written(path)
        for i in range(200):
            ask = Ask(dialogue=Dialogue().user(f"q{i}"))
            digest = ask.digest("m")
            writer.save_reply(ask, Reply("a", digest=digest))
            writer.save_record(Record(trial=f"t{i}", probe="p", outcome="ok"), [digest])
            if i % 10 == 0:
                save_verdict(path, msgspec.structs.replace(word(), item=f"t{i}"))
                time.sleep(0.002)
        assert writer.failure is None
    finally:
        writer.close()
    assert writer.failure is None
    assert not is_written(path)
    assert len(verdicts(path)) == 20
    with RunReader(path) as reader:
        assert len(list(reader.records())) == 200
    assert sorted(path.name for path in tmp_path.iterdir()) == ["going.geobias"]


def test_a_run_with_verdicts_is_resumed_and_keeps_them(run: Path) -> None:
    save_verdict(run, word())
    RunWriter.open(run, MANIFEST).close()
    assert len(verdicts(run)) == 1


def test_a_reader_that_knows_no_verdicts_opens_the_file(run: Path) -> None:
    save_verdict(run, word())
    with sqlite3.connect(run) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (1,)
        names = {name for (name,) in db.execute("SELECT name FROM sqlite_master")}
    db.close()
    assert {"manifest", "openings", "replies", "records", "sessions", "verdicts"} <= names


def test_a_file_that_another_program_holds_is_a_plain_sentence(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("geobias.runfile.schema.LOCK_SECONDS", 0.05)
    db = sqlite3.connect(run, isolation_level=None)
    db.execute("BEGIN EXCLUSIVE")
    with pytest.raises(CannotWrite, match="locked by another program"):
        save_verdict(run, word())
    db.close()


def test_a_killed_run_does_not_count_as_going(run: Path) -> None:
    run.with_name(run.name + "-lock").touch()
    assert not is_written(run)


def test_whoever_looks_keeps_no_engine_from_starting(tmp_path: Path) -> None:
    path, done = tmp_path / "r.geobias", threading.Event()

    def look() -> None:
        while not done.is_set():
            is_written(path)

    looking = threading.Thread(target=look)
    looking.start()
    try:
        for _ in range(20):
            RunWriter.open(path, MANIFEST).close()
    finally:
        done.set()
        looking.join()
