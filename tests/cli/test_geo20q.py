"""`geobias run geo20q`, `plan geo20q`, `play` and `entities`, as a user meets them."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from geobias.atlas.entities import load_entities, read_entities
from tests.cli.commands import start
from tests.cli.running import geobias
from tests.probes.geo20q.made import write_table
from tests.probes.geo20q.scripts import Script
from tests.probes.geo20q.scripts import write_table as write_few
from tests.servers import RawStart, completion
from tests.waiting import PATIENCE


@pytest.fixture
def made(tmp_path: Path) -> Path:
    return write_table(tmp_path / "made.csv", 1, countries=12)


def test_another_judge_is_part_of_the_run(path: Path, made: Path, raw_server: RawStart) -> None:
    server = raw_server(lambda request: completion("No."))
    out = path
    words = ("run", "geo20q", f"sim/?entities={made}", "--entities", made, "--out", out)
    assert geobias(*words, "--judge", server.url, "--type", "people").code == 0
    assert server.requests
    assert geobias(*words, "--type", "people").code == 2


def test_a_game_is_shown_turn_by_turn(made: Path) -> None:
    name = next(iter(read_entities(made).values())).name
    words = ("play", name, "--entities", made, "--model", f"sim/?play=1&entities={made}")
    done = geobias(*words)
    assert done.code == 0
    assert done.out.splitlines()[1].startswith("  1  Is it in ")
    assert "Found after" in done.out


def test_hostile_replies_are_printed_harmlessly(tmp_path: Path, raw_server: RawStart) -> None:
    hostile = "Is it \x1b[31m[bold]red\u202e? \x07"
    server = raw_server(Script([hostile], "No\x1b[2J. [link=http://x]no[/link]"))
    table = write_few(tmp_path)
    words = ("play", "Taj Mahal", "--entities", table, "--model", server.url, "--turns", "2")
    done = geobias(*words)
    assert done.code == 0
    assert not any(sign in done.out for sign in "\x1b\x07\u202e")
    assert "[bold]red" in done.out


def test_a_person_may_guess_or_judge(made: Path) -> None:
    first = next(iter(read_entities(made).values()))
    model = f"sim/?play=1&entities={made}"
    words = ("play", first.name, "--entities", made, "--model", model)
    guessed = geobias(
        *words, "--human", "guesser", typed=f"\nIs it in Africa?\nIs it {first.name}?\n"
    )
    assert "after 2 turns" in guessed.out
    judged = geobias(*words, "--human", "judge", "--turns", "3", typed="n\nx\nno\n")
    assert "Not found after" in judged.out


def test_ctrl_c_ends_a_game_kindly(tmp_path: Path, made: Path) -> None:
    first = next(iter(read_entities(made).values()))
    words = ("play", first.name, "--entities", str(made), "--model", f"sim/?entities={made}")
    process = start(*words, "--human", "guesser", cwd=tmp_path, PYTHONUNBUFFERED="1")
    assert process.stdout is not None
    for line in process.stdout:
        if "Your task" in line:
            break
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert first.name in out


def test_entities_are_listed(made: Path) -> None:
    listed = geobias("entities", "list", "--file", made, "--type", "people", "--json").json()
    assert len(listed) == 12


def test_an_imported_entity_keeps_what_is_known_of_it(tmp_path: Path) -> None:
    source, out = tmp_path / "people.csv", tmp_path / "out.csv"
    source.write_text(
        "name,primary_occupation,country,gender,views\nSomebody New,singer,France,male,5\n"
        "Édith_Piaf,singer,France,Female,900\n",
        "utf-8",
    )
    facts = geobias("entities", "import", source, "--out", out, "--json").json()
    assert (facts["read"], facts["written"], facts["known"]) == (2, 2, 1)
    table = load_entities(str(out))
    assert list(table) == ["edith-piaf", "somebody-new"]
    piaf = table["edith-piaf"]
    assert (piaf.category, piaf.gender, piaf.views) == ("music", "F", 900)
    # Else "Piaf" would win a game with our table and lose it with this one.
    assert (piaf.aliases, piaf.standing) == (("Piaf",), "4")
    assert piaf.name_in("ja")


def test_geo20q_files_are_imported_and_what_has_no_place_is_said(tmp_path: Path) -> None:
    source, out = tmp_path / "things.csv", tmp_path / "out.csv"
    source.write_text(
        "name,category,country\nNile,Rivers,Egypt\nNile,rivers,Egypt\nX,Spaceships,Egypt\n"
        "Y,food,Atlantis\n,food,Egypt\n",
        "utf-8",
    )
    done = geobias("entities", "import", source, "--out", out)
    assert done.code == 0
    assert "1 of 5" in done.out
    assert "Atlantis 1" in done.out
    assert "Spaceships 1" in done.out
    assert [(e.id, e.type, e.category) for e in read_entities(out).values()] == [
        ("nile", "thing", "river")
    ]
    people = tmp_path / "people.csv"
    people.write_text("name,primary_occupation,country\nPelé,Footballer,Brazil\n", "utf-8")
    assert geobias("entities", "import", people, "--out", out).code == 0
    assert read_entities(out)["pele"].category == "sport"
