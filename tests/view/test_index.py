"""The index of a run: what it finds, that it keeps up with the run, and what its lists say."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import geobias
from geobias.probes import geo20q, worldbench
from geobias.probes.registry import find_probe, plan_of
from geobias.view.browsing import facets
from geobias.view.index import PAGE, Index, search_query
from geobias.view.run_list import progress


def filled(run: Path) -> Index:
    index = Index(run)
    assert index.refresh()
    assert index.fault == ""
    return index


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """Of a run over several pages, which is only looked at."""
    folder = tmp_path_factory.mktemp("long")
    asked = worldbench.plan(size="paper", indicators=("population", "co2_emissions"))
    run = geobias.run([asked], "sim/?chatty=0.6&recall_sd=0.9&abstain=0.1", folder / "run.geobias")
    return filled(run.path)


@pytest.mark.parametrize("largest", [False, True])
def test_every_trial_is_listed_once_page_by_page(index: Index, largest: bool) -> None:
    matches = index.find({}, largest=largest)[1]
    pages = [index.find({}, page=n, largest=largest)[0] for n in range(1, -(-matches // PAGE) + 2)]
    seen = [row.trial for rows in pages for row in rows]
    assert len(seen) == len(set(seen)) == matches > 4 * PAGE
    assert pages[-1] == []


def test_filters_and_search_narrow_the_list(index: Index) -> None:
    kenya, _ = index.find({"country": "Kenya"})
    assert {row.country for row in kenya} == {"Kenya"}
    both, _ = index.find({"region": "Sub-Saharan Africa", "outcome": "declined"}, "reliable")
    assert {(row.region, row.outcome) for row in both} == {("Sub-Saharan Africa", "declined")}
    # "cote" finds Côte d'Ivoire.
    for search, matches in {"kenya": 2, "ken*": 2, "cote": 2, '"reliable have"': 0}.items():
        assert index.find({}, search)[1] == matches


def test_words_of_scripts_without_spaces_are_found() -> None:
    assert search_query("埃菲尔") == '"埃  菲  尔"'
    assert search_query("एफ़िल") == '"एफ़िल"'


@pytest.fixture(scope="module")
def said() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute("CREATE VIRTUAL TABLE said USING fts5(about, words)")
        db.execute("INSERT INTO said VALUES ('a', 'b')")
        yield db


@given(text=st.text(max_size=60))
def test_no_search_is_a_command(said: sqlite3.Connection, text: str) -> None:
    said.execute("SELECT * FROM said WHERE said MATCH ?", (search_query(text),)).fetchall()


@pytest.mark.parametrize(
    ("change", "kenya"),
    [
        ("DELETE FROM records WHERE country = 'KEN'", 0),
        ("UPDATE records SET outcome = 'seen', record = json_set(record, '$.outcome', 'seen')", 2),
    ],
)
def test_the_index_follows_a_run_whose_records_change(runs: Path, change: str, kenya: int) -> None:
    path = runs / "knows.geobias"
    index = filled(path)
    before = index.indexed
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(change)
    assert index.refresh()
    assert index.indexed == before - 2 + kenya
    assert index.find({"country": "Kenya"})[1] == kenya
    assert index.find({"outcome": "seen"})[1] == (before if kenya else 0)


def test_another_file_in_the_same_place_is_read_anew(runs: Path) -> None:
    path = runs / "knows.geobias"
    index = filled(path)
    (runs / "assumes.geobias").replace(path)
    assert index.refresh()
    assert {probe for probe, _ in index.facets()["probe"]} == {"Name-BBQ"}


def test_the_index_leaves_nothing_beside_the_run(runs: Path) -> None:
    before = {path.name: path.stat().st_mtime_ns for path in runs.iterdir()}
    filled(runs / "knows.geobias")
    assert {path.name: path.stat().st_mtime_ns for path in runs.iterdir()} == before


def test_filters_fit_the_probe_that_is_chosen(tmp_path: Path) -> None:
    plans = [
        worldbench.plan(indicators=["population", "gdp"], countries="KEN,FRA"),
        plan_of(find_probe("ratings"), {"topics": ["morality", "population"]}),
    ]
    index = filled(geobias.run(plans, "sim/fair", tmp_path / "both.geobias").path)
    topics = {probe: dict(index.facets(probe)["topic"]) for probe in ("", "WorldBench", "Ratings")}
    assert topics["WorldBench"].keys() == {"Population", "GDP"}
    assert topics[""].keys() == topics["WorldBench"].keys() | topics["Ratings"].keys()
    assert "GDP" not in topics["Ratings"]
    assert dict(index.facets("Ratings")["probe"]).keys() == {"WorldBench", "Ratings"}


def test_filters_are_whole_as_soon_as_the_index_is(runs: Path) -> None:
    index = Index(runs / "knows.geobias")
    assert not index.refresh(seconds=0)
    assert index.facets()["region"] == []
    assert index.refresh()
    assert index.facets()["region"] != []


def test_questions_beside_games_are_counted_apart_from_them(tmp_path: Path) -> None:
    plan = geo20q.plan(size="quick", entities="Mount Kenya, Eiffel Tower")
    path = geobias.run([plan], "sim/fair", tmp_path / "run.geobias").path
    games, judge, known = progress("run", path).parts
    assert games == ("geo20q", 2, 2)
    name, done, planned = judge
    assert name == "geo20q_judge"
    assert done == planned > 2
    assert known == ("geo20q_knowledge", 2, 2)


def test_groups_stand_in_their_natural_order_and_countries_by_name() -> None:
    counted = {
        "income": [("High income", 9), ("Lower middle income", 5), ("Low income", 3)],
        "country": [("Cyprus", 7), ("Côte d'Ivoire", 2)],
    }
    shown = {name: [value for value, _ in values] for name, values in facets(counted, {}).items()}
    assert shown["income"] == ["Low income", "Lower middle income", "High income"]
    assert shown["country"] == ["Côte d'Ivoire", "Cyprus"]
