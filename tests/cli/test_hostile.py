"""Hostile files and numbers on the command line: one plain sentence each, and nothing obeyed."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import msgspec
import pytest

import geobias
from geobias.probes import worldbench
from tests.cli.commands import start
from tests.cli.running import Done
from tests.cli.running import geobias as run_command
from tests.report.made import changed
from tests.waiting import PATIENCE

ESCAPES = "\x1b]0;owned\x07\x1b[31m\x9b31m\x7f\u202e"
UNSAFE = ("\x1b", "\x07", "\x9b", "\x7f", "\u202e")


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("hostile") / "good.geobias"
    geobias.run(
        [worldbench.plan(indicators=("population",), countries="KEN,FRA")], "sim/fair", path
    )
    return path


@pytest.fixture
def tamper(good: Path, tmp_path: Path) -> Callable[..., Path]:
    """A copy of a good run in which something was changed by another program."""
    return partial(changed, good, tmp_path / "bad.geobias")


def is_a_sentence(done: Done) -> bool:
    return done.code == 2 and done.err.startswith("geobias: ") and done.err.count("\n") == 1


# -- the terminal ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "field", ["geobias", "created", "command", "models", "planned", "probes", "settings"]
)
@pytest.mark.parametrize("words", [("show",), ("show", "--json")])
def test_what_a_manifest_says_is_not_obeyed(
    tamper: Callable[..., Path], good: Path, field: str, words: tuple[str, ...]
) -> None:
    odd = ESCAPES + "[/x][bold]"
    with geobias.open_run(good) as run:
        manifest = msgspec.to_builtins(run.manifest())
    if field == "settings":
        manifest["probes"]["worldbench"]["size"] = odd
    elif field in ("models", "planned", "probes"):
        manifest[field][odd] = {"models": odd, "planned": 7, "probes": {odd: odd}}[field]
    else:
        manifest[field] = odd
    path = tamper("UPDATE manifest SET value = ?", json.dumps(manifest))
    done = run_command(*words, path)
    assert done.code == 0, done.err
    assert not [sign for sign in UNSAFE if sign in done.out + done.err]
    assert "[/x][bold]" in done.out or field == "probes"


@pytest.mark.parametrize("words", [("replies",), ("replies", "--json"), ("replies", "--dialogue")])
@pytest.mark.parametrize("column", ["text", "role", "outcome", "model", "reasoning"])
def test_what_a_reply_says_is_not_obeyed(
    tamper: Callable[..., Path], column: str, words: tuple[str, ...]
) -> None:
    path = tamper(f"UPDATE replies SET {column} = ?", f"{ESCAPES}[/x]")
    done = run_command(*words, path)
    assert done.code == 0, done.err
    assert not [sign for sign in UNSAFE if sign in done.out + done.err]


def test_json_for_programs_says_the_same(tamper: Callable[..., Path]) -> None:
    path = tamper("UPDATE replies SET text = ?", ESCAPES)
    lines = run_command("replies", path, "--json").out.splitlines()
    assert {json.loads(line)["text"] for line in lines} == {ESCAPES}


def test_an_error_is_not_obeyed(tmp_path: Path) -> None:
    done = run_command("show", tmp_path / "\x1b[31mred.geobias")
    assert is_a_sentence(done)
    assert "\x1b" not in done.err


# -- run files -------------------------------------------------------------------------------------

RECORDS = {
    "a list": "[1, 2]",
    "a word": '"x"',
    "no fields": "{}",
    "a large number": '{"repeat": 9223372036854775808}',
    "very deep": '{"a":' * 2_000,
    "no JSON": "{",
    "other types": json.dumps(
        {"trial": 1, "probe": [], "country": {}, "outcome": None, "value": "x", "error": "y"}
    ),
}


@pytest.mark.parametrize("record", RECORDS.values(), ids=list(RECORDS))
@pytest.mark.parametrize(
    "words", ["report RUN --format json", "table RUN error --by country", "export RUN --to x.csv"]
)
def test_a_hostile_record_is_a_sentence(
    tamper: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, record: str, words: str
) -> None:
    path = tamper("UPDATE records SET record = ? WHERE id = 1", record)
    monkeypatch.chdir(path.parent)
    done = run_command(*words.replace("RUN", path.name).split())
    assert is_a_sentence(done) or done.code == 0, done.err


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE sessions SET started = 1e300",
        "UPDATE sessions SET started = 'never'",
        "UPDATE sessions SET counts = '[1]'",
        "UPDATE replies SET tokens_in = 'many'",
        "UPDATE replies SET said = 'nothing'",
        "UPDATE replies SET said = '[]'",
        "UPDATE replies SET text = x'ff00'",
        "UPDATE replies SET seconds = 'long'",
        "UPDATE records SET replies = 'text'",
        "UPDATE records SET outcome = 5",
        "UPDATE manifest SET value = '{'",
        "UPDATE manifest SET value = '[]'",
        "UPDATE records SET country = '<b>', record = json_set(record, '$.country', '<b>')",
        "UPDATE records SET probe = 'geo20q', record = json_set(record, '$.probe', 'geo20q')",
        "UPDATE records SET record = json_set(record, '$.error', json('{}'))",
        "UPDATE records SET replies = zeroblob(16000000)",
    ],
)
def test_a_hostile_table_is_a_sentence(tamper: Callable[..., Path], sql: str) -> None:
    path = tamper(sql)
    for words in ("show", "replies --dialogue", "replies --json", "report --format json"):
        command, *options = words.split()
        done = run_command(command, path, *options)
        assert is_a_sentence(done) or done.code == 0, done.err


@pytest.mark.parametrize("said", ["'[[\"user\"'", "'[]'", "x'ff00'", "3"])
def test_a_reply_whose_question_is_damaged_is_a_sentence(
    tamper: Callable[..., Path], said: str
) -> None:
    done = run_command("replies", tamper(f"UPDATE replies SET said = {said} WHERE id > 1"))
    assert is_a_sentence(done)
    assert "damaged" in done.err


def test_replies_that_go_on_from_each_other_are_a_sentence(tamper: Callable[..., Path]) -> None:
    path = tamper("UPDATE replies SET parent = digest")
    began = time.process_time()
    done = run_command("replies", path, "--dialogue")
    assert is_a_sentence(done)
    assert "has no beginning" in done.err
    assert time.process_time() - began < 20


def test_an_export_commands_no_spreadsheet_and_no_terminal(tamper: Callable[..., Path]) -> None:
    texts = "text = CASE id WHEN 1 THEN '=cmd|x!A1' ELSE '-5' END, reasoning = '＝1+1' || ?"
    path = tamper(f"UPDATE replies SET {texts}", ESCAPES)
    out = path.with_suffix(".csv")
    assert run_command("export", path, "--to", out, "--replies").code == 0
    text = out.read_text("utf-8")
    assert ",'=cmd|x!A1," in text
    assert ",'＝1+1" in text
    assert ",-5," in text
    assert not any(sign in text for sign in UNSAFE)


def test_a_log_that_unpacks_to_very_much_is_refused_before(tmp_path: Path) -> None:
    log = tmp_path / "big.eval"
    with zipfile.ZipFile(log, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", bytes(600))
    raw = bytearray(log.read_bytes())
    directory = raw.index(b"PK\x01\x02")
    raw[directory + 24 : directory + 28] = (600 << 20).to_bytes(4, "little")
    log.write_bytes(raw)
    done = run_command("show", log)
    assert is_a_sentence(done)
    assert "more than" in done.err


# -- numbers ---------------------------------------------------------------------------------------

RUN = ("run", "worldbench", "sim/fair", "--countries", "KEN", "--indicators", "population")


def test_a_word_that_is_no_text_is_refused(path: Path) -> None:
    done = run_command(*RUN, "--system", "\udcff", "--out", path)
    assert (done.code, "UTF-8" in done.err) == (2, True)


@pytest.mark.parametrize("number", ["99999999999999999999", "9" * 5_000, "1000000000000"])
@pytest.mark.parametrize(
    "words", [("worldbench", "--repeats"), ("namebbq", "--names"), ("namebbq", "--repeats")]
)
def test_a_number_that_is_far_too_large_is_refused(
    words: tuple[str, str], number: str, path: Path
) -> None:
    done = run_command("run", words[0], "sim/fair", words[1], number, "--out", path)
    assert done.code == 2
    assert "Traceback" not in done.err


@pytest.fixture
def _heeding_ctrl_c() -> Iterator[None]:
    """A suite that was started in the background ignores Ctrl-C, and so would its processes."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_heeding_ctrl_c")
