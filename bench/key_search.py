"""Is the key in any file that a command writes? A server that echoes it wherever a server can,
every command that writes, and a search through all files, packed ones too, for every spelling.
"""

from __future__ import annotations

import asyncio
import base64
import gzip
import html
import json
import os
import sqlite3
import subprocess
import sys
import threading
import urllib.request
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager, redirect_stderr, redirect_stdout, suppress
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from typing import Any
from urllib.parse import quote

from aiohttp import web

ODD_KEY = 'sk-"a key/with\\signs"-0123456789'
"""For a server named by its address: what breaks careless quoting."""
PLAIN_KEY = "sk-proj-plain-0123456789abcdef"
"""For a provider: one that could be the name of anything."""
KEYS = (ODD_KEY, PLAIN_KEY)
os.environ["GEOBIAS_TRACEBACK"] = "1"  # what nobody foresaw must not pass for a sentence


def escaped(text: str) -> str:
    """As JSON may have any character."""
    return "".join(f"\\u{ord(one):04x}" for one in text)


def spellings(key: str) -> list[bytes]:
    """The key as files may have it."""
    in_json = json.dumps(key)[1:-1]
    texts = [
        key, in_json, json.dumps(in_json)[1:-1], in_json.replace("/", "\\/"), escaped(key),
        key.replace('"', '""'), html.escape(key), html.escape(key, quote=False), quote(key),
        quote(key, safe=""), "".join(f"&#{ord(one)};" for one in key),
    ]  # fmt: skip
    packed = base64.b64encode(key.encode()).rstrip(b"=")
    return [*(text.encode() for text in texts), packed, key.encode("utf-16-le")]


def contents(path: Path) -> Iterator[bytes]:
    """What a file holds: its bytes, what is packed in it, and the cells of its tables."""
    raw = path.read_bytes()
    yield raw
    if raw[:2] == b"\x1f\x8b":
        yield gzip.decompress(raw)
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                yield name.encode() + b"\0" + archive.read(name)
    if raw[:16] == b"SQLite format 3\0":
        yield from _cells(path)
    if raw[:4] == b"PAR1":
        import polars as pl

        yield pl.read_parquet(path).write_ndjson().encode()
    if raw[:5] == b"%PDF-":
        for part in raw.split(b"stream\n")[1:]:
            with suppress(zlib.error):
                yield zlib.decompressobj().decompress(part)


def _cells(path: Path) -> Iterator[bytes]:
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
        tables = db.execute("SELECT name FROM sqlite_master WHERE sql NOT NULL").fetchall()
        for (table,) in tables:
            with suppress(sqlite3.Error):  # an index, a shadow table
                for row in db.execute(f'SELECT * FROM "{table}"'):
                    yield repr(row).encode(errors="replace")
                    yield from (str(cell).encode(errors="replace") for cell in row)


def holds_a_key(path: Path) -> bool:
    wanted = [one for key in KEYS for one in spellings(key)]
    return any(one in content for content in contents(path) for one in wanted)


# -- a server that echoes --------------------------------------------------------------------------


