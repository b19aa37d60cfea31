"""Replies from a user's file, read and scored like the replies of a run (`geobias score`).

A probe declares the format of a line and how a line becomes a record (`Predictions`), or else a
line names a trial of its plan (`probes.replay`).
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from hashlib import blake2b, sha256
from typing import IO, Annotated, Any, NamedTuple, TypeVar

import msgspec

from geobias.errors import BadRequest
from geobias.trials import Ask, Dialogue, Record, Reply, StoredSettings
from geobias.trials.dialogue import DIGEST_BYTES
from geobias.untrusted import in_words, json_value

Said = str | int | float
"""A reply in a file: words, or a number."""
Text = Said | None
"""A reply in a file: words, a number, or null if the model gave no answer."""
MOST_LINE_BYTES = 1 << 20
"""Maximum size of a line. For comparison, replies in a run have about 64 tokens."""
MOST_FILE_BYTES = 2 << 30
"""Maximum size of a file, which allows about ten million lines."""
MOST_NAME = 200
"""Maximum letters of a model's name."""


class PredictionLine(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a file. A probe adds the fields that identify the question.

    prompt   the question, if the file gives it: shown beside the reply, but not interpreted
    pointed  the words of the reply that a reader model quotes, which are read instead of the reply
    """

    reply: Text
    prompt: str = ""
    pointed: str = ""
    model: Annotated[str, msgspec.Meta(max_length=MOST_NAME)] = ""
    repeat: Annotated[int, msgspec.Meta(ge=0)] = 0


class AskedElsewhere(Ask, frozen=True, kw_only=True):
    """A question that another program asked. Its sampling is therefore unknown."""

    def sampling(self) -> str:
        return "made elsewhere"


class Told(NamedTuple):
    model: str
    record: Record
    said: Sequence[tuple[Ask, Reply]]


class Scored(msgspec.Struct, frozen=True):
    """The content of a file.

    left_out  the number (from 1) of each line that could not be used, and the reason
    settings  the known settings with which the questions were asked, for a run's manifest
    """

    told: Sequence[Told]
    left_out: Sequence[tuple[int, str]]
    settings: StoredSettings = {}
    editions: Mapping[str, str] = {}
    prompts: Mapping[str, str] = {}


class Predictions(msgspec.Struct, frozen=True, kw_only=True):
    """How a probe reads replies from a user's file.

    help     describes a line of the file, for the command line
    Options  the options that say which questions were asked, declared like settings
    read     reads the lines of a file with these options
    table    the measure or table of the probe that `geobias score` prints; "" for none
    sought   what a reader model should quote from a reply that the rules cannot read; "" if such
             replies stay unread
    fits     whether the text around the reader's quote is about the place of the record
    """

    help: str
    Options: type[msgspec.Struct]
    read: Callable[[Iterable[bytes], Any], Scored]
    table: str
    sought: str = ""
    fits: Callable[[Any, str], bool] = lambda record, text: True


Line = TypeVar("Line", bound=PredictionLine)


def told_by(
    lines: Iterable[bytes], kind: type[Line], read: Callable[[Line], Record | Told], model: str = ""
) -> tuple[list[Told], list[tuple[int, str]]]:
    """Read lines of JSON. Return their content, and the lines that could not be used.

    Blank lines are skipped. A line is left out if it is too long, does not have the fields of
    `kind`, makes `read` raise an error, or repeats a question that the same model already answered.
    `model` is the model of lines that name none.
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
            said = json_value(line, kind, strict=False)
            said = msgspec.structs.replace(
                said, reply=said.pointed or said.reply, model=said.model or model
            )
            made = read(said)
            one = made if isinstance(made, Told) else _told(said, made)
            if (first := seen.setdefault((one.model, one.record.trial), number)) != number:
                raise ValueError(
                    f'the same question as in line {first}; give each draw a "repeat" of its own'
                )
        except (ValueError, UnicodeDecodeError, BadRequest) as error:
            left_out.append((number, in_words(error)))
            continue
        told.append(one)
    return told, left_out


MISSING = frozenset(("", "nan", "na", "null", "none"))
"""How libraries write a missing value in CSV. Such a cell is an empty reply, not a refusal."""


def json_lines(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines of a file, the rows of a CSV table as JSON, in which all values are text.

    The header of a table becomes an empty line, so that all lines keep their numbers. A line that
    is not CSV stays as it is.
    """
    columns: list[str] | None = None
    for line in lines:
        made = line
        with suppress(csv.Error):
            if columns is None and line.strip():
                columns = _columns(line)
                made = b"\n" if columns else line
            elif columns and line.strip():
                made = _from_cells(columns, line)
        yield made


def _columns(line: bytes) -> list[str]:
    names = [] if line.lstrip().startswith(b"{") else [name.lower() for name in _cells(line)]
    names = ["reply" if name == "predictions" else name for name in names]
    return names if "reply" in names else []


def _from_cells(columns: list[str], line: bytes) -> bytes:
    cells = {name: text for name, text in zip(columns, _cells(line), strict=False) if text}
    if cells.get("reply", "").lower() in MISSING:
        cells["reply"] = ""
    return msgspec.json.encode(cells)


def _cells(line: bytes) -> list[str]:
    """The cells of a line of CSV. A quoted cell may contain commas, but no line break."""
    text = line.decode("utf-8-sig", "replace").strip()
    return [cell.strip() for cell in next(csv.reader([text]), [])]


def as_reply(said: Text) -> Reply:
    """Make a reply from a file's text. An empty text counts as no answer."""
    text = _text(said)
    return Reply(text, "ok" if text.strip() else "empty")


def _text(said: Text) -> str:
    """The reply as text. A number is written in full: 5.3e7 is 53000000."""
    if isinstance(said, float):
        whole = f"{Decimal(repr(said)):f}"
        return whole.removesuffix(".0")
    return "" if said is None else str(said)


def reply_digest(model: str, trial: str, turn: int = 0) -> bytes:
    """The digest that identifies a reply from a user's file in a run file.

    It is made from the trial's name and not from the question, since a question may be unknown, and
    two trials may ask the same question.
    """
    name = f"{model}\0{trial}\0{turn}".encode(errors="replace")
    return blake2b(name, digest_size=DIGEST_BYTES).digest()


def _told(line: PredictionLine, record: Record) -> Told:
    """The content of a line that answers one question.

    If the line gives no prompt, its other fields stand in for the prompt.
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
    """The lines of a file, and a digest of the whole file. Overlong lines are cut."""

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
