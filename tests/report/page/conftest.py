"""Findings that the tests of this folder share."""

from __future__ import annotations

from pathlib import Path

import pytest

from geobias.report.findings import Findings, collect
from geobias.runfile import RunReader


@pytest.fixture(scope="session")
def found(biased: Path) -> Findings:
    """What was found about a model with a bias, over two indicators and a few items."""
    with RunReader(biased) as run:
        return collect([run])