class EchoServer:
    """Answers chats and batches, and puts the key that it was sent wherever text can stand.

    The first time that something is asked, it is answered by a fault that says the key.
    """

    def __init__(self) -> None:
        self.asked: Counter[bytes] = Counter()
        self.lines: dict[str, list[Any]] = {}
        self.looks = 0

    def application(self) -> web.Application:
        app = web.Application(client_max_size=1 << 26)
        app.router.add_post("/v1/chat/completions", self.chat)
        app.router.add_post("/v1/files", self.upload)
        app.router.add_get("/v1/files/{id}/content", self.content)
        app.router.add_post("/v1/batches", self.create)
        app.router.add_get("/v1/batches/{id}", self.look)
        app.router.add_get("/v1/batches", self.listed)
        return app

    async def chat(self, request: web.Request) -> web.Response:
        key = request.headers.get("Authorization", "").removeprefix("Bearer ")
        body = await request.read()
        self.asked[body] += 1
        headers = {"X-Echo": quote(key), "X-Request-Id": quote(key)}
        if self.asked[body] == 1:
            match len(self.asked) % 4:
                case 0:
                    return _error(429, f"slow down, {key}", headers | {"Retry-After": "0.01"})
                case 1:
                    return _error(500, f"no luck with {key} or {escaped(key)}", headers)
                case 2:
                    return web.Response(text=f"<html>Signed in as {html.escape(key)}</html>")
                case _:
                    return web.Response(text=f'{{"choices": "{escaped(key)}", "key": {key!r}}}')
        return web.Response(
            body=_completion(key, body), content_type="application/json", headers=headers
        )

    async def upload(self, request: web.Request) -> web.Response:
        key = request.headers["Authorization"].removeprefix("Bearer ")
        form = await request.post()
        lines = form["file"].file.read().splitlines()  # type: ignore[union-attr]
        self.lines["file-1"] = [json.loads(line) for line in lines]
        self.looks += 1
        # The first time, the file is called by the key: it is an id like any other.
        return web.json_response({"id": key if self.looks == 1 else "file-1", "owner": key})

    async def create(self, request: web.Request) -> web.Response:
        return web.json_response({"id": "batch-1", "status": "validating"})

    async def look(self, request: web.Request) -> web.Response:
        key = request.headers["Authorization"].removeprefix("Bearer ")
        batch = {"id": "batch-1", "status": "completed", "output_file_id": "file-1", "owner": key}
        return web.json_response(batch | {"errors": {"data": [{"message": f"odd key {key}"}]}})

    async def listed(self, request: web.Request) -> web.Response:
        return web.json_response({"data": []})

    async def content(self, request: web.Request) -> web.Response:
        key = request.headers["Authorization"].removeprefix("Bearer ")
        lines = [{"custom_id": key, "response": {"status_code": 200, "body": {}}}]
        for asked in self.lines["file-1"]:
            body = json.loads(_completion(key, json.dumps(asked).encode()))
            response = {"status_code": 200, "body": body, "request_id": key}
            lines.append({"custom_id": asked["custom_id"], "response": response})
        return web.Response(text="".join(f"{json.dumps(line)}\n" for line in lines))


def _completion(key: str, body: bytes) -> bytes:
    number = 1_000 + sum(body) % 100_000
    thought = f"The key is {key}, {html.escape(key)}, {quote(key)}."
    text = f"{number:,}. Your key: {key} ECHO"
    message = {"role": "assistant", "content": text, "reasoning_content": thought}
    choice = {"message": message, "finish_reason": f"stop {key}"}
    usage = {"prompt_tokens": 9, "completion_tokens": 4}
    made: dict[str, Any] = {"id": key, "model": f"m {key}", "system_fingerprint": key}
    made |= {"choices": [choice], "usage": usage}
    return json.dumps(made).replace("ECHO", escaped(key)).encode()


def _error(status: int, words: str, headers: dict[str, str]) -> web.Response:
    return web.json_response({"error": {"message": words}}, status=status, headers=headers)


