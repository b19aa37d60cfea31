from __future__ import annotations

import json
from pathlib import Path

import pytest

import geobias as api
from geobias.probes.differences import uses_prompt
from geobias.probes.registry import all_probes, find_probe, plan_of, usual_probes
from tests.cli.running import Done, few_countries, geobias


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> tuple[object, ...]:
    return few_countries(tmp_path_factory.mktemp("few"))


@pytest.fixture(scope="module")
def audited(few: tuple[object, ...], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Done]:
    """Two models audited into one folder."""
    folder = tmp_path_factory.mktemp("audit")
    return folder, geobias("audit", "sim/biased", "sim/fair", *few, "--out", folder)


def test_an_audit_of_two_models_ends_with_one_report(audited: tuple[Path, Done]) -> None:
    folder, done = audited
    assert done.code == 0
    assert str(folder / "report.html") in done.out
    assert json.loads((folder / "report.json").read_text())["models"] == ["sim/biased", "sim/fair"]
    assert (folder / "report.html").stat().st_size > 10_000
    assert len(list(folder.glob("*.geobias"))) == 2


def test_an_audit_in_json_is_the_report_of_its_runs(
    audited: tuple[Path, Done], few: tuple[object, ...]
) -> None:
    folder, _ = audited
    report = geobias("report", *sorted(folder.glob("*.geobias")), "--format", "json").out
    assert report == (folder / "report.json").read_text()
    again = geobias("audit", "sim/biased", "sim/fair", *few, "--out", folder, "--json").out
    assert again == (folder / "report.json").read_text()


def test_all_numbers_and_what_was_spent_are_there_when_asked_for(
    audited: tuple[Path, Done], few: tuple[object, ...]
) -> None:
    folder, _ = audited
    done = geobias("audit", "sim/biased", "sim/fair", *few, "--out", folder, "--verbose")
    lines = done.out.splitlines()
    spent = [line.split(": ")[0] for line in lines if " calls, " in line]
    assert spent == ["sim/biased", "sim/fair"]
    assert lines[lines.index("WorldBench · sim/biased") + 1].startswith("Open. It ")


def test_an_audit_is_of_every_probe_unless_some_are_named(tmp_path: Path) -> None:
    assert geobias("audit", "sim/fair", "--max-calls", 1, "--out", tmp_path).code == 3
    [path] = tmp_path.glob("*.geobias")
    assert path.name.startswith("+".join(all_probes()) + "-sim")
    with api.open_run(path) as run:
        assert list(run.manifest().probes) == list(usual_probes())


@pytest.mark.parametrize("name", ["worldbench", "namebbq", "geo20q"])
def test_an_audit_knows_the_data_and_prompts_of_each_probe(name: str) -> None:
    probe = find_probe(name)
    plan = plan_of(probe, {})
    assert plan.editions.keys() <= probe.editions.keys()
    assert plan.prompts
    assert all(uses_prompt(probe, prompt) for prompt in plan.prompts)
