"""Runs that the tests of this folder share."""

from __future__ import annotations

from pathlib import Path

import pytest

from geobias.results.findings import Findings
from tests.report.made import found_in, made


@pytest.fixture(scope="session")
def biased(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that knows poorer countries less and follows stereotypes."""
    folder = tmp_path_factory.mktemp("runs")
    return made(folder / "biased.geobias", "sim/biased?stereotype=0.9&gap=0.3")


@pytest.fixture(scope="session")
def fair(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model without any bias."""
    return made(tmp_path_factory.mktemp("runs") / "fair.geobias", "sim/fair")


@pytest.fixture(scope="session")
def findings(biased: Path) -> Findings:
    """What is found in the run of the biased model."""
    return found_in(biased)


@pytest.fixture(scope="session")
def fair_findings(fair: Path) -> Findings:
    """What is found in the run of the fair model."""
    return found_in(fair)
