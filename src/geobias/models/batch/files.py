"""A round by files: asks are written into a folder, and whoever executes them puts results there.

The lines are those of the provider's own batch files; for every other model they are OpenAI's,
which vLLM's `run_batch` takes and gives.
"""

from __future__ import annotations

import os
import re
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from geobias.errors import AsksWait, BadRequest
from geobias.files import write_whole
from geobias.models.batch.gathering import (
    BatchedModel,
    Gatherer,
    Results,
    Waiting,
    digest_of,
    each_once,
    refusals,
    some_of,
)
from geobias.models.batch.lines import (
    DIALECTS,
    MAX_LINE_BYTES,
    Dialect,
    Line,
    NotALine,
    dialect_of,
    discount_of,
    is_request,
    opened,
    request_line,
    result_line,
)
from geobias.models.chat import ChatModel
from geobias.models.complaints import one_line
from geobias.models.model import Model
from geobias.redaction import of_environment
from geobias.runfile import RunWriter
from geobias.runfile.schema import Batch

MOST_BYTES = 2 << 30
"""Of all files in the folder together."""
MOST_LINES = 1_000_000
FILES_QUIET_SECONDS = 0.1
"""Of batches in files, where no provider is asked: how long no further call may come until a round
is closed."""
_NUMBER = re.compile(r"round-(\d{1,6})-")


class AsksInFiles:
    """What the run file knows of asks in files. Each call is on the disk when it returns."""

    def __init__(self, run: RunWriter) -> None:
        self._run = run

    def handed_out(self) -> dict[bytes, str]:
        """Asks that were written to a file and have no reply, with the file's path."""
        open_batches = self._run.batches().items()
        return {
            ask: batch.file
            for batch, asks in open_batches
            if batch.state == "files" and batch.file
            for ask in asks
        }

    def hand_out(self, model: str, price: float, file: Path, asks: Sequence[bytes]) -> None:
        self._save(model, price, asks, str(file).encode(errors="replace").decode())

    def take(self, model: str, price: float, asks: Sequence[bytes]) -> None:
        """Note answered asks; what was handed out has its row, with its price, already."""
        known = self.handed_out()
        if new := [ask for ask in asks if ask not in known]:
            self._save(model, price, new)

    def fail(self, errors: Mapping[bytes, Collection[bytes]]) -> set[bytes]:
        """Note asks with nothing but errors, in lines with these hashes; gives those of which one
        is new, which are open again."""
        return self._run.fail_in_files(errors) if errors else set()

    def _save(self, model: str, price: float, asks: Sequence[bytes], file: str = "") -> None:
        row = Batch(
            tag=os.urandom(8).hex(),
            model=model,
            file=file,
            state="files",
            price=price,
            at=time.time(),
        )
        self._run.save_batch(row, asks)


