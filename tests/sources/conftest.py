from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .standin import FIGURES, StandIn


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    """The stand-in with two series, as the service of this process, and an empty cache."""
    with StandIn(FIGURES) as standin:
        monkeypatch.setenv("GEOBIAS_WORLDBANK_URL", standin.url)
        monkeypatch.setenv("GEOBIAS_CACHE", str(tmp_path / "cache"))
        yield standin
