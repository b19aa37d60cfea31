"""A round by files: asks are written into a folder, and whoever executes them puts results there.

The lines are those of the provider's own batch files; for every other model they are OpenAI's,
which vLLM's `run_batch` takes and gives.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from geobias.errors import AsksWait, BadRequest
from geobias.files import write_whole
from geobias.models.batch.dialects import Dialect
from geobias.models.batch.gathering import Waiting
from geobias.models.batch.lines import MAX_LINE_BYTES, NotALine, is_request, opened, request_line
from geobias.models.batch.results import Results, digest_of, refusals

MOST_BYTES = 2 << 30
"""Of all files in the folder together."""
_NUMBER = re.compile(r"round-(\d{1,6})-")


class Folder:
    """Rounds by files in one folder, of all models of a run together.

    `dialects` says how lines of a model are written; `writing` whether asks without a result are
    written down; `took` is told of each model's asks that were answered.
    """

    def __init__(
        self,
        path: Path,
        *,
        writing: bool,
        took: Callable[[str, list[bytes]], None],
        say: Callable[[str], None],
    ) -> None:
        self.dialects: dict[str, Dialect] = {}
        self._path = path
        self._writing = writing
        self._took = took
        self._say = say
        self._lines: dict[str, list[bytes]] = {}
        self._broken: list[str] = []
        if path.is_dir():
            self._load()
        elif not writing:
            raise BadRequest(f"there is no folder {path}")

    def _load(self) -> None:
        """Keep every result in the folder, by its id."""
        files = sorted(self._path.glob("*.jsonl"))
        try:
            if sum(file.stat().st_size for file in files) > MOST_BYTES:
                raise BadRequest(f"the files in {self._path} have over {MOST_BYTES >> 30} GiB")
            for file in files:
                for raw in _lines_of(file):
                    self._keep(file.name, raw)
        except OSError as error:
            raise BadRequest(f"cannot read {self._path}: {error.strerror or error}") from None

    def _keep(self, name: str, raw: bytes) -> None:
        try:
            id, value = opened(raw)
        except NotALine as why:
            self._broken.append(f"{name}: {why}")
            return
        if not is_request(value):
            self._lines.setdefault(id, []).append(raw)

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
        for one in asks:
            for raw in self._lines.pop(one.id, ()):  # one that failed is of no use a second time
                results.take(raw)
        for sentence in results.complaints():
            self._say(sentence)
        bad = {*results.deliver()}
        if taken := [one.digest for one in asks if one.came.done() and one.digest not in bad]:
            self._took(name, taken)

    def _wait(self, rest: list[Waiting]) -> AsksWait:
        count = f"{len(rest):,} asks wait" if len(rest) > 1 else "1 ask waits"
        if not self._writing:
            return AsksWait(f"{count} for results", len(rest), [])
        written = []
        number = self._next_number()
        for name, dialect in self.dialects.items():
            lines = [
                request_line(dialect, one.id, one.body) for one in rest if one.chat.name == name
            ]
            if lines:
                file = self._path / f"round-{number:03}-{_plain(name)}.jsonl"
                write_whole(file, b"\n".join(lines) + b"\n", BadRequest)
                written.append(file)
        return AsksWait(f"{count} in {', '.join(map(str, written))}", len(rest), written)

    def _next_number(self) -> int:
        found = (_NUMBER.match(file.name) for file in self._path.glob("round-*.jsonl"))
        return max((int(one[1]) for one in found if one), default=0) + 1

    def complain(self, answered: Callable[[bytes], bool]) -> None:
        """Say what in the folder answers nothing that was ever asked, by name."""
        strange = [id for id in self._lines if not answered(digest_of(id))]
        for sentence in refusals(strange, [], self._broken):
            self._say(sentence)


def _lines_of(file: Path) -> Iterator[bytes]:
    """A line that is longer than any answer comes in parts, none of which is a line."""
    with file.open("rb") as opened_file:
        while raw := opened_file.readline(MAX_LINE_BYTES + 1):
            if raw.strip():
                yield raw.strip(b"\r\n")


def _plain(name: str) -> str:
    return re.sub(r"[^\w.+-]+", "-", name).strip("-.")[-80:] or "model"
