from __future__ import annotations

from collections.abc import Iterator

import pytest

from .standin import FIGURES, StandIn, at_once, standin


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    """The stand-in with two series, as the service of this process."""
    with standin(FIGURES) as serving:
        monkeypatch.setenv("GEOBIAS_WORLDBANK_URL", serving.url)
        monkeypatch.setattr("geobias.http.sleep", at_once)
        yield serving
