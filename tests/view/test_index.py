"""The index beside a run: what it finds, and that it keeps up with the run."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import geobias
from geobias.probes import worldbench
from geobias.view.index import PAGE, Index, mark, search_query


def filled(run: Path, folder: Path) -> Index:
    index = Index(run, folder)
    assert index.refresh()
    assert index.fault == ""
    return index


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """Of a run over several pages, which is only looked at."""
    folder = tmp_path_factory.mktemp("long")
    asked = worldbench.plan(size="paper", indicators=("population", "co2_emissions"))
    run = geobias.run([asked], "sim/?chatty=0.6&recall_sd=0.9&abstain=0.1", folder / "run.geobias")
    return filled(run.path, folder)


def test_every_trial_is_listed_once_page_by_page(index: Index) -> None:
    for by_number in (False, True):
        seen: list[str] = []
        after = ""
        while True:
            found = index.find({}, after=after, by_number=by_number)
            seen += [row.trial for _, row in found.rows]
            if not found.more:
                break
            after = mark(*found.rows[-1], by_number=by_number)
        assert len(seen) == len(set(seen)) == found.matches
        assert len(seen) > 4 * PAGE


def test_going_back_shows_the_page_before(index: Index) -> None:
    for by_number in (False, True):
        first = index.find({}, by_number=by_number)
        second = index.find(
            {}, after=mark(*first.rows[-1], by_number=by_number), by_number=by_number
        )
        start = mark(*second.rows[0], by_number=by_number)
        assert index.find({}, before=start, by_number=by_number).rows == first.rows


def test_filters_and_search_narrow_the_list(index: Index) -> None:
    kenya = index.find({"country": "KEN"})
    assert {row.country for _, row in kenya.rows} == {"KEN"}
    both = index.find({"region": "Sub-Saharan Africa", "outcome": "abstained"}, "reliable")
    assert both.matches
    assert {(row.region, row.outcome) for _, row in both.rows} == {
        ("Sub-Saharan Africa", "abstained")
    }
    assert index.find({}, "kenya").matches == 2
    assert index.find({}, "ken*").matches == 2
    assert index.find({}, "cote").matches == 2  # Côte d'Ivoire
    assert index.find({}, '"reliable have"').matches == 0


def test_words_of_scripts_without_spaces_are_found(tmp_path: Path) -> None:
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


def test_records_that_the_run_takes_back_leave_the_index(runs: Path, tmp_path: Path) -> None:
    path = runs / "knows.geobias"
    index = filled(path, tmp_path)
    before = index.indexed
    with sqlite3.connect(path) as db:
        db.execute("DELETE FROM records WHERE country = 'KEN'")
    db.close()
    index._looked = 0.0
    assert index.refresh()
    assert index.indexed == before - 2
    assert index.find({"country": "KEN"}).matches == 0


def test_another_file_in_the_same_place_has_another_index(runs: Path, tmp_path: Path) -> None:
    path = runs / "knows.geobias"
    filled(path, tmp_path)
    (runs / "assumes.geobias").replace(path)
    index = filled(path, tmp_path)
    assert {probe for probe, _ in index.facets()["probe"]} == {"namebbq"}


def test_the_index_leaves_nothing_beside_the_run(runs: Path, tmp_path: Path) -> None:
    before = {path.name: path.stat().st_mtime_ns for path in runs.iterdir()}
    filled(runs / "knows.geobias", tmp_path / "elsewhere")
    assert {path.name: path.stat().st_mtime_ns for path in runs.iterdir()} == before


@pytest.mark.parametrize("name", ["c#d", "c%41", "c?mode=rw", "c d"])
def test_a_cache_may_have_any_name(name: str, runs: Path, tmp_path: Path) -> None:
    index = filled(runs / "knows.geobias", tmp_path / name)
    assert index.find({}).matches == index.indexed > 0


def test_an_index_that_is_gone_is_no_empty_list(runs: Path, tmp_path: Path) -> None:
    index = filled(runs / "knows.geobias", tmp_path)
    index.path().unlink()
    with pytest.raises(sqlite3.OperationalError):
        index.find({})
    index._looked = 0.0
    assert index.refresh()
    assert index.find({}).matches == index.indexed > 0


@pytest.mark.parametrize("mark", ["²", "0.5:²", "٣:", "9" * 30])
def test_a_mark_that_is_no_number_is_no_mark(mark: str, runs: Path, tmp_path: Path) -> None:
    index = filled(runs / "knows.geobias", tmp_path)
    for by_number in (False, True):
        assert index.find({}, after=mark, by_number=by_number) == index.find(
            {}, by_number=by_number
        )


def test_filters_are_whole_as_soon_as_the_index_is(runs: Path, tmp_path: Path) -> None:
    index = Index(runs / "knows.geobias", tmp_path)
    assert not index.refresh(seconds=0)
    assert index.facets()["region"] == []
    index._facets_until = math.inf  # as after a look that took long
    assert index.refresh()
    assert index.facets()["region"] != []