def test_ctrl_c_at_any_moment_of_the_start_is_no_traceback(good: Path) -> None:
    for wait in (0.05, 0.1, 0.2, 0.4):
        process = start("report", str(good), "--format", "json", cwd=good.parent)
        time.sleep(wait)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE)
        ours = [line for line in err.splitlines() if "geobias" in line and "File" in line]
        assert ours == [], err
        assert process.returncode != 0 or wait > 0.05  # a fast machine may be done by then


@pytest.mark.parametrize("plant", [os.symlink, os.link])
def test_a_link_under_the_name_of_the_lock_is_not_written_to(
    tmp_path: Path, plant: Callable[[Path, Path], None]
) -> None:
    others = tmp_path / "others.txt"
    others.write_bytes(b"as it was")
    plant(others, tmp_path / "r.geobias-lock")
    done = run_command("run", "worldbench", "sim/fair", "--out", tmp_path / "r.geobias")
    assert done.code == 3
    assert "r.geobias-lock" in done.err
    assert others.read_bytes() == b"as it was"


def test_a_value_that_a_formula_makes_as_long_as_it_likes_is_not_made(
    good: Path, tmp_path: Path
) -> None:
    path = tmp_path / "long.geobias"
    shutil.copy(good, path)
    with closing(sqlite3.connect(path)) as db:
        [(made,)] = db.execute("SELECT sql FROM sqlite_master WHERE name = 'records'")
        db.execute("DROP TABLE records")
        formula = "record TEXT GENERATED ALWAYS AS (hex(zeroblob(50000000))) VIRTUAL"
        db.execute(made.replace("record  TEXT NOT NULL", formula))
        db.execute(
            "INSERT INTO records (trial, probe, country, outcome, replies) "
            "VALUES ('worldbench/population/KEN/0', 'worldbench', 'KEN', 'parsed', x'00')"
        )
        db.commit()
    done = run_command("table", "worldbench.error", path)
    assert done.code == 2
    assert "is damaged" in done.err


