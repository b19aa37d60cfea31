"""`geobias run geo20q`, `plan geo20q`, `play`, `entities` and the tables, as a user meets them."""

from __future__ import annotations

import signal
from pathlib import Path

import polars as pl
import pytest

from geobias import api
from geobias.atlas.entities import read_entities
from geobias.probes.geo20q.tables import TABLES
from geobias.probes.registry import find_probe, plan_of
from tests.cli.commands import start
from tests.cli.running import geobias
from tests.probes.geo20q.made import write_table
from tests.probes.geo20q.scripts import Script
from tests.servers import RawStart, completion
from tests.waiting import PATIENCE


@pytest.fixture
def made(tmp_path: Path) -> Path:
    return write_table(tmp_path / "made.csv", 1, countries=12)


def test_another_judge_is_part_of_the_run(path: Path, made: Path, raw_server: RawStart) -> None:
    server = raw_server(lambda request: completion("No."))
    words = ("run", "geo20q", f"sim/?entities={made}", "--entities", made, "--out", path)
    assert geobias(*words, "--judge", server.url, "--type", "people").code == 0
    assert server.requests
    assert geobias(*words, "--type", "people").code == 2


def test_a_game_is_shown_turn_by_turn() -> None:
    done = geobias("play", "Taj Mahal", "--model", "sim/?play=1")
    assert done.code == 0
    assert done.out.startswith(" guesser  Is it in Europe?\n   judge  No.\n")
    assert done.out.splitlines()[-1].startswith("Found after ")


def test_hostile_replies_are_printed_harmlessly(raw_server: RawStart) -> None:
    hostile = "Is it \x1b[31m[bold]red\u202e? \x07"
    server = raw_server(Script([hostile], "No\x1b[2J. [link=http://x]no[/link]"))
    done = geobias("play", "Taj Mahal", "--model", server.url)
    assert done.code == 0
    assert not any(sign in done.out for sign in "\x1b\x07\u202e")
    assert "[bold]red" in done.out


def test_a_person_may_guess_or_judge() -> None:
    words = ("play", "Taj Mahal", "--model", "sim/?play=1")
    guessed = geobias(*words, "--human", "guesser", typed="\nIs it in Asia?\nIs it Taj Mahal?\n")
    assert "Your task" in guessed.out
    assert "Found after 2 turns" in guessed.out
    judged = geobias(*words, "--human", "judge", typed="n\nx\n" + 20 * "no\n")
    assert "Not found after" in judged.out


def test_ctrl_c_ends_a_game_kindly(tmp_path: Path) -> None:
    words = ("play", "Taj Mahal", "--model", "sim/fair")
    process = start(*words, "--human", "guesser", cwd=tmp_path, PYTHONUNBUFFERED="1")
    assert process.stdout is not None
    for line in process.stdout:
        if "Your task" in line:
            break
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert "Taj Mahal" in out


def test_entities_are_listed(made: Path) -> None:
    listed = geobias("entities", "list", "--file", made, "--type", "people", "--json").json()
    assert len(listed) == 12


def test_the_authors_tables_are_played_as_they_are(tmp_path: Path) -> None:
    source = tmp_path / "people.csv"
    source.write_text(
        "name,primary_occupation,country\nPelé,Footballer,Brazil\nX,Wizard,Brazil\n", "utf-8"
    )
    done = geobias("plan", "geo20q", "--entities", source)
    assert "(1 of Geo20Q+" in done.out
    assert "'Wizard' 1" in done.out
    [row] = geobias("entities", "list", "--file", source, "--json").json()
    assert (row["id"], row["category"]) == ("pele", "sport")


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


def test_repeats_need_a_run_with_repeats(entities: Path, tmp_path: Path) -> None:
    out = tmp_path / "once.geobias"
    given = {"entities": str(entities), "setting": "canonical", "judge_questions": 0, "turns": 2}
    api.run([plan_of(find_probe("geo20q"), given)], f"sim/?entities={entities}", out)
    done = geobias("table", "geo20q.repeats", out)
    assert done.code == 2
    assert "--repeats 5" in done.err
