"""Files that are not what they should be: one plain sentence each."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.errors import BadRunFile, GeobiasError
from geobias.runfile import RunReader, RunWriter
from geobias.runfile.schema import explain
from geobias.trials import Dialogue
from tests.report.made import changed
from tests.runfile.test_writing import MANIFEST, answer, open_new


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    writer = open_new(tmp_path)
    for number in range(200):
        answer(writer, Dialogue().user(f"question {number}"), "r" * 100)
    writer.close()
    return tmp_path / "run.geobias"


@pytest.mark.parametrize(
    ("name", "words"), [("none.geobias", "there is no run file"), ("", "cannot read")]
)
def test_a_missing_file_and_a_folder_are_named(tmp_path: Path, name: str, words: str) -> None:
    with pytest.raises(BadRunFile, match=words):
        RunReader(tmp_path / name)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "damaged"),
        (b"SQLite", "damaged"),
        (b"PK\x03\x04 something else" * 100, "is not a geobias run file"),
    ],
)
def test_a_file_that_is_empty_barely_begun_or_of_another_kind_is_refused(
    tmp_path: Path, content: bytes, words: str
) -> None:
    path = tmp_path / "x.geobias"
    path.write_bytes(content)
    with pytest.raises(BadRunFile, match=words):
        RunReader(path)


def test_another_programs_sqlite_file_is_not_ours(tmp_path: Path) -> None:
    path = tmp_path / "x.geobias"
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE t (x)")
    db.close()
    with pytest.raises(BadRunFile, match="but not a geobias run file"):
        RunReader(path)
    with pytest.raises(BadRunFile, match="but not a geobias run file"):
        RunWriter.open(path, MANIFEST)


@pytest.mark.parametrize("version", [0, 99])
def test_a_file_of_another_version_is_refused_in_a_sentence(whole: Path, version: int) -> None:
    db = sqlite3.connect(whole)
    db.execute(f"PRAGMA user_version = {version}")
    db.close()
    with pytest.raises(BadRunFile, match=f"another geobias .file version {version}"):
        RunReader(whole)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.99])
def test_a_truncated_file_is_damaged(whole: Path, share: float) -> None:
    content = whole.read_bytes()
    whole.write_bytes(content[: int(len(content) * share)])
    with pytest.raises(BadRunFile, match="cut short"):
        RunReader(whole)


@given(data=st.data())
def test_flipped_bytes_never_give_more_than_one_sentence(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("run")
    writer = open_new(folder)
    writer.close()
    path = folder / "run.geobias"
    content = bytearray(path.read_bytes())
    start = data.draw(st.integers(0, len(content) - 64))
    content[start : start + 64] = data.draw(st.binary(min_size=64, max_size=64))
    path.write_bytes(content)
    assert "\n" not in complaint_of(path)


def complaint_of(path: Path) -> str:
    try:
        with RunReader(path) as run:
            run.manifest()
            run.spent()
            list(run.records())
            list(run.replies())
    except GeobiasError as error:
        return str(error)
    return ""


def test_a_manifest_that_makes_no_sense_is_damage(whole: Path, tmp_path: Path) -> None:
    senseless = "UPDATE manifest SET value = '{\"geobias\": 3}'"
    bad = changed(whole, tmp_path / "bad.geobias", senseless)
    with RunReader(bad) as run, pytest.raises(BadRunFile, match="damaged"):
        run.manifest()


def test_a_file_that_cannot_be_made_leaves_nothing_behind(tmp_path: Path) -> None:
    script = (
        "import resource, sys; from pathlib import Path; from geobias.runfile import schema\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (6000, 6000))\n"
        "schema.create(Path(sys.argv[1]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "r.geobias")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "cannot create" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_what_sqlite_says_of_a_table_in_many_lines_is_said_on_one(path: Path) -> None:
    words = 'malformed database schema (sessions) - unrecognized token: "\n    counts\n)"'
    said = str(explain(sqlite3.DatabaseError(words), path))
    assert "\n" not in said