def test_what_is_no_plain_file_is_no_run_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.geobias")
    done = run_command("show", tmp_path / "pipe.geobias")
    assert done.code == 2
    assert "regular file" in done.err


def test_pipes_and_devices_in_a_batch_folder_are_passed_over(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    out = tmp_path / "r.geobias"
    words = ("run", "worldbench", "sim/fair", "--out", out, "--batch-files", folder)
    assert run_command(*words).code == 0
    os.mkfifo(folder / "pipe.jsonl")
    (folder / "endless.jsonl").symlink_to("/dev/zero")
    done = run_command(*words)
    assert done.code == 0
    assert f"no line of {folder}" in done.err


@pytest.mark.parametrize(
    "words",
    [
        ("http://127.0.0.1:9/{key}/v1/m",),
        ("http://127.0.0.1:9/v1/{key}",),
        ("sim/fair", "--system", "Use {key}."),
    ],
)
def test_a_key_that_was_typed_is_refused_and_written_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    key = "sk-Secretkey9876543210"
    monkeypatch.setenv("GEOBIAS_API_KEY", key)
    given = [word.format(key=key) for word in words]
    done = run_command("run", "worldbench", *given, "--out", tmp_path / "r.geobias")
    assert done.code == 2
    assert "remove " in done.err
    assert key not in done.err + done.out
    assert not any(key.encode() in path.read_bytes() for path in tmp_path.iterdir())


def test_a_link_to_itself_in_a_folder_is_a_sentence(good: Path, tmp_path: Path) -> None:
    shutil.copy(good, tmp_path)
    (tmp_path / "loop.geobias").symlink_to(tmp_path / "loop.geobias")
    assert is_a_sentence(run_command("report", tmp_path, "--format", "json"))


def test_what_nobody_foresaw_is_a_sentence_that_says_how_to_see_more(
    tamper: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GEOBIAS_TRACEBACK")
    changed = tamper("UPDATE replies SET text = x'00ff1b5b33316d'")
    done = run_command("export", changed, "--to", tmp_path / "x.jsonl", "--replies")
    assert done.code == 2
    assert done.err.count("\n") == 1
    assert "GEOBIAS_TRACEBACK=1" in done.err
