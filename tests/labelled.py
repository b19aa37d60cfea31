"""Cases that a test reads from a table beside it: what somebody wrote, and what it should give."""

from __future__ import annotations

import csv
from pathlib import Path


def table_beside(test: str, name: str) -> list[dict[str, str]]:
    """The rows of a CSV file in the folder of a test, which gives its `__file__`."""
    with Path(test).with_name(name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def by(column: str, rows: list[dict[str, str]]) -> list[tuple[str, list[dict[str, str]]]]:
    """The rows of each value of a column: the cases of one test each."""
    values = dict.fromkeys(row[column] for row in rows)
    return [(value, [row for row in rows if row[column] == value]) for value in values]
