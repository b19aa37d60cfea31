"""What breaks, tried: kills, faults of a server, fuzzed files, hostile run files. One table.

    python bench/faults.py [--kills 1000] [--questions 400] [--lines 10000] [--files 400] [--seed 0]
                           [--part kills|faults|lines|files|keys] [--rows FILE] [--json]

A stand-in server runs in a process of its own. What it answers, and which fault it throws, follows
from the seed and from what was asked, so that a run that was broken off a hundred times can be held
against one that went straight through. tests/test_faults.py runs a small one with every test.

    tried        kills, faults thrown, files or lines read
    held         those after which all was as it should be
    lost         answers that were in the file and are not any more, or trials without their record
    paid twice   good answers to a question that had one already
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import hashlib
import json
import multiprocessing
import os
import random
import signal
import sqlite3
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from fuzzing import ENTITIES, SLOWEST_SECONDS, Format, completion, formats, fuzzed
from geobias.engine import Budget, Counts, Runner
from geobias.errors import GeobiasError
from geobias.models.catalogue import find_model
from geobias.runfile import Manifest, RunReader, RunWriter
from geobias.trials import Ask, Dialogue, Record, Steps, Trial
from key_search import command, searched

KILLS, FILES, KEYS = "kills (SIGKILL)", "hostile run files", "files searched for the key"
FAULT_RATE = 0.05


class Row(NamedTuple):
    """A line of the table."""

    what: str
    tried: int
    held: int
    lost: int = 0
    paid_twice: int = 0


# -- the stand-in server ---------------------------------------------------------------------------


def answer_to(body: bytes) -> bytes:
    """The completion that a question always gets."""
    digest = hashlib.sha256(body).hexdigest()
    return completion(f"The answer is {int(digest[:6], 16):,}.")


def _http(status: int, body: bytes, *headers: str, length: int | None = None) -> bytes:
    size = len(body) if length is None else length
    lines = [f"HTTP/1.1 {status} x", "Content-Type: application/json", f"Content-Length: {size}"]
    return "\r\n".join([*lines, *headers]).encode() + b"\r\n\r\n" + body


def _error(status: int, words: str, *headers: str) -> bytes:
    return _http(status, json.dumps({"error": {"message": words}}).encode(), *headers)


Fault = Callable[[bytes], bytes | None]
"""What is sent in place of a completion; None breaks the connection."""
BOMB, SILENT = "gzip of 64 MB", "a silent server"
FAULTS: dict[str, Fault] = {
    "429": lambda _: _error(429, "slow down"),
    "429, Retry-After": lambda _: _error(429, "slow down", "Retry-After: 0.01"),
    "429, Retry-After of 30 years": lambda _: _error(429, "later", "Retry-After: 1000000000"),
    "429, invalid Retry-After": lambda _: _error(429, "later", "Retry-After: \x01 soon"),
    "408": lambda _: _error(408, "too slow"),
    "500": lambda _: _error(500, "oops"),
    "502 with a web page": lambda _: _http(502, b"<html>Bad Gateway</html>"),
    "503": lambda _: _error(503, "overloaded"),
    "504": lambda _: _error(504, "gateway timeout"),
    "529": lambda _: _error(529, "overloaded"),
    "200 with an error in its body": lambda _: _http(
        200, b'{"error": {"message": "busy", "code": 503}}'
    ),
    "broken off at once": lambda _: None,
    "broken off in the head": lambda _: b"HTTP/1.1 200 OK\r\nContent-Le",
    "broken off in the body": lambda good: _http(200, good[: len(good) // 2], length=len(good)),
    "a truncated body": lambda good: _http(200, good[: len(good) // 2]),
    "an answer that is not HTTP": lambda _: b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    "a web page": lambda _: _http(200, b"<!doctype html><html><body>Sign in</body></html>"),
    "an empty body": lambda _: _http(200, b""),
    "an answer that is not JSON": lambda _: _http(200, b'{"choices": "none"'),
    "JSON without choices": lambda _: _http(200, b'{"choices": []}'),
    "JSON with wrong types": lambda _: _http(
        200, b'{"choices": {"0": 1}, "usage": [], "model": 7}'
    ),
    "very deep JSON": lambda _: _http(200, b'{"choices":' + b"[" * 50_000),
    "a number of 10,000 digits": lambda _: _http(200, b'{"choices": ' + b"9" * 10_000 + b"}"),
    "a false gzip header": lambda good: _http(200, good, "Content-Encoding: gzip"),
    "truncated gzip": lambda good: _http(200, gzip.compress(good)[:-9], "Content-Encoding: gzip"),
    BOMB: lambda _: _http(200, _bomb(), "Content-Encoding: gzip"),
    "an encoding that was not requested": lambda good: _http(200, good, "Content-Encoding: br"),
    "broken chunks": lambda _: (
        b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"cho\r\nzz\r\n'
    ),
    SILENT: lambda _: b"",
}
_BOMBS: list[bytes] = []


def _bomb() -> bytes:
    if not _BOMBS:
        _BOMBS.append(gzip.compress(b'{"choices": "' + bytes(64 << 20), 1))
    return _BOMBS[0]


class StandIn:
    """Answers what it is asked; the first time something is asked, perhaps with a fault."""

    def __init__(self, seed: int, fault: str, rate: float, latency: float) -> None:
        self.seed, self.fault, self.rate, self.latency = seed, fault, rate, latency
        self.asked: Counter[bytes] = Counter()
        self.answered: Counter[bytes] = Counter()
        self.thrown = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while head := await reader.readuntil(b"\r\n\r\n"):
                if head.startswith(b"GET"):
                    writer.write(_http(200, json.dumps(self.counts()).encode()))
                    continue
                length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
                body = await reader.readexactly(length)
                if self.latency:
                    await asyncio.sleep(self.latency)
                sent = self.reply(body)
                if not sent:
                    if sent is None:
                        break
                    await asyncio.sleep(2)
                    break
                writer.write(sent)
                await writer.drain()
                if b"200 OK" in sent[:20] or sent[:4] != b"HTTP":
                    break  # what was begun is not ended
                if b"\r\nContent-Length: " in sent and self._is_cut(sent):
                    break
        writer.close()

    @staticmethod
    def _is_cut(sent: bytes) -> bool:
        head, _, body = sent.partition(b"\r\n\r\n")
        return int(head.split(b"Content-Length: ")[1].split(b"\r\n")[0]) > len(body)

    def reply(self, body: bytes) -> bytes | None:
        self.asked[body] += 1
        dice = random.Random(hashlib.sha256(b"%d" % self.seed + body).digest())
        if self.fault and self.asked[body] == 1 and dice.random() < self.rate:
            self.thrown += 1
            return FAULTS[self.fault](answer_to(body))
        self.answered[body] += 1
        return _http(200, answer_to(body))

    def counts(self) -> dict[str, int]:
        return {
            "thrown": self.thrown,
            "requests": self.asked.total(),
            "paid_twice": self.answered.total() - len(self.answered),
        }


def _serve(connection: Any, settings: Mapping[str, Any]) -> None:
    async def work() -> None:
        if settings["fault"] == BOMB:
            _bomb()  # made before anybody waits for it
        server = await asyncio.start_server(StandIn(**settings).serve, "127.0.0.1", 0)
        connection.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(work())


class Served(NamedTuple):
    """A stand-in server that runs: its address as a model, and what it has counted."""

    model: str
    address: str

    def counts(self) -> dict[str, int]:
        with urllib.request.urlopen(self.address, timeout=30) as answer:
            found: dict[str, int] = json.load(answer)
        return found


@contextmanager
def stand_in(
    *, seed: int = 0, fault: str = "", rate: float = 0.0, latency: float = 0.0
) -> Iterator[Served]:
    """A server in a process of its own, so that this one can be forked and killed."""
    settings = {"seed": seed, "fault": fault, "rate": rate, "latency": latency}
    here, there = multiprocessing.get_context("fork").Pipe()
    process = multiprocessing.get_context("fork").Process(
        target=_serve, args=(there, settings), daemon=True
    )
    process.start()
    try:
        port = here.recv()
        yield Served(f"http://127.0.0.1:{port}/v1/stand-in", f"http://127.0.0.1:{port}/")
    finally:
        process.kill()
        process.join()
        process.close()


# -- runs ------------------------------------------------------------------------------------------


def _question(number: int) -> Steps:
    reply = yield Ask(dialogue=Dialogue().user(f"question {number}"))
    again = yield Ask(dialogue=Dialogue().user(f"question {number}").reply(reply).user("sure?"))
    return Record(trial=f"faults/{number}", probe="faults", outcome=reply.text + again.text)


def drive(model: str, path: Path, questions: int, *, timeout: float = 30.0) -> None:
    """Ask the questions, each in two turns, into a run file; or go on where one was broken off."""

    async def work() -> None:
        manifest = Manifest(
            geobias="0", created="", probes={"faults": {}}, models={"model": "stand-in"}
        )
        asked = find_model(model, timeout_seconds=timeout)
        asked.name = "stand-in"  # type: ignore[misc]  # the port is another one each time
        file = RunWriter.open(path, manifest)
        try:
            runner = Runner(
                {"model": asked}, file, budget=Budget(), concurrency=16, backoff_seconds=0.01
            )
            trials = (Trial(f"faults/{n}", partial(_question, n)) for n in range(questions))
            await runner.run(trials, Counts())
        finally:
            await asked.close()
            file.close()

    asyncio.run(work())


def records(path: Path) -> dict[str, str]:
    """Trial → what was answered."""
    with RunReader(path) as run:
        return {row["trial"]: row["outcome"] for row in run.records()}


def digests(path: Path) -> set[bytes]:
    """The asks that a file has an answer to."""
    if not path.exists():
        return set()
    with suppress(GeobiasError), RunReader(path) as run:
        return {digest for (digest,) in run.query("SELECT digest FROM replies")}
    return set()


def kills(count: int, questions: int, seed: int, folder: Path) -> Row:
    """Runs that are killed at random moments and gone on with until they are complete."""
    dice = random.Random(seed)
    straight = folder / "straight.geobias"
    with stand_in() as server:
        drive(server.model, straight, questions)
    expected = records(straight)
    done = held = lost = paid_twice = number = 0
    while done < count:
        path = folder / f"killed-{number}.geobias"
        number += 1
        with stand_in(latency=0.002) as server:
            killed, gone, ended_well = _killed(server, path, questions, count - done, dice)
            paid_twice += server.counts()["paid_twice"]
        found = records(path)
        done += max(killed, 1)  # one that was over too soon counts as tried, lest it go on forever
        held += max(killed, 1) if ended_well and found == expected else 0
        lost += gone + len(expected.keys() - found.keys())
        path.unlink()
    return Row(KILLS, done, held, lost, paid_twice)


def _killed(
    server: Served, path: Path, questions: int, most: int, dice: random.Random
) -> tuple[int, int, bool]:
    """How often a run was killed before its end, answers lost, and whether it ended well.

    One kill in four comes within a third of a second, before or while a run begins; the others
    after so many further requests, so that they hit the middle of a run on a slow machine too.
    """
    killed = lost = 0
    kept: set[bytes] = set()
    while True:
        child = os.fork()
        if child == 0:
            code = 1
            with suppress(BaseException):
                drive(server.model, path, questions)
                code = 0
            os._exit(code)
        if killed < most:
            if dice.random() < 0.25:
                time.sleep(dice.uniform(0.0, 0.3))
            else:
                wanted = server.counts()["requests"] + dice.randint(1, 150)
                while server.counts()["requests"] < wanted and not _has_ended(child):
                    time.sleep(0.005)
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        now = digests(path)
        lost += len(kept - now)
        kept = now
        if not os.WIFSIGNALED(status):
            return killed, lost, status == 0
        killed += 1


def _has_ended(child: int) -> bool:
    """Whether a process is over; it is still there to be waited for."""
    return os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def straight(questions: int, folder: Path) -> dict[str, str]:
    """What a run without any fault ends in."""
    path = folder / "straight-faults.geobias"
    with stand_in() as server:
        drive(server.model, path, questions)
    return records(path)


def server_fault(fault: str, expected: Mapping[str, str], seed: int, folder: Path) -> Row:
    """A run of which one question in twenty meets this fault."""
    path = folder / "fault.geobias"
    with stand_in(seed=seed, fault=fault, rate=FAULT_RATE) as server:
        with suppress(GeobiasError):
            drive(server.model, path, len(expected), timeout=0.5 if fault == SILENT else 30)
        found, counts = records(path), server.counts()
    path.unlink()
    held = counts["thrown"] if found == expected else 0
    lost = len(expected.keys() - found.keys())
    return Row(fault, counts["thrown"], held, lost, counts["paid_twice"])


# -- files and lines -------------------------------------------------------------------------------

TAMPERED = (
    "UPDATE replies SET parent = digest",
    "UPDATE replies SET said = '[]'",
    "UPDATE replies SET text = x'ff00'",
    "UPDATE replies SET tokens_in = 'many'",
    "UPDATE records SET record = '[1]'",
    "UPDATE records SET record = '{\"repeat\": 9223372036854775808}'",
    "UPDATE records SET replies = 'text'",
    "UPDATE records SET outcome = 5",
    "UPDATE sessions SET started = 1e300",
    'UPDATE sessions SET counts = \'{"a": "b"}\'',
    "UPDATE manifest SET value = replace(value, '\"created\"', '\"create\"')",
    "UPDATE manifest SET value = '{'",
    "DELETE FROM openings",
    "DELETE FROM sessions",
)
COMMANDS = ("show RUN", "replies RUN --dialogue", "export RUN --to OUT", "report RUN --format json")


def good_files(folder: Path) -> list[bytes]:
    """A small run of each probe."""
    import geobias
    from geobias.probes import geo20q, namebbq, ratings, worldbench

    entities = folder / "entities.csv"
    entities.write_bytes(ENTITIES)
    games = geo20q.plan(entities=str(entities), turns=4, judge_questions=1)
    plans = {
        "fair": worldbench.plan(indicators=("population",), countries="KEN,FRA,IND"),
        "biased": namebbq.plan(size="quick", names=0),
        f"?play=0.9&entities={entities}": games,
        "?favour=1": ratings.plan(size="quick", topics=("intelligence",)),
    }
    return [
        geobias.run([plan], f"sim/{model}", folder / f"good-{plan.probe}.geobias").path.read_bytes()
        for model, plan in plans.items()
    ]


def hostile_files(count: int, seed: int, folder: Path) -> Row:
    """Run files with wrong bytes or wrong content, and every command that reads one."""
    dice = random.Random(seed)
    good, bad = good_files(folder), folder / "bad.geobias"
    tried = held = 0
    for number in range(count):
        raw = bytearray(good[number % len(good)])
        change = TAMPERED[number] if number < len(TAMPERED) else ""
        if not change and dice.random() < 0.2:
            change = dice.choice(TAMPERED)
        if not change:
            for _ in range(dice.randint(1, 30)):
                raw[dice.randrange(100, len(raw))] = dice.randrange(256)
        bad.write_bytes(raw)
        if change:
            with closing(sqlite3.connect(bad)) as db:
                db.execute(change)
                db.commit()
        for words in COMMANDS:
            tried += 1
            began = time.process_time()
            code, err = command(
                words.replace("RUN", str(bad)).replace("OUT", str(folder / "x.csv"))
            )
            sentence = code == 0 or (code == 2 and err.count("\n") == 1)
            held += sentence and time.process_time() - began < 4 * SLOWEST_SECONDS
            if not sentence or time.process_time() - began > SLOWEST_SECONDS:
                print(f"{words} of file {number}: {code} {err[-300:]}", file=sys.stderr)
    return Row(FILES, tried, held)


def keys(folder: Path, *, few: bool) -> Row:
    """A server that echoes the key, and every file that any command then writes."""
    count, leaks, wrong = searched(folder, few=few)
    for line in (*leaks, *wrong):
        print(line, file=sys.stderr)
    return Row(KEYS, count, 0 if wrong else count - len(leaks))


def parts(given: argparse.Namespace, folder: Path) -> Iterator[tuple[str, str, Callable[[], Row]]]:
    """Everything that is tried: the part of the suite, the row of the table, and how."""
    seed = given.seed
    yield "kills", KILLS, lambda: kills(given.kills, given.questions, seed, folder)
    expected = cache(lambda: straight(given.questions, folder))
    for fault in FAULTS:
        yield "faults", fault, partial(_faulty, fault, expected, seed, folder)
    for what, format in formats(folder).items():
        yield "lines", f"fuzzed: {what}", partial(_fuzzed, what, format, given.lines, seed, folder)
    yield "files", FILES, lambda: hostile_files(given.files, seed, folder)
    yield "keys", KEYS, lambda: keys(folder, few=given.few_commands)


def _faulty(fault: str, expected: Callable[[], dict[str, str]], seed: int, folder: Path) -> Row:
    return server_fault(fault, expected(), seed, folder)


def _fuzzed(what: str, format: Format, lines: int, seed: int, folder: Path) -> Row:
    return Row(f"fuzzed: {what}", lines, fuzzed(what, format, lines, seed, folder))


def rows(given: argparse.Namespace, folder: Path) -> Iterator[Row]:
    """The rows of the chosen parts; those that --rows holds already are not tried again."""
    known = {}
    if given.rows and given.rows.exists():
        lines = given.rows.read_text("utf-8").splitlines()
        known = {row.what: row for row in (Row(**json.loads(line)) for line in lines)}
    for part, what, attempt in parts(given, folder):
        if what in known:
            yield known[what]
        elif not given.part or part in given.part:
            row = attempt()
            if given.rows:
                with given.rows.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(row._asdict()) + "\n")
            yield row


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--kills", type=int, default=1_000)
    options.add_argument("--questions", type=int, default=400)
    options.add_argument("--lines", type=int, default=10_000)
    options.add_argument("--files", type=int, default=400)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument(
        "--part", action="append", choices=("kills", "faults", "lines", "files", "keys")
    )
    options.add_argument("--rows", type=Path, help="keep rows here, and go on where it was stopped")
    options.add_argument(
        "--few-commands", action="store_true", help="search for the key after a few commands only"
    )
    options.add_argument("--json", action="store_true", help="a row a line, for programs")
    given = options.parse_args()
    if not given.json:
        print("| what | tried | held | lost | paid twice |\n|---|---:|---:|---:|---:|")
    broken = 0
    with tempfile.TemporaryDirectory() as scratch:
        for row in rows(given, Path(scratch)):
            numbers = f"{row.tried:,} | {row.held:,} | {row.lost:,} | {row.paid_twice:,}"
            print(json.dumps(row._asdict()) if given.json else f"| {row.what} | {numbers} |")
            sys.stdout.flush()
            broken += row.held < row.tried or row.lost > 0
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