@contextmanager
def echoing() -> Iterator[str]:
    """The address of such a server, on a thread of its own."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    async def start() -> tuple[web.AppRunner, int]:
        runner = web.AppRunner(EchoServer().application())
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        return runner, runner.addresses[0][1]

    runner, port = asyncio.run_coroutine_threadsafe(start(), loop).result()
    try:
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        asyncio.run_coroutine_threadsafe(runner.cleanup(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


# -- every command that writes ---------------------------------------------------------------------


def command(words: str | list[str], said: StringIO | None = None) -> tuple[int, str]:
    """The exit code and standard error of a command, run in this process; `said` gets all."""
    from geobias.cli import main

    err = StringIO()
    out = TextIOWrapper(BytesIO(), "utf-8", "replace")
    code = 0
    try:
        with redirect_stdout(out), redirect_stderr(err):
            main(words.split() if isinstance(words, str) else words)
    except SystemExit as end:
        code = int(end.code or 0)
    except Exception as error:
        return -1, f"{type(error).__name__}: {error}"
    if said is not None:
        out.flush()
        said.write(out.buffer.getvalue().decode())
        said.write(err.getvalue())
    return code, err.getvalue()


def written(home: Path, *, few: bool) -> list[str]:
    """Run every command that writes, or a few of them, with files in `home`; what went wrong."""
    from geobias.engine import runner
    from geobias.models.batch import provider

    runner.BACKOFF_SECONDS = provider.POLL_SECONDS = 0.01  # its first answers are faults
    wrong: list[str] = []
    said = StringIO()

    def do(words: str, codes: tuple[int, ...] = (0,)) -> None:
        code, err = command(words, said)
        if code not in codes:
            wrong.append(f"{words}: {code} {err[-300:]}")

    run, other = home / "run.geobias", home / "other.geobias"
    asked = "--indicators population --countries KEN,FRA,IND"
    with echoing() as address, _environment(home, address):
        model = f"{address}/echo"
        do(f"run worldbench {model} {asked} --out {run}")
        for codes in ((3,), (0,)):  # the first file that it is sent it calls by the key
            batch = f"--batch --out {home}/b.geobias"
            do(f"run worldbench openai/echo {asked} {batch}", codes)
        do(
            f"run worldbench {model} {asked} --batch-files {home}/asks --out {home}/w.geobias",
            (0, 3),
        )
        do(f"run worldbench openai/echo {asked} --out {other}")
        do(f"export {run} --to {home}/replies.jsonl --replies")
        do(f"report {run} --out {home}/report.md")
        _in_a_notebook(run, home)
        if few:
            (home / "what-was-said.txt").write_text(said.getvalue(), "utf-8")
            return wrong
        do(f"audit --probes worldbench {model} {asked} --out {home}/audit", (0, 2))
        config = home / "audit.toml"
        config.write_text(
            f'models = ["{model}"]\nprobes = ["worldbench"]\nout = "{home}/by-config"\n'
            '[worldbench]\nindicators = ["population"]\ncountries = "KEN,FRA"\n'
        )
        do(f"audit --config {config}", (0, 3))
        do(f"plan audit {model} --preregister {home}/planned.md", (0, 2))
        for ending in ("csv", "jsonl", "parquet"):
            do(f"export {run} --to {home}/records.{ending}")
            do(f"export {run} --to {home}/replies.{ending} --replies")
        for kind in ("html", "md", "json", "csv", "tex"):
            do(f"report {run} {other} --out {home}/report.{kind}")
        do(f"report {run} --out {home}/f.html --save-figures {home}/figures")
        do(f"site {run} {other} --out {home}/site")
        do(f"compare {run} {other}", (0, 2))
        do(f"gate {run} --max worldbench.error=0.9 --junit {home}/gate.xml", (0, 1))
        for more in ("", "--json"):
            do(f"show {run} {more}", (0, 2))
        do(f"replies {run} --json")
        lines = home / "elsewhere.jsonl"
        lines.write_text('{"indicator": "population", "country": "KEN", "reply": "5"}\n')
        do(f"score worldbench --predictions {lines} --to {home}/scored.geobias")
        do("models")
        _viewed(run, home)
    (home / "what-was-said.txt").write_text(said.getvalue(), "utf-8")
    return wrong


@contextmanager
def _environment(home: Path, address: str) -> Iterator[None]:
    given = {
        "GEOBIAS_API_KEY": ODD_KEY,
        "OPENAI_API_KEY": PLAIN_KEY,
        "OPENAI_BASE_URL": address,
        "GEOBIAS_CACHE": str(home / "cache"),
    }
    before = {name: os.environ.get(name) for name in given}
    os.environ.update(given)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _in_a_notebook(run: Path, home: Path) -> None:
    pass


def _viewed(run: Path, home: Path) -> None:
    """The viewer, started and looked into; its pages are kept as files."""
    from importlib.util import find_spec

    if find_spec("uvicorn") is None:
        return
    log = (home / "view.err").open("wb")
    process = subprocess.Popen(
        [sys.executable, "-m", "geobias", "view", str(run), "--no-browser"],
        stdout=subprocess.PIPE,
        stderr=log,
        text=True,
    )
    try:
        assert process.stdout is not None
        address = process.stdout.readline().split()[0]
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        with opener.open(address, timeout=60) as answer:
            (home / "view.html").write_bytes(answer.read())
    finally:
        process.terminate()
        process.communicate(timeout=60)
        log.close()


def searched(folder: Path, *, few: bool = False) -> tuple[int, list[str], list[str]]:
    """How many files were searched, those that hold a key, and what went wrong before."""
    home = folder / "keys"
    home.mkdir()
    wrong = written(home, few=few)
    files = [path for path in sorted(home.rglob("*")) if path.is_file()]
    runs = [path.read_bytes() for path in files if path.suffix == ".geobias"]
    if sum(b"[key]" in one or b"[withheld" in one for one in runs) < 3:
        wrong.append("fewer than three run files have [key] or [withheld …] in the place of a key")
    return len(files), [str(path) for path in files if holds_a_key(path)], wrong
