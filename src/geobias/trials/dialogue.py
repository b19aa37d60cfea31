"""An immutable chat history with O(1) append and a chained digest.

A `Dialogue` is its last message and a link to the dialogue before it. So a game of 150 turns needs
150 steps of hashing and storing, not 150²/2, and two continuations share their common history.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from typing import Literal, NamedTuple, Protocol

import msgspec

Role = Literal["system", "user", "assistant"]

DIGEST_BYTES = 16
_ROLE_BYTE = {"system": b"s", "user": b"u", "assistant": b"a"}
_encode = msgspec.json.Encoder().encode


class Message(NamedTuple):
    role: str
    content: str


class ReplyText(Protocol):
    """The part of a `Reply` that a dialogue uses."""

    @property
    def text(self) -> str: ...
    @property
    def digest(self) -> bytes: ...


class Dialogue:
    """A chat history. `Dialogue()` is empty; `system`, `user`, `assistant` and `reply` append.

    `digest` identifies the whole history; `length` counts its messages, `size` their bytes.
    `answers` is the digest of the ask that the last message answers, or empty. The run file stores
    the text of such a message only as the reply, and not in the next prompt, unless it was `cut`.
    """

    __slots__ = (
        *("_buffer", "_end", "answers", "content", "cut", "digest", "length", "parent", "role"),
        "size",
    )

    def __init__(self) -> None:
        self.parent: Dialogue | None = None
        self.role = ""
        self.content = ""
        self.digest = bytes(DIGEST_BYTES)
        self.answers = b""
        self.cut = False
        self.length = 0
        self.size = 0
        self._buffer: bytearray | None = None
        self._end = 0

    def append(
        self, role: Role, content: str, answers: bytes = b"", *, cut: bool = False
    ) -> Dialogue:
        try:
            text = content.encode()
        except UnicodeEncodeError:  # lone surrogates cannot be encoded in UTF-8
            text = content.encode(errors="replace")
            content = text.decode()
        longer = Dialogue.__new__(Dialogue)
        longer.parent = self
        longer.role = role
        longer.content = content
        # The parent digest has a fixed length and the role one byte, so no two histories collide
        # by moving characters between fields.
        longer.digest = blake2b(
            self.digest + _ROLE_BYTE[role] + text, digest_size=DIGEST_BYTES
        ).digest()
        longer.answers = answers
        longer.cut = cut
        longer.length = self.length + 1
        longer.size = self.size + len(text)
        longer._buffer = None
        longer._end = 0
        return longer

    def system(self, content: str) -> Dialogue:
        return self.append("system", content)

    def user(self, content: str) -> Dialogue:
        return self.append("user", content)

    def assistant(self, content: str) -> Dialogue:
        """Append a message that the model did not write, such as the answer of a worked example."""
        return self.append("assistant", content)

    def reply(self, reply: ReplyText, part: str | None = None) -> Dialogue:
        """Append what the model said, word for word.

        `part` is the part of the reply to keep if the model wrote more than its turn, for example a
        question of a game without the answer that the model invented.
        """
        if part is None or part == reply.text:
            return self.append("assistant", reply.text, reply.digest)
        return self.append("assistant", part, reply.digest, cut=True)

    def __len__(self) -> int:
        return self.length

    def __iter__(self) -> Iterator[Dialogue]:
        """Yield the dialogues that end in each message, oldest first.

        `role`, `content` and `answers` of a dialogue are those of its last message.
        """
        return reversed(list(self.backwards()))

    def backwards(self) -> Iterator[Dialogue]:
        """Yield the dialogues that end in each message, newest first. No history is copied."""
        node = self
        while node.parent is not None:
            yield node
            node = node.parent

    def messages(self) -> list[Message]:
        return [Message(node.role, node.content) for node in self]

    def wire(self) -> bytearray:
        """Return the messages as a JSON array in the OpenAI chat shape.

        Each message is encoded once, into a buffer that a dialogue shares with those before it.
        If two dialogues continue the same history, the first one asked keeps the buffer and the
        other takes a copy.
        """
        fresh: list[Dialogue] = []
        node = self
        while node._buffer is None and node.parent is not None:
            fresh.append(node)
            node = node.parent
        buffer, end = (bytearray(b"["), 1) if node._buffer is None else (node._buffer, node._end)
        if fresh and len(buffer) != end:
            buffer = buffer[:end]
        for node in reversed(fresh):
            if len(buffer) > 1:
                buffer += b","
            buffer += _encode({"role": node.role, "content": node.content})
            node._buffer, node._end = buffer, len(buffer)
        return buffer[: self._end or 1] + b"]"

    def __repr__(self) -> str:
        return f"Dialogue({self.length} messages, …{self.role}: {self.content[:40]!r})"
