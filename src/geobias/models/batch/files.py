"""Ask through files: geobias writes asks into a folder, and another program puts the results there.

The lines have the format of the provider's batch files. For models without a batch endpoint the
format is OpenAI's, which vLLM's `run_batch` reads and writes.
"""

from __future__ import annotations

import os
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from pathlib import Path

from geobias.errors import AsksWait, BadRequest
from geobias.files import write_whole
from geobias.models.batch.gathering import BatchedModel, Gatherer, Results, Waiting, each_once
from geobias.models.batch.lines import (
    DIALECTS,
    MAX_LINE_BYTES,
    dialect_of,
    discount_of,
    id_of,
    request_line,
)
from geobias.models.chat import ChatModel
from geobias.models.model import Model
from geobias.redaction import of_environment
from geobias.runfile import RunWriter
from geobias.runfile.schema import Batch
from geobias.untrusted import Lines, TooMuch

MOST_BYTES = 2 << 30
"""Maximum size of all files in the folder together."""
MOST_LINES = 1_000_000
PIECE_BYTES = 1 << 20
FILES_QUIET_SECONDS = 0.1
"""Seconds without a new ask after which a round begins."""
_NUMBER = re.compile(r"round-(\d{1,6})-")


class Folder:
    """Asks and results of a run in one folder of files, for all models."""

    def __init__(self, path: Path, run: RunWriter, *, say: Callable[[str], None]) -> None:
        self._path = path
        self._run = run
        self._say = say
        self._failed: dict[bytes, str] = {}
        self._complaints: list[str] = []

    async def round(self, asks: list[Waiting]) -> list[Waiting]:
        """Answer the asks that have a result. If none has one, write them to files and stop."""
        batches = self._run.batches()
        results = Results(asks, {batch.tag: set(owed) for batch, owed in batches.items()})
        for raw in _lines(self._path):
            results.take(raw)
        taken = results.deliver()
        for batch in batches:
            failed = [ask for ask, one in results.errors.items() if one.line.tag == batch.tag]
            self._run.fail_asks(batch, failed)
        for ask, one in results.errors.items():
            self._failed[ask] = one.line.kind or f"HTTP {one.line.status}"
        known = {*chain.from_iterable(batches.values())}
        # The cost of answers from files that this run did not write.
        self._keep("", [one for one in asks if one.digest in taken and one.digest not in known])
        self._complaints = [*results.complaints()]
        if known and not results.is_ours:
            self._complaints.append(f"no line of {self._path}/*.jsonl is one of this run's results")
        rest = [one for one in asks if not one.came.done()]
        if len(rest) == len(asks):
            raise self._wait(rest)
        return rest  # the other trials go on and may ask more

    def _keep(self, file: str, asks: list[Waiting], tag: str = "") -> None:
        for name in dict.fromkeys(one.chat.name for one in asks):
            own = [one for one in asks if one.chat.name == name]
            row = Batch(
                tag=tag or os.urandom(8).hex(),
                model=name,
                file=file,
                state="files",
                price=discount_of(own[0].chat.spec),
                at=time.time(),
            )
            self._run.save_batch(row, [one.digest for one in own])

    def _wait(self, rest: list[Waiting]) -> AsksWait:
        handed = {
            digest: batch.file
            for batch, owed in self._run.batches().items()
            if batch.state == "files" and batch.file
            for digest in owed
        }
        new = [one for one in rest if one.digest not in handed]
        before = [handed[one.digest] for one in rest if one.digest in handed]
        said = []
        if new:
            files = ", ".join(map(str, self._write(new)))
            said.append(f"{_count(len(new), 'waits', 'wait')} in {files}")
        if before:
            files = ", ".join(dict.fromkeys(before))
            waits = _count(len(before), "waits", "wait")
            said.append(f"{waits} for results of {files}, written earlier")
        return AsksWait("; ".join(said))

    def _write(self, asks: list[Waiting]) -> list[Path]:
        """Write a file for each model."""
        written = []
        found = (_NUMBER.match(file.name) for file in self._path.glob("round-*.jsonl"))
        number = max((int(one[1]) for one in found if one), default=0) + 1
        for name in dict.fromkeys(one.chat.name for one in asks):
            own = [one for one in asks if one.chat.name == name]
            dialect = dialect_of(own[0].chat.spec) or DIALECTS["openai"]
            tag = os.urandom(8).hex()
            lines = [request_line(dialect, id_of(one.digest, tag), one.body) for one in own]
            plain = re.sub(r"[^\w.+-]+", "-", name).strip("-.")[-80:] or "model"
            file = self._path / f"round-{number:03}-{plain}.jsonl"
            write_whole(file, b"\n".join(lines) + b"\n", BadRequest)
            self._keep(str(file).encode(errors="replace").decode(), own, tag)
            written.append(file)
        return written

    def complain(self, answered: Callable[[bytes], bool]) -> None:
        """Report which asks failed, and which results in the folder answer no ask.

        Errors that the run recorded as the answer, such as refusals, are not reported.
        """
        failed = [why for digest, why in self._failed.items() if not answered(digest)]
        if failed:
            kinds = ", ".join(f"{number:,} {why}" for why, number in Counter(failed).most_common())
            self._say(f"{_count(len(failed), 'failed', 'failed')}, to be asked again: {kinds}")
        for sentence in self._complaints:
            self._say(sentence)


def check_folder(path: Path) -> None:
    """Raise `BadRequest` for a folder of unreadable results, before a run file is changed."""
    if path.exists() and not path.is_dir():
        raise BadRequest(f"{path} is not a folder; name the folder that holds it")
    for _ in _lines(path):
        pass


def _lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of all result files in a folder, within limits."""
    try:
        files = sorted(file for file in path.glob("*.jsonl") if file.is_file())
        if sum(file.stat().st_size for file in files) > MOST_BYTES:
            raise BadRequest(
                f"the files in {path} have over {MOST_BYTES >> 30} GiB: use several folders"
            )
        lines = Lines(MOST_LINES, MAX_LINE_BYTES)
        for file in files:
            with file.open("rb") as opened:
                while piece := opened.read(PIECE_BYTES):
                    yield from lines.feed(piece)
            yield from lines.end()
    except TooMuch as why:
        raise BadRequest(f"the files in {path} cannot be results: {why}") from None
    except OSError as error:
        raise BadRequest(f"cannot read {path}: {error.strerror or error}") from None


def _count(number: int, one: str, several: str) -> str:
    return f"1 ask {one}" if number == 1 else f"{number:,} asks {several}"


def by_files(
    models: Mapping[str, Model], path: Path, run: RunWriter, *, say: Callable[[str], None]
) -> tuple[dict[str, Model], Folder]:
    redact = of_environment()
    folder = Folder(path, run, say=lambda words: say(redact(words)))
    gatherer = Gatherer(folder.round, FILES_QUIET_SECONDS)

    def batched(model: Model) -> Model:
        if not isinstance(model, ChatModel) or model.by_text:
            raise BadRequest(f"{model.name} cannot be asked by files: leave out --batch-files")
        return BatchedModel(model, dialect_of(model.spec), gatherer)

    return each_once(models, batched), folder
