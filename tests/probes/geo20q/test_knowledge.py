"""Does it not know a target, or not look there?"""

from __future__ import annotations

from pathlib import Path

import pytest

import geobias
from geobias.atlas.economies import economies
from geobias.atlas.entities import entities
from geobias.probes import geo20q
from geobias.probes.geo20q.knowledge import (
    COUNTRIES,
    KNOWLEDGE_RECORDS,
    UNKNOWN,
    chosen,
    options,
    truth_of,
)
from geobias.report.findings import collect
from geobias.runfile import RunReader
from tests.defined import defined
from tests.labelled import table_beside
from tests.probes.geo20q.made import write_table


def test_one_option_of_eight_is_right_and_one_more_says_that_it_does_not_know() -> None:
    for one in [*entities().values()][::40]:
        offered = options(one, 0)
        assert offered[-1] == UNKNOWN
        assert len(set(offered)) == len(offered) == 2 * COUNTRIES + 1
        assert offered.count(truth_of(one)) == 1
        assert options(one, 0) == offered


def test_the_wrong_countries_are_as_near_as_the_right_one() -> None:
    person = entities()["wangari-maathai"]
    places = {one.rpartition(", ")[2] for one in options(person, 0)[:-1]}
    by_name = {one.name: one for one in economies().values()}
    assert {by_name[name].continent for name in places} == {"Africa"}


@pytest.mark.parametrize(
    ("target", "other"),
    [("george-weah", "politics"), ("omar-khayyam", "literature"), ("lusail-stadium", "sport")],
)
def test_a_field_that_a_target_has_too_is_no_wrong_answer(target: str, other: str) -> None:
    offered = [one for seed in range(40) for one in options(entities()[target], seed)]
    assert not any(one.startswith(f"{other},") for one in offered)


OFFERED = ["film, Tunisia", "activism, Kenya", UNKNOWN]


@pytest.mark.parametrize("row", table_beside(__file__, "options.csv"))
def test_a_reply_is_an_option_or_unread(row: dict[str, str]) -> None:
    read = UNKNOWN if row["read"] == "unknown" else row["read"]
    assert chosen(row["reply"], OFFERED) == read


def test_who_loses_what_it_does_not_know_has_no_gap_among_what_it_knows(tmp_path: Path) -> None:
    table, out = write_table(tmp_path / "made.csv", 1), tmp_path / "r.geobias"
    plan = geo20q.plan(entities=str(table), type="people", setting="canonical", judge_questions=2)
    geobias.run([plan], f"sim/?play=0.8&unknown_gap=0.5&seed=3&entities={table}", out)
    with RunReader(out) as run:
        assert len(list(run.records(KNOWLEDGE_RECORDS))) == plan.parts[KNOWLEDGE_RECORDS] == 218
        (section,) = collect([run]).sections
    found = {one.name.removeprefix("geo20q.north_south_"): one for one in section.metrics}
    among = found["gap_known_people_canonical"]
    assert among.primary
    assert defined(among.low) < 0 < defined(among.high)
    rows = section.tables["success_people_canonical_by_north_south"].rows
    north, south = (float(str(row["mean"])) for row in rows)
    assert north - south > 0.1
    assert "(0 won)" in among.note