class Folder:
    """Rounds by files in one folder, of all models of a run together.

    `dialects` says how lines of a model are written; `writing` whether asks without a result are
    written down, `again` also those that were before.
    """

    def __init__(
        self,
        path: Path,
        *,
        writing: bool,
        again: bool,
        log: AsksInFiles,
        say: Callable[[str], None],
    ) -> None:
        self.dialects: dict[str, Dialect] = {}
        self.prices: dict[str, float] = {}  # times the usual one
        self._path = path
        self._writing = writing
        self._again = again
        self._log = log
        self._say = say
        self._places: dict[str, list[Place]] = {}  # of results, by id
        self._requested: set[str] = set()
        self._broken: list[str] = []
        self._failed: dict[bytes, str] = {}
        self._results = 0
        if path.is_dir():
            self._load()
        elif path.exists():
            raise BadRequest(f"{path} is no folder; name the folder that it lies in")
        elif not writing:
            raise BadRequest(f"there is no folder {path}")

    def _load(self) -> None:
        """Keep every result in the folder, by its id."""
        try:
            files = sorted(file for file in self._path.glob("*.jsonl") if file.is_file())
            if sum(file.stat().st_size for file in files) > MOST_BYTES:
                raise BadRequest(f"the files in {self._path} have over {MOST_BYTES >> 30} GiB")
            for number, (place, raw) in enumerate(chain.from_iterable(map(places_in, files))):
                if number >= MOST_LINES:
                    raise BadRequest(f"the files in {self._path} have over {MOST_LINES:,} lines")
                if raw.strip():
                    self._keep(place, raw)
            others = sorted(
                file.name
                for file in self._path.iterdir()
                if file.is_file() and file.suffix != ".jsonl"
            )
        except OSError as error:
            raise BadRequest(f"cannot read {self._path}: {error.strerror or error}") from None
        self._results = len(self._places)
        if others:
            self._say(f"not read, since only *.jsonl is: {one_line(some_of(others))}")

    def _keep(self, place: Place, raw: bytes) -> None:
        try:
            id, value = opened(raw)
        except NotALine as why:
            self._broken.append(f"{place.file.name}: {why}")
            return
        if is_request(value):
            self._requested.add(id)
        else:
            self._places.setdefault(id, []).append(place)

    async def round(self, asks: list[Waiting]) -> list[Waiting]:
        """Answer what has a result. Once nothing has one any more, write the asks down and stop."""
        for name, dialect in self.dialects.items():
            self._answer(name, dialect, [one for one in asks if one.chat.name == name])
        rest = [one for one in asks if not one.came.done()]
        if len(rest) == len(asks):
            raise self._wait(rest)
        return rest  # the others go on, and may have more to ask

    def _answer(self, name: str, dialect: Dialect, asks: list[Waiting]) -> None:
        results = Results(dialect, asks, ())
        failed: dict[bytes, str] = {}
        errors: dict[bytes, set[bytes]] = {}
        for one in asks:
            lines: dict[bytes, set[str]] = {}  # and the names of their files
            for place in self._places.pop(one.id, ()):  # one that failed is of no use a second time
                lines.setdefault(place.read(), set()).add(place.file.name)
            read = {raw: line for raw in lines if (line := _read(dialect, raw)) is not None}
            answers = [raw for raw, line in read.items() if line.status == 200]
            if read and not answers:
                errors[one.digest] = {_hash(raw, name) for raw in read for name in lines[raw]}
                failed[one.digest] = _why([*read.values()][-1])
            last = [*(read or lines)][-1:]
            for raw in answers or last:  # an error of an earlier round is made good by them
                results.take(raw)
        new = self._log.fail(errors)
        self._failed |= {digest: why for digest, why in failed.items() if digest in new}
        for sentence in results.complaints():
            self._say(sentence)
        bad = {*results.deliver(known={*errors} - new)}
        if taken := [one.digest for one in asks if one.came.done() and one.digest not in bad]:
            self._log.take(name, self.prices[name], taken)

    def _wait(self, rest: list[Waiting]) -> AsksWait:
        handed = self._log.handed_out()
        before = {} if self._writing and self._again else handed
        new = [one for one in rest if one.digest not in before]
        old = {one.digest: before[one.digest] for one in rest if one.digest in before}
        written = self._write(new) if self._writing else []
        said = []
        if written:
            said.append(f"{_count(len(new), 'waits', 'wait')} in {', '.join(map(str, written))}")
        elif new:
            said.append(f"{_count(len(new), 'is', 'are')} not written down yet")
        if old:
            where = some_of([*dict.fromkeys(old.values())])
            words = f"{_count(len(old), 'waits', 'wait')} for results, handed out before in {where}"
            said.append(words)
        return AsksWait("; ".join(said), len(rest), written, handed_out=len(old))

    def _write(self, asks: list[Waiting]) -> list[Path]:
        written = []
        number = self._next_number()
        for name, dialect in self.dialects.items():
            own = [one for one in asks if one.chat.name == name]
            if own:
                lines = [request_line(dialect, one.id, one.body) for one in own]
                file = self._path / f"round-{number:03}-{_plain(name)}.jsonl"
                write_whole(file, b"\n".join(lines) + b"\n", BadRequest)
                self._log.hand_out(name, self.prices[name], file, [one.digest for one in own])
                written.append(file)
        return written

    def _next_number(self) -> int:
        found = (_NUMBER.match(file.name) for file in self._path.glob("round-*.jsonl"))
        return max((int(one[1]) for one in found if one), default=0) + 1

    def complain(self, answered: Callable[[bytes], bool]) -> None:
        """Say which asks failed, and what in the folder answers nothing that was ever asked.

        An error that the run takes for the answer is a refusal.
        """
        refused = {digest for digest in self._failed if answered(digest)}
        for fate, asks in (
            ("failed, to be asked again", self._failed.keys() - refused),
            ("refused for good", refused),
        ):
            if asks:
                kinds = Counter(self._failed[ask] for ask in asks).most_common()
                reasons = ", ".join(f"{number:,} {why}" for why, number in kinds)
                self._say(f"{_count(len(asks), fate, fate)}: {reasons}")
        strange = [id for id in self._places if not answered(digest_of(id))]
        others = [id for id in strange if id in self._requested]
        if others:
            self._say(f"{len(others):,} results are left for another run, whose asks lie here too")
        for sentence in refusals(
            [id for id in strange if id not in self._requested], [], self._broken
        ):
            self._say(sentence)
        if self._results and len(strange) == self._results:
            self._say(f"no result in {self._path} is one of this run's")
        elif not self._results and not self._writing:
            self._say(f"there are no results (*.jsonl) in {self._path}")


