"""Pages of the documentation that show what commands print.

`GEOBIAS_WRITE_DOCS=1 pytest tests/cli/test_docs.py tests/cli/test_tutorial.py` writes what the
commands print now into the pages.
"""

from __future__ import annotations

import os
from pathlib import Path


def matches(page: Path, anew: str) -> None:
    """The page is as it would be with what its commands print now."""
    if os.environ.get("GEOBIAS_WRITE_DOCS"):
        page.write_text(anew, encoding="utf-8")
    assert page.read_text(encoding="utf-8") == anew


def lines_of(printed: str) -> list[str]:
    """Its lines without empty ones and without spaces at their ends."""
    return [line.rstrip() for line in printed.splitlines() if line.strip()]
