"""What was counted: while a part of the corpus is read, and kept for good."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import msgspec

from geobias.corpus.spellings import Names


class Part(msgspec.Struct, kw_only=True):
    """What a part of the corpus holds; places without a count are left out.

    `counts` are by spelling, `documents_with` and `shared` by entity. `shared` is how many of an
    entity's counts are of forms that another entity of the table has too.
    """

    counts: dict[int, int] = {}
    documents_with: dict[int, int] = {}
    shared: dict[int, int] = {}
    documents: int = 0
    bytes: int = 0
    """Of text that was looked through, unpacked."""
    broken: int = 0
    """Lines that are no JSON."""
    without: int = 0
    """Documents that have no text under the field, or something else than text."""


class Tally:
    """Counters while reading: plain lists, since they are met millions of times a second."""

    def __init__(self, names: Names) -> None:
        self.counts = [0] * len(names.spellings)
        self.documents_with = [0] * len(names.entities)
        self.shared = [0] * len(names.entities)
        self.last_seen = [0] * len(names.entities)
        self.documents = self.bytes = self.broken = self.without = 0

    def part(self) -> Part:
        return Part(
            counts=_sparse(self.counts),
            documents_with=_sparse(self.documents_with),
            shared=_sparse(self.shared),
            documents=self.documents,
            bytes=self.bytes,
            broken=self.broken,
            without=self.without,
        )


def total(parts: Iterable[Part]) -> Part:
    counts, documents_with, shared = Counter[int](), Counter[int](), Counter[int]()
    whole = Part(counts=counts, documents_with=documents_with, shared=shared)
    for part in parts:
        counts.update(part.counts)
        documents_with.update(part.documents_with)
        shared.update(part.shared)
        whole.documents += part.documents
        whole.bytes += part.bytes
        whole.broken += part.broken
        whole.without += part.without
    return whole


def _sparse(numbers: list[int]) -> dict[int, int]:
    return {place: number for place, number in enumerate(numbers) if number}
