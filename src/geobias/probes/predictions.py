"""Replies that were made elsewhere, read and scored as a run's own are (`geobias score`).

A probe declares what a line of a file looks like and how its record is made (`Predictions`).
Otherwise a line names a trial of the probe's plan, and the line's replies drive the trial
(`probes.replay`). In both cases the text of every line is kept, so that a run file can be made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from hashlib import blake2b, sha256
from typing import IO, Annotated, Any, NamedTuple, TypeVar

import msgspec

from geobias.errors import BadRequest
from geobias.trials import Ask, Dialogue, Record, Reply
from geobias.trials.dialogue import DIGEST_BYTES
from geobias.untrusted import json_value

Said = str | int | float
"""A reply in a file: words, or a number."""
Text = Said | None
"""The same, with null for a question without an answer."""
MOST_LINE_BYTES = 1 << 20
"""Maximum size of a line; our own replies have 64 tokens."""
MOST_FILE_BYTES = 2 << 30
"""Maximum size of all lines together, about ten million."""
MOST_NAME = 200
"""Maximum letters of a model's name."""


class PredictionLine(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a file; a probe adds the fields that identify the question.

    prompt   what was asked, if the file says so: shown beside the reply, and never read
    pointed  the words of the reply that a reader model points to, which are read in its place
    """

    reply: Text
    prompt: str = ""
    pointed: str = ""
    model: Annotated[str, msgspec.Meta(max_length=MOST_NAME)] = ""
    repeat: Annotated[int, msgspec.Meta(ge=0)] = 0


class AskedElsewhere(Ask, frozen=True, kw_only=True):
    """An ask that somebody else made, so that its sampling is unknown."""

    def sampling(self) -> str:
        return "made elsewhere"


class Told(NamedTuple):
    """The content of a line: the record of its trial, and what was asked and answered."""

    model: str
    record: Record
    said: Sequence[tuple[Ask, Reply]]


class Scored(msgspec.Struct, frozen=True):
    """The content of a file.

    told       lines that could be used
    left_out   lines that could not be used: number from 1, and why
    settings   what is known of how they were asked, for a run's manifest
    editions   of the data they were compared with; `prompts` of the words they were asked in
    """

    told: Sequence[Told]
    left_out: Sequence[tuple[int, str]]
    settings: Mapping[str, Any] = {}
    editions: Mapping[str, str] = {}
    prompts: Mapping[str, str] = {}


class Predictions(msgspec.Struct, frozen=True, kw_only=True):
    """How a probe reads replies from elsewhere.

    help     what a line looks like, for the command line
    Options  what the replies answer, declared as settings are
    read     reads the lines of a file with those options
    table    the measure or table of the probe that `geobias score` prints; "" for none
    sought   what a reader model should copy from a reply that the rules cannot read; "" if such
             replies stay unread
    fits     whether the text around its quote is about the place of the record
    """

    help: str
    Options: type[msgspec.Struct]
    read: Callable[[Iterable[bytes], Any], Scored]
    table: str
    sought: str = ""
    fits: Callable[[Any, str], bool] = lambda record, text: True


Line = TypeVar("Line", bound=PredictionLine)


def told_by(
    lines: Iterable[bytes], kind: type[Line], read: Callable[[Line], Record | Told]
) -> tuple[list[Told], list[tuple[int, str]]]:
    """The content of lines of JSON, and the lines that could not be used.

    Blank lines are skipped. A line is left out, with its reason, if it is too long, is not a JSON
    object of this kind, if `read` raises an error, or if an earlier line answers the same for the
    same model.
    """
    told: list[Told] = []
    left_out: list[tuple[int, str]] = []
    seen: dict[tuple[str, str], int] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            if len(line) > MOST_LINE_BYTES:
                raise ValueError(f"it is longer than {MOST_LINE_BYTES >> 10:,} KiB")
            said = json_value(line, kind)
            made = read(msgspec.structs.replace(said, reply=said.pointed or said.reply))
            one = made if isinstance(made, Told) else _told(said, made)
            if (first := seen.setdefault((one.model, one.record.trial), number)) != number:
                raise ValueError(
                    f'the same question as in line {first}; give each draw a "repeat" of its own'
                )
        except (ValueError, UnicodeDecodeError, BadRequest) as error:
            left_out.append((number, str(error)))
            continue
        told.append(one)
    return told, left_out


def as_reply(said: Text) -> Reply:
    """A reply from elsewhere; an empty one counts as a question without an answer."""
    text = _text(said)
    return Reply(text, "ok" if text.strip() else "empty")


def _text(said: Text) -> str:
    """The reply as text. A number is written in full: 5.3e7 is 53000000."""
    if isinstance(said, float):
        whole = f"{Decimal(repr(said)):f}"
        return whole.removesuffix(".0")
    return "" if said is None else str(said)


def reply_digest(model: str, trial: str, turn: int = 0) -> bytes:
    """The digest of a reply from elsewhere in a run file.

    It comes from the trial and not from the ask, since the same may have been asked twice, and what
    was asked may be unknown.
    """
    name = f"{model}\0{trial}\0{turn}".encode(errors="replace")
    return blake2b(name, digest_size=DIGEST_BYTES).digest()


def _told(line: PredictionLine, record: Record) -> Told:
    """The content of a line that answers one question.

    If the line does not give the prompt, its other fields replace it.
    """
    fields = {
        name: value
        for name, value in msgspec.structs.asdict(line).items()
        if name not in ("reply", "prompt", "pointed", "model") and value not in (None, "", 0)
    }
    known = ", ".join(f"{name}: {value}" for name, value in fields.items())
    words = line.prompt or f"(asked elsewhere, in words that the file does not give) {known}"
    reply = msgspec.structs.replace(
        as_reply(line.reply), digest=reply_digest(line.model, record.trial)
    )
    if line.pointed:
        record = msgspec.structs.replace(record, read_by="reader")
    return Told(line.model, record, [(asked(Dialogue().user(words)), reply)])


def asked(dialogue: Dialogue, role: str = "model") -> AskedElsewhere:
    return AskedElsewhere(dialogue=dialogue, role=role)


class Lines:
    """The lines of a file, with their numbers and a digest of all; overlong lines are cut."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._digest = sha256()
        self._size = 0
        self.count = 0

    def __iter__(self) -> Iterator[bytes]:
        while line := self._read():
            self.count += 1
            yield line
            while not line.endswith(b"\n") and len(line) > MOST_LINE_BYTES:
                line = self._read()

    def _read(self) -> bytes:
        part = self._file.readline(MOST_LINE_BYTES + 1)
        self._size += len(part)
        if self._size > MOST_FILE_BYTES:
            raise BadRequest(f"the replies have more than {MOST_FILE_BYTES >> 30} GiB")
        self._digest.update(part)
        return part

    @property
    def sha256(self) -> str:
        return self._digest.hexdigest()
