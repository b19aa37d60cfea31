"""Kill it, interrupt it, fill the disk: nothing is lost, and the same command goes on."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest

from geobias import api
from geobias.errors import GeobiasError
from geobias.probes import worldbench
from geobias.runfile import Manifest, RunReader, RunWriter
from geobias.runfile.writing import COMMIT_SECONDS
from geobias.trials import Ask, Dialogue, Reply
from tests.cli.commands import geobias as in_a_process
from tests.cli.commands import start
from tests.cli.running import geobias
from tests.probes.geo20q.made import write_table
from tests.servers import ChatStart, HeldStart
from tests.waiting import PATIENCE, until

PLANNED = 6 * 2
ENTITIES = "made.csv"


@pytest.fixture(autouse=True)
def _made(tmp_path: Path) -> None:
    """Six made-up entities in the folder: the shipped thousands take a process a second."""
    write_table(tmp_path / ENTITIES, 1, 3)


def games(url: str) -> tuple[str, ...]:
    """Games about six entities, each played twice: many calls in each trial."""
    words = ("--repeats", "2", "--turns", "8", "--judge-questions", "0", "--concurrency", "4")
    return ("run", "geo20q", url, "--entities", ENTITIES, *words, "--out", "r.geobias")


def wait_for_replies(path: Path, count: int, process: subprocess.Popen[str] | None = None) -> None:
    """Until the run file holds so many replies."""

    def there() -> bool:
        try:
            with RunReader(path) as run:
                return sum(spent.calls for spent in run.spent().values()) >= count
        except (sqlite3.Error, GeobiasError):  # no file yet, or one that is only now made
            return False

    until(there, process)


def let_it_read(url: str) -> None:
    """Until the server has read what a dead process sent: what came later is answered after it."""
    for _ in range(2):
        with urlopen(url.removesuffix("/sim/served") + "/models") as answer:
            answer.read()


def test_after_kill_9_everything_committed_is_there_and_nothing_of_it_is_asked_again(
    tmp_path: Path, chat_server: ChatStart, held_model: HeldStart
) -> None:
    model = held_model(f"sim/?play=0.4&entities={tmp_path / ENTITIES}", answers=0)
    url, server = chat_server(model)
    path = tmp_path / "r.geobias"
    kept = 0
    for _ in range(2):  # a new run, and one that goes on
        model.allow(20)
        process = start(*games(url), cwd=tmp_path)
        wait_for_replies(path, kept + 20, process)
        process.kill()
        process.communicate()
        model.allow()
        with RunReader(path) as run:
            kept = sum(spent.calls for spent in run.spent().values())
        let_it_read(url)
    asked_before = server.calls
    code, _, err = geobias(*games(url), cwd=tmp_path)
    assert code == 0, err
    with RunReader(path) as run:
        final = sum(spent.calls for spent in run.spent().values())
        assert sum(run.done()["geo20q"].values()) == PLANNED
        assert len(run.sessions()) == 3
        trials = [row["trial"] for row in run.records("geo20q")]
    assert server.calls - asked_before == final - kept
    assert len(trials) == len(set(trials)) == PLANNED


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_run_finishes_what_is_in_flight_and_says_how_to_go_on(
    tmp_path: Path, chat_server: ChatStart, held_model: HeldStart, number: signal.Signals
) -> None:
    model = held_model(f"sim/?entities={tmp_path / ENTITIES}", answers=10)
    url, server = chat_server(model)
    path = tmp_path / "r.geobias"
    process = start(*games(url), cwd=tmp_path)
    wait_for_replies(path, 10, process)
    process.send_signal(number)
    model.allow()
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 3
    assert "Resume with:" in err
    assert "Traceback" not in err
    with RunReader(path) as run:
        assert sum(spent.calls for spent in run.spent().values()) == server.calls
    code, _, _ = geobias(*games(url), cwd=tmp_path)
    assert code == 0


def test_a_reply_that_comes_during_a_commit_is_kept_though_no_other_follows(path: Path) -> None:
    made = Manifest(geobias="0", created="now", probes={"p": {}}, models={"model": "m"})
    writer = RunWriter.open(path, made)
    asks = [Ask(dialogue=Dialogue().user(text), role="model") for text in ("one?", "two?")]

    def save() -> None:
        for ask in asks:
            writer.save_reply(ask, Reply("42", model="m-1", digest=ask.digest("m")))

    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")  # the first reply waits for it, and the second follows at once
    saving = threading.Thread(target=save)
    saving.start()
    time.sleep(4 * COMMIT_SECONDS)  # until the thread that commits waits too
    other.close()
    saving.join()
    wait_for_replies(path, 2)
    writer.close()


@pytest.fixture
def going(path: Path, chat_server: ChatStart, held_model: HeldStart) -> Iterator[Path]:
    """A run that this process is at, which has a reply and waits for others."""
    model = held_model("sim/fair", answers=1)
    url, _ = chat_server(model)
    plan = worldbench.plan(indicators="gdp", countries="KEN;FRA")
    running = threading.Thread(target=api.run, args=([plan], url, path))
    running.start()
    wait_for_replies(path, 1)
    yield path
    model.allow()
    running.join()


def test_a_second_process_on_the_same_file_is_turned_away(tmp_path: Path, going: Path) -> None:
    with RunReader(going) as run:
        model = run.manifest().models["model"]
    words = ("worldbench", model, "--indicators", "gdp", "--countries", "KEN,FRA")
    code, _, err = in_a_process("run", *words, "--out", going.name, cwd=tmp_path)
    assert code == 2
    assert "another geobias" in err


def test_a_run_that_is_still_going_can_be_shown(going: Path) -> None:
    code, out, _ = geobias("show", going)
    assert code == 0
    assert "not ended" in out


SMALL_DISK = """
mount -t tmpfs -o size=8600k tmpfs {folder}
{python} -m geobias run worldbench {model} --repeats 100 --out {folder}/r.geobias
echo "exit $?"
cp {folder}/r.geobias* {kept}/
"""


def can_mount(folder: Path) -> bool:
    if shutil.which("unshare") is None:
        return False
    command = ["unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", str(folder)]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def test_a_full_disk_stops_the_run_in_one_sentence_and_loses_no_reply(
    tmp_path: Path, chat_server: ChatStart
) -> None:
    small = tmp_path / "small"
    small.mkdir()
    if not can_mount(small):
        pytest.skip("mounting a small disk needs user namespaces")
    url, server = chat_server("sim/?chatty=1")
    script = SMALL_DISK.format(folder=small, python=sys.executable, model=url, kept=tmp_path)
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", script],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
        cwd=tmp_path,
        env=os.environ,
    )
    assert "exit 3" in done.stdout, done.stderr
    assert "is full" in done.stderr
    assert "be enforced" not in done.stderr
    assert "Traceback" not in done.stderr
    with RunReader(tmp_path / "r.geobias") as run:
        kept = sum(spent.calls for spent in run.spent().values())
    assert kept == server.calls
