"""Results of a batch, held against what was asked: they may come in any order, twice, or not."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence

import msgspec

from geobias.models.batch.dialects import Dialect
from geobias.models.batch.gathering import Waiting
from geobias.models.batch.lines import Line, NotALine, result_line

NAMED = 3
"""Of what is wrong in a result file, how many are named."""


class Results:
    """Lines of result files, held against what was asked.

    `asks` wait for theirs; `known` are others that were asked in the same batch.
    """

    def __init__(self, dialect: Dialect, asks: Sequence[Waiting], known: Container[bytes]) -> None:
        self._dialect = dialect
        self._asks = {one.id: one for one in asks}
        self._known = known
        self._lines: dict[str, Line] = {}
        self._seen: dict[str, Line] = {}
        self._unknown: dict[str, None] = {}
        self._doubled: dict[str, None] = {}
        self.broken: list[str] = []

    def start_again(self) -> None:
        """The same files are read anew, from their beginning."""
        self._seen.clear()
        self.broken.clear()

    def take(self, raw: bytes) -> None:
        try:
            line = result_line(self._dialect, raw)
        except NotALine as why:
            self.broken.append(str(why))
            return
        if line.id not in self._asks:
            if digest_of(line.id) not in self._known:
                self._unknown[line.id] = None
            return
        if self._seen.setdefault(line.id, line) != line:
            self._doubled[line.id] = None
        self._lines.setdefault(line.id, line)

    @property
    def missing(self) -> int:
        return len(self._asks) - len(self._lines)

    @property
    def strange(self) -> bool:
        """Whether these are somebody else's."""
        return bool(self._unknown) and not self._lines

    def deliver(self, known: Container[bytes] = ()) -> list[bytes]:
        """Hand over what is beyond doubt; the asks to which nothing useful came back.

        The errors of `known` asks were counted before. Answers go first: an error is taken for a
        refusal only by a run that was answered.
        """
        bad = []
        for id, line in sorted(self._lines.items(), key=lambda one: one[1].status != 200):
            if id in self._doubled:
                continue
            ask = self._asks[id]
            ask.deliver(msgspec.structs.replace(line, known=True) if ask.digest in known else line)
            if line.status != 200:
                bad.append(ask.digest)
        return bad

    def complaints(self) -> Iterator[str]:
        """What was refused, by name."""
        return refusals(list(self._unknown), list(self._doubled), self.broken)


def refusals(unknown: list[str], doubled: list[str], broken: list[str]) -> Iterator[str]:
    """Lines that are not taken, in sentences: ids nobody asked for, ids that came twice and differ,
    and what is no line at all."""
    for why, names in (
        ("custom_id unknown", unknown),
        ("custom_id doubled", doubled),
        ("", broken),
    ):
        if names:
            count = "1 line" if len(names) == 1 else f"{len(names):,} lines"
            yield f"{count} refused{', ' if why else ''}{why}: {some_of(names)}"


def digest_of(id: str) -> bytes:
    """The ask that a custom_id names; empty where it is none of ours."""
    try:
        return bytes.fromhex(id)
    except ValueError:
        return b""


def some_of(names: list[str]) -> str:
    """The first few names, and how many more there are."""
    names = list(dict.fromkeys(names))
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    return ", ".join(name[:80] for name in names[:NAMED]) + more
