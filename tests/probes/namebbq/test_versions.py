from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from geobias.atlas.table import TableError
from geobias.errors import BadRequest
from geobias.probes.namebbq import plan
from geobias.probes.namebbq.names import NoNames, country_of, names
from geobias.probes.namebbq.versions import ItemSource
from geobias.reading.choices import Options, read_choice
from tests.cli.running import geobias
from tests.probes.answering import answered
from tests.probes.namebbq.made import line, write
from tests.shared_data import shared_data


@pytest.mark.parametrize(("name", "step"), [("builtin", 7), ("bbq", 11)])
def test_every_answer_of_every_item_is_read_as_itself(
    name: str, step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a letter, in its own words, and by nationality or name alone."""
    monkeypatch.setenv("GEOBIAS_BBQ", str(shared_data("bbq/Nationality.jsonl")))
    source = ItemSource.of(name)
    assert all(item.social_value for item in source.items)
    for item in source.items[::step]:
        for version in (source.version(item, None), source.version(item, 1)):
            shown = version.item
            people = version.names if version.seed else shown.nationalities
            options = Options(shown.answers, shown.unknown, tuple(people))
            for place, words in enumerate(shown.answers):
                letter = f"({'abc'[place]})"
                for reply in (letter, words, f"The answer is {words}.", f"{letter} {words}"):
                    assert read_choice(reply, options).value == place, (reply, shown.answers)
                if people[place] and name == "builtin":
                    assert read_choice(people[place], options).value == place


def test_every_nationality_has_a_country() -> None:
    assert {n for n in names() if not country_of(n)} == set()
    assert (country_of("Korean"), country_of("Kenyan"), country_of("Martian")) == ("KOR", "KEN", "")
    assert country_of("Congolese") == ""


# -- own names -------------------------------------------------------------------------------------

CATALAN = {
    "F": ("Mireia", "Queralt Soler", "Mercè", "Meritxell", "Neus"),
    "M": ("Guifré", "Oriol d'Abadal", "Jaume", "Arnau", "Ferran"),
}


def own_names(folder: Path, nationality: str = "Catalan") -> Path:
    rows = [
        f"{nationality},ESP,{gender},{name},own knowledge,high,"
        for gender, called in CATALAN.items()
        for name in called
    ]
    path = folder / "mine.csv"
    head = "nationality,iso3,gender,name,source,exclusive,note"
    path.write_text("\n".join([head, *rows, ""]), encoding="utf-8")
    return path


def own_items(folder: Path) -> Path:
    path = write(folder / "mine.jsonl", [line(), line(example_id=8)])
    path.write_text(path.read_text("utf-8").replace("Danish", "Catalan"), "utf-8")
    return path


def test_items_about_a_new_nationality_run_with_names_of_ones_own(tmp_path: Path) -> None:
    items, table = own_items(tmp_path), own_names(tmp_path)
    with pytest.raises(NoNames, match="Catalan"):
        list(plan(items=str(items)).trials())
    made = plan(items=str(items), names_file=table)
    found = answered(made, lambda ask: "(a)")
    named = [one for one in found if one.dataset == "name"]
    assert {one.name for one in named} <= {*CATALAN["F"], *CATALAN["M"]}
    assert {one.country for one in found} == {"ESP"}
    assert made.settings["names_file"] == "mine.csv"
    assert made.editions["names"] != plan().editions["names"]
    assert "names_file" not in plan().settings


def test_names_of_ones_own_take_the_place_of_the_shipped_ones(tmp_path: Path) -> None:
    table = own_names(tmp_path, "Thai")
    made = plan(items="builtin", size="standard", names_file=table)
    found = answered(made, lambda ask: "(a)")
    thai = {one.name for one in found if one.nationality == "Thai" and one.name}
    assert thai
    assert thai <= {*CATALAN["F"], *CATALAN["M"]}
    other = next(one for one in found if one.nationality != "Thai" and one.name)
    assert other.name in {n.name for cell in names()[other.nationality].values() for n in cell}


def test_a_table_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    table = own_names(tmp_path, "Thai")
    table.write_text("name\nMireia\n", "utf-8")
    with pytest.raises(TableError, match="header"):
        plan(names_file=table)


def test_names_that_no_item_is_about_are_refused(tmp_path: Path) -> None:
    table = own_names(tmp_path)
    with pytest.raises(BadRequest, match=r"mine\.csv changes nothing: no item is about Catalan"):
        plan(names_file=table)


def test_a_source_with_names_of_ones_own_travels_to_another_process(tmp_path: Path) -> None:
    source = ItemSource.of("builtin", own_names(tmp_path, "Thai"))
    there = pickle.loads(pickle.dumps(source))
    assert there.version(there.items[0], 1) == source.version(source.items[0], 1)
    assert there.names_digest == source.names_digest != plan().editions["names"]


def test_the_command_takes_the_table_and_another_table_is_another_run(tmp_path: Path) -> None:
    table, items, run = own_names(tmp_path), own_items(tmp_path), tmp_path / "run.geobias"
    words = ["run", "namebbq", "sim/fair", "--items", items, "--out", run, "--names-file", table]
    assert geobias(*words).code == 0
    table.write_text(table.read_text("utf-8").replace("Guifré", "Pol"), "utf-8")
    again = geobias(*words)
    assert again.code == 2
    assert "names" in again.err
    show = ("plan", "namebbq", "--items", items, "--names-file", table, "--show", 2, "--json")
    told, named = geobias(*show).out.splitlines()
    assert "Catalan" in told
    assert "Catalan" not in named
