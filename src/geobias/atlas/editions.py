"""Which data a run was made with: every shipped table with its digest, for the run's manifest.

Between two editions of the same indicator the figures move (by 0.23 on average for maternal
mortality, 2023 to 2026), so runs compare only where their tables are the same bytes.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

import msgspec

from geobias.atlas.table import SHIPPED


class Edition(msgspec.Struct, frozen=True):
    """A table and the SHA-256 of its bytes, in hexadecimal."""

    name: str
    sha256: str


def edition_of(path: Path) -> Edition:
    """The edition of one file, e.g. of figures a user has imported."""
    return Edition(name=path.name, sha256=hashlib.sha256(path.read_bytes()).hexdigest())


@cache
def shipped_editions() -> tuple[Edition, ...]:
    """The edition of every table that comes with geobias, in the order of their names."""
    return tuple(edition_of(path) for path in sorted(SHIPPED.glob("*.csv")))
