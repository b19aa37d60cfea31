"""Whose surname stands for one person.

`tables/shared_surnames.csv` has the surnames of our people that two or more well-known people bear.
"Well known" is Pantheon 1.0: people with articles in more than 25 languages in 2016. A surname that
is not in it is one person's. One that is in it counts for the bearer who has nine tenths of all
their page views, and else for nobody: Mozart is Wolfgang Amadeus, Armstrong is no one.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from geobias.atlas.table import read_rows, shipped_table


@cache
def _shared_surnames() -> Mapping[str, str]:
    rows = read_rows(shipped_table("shared_surnames.csv"), ("surname", "bearers", "counts_for"))
    return {row["surname"]: row["counts_for"] for _, row in rows}


def surname_counts(surname: str, entity: str) -> bool:
    """Whether a surname (lower case, no accents) alone stands for the entity of this id, as far as
    well-known people outside of the table go."""
    return _shared_surnames().get(surname, entity) == entity
