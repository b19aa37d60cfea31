"""Games against scripts, for the tests of this folder."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.probes.geo20q import scripts


@pytest.fixture
def play(raw_server: Callable[..., Any], tmp_path: Path) -> scripts.Play:
    """Play a game against a script, in a folder of its own; gives the game's record."""
    numbers = count()

    def one(script: scripts.Script, *entity: str, **settings: Any) -> Any:
        folder = tmp_path / f"game {next(numbers)}"
        folder.mkdir()
        return scripts.play(raw_server, folder, script, *entity, **settings)

    return one