def _read(dialect: Dialect, raw: bytes) -> Line | None:
    try:
        return result_line(dialect, raw)
    except NotALine:
        return None


def _why(line: Line) -> str:
    return line.kind or f"HTTP {line.status}"


def _hash(raw: bytes, name: str) -> bytes:
    """A line in a file. Some providers' errors are the same in every round, so the file counts."""
    return blake2b(raw + b"\n" + os.fsencode(name), digest_size=16).digest()


def _count(number: int, one: str, several: str) -> str:
    return f"1 ask {one}" if number == 1 else f"{number:,} asks {several}"


class Place(NamedTuple):
    """Where a line stands: results may be more than the memory holds."""

    file: Path
    offset: int
    length: int

    def read(self) -> bytes:
        with self.file.open("rb") as opened_file:
            opened_file.seek(self.offset)
            return opened_file.read(self.length).strip(b"\r\n")


def places_in(file: Path) -> Iterator[tuple[Place, bytes]]:
    """Every line, blank ones too. One that is longer than any answer comes in parts, none of which
    is a line."""
    offset = 0
    with file.open("rb") as opened_file:
        while raw := opened_file.readline(MAX_LINE_BYTES + 1):
            yield Place(file, offset, len(raw)), raw.strip(b"\r\n")
            offset += len(raw)


def _plain(name: str) -> str:
    return re.sub(r"[^\w.+-]+", "-", name).strip("-.")[-80:] or "model"


def by_files(
    models: Mapping[str, Model],
    folder: Path,
    run: RunWriter,
    *,
    writing: bool,
    again: bool,
    say: Callable[[str], None],
) -> tuple[dict[str, Model], Folder]:
    """Each model in files of one folder."""
    redact = of_environment()
    files = Folder(
        folder,
        writing=writing,
        again=again,
        log=AsksInFiles(run),
        say=lambda words: say(redact(words)),
    )
    gatherer = Gatherer(files.round, FILES_QUIET_SECONDS)

    def batched(model: Model) -> Model:
        if not isinstance(model, ChatModel) or model.layout is not None:
            raise BadRequest(f"{model.name} cannot be asked by files")
        files.dialects[model.name] = dialect_of(model.spec) or DIALECTS["openai"]
        files.prices[model.name] = discount_of(model.spec)
        return BatchedModel(model, files.dialects[model.name], gatherer)

    return each_once(models, batched), files
