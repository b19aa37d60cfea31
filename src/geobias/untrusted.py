"""Read foreign data within limits: replies, run files, tables, logs, numbers, headers.

Such data may be hostile or broken, and a library's decoder may use up memory, stack or time. The
functions here stop at a limit and raise `Undecodable` with one plain sentence.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import msgspec

from geobias.errors import BadRequest

T = TypeVar("T")
Json: TypeAlias = dict[str, Any]
"""A JSON or TOML table whose shape another program, a provider or a user decides."""

MOST_DEPTH = 100
"""Maximum nesting depth. The files of geobias stay below 10."""
MOST_PARTS = 1_000_000
"""Maximum number of lists and tables in one document, including empty ones."""
MOST_STRINGS = 2_000_000
"""Maximum number of strings in one document. Each takes memory while nesting is checked."""
MOST_TOML_BYTES = 4 << 20
MOST_KEY_PARTS = 32
"""Maximum parts of a dotted TOML key. The time grows with the square of this number."""

_STRINGS = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.S)
"""JSON strings. A string without end matches too, so that no quote in it begins another string."""
_BRACKETS = bytes.maketrans(b"{}", b"[]")
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_LONG_NUMBER = re.compile(rb"\d\d{18}")
"""A number of 19 digits or more. The pattern begins with a single digit to make the search fast."""
_LONG_KEY = re.compile(
    r"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+)"""
    rf"{{{MOST_KEY_PARTS}}}"
)


class Undecodable(msgspec.DecodeError):
    """The data is malformed or exceeds a limit; the message says which. Also a ValueError."""


class TooMuch(Undecodable):
    """The data exceeds a limit, so fetching it again would not help."""


_KINDS = {
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "a table",
    "null": "nothing",
}
"""msgspec's name of a type → a plain name."""


_FAULTS = {
    r"JSON is malformed: (.+)": "it is not JSON: {}",
    r"Expected `array` of length (\d+), got (\d+)": "{place} needs {} values and has {}",
    r"Expected `str` of length >= 1": "{place} is empty",
    r"Invalid enum value (.+)": "{place} cannot be {}",
    r"Object missing required field `(.+)`": "{} is missing{where}",
    r"Object contains unknown field `(.+)`": "{} is not known{where}",
}
"""Pattern of msgspec's message → plain words."""


def in_words(error: Exception) -> str:
    """Return msgspec's message about a value in plain words.

    "Expected `str`, got `int` - at `$.language`" becomes "language is a whole number, not text".
    """
    fault, _, path = str(error).partition(" - at ")
    place = path.strip("`").removeprefix("$").lstrip(".")
    place = re.sub(r"(.+)\[\.\.\.\]$", r"a value of \1", place)
    place = re.sub(r"(.+)\[(\d+)\]$", lambda at: f"item {int(at[2]) + 1} of {at[1]}", place)
    where = f" in {place}" if place else ""
    for pattern, says in _FAULTS.items():
        if found := re.fullmatch(pattern, fault):
            return says.format(*found.groups(), place=place or "it", where=where)
    if found := re.fullmatch(r"Expected `([\w| ]+)`, got `(\w+)`", fault):
        kinds = [one for one in found[1].split(" | ") if one != "null"] or ["null"]
        wanted = " or ".join(_KINDS.get(one, one) for one in kinds)
        return f"{place or 'it'} is {_KINDS.get(found[2], found[2])}, not {wanted}"
    if found := re.fullmatch(r"Expected `(\w+)` (>=|>|<=|<) (.+)", fault):
        words = {">": "more than", ">=": "at least", "<": "less than", "<=": "at most"}
        return f"{place or 'it'} is {_KINDS.get(found[1], found[1])}, {words[found[2]]} {found[3]}"
    plain = fault.replace("`", "")
    return f"{place}: {plain[:1].lower()}{plain[1:]}" if place else plain


def json_value(raw: bytes | str, kind: type[T], *, strict: bool = True) -> T:
    """Decode a JSON document as this type; numbers may be text unless `strict`.

    Raises `Undecodable`.
    """
    text = raw.encode(errors="surrogatepass") if isinstance(raw, str) else raw
    _check_depth(text)
    try:
        value = msgspec.json.decode(text, type=kind, strict=strict)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Undecodable(str(error)) from None
    except RecursionError:
        raise Undecodable(f"it is nested more than {MOST_DEPTH} deep") from None
    if _LONG_NUMBER.search(text):
        check_numbers(msgspec.to_builtins(value))
    return value


def bytes_of(path: Path, most: int) -> bytes:
    """Read a file of at most `most` bytes. Raises `Undecodable`."""
    try:
        with path.open("rb") as file:
            raw = file.read(most + 1)
    except (OSError, ValueError) as error:  # a name with a zero byte is a ValueError
        why = getattr(error, "strerror", "") or error
        raise Undecodable(f"it cannot be read: {why}") from None
    if len(raw) > most:
        raise Undecodable(f"it is longer than {most >> 20 or 1} million bytes")
    return raw


