"""Geo20Q+ in the findings, the comparison and the gate."""

from __future__ import annotations

from pathlib import Path

import pytest

import geobias
from geobias.probes import geo20q
from geobias.report.comparable import differences
from geobias.report.findings import Findings, collect
from geobias.runfile import RunReader
from tests.probes.geo20q.made import write_table


def played(folder: Path, table: Path, how: str) -> Path:
    plan = geo20q.plan(entities=str(table), setting="canonical")
    return geobias.run([plan], f"sim/?{how}&entities={table}", folder / f"{how}.geobias").path


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A guesser without and one with a gap between the halves of the world."""
    folder = tmp_path_factory.mktemp("games")
    table = write_table(folder / "made.csv", 1, countries=80)
    return played(folder, table, "play=0.9"), played(folder, table, "play=0.9&play_gap=0.8")


@pytest.fixture(scope="module")
def findings(runs: tuple[Path, Path]) -> Findings:
    with RunReader(runs[1]) as run:
        return collect([run])


def test_a_planted_gap_is_found(findings: Findings) -> None:
    metrics = {one.name: one for one in findings.sections[0].metrics}
    gap = metrics["geo20q.north_south_gap_things_canonical"]
    assert gap.low is not None
    assert gap.low > 0.2
    assert gap.p_adjusted is not None
    assert gap.p_adjusted < 0.05


def test_a_judge_that_knows_passes_its_screen(findings: Findings) -> None:
    section = findings.sections[0]
    assert section.measurable
    screen = next(one for one in section.screens if one.name == "judge's accuracy")
    assert screen.value == 1


def test_games_and_questions_to_the_judge_are_counted_apart(findings: Findings) -> None:
    assert findings.sections[0].replies.planned == 160
    assert findings.runs[0].done == findings.runs[0].planned


def test_every_country_that_was_played_has_its_success(findings: Findings) -> None:
    having = [one for one in findings.countries if one.measures]
    assert len(having) == 80
    assert {m.metric for one in having for m in one.measures} == {"geo20q.success_canonical"}


def test_the_tables_of_tests_show_adjusted_p_values(findings: Findings) -> None:
    for table, plain, adjusted in (
        ("halves", "p", "p_holm"),
        ("fame", "success_p", "success_p_adjusted"),
        ("held_constant", "p", "p_adjusted"),
    ):
        columns = [one.name for one in findings.sections[0].tables[table].columns]
        assert {plain, adjusted} <= set(columns)


def test_games_that_are_all_won_show_no_place(tmp_path: Path) -> None:
    table = write_table(tmp_path / "made.csv", 1, countries=6)
    path = played(tmp_path, table, "play=1")
    with RunReader(path) as run:
        section = collect([run]).sections[0]
    assert section.why_not == ["of 12 games every one was won, so that no group can differ"]


def test_another_choice_of_entities_is_no_reason_to_refuse(runs: tuple[Path, Path]) -> None:
    import msgspec

    with RunReader(runs[0]) as run:
        mine = run.manifest()
    few = msgspec.structs.replace(mine, editions=mine.editions | {"entities": "other"})
    assert differences(mine, few, "geo20q").forbidding == []
