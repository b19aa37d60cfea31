"""Where the publishers' own files are, for the tests that compare our tables with them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def shared_data(part: str) -> Path:
    """The file or folder `part` of the raw data, or a skipped test that says what is missing."""
    folder = os.environ.get("GEOBIAS_DATA")
    if not folder:
        pytest.skip("GEOBIAS_DATA is not set: the publishers' files are not here to compare with")
    path = Path(folder) / part
    if not path.exists():
        pytest.skip(f"GEOBIAS_DATA has no {part}")
    return path