def text_of(path: Path, most: int = MOST_TOML_BYTES) -> str:
    """Read a UTF-8 text file of at most `most` bytes. Raises `Undecodable`."""
    try:
        return bytes_of(path, most).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Undecodable(f"it is not UTF-8 text (byte {error.start})") from None


def toml_value(text: str, kind: type[T]) -> T:
    """Decode a TOML document as this type. Raises `Undecodable`."""
    if len(text) > MOST_TOML_BYTES:
        raise Undecodable(f"it is longer than {MOST_TOML_BYTES >> 20} million characters")
    if _LONG_KEY.search(text):
        raise Undecodable(f"a key has more than {MOST_KEY_PARTS} parts")
    try:
        table = tomllib.loads(text)
    except RecursionError:
        raise Undecodable("it is nested too deep") from None
    except ValueError as error:  # TOMLDecodeError, or int() on ten thousand digits
        raise Undecodable(f"it is not TOML: {error}") from None
    check_numbers(table)
    try:
        return msgspec.convert(table, kind)
    except msgspec.ValidationError as error:
        raise Undecodable(str(error)) from None


def check_numbers(value: Any) -> None:
    """Raise `Undecodable` if the value contains a whole number of more than 64 bits."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, int) and not is_usable(one):
            raise Undecodable("a whole number in it has more than 64 bits")
        if isinstance(one, dict):
            waiting += one.values()
        elif isinstance(one, list | tuple):
            waiting += one


def _check_depth(text: bytes) -> None:
    """Raise `TooMuch` if brackets are nested too deeply. Each step removes the innermost pairs."""
    if text.count(b"[") + text.count(b"{") <= MOST_DEPTH:
        return
    if text.count(b'"') > 2 * MOST_STRINGS:
        raise TooMuch(f"it has more than {MOST_STRINGS:,} strings")
    left = _STRINGS.sub(b"", text).translate(_BRACKETS, _NO_BRACKETS)
    if left.count(b"[") > MOST_PARTS:
        raise TooMuch(f"it has more than {MOST_PARTS:,} parts")
    for _ in range(MOST_DEPTH):
        left = left.replace(b"[]", b"")
    if b"[]" in left or left.count(b"[") > MOST_DEPTH:
        raise TooMuch(f"it is nested more than {MOST_DEPTH} deep")


class Lines:
    """Splits parts of a stream into a limited number of lines.

    Blank lines are dropped, but count towards the limit. Of an overlong line the beginning is kept.
    """

    def __init__(self, most_lines: int, most_bytes: int) -> None:
        self._most_lines = most_lines
        self._most_bytes = most_bytes
        self._count = 0
        self._rest = bytearray()

    def feed(self, part: bytes) -> Iterator[bytes]:
        """Add a part of the stream; yield the lines that it completes. Raises `TooMuch`."""
        self._count += part.count(b"\n")
        if self._count > self._most_lines:
            raise TooMuch(f"there are more than {self._most_lines:,} lines")
        first, *others = part.split(b"\n")
        self._rest += first[: self._most_bytes + 1 - len(self._rest)]
        for other in others:
            yield from self.end()
            self._rest += other[: self._most_bytes + 1]

    def end(self) -> Iterator[bytes]:
        """Yield the last line, unless it is blank."""
        line = bytes(self._rest).strip(b"\r")
        self._rest.clear()
        if line.strip():
            yield line


LARGEST = 2**63 - 1


def is_usable(value: float) -> bool:
    """Whether the number is finite and fits into 64 bits."""
    if isinstance(value, int):
        return -LARGEST - 1 <= value <= LARGEST
    return math.isfinite(value)


def usable(value: float, name: str) -> float:
    """Return the number if it `is_usable`; otherwise raise BadRequest with `name`.

    NaN is refused because every comparison with it is false, so a limit of NaN would never hold.
    """
    if not is_usable(value):
        raise BadRequest(f"{name} cannot be {str(value)[:40]}: give a finite number")
    return value


FOREVER_SECONDS = 1e9
"""The longest wait, about thirty years. Longer waits are cut to this number of seconds."""
_NUMBER = re.compile(r"\d+(\.\d*)?", re.ASCII)


def seconds_to_wait(header: str | None, now: datetime | None = None) -> float | None:
    """Return the seconds that a Retry-After header (RFC 9110, 10.2.3) asks for; None if unreadable.

    The header may be a number or a date. Fractions of seconds are accepted, although the RFC does
    not allow them. A past date means 0, and a date without a time zone is UTC.
    """
    text = (header or "").strip()
    if _NUMBER.fullmatch(text):
        return min(float(text), FOREVER_SECONDS)
    try:
        date = parsedate_to_datetime(text)
        date = date if date.tzinfo else date.replace(tzinfo=UTC)
        seconds = (date - (now or datetime.now(UTC))).total_seconds()
    except (TypeError, ValueError, OverflowError):
        return None
    return min(max(0.0, seconds), FOREVER_SECONDS)
