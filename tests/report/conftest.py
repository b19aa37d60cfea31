"""Runs that the tests of this folder share."""

from __future__ import annotations

import os
import pickle
import shutil
from pathlib import Path

import pytest

from geobias.results.findings import Findings
from tests.report.made import found_in, made


@pytest.fixture(scope="session")
def once_made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for all processes of this test run: what one of them made need not be made again.

    Who puts a file there writes it under another name first."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "once-made"
    folder.mkdir(exist_ok=True)
    return folder


def run_of(model: str, name: str, folder: Path, once_made: Path) -> Path:
    kept = once_made / f"{name}.geobias"
    if kept.exists():
        return Path(shutil.copy(kept, folder))
    path = made(folder / kept.name, model)
    put(path.read_bytes(), kept)
    return path


def findings_in(path: Path, once_made: Path) -> Findings:
    kept = once_made / f"{path.stem}.findings"
    if kept.exists():
        found: Findings = pickle.loads(kept.read_bytes())
        return found
    found = found_in(path)
    put(pickle.dumps(found), kept)
    return found


def put(content: bytes, to: Path) -> None:
    part = to.with_name(f"{to.name}.{os.getpid()}")
    part.write_bytes(content)
    part.replace(to)


@pytest.fixture(scope="session")
def biased(tmp_path_factory: pytest.TempPathFactory, once_made: Path) -> Path:
    """A model that knows poorer countries less and follows stereotypes."""
    folder = tmp_path_factory.mktemp("runs")
    return run_of("sim/biased?stereotype=0.9&gap=0.3", "biased", folder, once_made)


@pytest.fixture(scope="session")
def fair(tmp_path_factory: pytest.TempPathFactory, once_made: Path) -> Path:
    """A model without any bias."""
    return run_of("sim/fair", "fair", tmp_path_factory.mktemp("runs"), once_made)


@pytest.fixture(scope="session")
def findings(biased: Path, once_made: Path) -> Findings:
    """What is found in the run of the biased model."""
    return findings_in(biased, once_made)


@pytest.fixture(scope="session")
def fair_findings(fair: Path, once_made: Path) -> Findings:
    """What is found in the run of the fair model."""
    return findings_in(fair, once_made)
