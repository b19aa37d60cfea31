"""Which data a run was made with: every shipped table with its digest, for the run's manifest.

Between two editions of the same indicator the figures move (by 0.23 on average for maternal
mortality, 2023 to 2026), so runs compare only where their tables are the same bytes.

`editions.csv`, beside this module, says which edition each table is of and what its digest was
when it was published: a table that has been edited since, by hand or by a bad disk, shows.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec

from geobias.atlas.table import read_structs, shipped_table


def sha256_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def digests(*tables: str) -> dict[str, str]:
    return {table: sha256_of(shipped_table(table))[:16] for table in tables}


class PublishedEdition(msgspec.Struct, frozen=True):
    table: str
    edition: str
    """In the publisher's words: a date, a fiscal year; two dates where a table has two sources."""
    sha256: str


def published_editions() -> tuple[PublishedEdition, ...]:
    """What every shipped table should be, in the order of their names."""
    path = Path(__file__).with_name("editions.csv")
    return tuple(edition for _, edition in read_structs(path, PublishedEdition))
