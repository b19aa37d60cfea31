"""A Bloom filter that tells, without a query, which replies a run file cannot have."""

from __future__ import annotations

from collections.abc import Iterable

BITS = 1 << 24
"""Size of the filter: 2 MiB. With a million replies, one new ask in a hundred needs a query."""


class BloomFilter:
    """A set of digests. If `in` is False, the digest is certainly not in the set (Bloom 1970).

    Nearly every ask of a run is new, and a query in SQLite takes as long as storing the reply.
    """

    def __init__(self, rows: Iterable[tuple[bytes]] = ()) -> None:
        self._bits = bytearray(BITS >> 3)
        for (digest,) in rows:
            self.add(digest)

    def add(self, digest: bytes) -> None:
        """Add a digest. Its bytes are uniform already, so they serve as the hashes."""
        bits = self._bits
        bit = int.from_bytes(digest[:4]) & (BITS - 1)
        bits[bit >> 3] |= 1 << (bit & 7)
        bit = int.from_bytes(digest[4:8]) & (BITS - 1)
        bits[bit >> 3] |= 1 << (bit & 7)

    def __contains__(self, digest: bytes) -> bool:
        bits = self._bits
        bit = int.from_bytes(digest[:4]) & (BITS - 1)
        if not bits[bit >> 3] >> (bit & 7) & 1:
            return False
        bit = int.from_bytes(digest[4:8]) & (BITS - 1)
        return bool(bits[bit >> 3] >> (bit & 7) & 1)
