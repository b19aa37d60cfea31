"""What users read, kept in one file: tests/data/wording.md.

A test makes sentences from small findings or a command and asks `reads_as("Heading", sentences)`:
they must be what stands under that heading. A test of behaviour then needs no sentence in its
asserts. To write the file anew, and read its difference before committing it:

    GEOBIAS_WRITE_DOCS=1 pytest FILES
"""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

PAGE = Path(__file__).parent / "data" / "wording.md"
HEAD = (
    "Sentences that users read, by what they are about. Tests write this file (tests/wording.py)."
)
_SECTION = re.compile(r"^## ([^\n]+)\n\n```\n(.*?)\n```$", re.M | re.S)


def sections() -> dict[str, str]:
    """Heading → what stands under it."""
    return dict(_SECTION.findall(PAGE.read_text("utf-8")))


def reads_as(heading: str, texts: str | Iterable[str] | Mapping[str, object]) -> None:
    """These texts are those under the heading; of a mapping, each case and what is said of it."""
    if isinstance(texts, Mapping):
        texts = [f"{case} → {text or '(nothing)'}" for case, text in texts.items()]
    said = texts if isinstance(texts, str) else "\n".join(texts)
    said = "\n".join(line.rstrip() for line in said.strip().splitlines())
    if os.environ.get("GEOBIAS_WRITE_DOCS"):
        _write(heading, said)
    assert sections().get(heading) == said, (
        f"{heading}: GEOBIAS_WRITE_DOCS=1 pytest FILE writes it anew"
    )


def _write(heading: str, said: str) -> None:
    """Put one section into the file; other processes of the tests may be writing too."""
    with PAGE.open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        every = sorted((sections() | {heading: said}).items())
        blocks = [f"## {name}\n\n```\n{text}\n```\n" for name, text in every]
        PAGE.write_text("\n".join([f"{HEAD}\n", *blocks]), "utf-8")
