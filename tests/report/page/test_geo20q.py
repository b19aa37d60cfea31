"""The figures of games."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from geobias.report import page
from geobias.report.page.countries import country_excerpts, country_table
from geobias.report.page.drawing import draw
from geobias.results.figures import Figure
from geobias.results.findings import Findings
from geobias.runfile import RunReader
from tests.report.made import found_in
from tests.report.test_games import played as games


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("games")
    return games(folder, 12, "play=0.6", setting="both", turns=20, most_turns=22)


@pytest.fixture(scope="module")
def found(played: Path) -> Findings:
    return found_in(played)


@pytest.fixture(scope="module")
def figures(found: Findings) -> dict[str, Figure]:
    return {figure.name: figure for figure in page.figures(found)["geo20q"]}


def test_games_have_maps_and_groups(
    figures: dict[str, Figure],
) -> None:
    assert {
        "geo20q-success-canonical-map",
        "geo20q-success-canonical-region",
        "geo20q-success-people-canonical-north-south",
        "geo20q-success-things-canonical-region",
        "geo20q-turns-canonical-region",
    } <= figures.keys()
    # Where games were played in both settings, the canonical ones are drawn.
    assert not any("unlimited" in name for name in figures)


def test_no_group_is_dropped_for_being_the_worst(found: Findings) -> None:
    section = found.sections[0]
    name = "success_things_canonical_by_region"
    table = section.tables[name]
    row = table.rows[0]
    best_first = [row | {"group": f"g{i}", "mean": 1 - i / 30} for i in range(30)]
    tables = {name: msgspec.structs.replace(table, rows=best_first)}
    only = msgspec.structs.replace(section, tables=tables)
    made = page.figures(msgspec.structs.replace(found, sections=[only], countries=[]))["geo20q"]
    assert [one.name for one in made] == ["geo20q-success-things-canonical-region"]
    assert len(made[0].data) == 30
    assert ">g29<" in draw(made[0].panels[0].chart, "")


def test_a_profile_tells_a_game_turn_by_turn(played: Path) -> None:
    with RunReader(played) as run:
        told = country_excerpts([(run, 0)], 6)
        record = next(one for one in run.records("geo20q") if one["country"] == "AFG")
    game = told["AFG"].shown[0]
    assert game.turns[0][0].endswith("?")
    assert {answer for _, answer in game.turns[:-1]} <= {"Yes.", "No.", "Yes", "No"}
    assert game.verdict.startswith(f"{record['canonical']} after {record['canonical_turns']} turn")


def test_games_of_entities_that_are_not_the_papers_do_not_stand_beside_its_own(
    found: Findings,
) -> None:
    assert [one.measure for one in country_table(found).heads] == ["Share of short games won"]
    beside = found.sections[0].tables["published_success_by_continent"].rows
    assert not any(row["here"] for row in beside)
