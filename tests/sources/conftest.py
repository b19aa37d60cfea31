from __future__ import annotations

from collections.abc import Iterator

import pytest

from .standin import FIGURES, StandIn, standin


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    """The stand-in with two series, as the service of this process."""
    with standin(FIGURES) as serving:
        monkeypatch.setenv("GEOBIAS_WORLDBANK_URL", serving.url)
        yield serving
