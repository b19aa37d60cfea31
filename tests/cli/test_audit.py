from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path

import pytest

import geobias as api
from geobias.errors import BadRequest
from geobias.probes.audited import AUDITED, uses_prompt
from geobias.report import comparing
from geobias.report.formats import as_json
from tests.cli.running import Done, geobias


@pytest.fixture(scope="module")
def audited(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Done]:
    """Two models audited into one folder."""
    folder = tmp_path_factory.mktemp("audit")
    words = ("sim/biased", "sim/fair", "--probes", "worldbench", "--out", folder)
    return folder, geobias("audit", *words)


def test_an_audit_of_two_models_ends_with_one_report(audited: tuple[Path, Done]) -> None:
    folder, done = audited
    assert done.code == 0
    assert str(folder / "report.html") in done.out
    assert json.loads((folder / "report.json").read_text())["models"] == ["sim/biased", "sim/fair"]
    assert (folder / "report.html").stat().st_size > 10_000
    assert len(list(folder.glob("*.geobias"))) == 2


def test_an_audits_numbers_are_those_of_report(audited: tuple[Path, Done]) -> None:
    folder, _ = audited
    again = geobias("report", *sorted(folder.glob("*.geobias")), "--format", "json").out
    assert again == (folder / "report.json").read_text()


def test_the_models_stand_side_by_side(audited: tuple[Path, Done]) -> None:
    line = next(x for x in audited[1].out.splitlines() if x.startswith(" worldbench.error "))
    assert line.count("[") == 2


def test_a_quick_audit_says_that_it_is_too_small(audited: tuple[Path, Done]) -> None:
    assert "too small for conclusions" in audited[1].out


def test_an_audit_in_json_is_the_report(audited: tuple[Path, Done]) -> None:
    folder, _ = audited
    words = ("sim/biased", "sim/fair", "--probes", "worldbench", "--out", folder, "--json")
    assert geobias("audit", *words).out == (folder / "report.json").read_text()


def test_an_audit_from_python_gives_the_same_findings(tmp_path: Path) -> None:
    made = api.audit("sim/fair", probes=["worldbench"], out=tmp_path)
    assert made.findings.sections[0].model == "sim/fair"
    assert made.data.read_text("utf-8") == as_json(made.findings)
    assert made.page.exists()


@pytest.mark.parametrize("probes", [["nothing"], []])
def test_an_audit_of_no_probe_is_refused(probes: list[str]) -> None:
    with pytest.raises(BadRequest):
        api.audit("sim/fair", probes=probes)


def test_every_probe_of_an_audit_is_reported_drawn_and_compared() -> None:
    assert tuple(comparing.PROBES) == tuple(AUDITED)
    for name in AUDITED:
        assert callable(import_module(f"geobias.probes.{name}").plan)
        assert callable(import_module(f"geobias.report.{name}").part)
        assert callable(import_module(f"geobias.report.page.{name}").figures)
        assert callable(import_module(f"geobias.cli.probes.{name}").make_plan)


@pytest.mark.parametrize("probe", AUDITED)
def test_an_audit_knows_the_data_and_prompts_of_each_probe(probe: str) -> None:
    plan = import_module(f"geobias.probes.{probe}").plan()
    assert plan.editions.keys() <= AUDITED[probe].editions
    # Side questions (to the judge alone) have prompts that bear on no game.
    own = [name for name in plan.prompts if not name.startswith(f"{probe}_")]
    assert own
    assert all(uses_prompt(probe, name) for name in own)
