from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from geobias import run as made
from geobias.atlas.entities import read_entities
from geobias.probes.geo20q.tables import TABLES
from geobias.probes.registry import find_probe, plan_of
from tests.cli.running import geobias
from tests.probes.geo20q.made import write_table


@pytest.fixture(scope="module")
def entities(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = write_table(tmp_path_factory.mktemp("tables") / "made.csv", 1, 15)
    place = pl.int_range(1, pl.len() + 1)
    table = pl.read_csv(path, infer_schema=False)
    table.with_columns(views=pl.when(place <= 25).then(place)).write_csv(path)
    return path


@pytest.fixture(scope="module")
def run(entities: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("runs") / "games.geobias"
    model = f"sim/?play=0.6&entities={entities}"
    words = ("--setting", "canonical", "--repeats", "2", "--judge-questions", "40")
    done = geobias("run", "geo20q", model, "--entities", entities, *words, "--out", out)
    assert done.code == 0, done.err
    assert "known facts" in done.out
    return out


@pytest.mark.parametrize("table", list(TABLES))
def test_every_table_is_printed_for_people_and_programs(run: Path, table: str) -> None:
    for_people = geobias("table", f"geo20q.{table}", run, "--wide")
    assert for_people.code == 0
    # Notes stand beside the table: what is compared, and what is left out.
    assert bool(for_people.err) == (table == "published")
    rows = geobias("table", f"geo20q.{table}", run, "--json").json()
    assert rows


def test_a_regression_takes_frequency_from_a_file_and_views_from_the_games(
    run: Path, entities: Path, tmp_path: Path
) -> None:
    ids = list(read_entities(entities))
    counts = tmp_path / "counts.csv"
    rows = [f"{one},{2**place}" for place, one in enumerate(ids[:20])]
    counts.write_text("id,count\n" + "\n".join(rows) + "\n", "utf-8")
    words = ("--frequency", counts, "--json")
    found = geobias("table", "geo20q.regression", run, *words).json()
    games = dict.fromkeys(("popularity", "frequency"), 0)
    for row in found:
        games[row["predictor"]] += row["games"]
    assert games == {"popularity": 50, "frequency": 40}  # two repeats of each


def test_a_run_holds_what_its_judge_knows(run: Path) -> None:
    found = geobias("table", "geo20q.judge_accuracy", run, "--by", "question", "--json").json()
    assert sum(row["asked"] for row in found) == 40
    assert {row["mean"] for row in found} == {1}


def test_repeats_need_a_run_with_repeats(entities: Path, tmp_path: Path) -> None:
    out = tmp_path / "once.geobias"
    given = {"entities": str(entities), "setting": "canonical", "judge_questions": 0, "turns": 2}
    made([plan_of(find_probe("geo20q"), given)], f"sim/?entities={entities}", out)
    done = geobias("table", "geo20q.repeats", out)
    assert done.code == 2
    assert "--repeats 5" in done.err
