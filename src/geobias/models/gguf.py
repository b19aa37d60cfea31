"""What a GGUF file says of itself: whether it has a chat template.

A model that was taught to chat carries its template in the file's metadata, which stands before the
weights (github.com/ggml-org/ggml/blob/master/docs/gguf.md). llama.cpp puts a template of its own
around what is asked of a model without one, and such a model then goes on with that template's
signs.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import BinaryIO

from geobias.errors import BadRequest

TEMPLATE = b"tokenizer.chat_template"
MAGIC = b"GGUF"
MOST_KEYS = 65_536
MOST_KEY_BYTES = 65_535
_BYTES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
"""Kind of number → its bytes."""
_STRING, _ARRAY = 8, 9


def has_chat_template(path: Path) -> bool:
    """Whether the file's metadata has one, or makes no sense: llama.cpp then says what is wrong."""
    try:
        with path.open("rb") as file:
            return _Metadata(file, path.stat().st_size).has(TEMPLATE)
    except OSError as error:
        raise BadRequest(f"cannot read {path}: {error.strerror}") from None
    except (struct.error, ValueError, KeyError):
        return True


class _Metadata:
    """The keys of a file, one after the other; values are passed over."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file = file
        self._size = size

    def has(self, wanted: bytes) -> bool:
        if self._file.read(4) != MAGIC:
            raise ValueError("not a GGUF file")
        _, _, keys = struct.unpack("<IQQ", self._file.read(20))
        if keys > MOST_KEYS:
            raise ValueError("too many keys")
        for _ in range(keys):
            length = self._number()
            if length > MOST_KEY_BYTES:
                raise ValueError("too long a key")
            if self._file.read(length) == wanted:
                return True
            self._pass_value(self._kind())
        return False

    def _number(self) -> int:
        number: int = struct.unpack("<Q", self._file.read(8))[0]
        return number

    def _kind(self) -> int:
        kind: int = struct.unpack("<I", self._file.read(4))[0]
        return kind

    def _pass(self, count: int) -> None:
        if count > self._size or self._file.seek(count, 1) > self._size:
            raise ValueError("it ends too soon")

    def _pass_value(self, kind: int) -> None:
        if kind == _STRING:
            self._pass(self._number())
        elif kind == _ARRAY:
            of, count = self._kind(), self._number()
            if of in _BYTES:
                self._pass(_BYTES[of] * count)
            elif of == _STRING and count * 8 <= self._size:
                self._pass_strings(count)
            else:
                raise ValueError("an array of what?")
        else:
            self._pass(_BYTES[kind])

    def _pass_strings(self, count: int) -> None:
        """A vocabulary: hundreds of thousands, so without a call for each."""
        read, unpack = self._file.read, struct.Struct("<Q").unpack
        for _ in range(count):
            length = unpack(read(8))[0]
            if length > self._size:
                raise ValueError("it ends too soon")
            read(length)
        self._pass(0)
