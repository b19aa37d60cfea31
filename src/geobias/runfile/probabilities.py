"""The probabilities of options, kept beside the replies they belong to.

A run that asks for none has an empty table. Files of earlier versions have no such table until they
are resumed; readers that do not know it open the file as before.
"""

from __future__ import annotations

from typing import Any

import msgspec

from geobias.errors import BadRunFile
from geobias.trials.probabilities import Alternatives
from geobias.untrusted import Undecodable, json_value

TABLE = """
CREATE TABLE IF NOT EXISTS probabilities (
    digest BLOB PRIMARY KEY,        -- of the ask, as in replies
    places TEXT NOT NULL            -- JSON: a list of [text, log-probability] for each token
) WITHOUT ROWID
"""
INSERT = "INSERT OR IGNORE INTO probabilities VALUES (?, ?)"
FIND = "SELECT places FROM probabilities WHERE digest = ?"
DELETE = "DELETE FROM probabilities WHERE digest = ?"
HAS_TABLE = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'probabilities'"
HAS_TABLE_IN_PART = "SELECT 1 FROM part.sqlite_master WHERE type='table' AND name='probabilities'"

_encode = msgspec.json.Encoder().encode


def row_of(digest: bytes, places: tuple[Alternatives, ...]) -> tuple[Any, ...]:
    return digest, _encode(places).decode()


def places_of(text: str) -> tuple[Alternatives, ...]:
    """What a row holds. Raises BadRunFile."""
    try:
        found: tuple[Alternatives, ...] = json_value(text, tuple[Alternatives, ...])
    except (Undecodable, TypeError, AttributeError) as error:
        raise BadRunFile(f"the run file is damaged: probabilities read {error}") from None
    return found
