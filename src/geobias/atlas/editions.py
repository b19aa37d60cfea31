"""Which data a run was made with: every shipped table with its digest, for the run's manifest.

Between two editions of the same indicator the figures move (by 0.23 on average for maternal
mortality, 2023 to 2026), so runs compare only where their tables are the same bytes.

`editions.csv`, beside this module, says which edition each table is of and what its digest was
when it was published: a table that has been edited since, by hand or by a bad disk, shows.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

import msgspec

from geobias.atlas.table import SHIPPED, read_rows


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


def digests(*tables: str) -> dict[str, str]:
    """Table → short digest, for the manifest of a run that uses these tables and no others."""
    known = {edition.name: edition.sha256[:16] for edition in shipped_editions()}
    return {table: known[table] for table in tables}


class Published(msgspec.Struct, frozen=True):
    """What a shipped table should be."""

    table: str
    edition: str
    """In the publisher's words: a date, a fiscal year; two dates where a table has two sources."""
    sha256: str


def published_editions() -> tuple[Published, ...]:
    """What every shipped table should be, in the order of their names."""
    rows = read_rows(Path(__file__).with_name("editions.csv"), Published.__struct_fields__)
    return tuple(Published(**row) for _, row in rows)
