"""Tables that nobody in good faith would write: refused with a sentence, in little memory."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from geobias.atlas.entities import entities, read_entities
from geobias.atlas.entity_files import load_entities, read_authors
from geobias.atlas.figures import figures, read_figures
from geobias.atlas.groupings import groups_of
from geobias.atlas.table import PROBES, SHIPPED, TableError, published_editions, sha256_of
from geobias.probes.namebbq.names import read_names

READERS: list[Callable[[Path], Any]] = [
    read_entities,
    read_figures,
    read_names,
    read_authors,
    lambda path: groups_of("bloc", path),
]
NUMBER = "9" * 5_000


@pytest.mark.parametrize("read", READERS)
def test_a_line_without_an_end_is_not_read_to_its_end(
    tmp_path: Path, read: Callable[[Path], Any]
) -> None:
    path = tmp_path / "endless.csv"
    with path.open("wb") as file:
        file.truncate(1 << 33)
    with pytest.raises(Exception, match=r"more than|longer than|header|columns|million|Source"):
        read(path)


def test_fame_without_end_is_no_number(tmp_path: Path) -> None:
    path = tmp_path / "entities.csv"
    path.write_text(f"id,name,type,category,country,views\nokapi,Okapi,thing,animal,COD,{NUMBER}\n")
    with pytest.raises(TableError, match="views: number out of range"):
        read_entities(path)


def test_a_tidy_table_of_figures_has_a_row_for_each_figure(tmp_path: Path) -> None:
    path = tmp_path / "literacy.csv"
    path.write_text("Economy,Year,Value\nKenya,2021,63.1\nCIV,2019,58.6\nCIV,2020,\n")
    found = read_figures(path)
    assert found.years == (2019, 2020, 2021)
    assert found.value("literacy", "KEN", 2021) == 63.1
    assert found.truth("literacy", "CIV", "latest") == 58.6
    path.write_text("economy,year,value\nKenya,2021,63.1\nAtlantis,2021,63.1\n")
    assert read_figures(path).unknown == ("Atlantis",)
    path.write_text("economy,year,value\nKenya,202l,63.1\n")
    with pytest.raises(TableError, match="line 2: '202l' is not a year"):
        read_figures(path)


def test_an_entity_of_ours_in_the_authors_table_keeps_what_we_know_of_it(tmp_path: Path) -> None:
    path = tmp_path / "theirs.csv"
    path.write_text(
        "name,primary_occupation,country,views\nCristiano_Ronaldo,athlete,Portugal,5\n"
        "Cristiano Ronaldo,singer,Brazil,\n木,singer,China,\n",
        "utf-8",
    )
    table, left_out = load_entities(str(path))
    assert not left_out
    ours = entities()["cristiano-ronaldo"]
    found = table["cristiano-ronaldo"]
    assert "CR7" in found.spellings("es")
    assert (found.names, found.standing, found.views) == (ours.names, ours.standing, 5.0)
    (other,) = (one for one in table.values() if one.country == "BRA")
    assert (other.names, other.standing) == ({}, "")


def test_words_of_the_authors_tables_that_have_no_place_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "things.csv"
    path.write_text(
        "name,category,country\nNile,Rivers,Egypt\nNile,rivers,Egypt\nX,Spaceships,Egypt\n"
        "Y,food,Atlantis\n,food,Egypt\nZ,film,Egypt\n",
        "utf-8",
    )
    table, left_out = load_entities(str(path))
    assert left_out == {"'Spaceships'": 1, "'Atlantis'": 1, "''": 1}
    # A person may have a category instead of an occupation.
    assert [(one.name, one.type, one.category) for one in table.values()] == [
        ("Nile", "thing", "river"),
        ("Z", "person", "film"),
    ]


FOLDERS = (SHIPPED, *PROBES.glob("*/tables"))
TABLES = [path for folder in FOLDERS for path in folder.glob("*.csv")]


def test_every_shipped_table_has_an_edition() -> None:
    names = [edition.table for edition in published_editions()]
    assert names == sorted(path.name for path in TABLES)
    assert {"economies.csv", "economy_aliases.csv", "figures.csv", "indicators.csv"} <= set(names)


def test_every_shipped_table_is_described_in_the_readme() -> None:
    for path in TABLES:
        readme = path.with_name("README.md").read_text(encoding="utf-8")
        assert f"## {path.name}" in readme or f"`{path.name}`" in readme, path.name


def test_shipped_tables_are_utf8_with_plain_line_ends() -> None:
    for path in TABLES:
        raw = path.read_bytes()
        raw.decode("utf-8")
        assert b"\r" not in raw
        assert raw.endswith(b"\n")


def test_every_shipped_table_is_what_was_published() -> None:
    listed = {one.table: one.sha256 for one in published_editions()}
    shipped = {path.name: sha256_of(path) for path in TABLES}
    assert listed == shipped, "a table changed: say so in src/geobias/atlas/editions.csv"


def test_the_edition_of_the_figures_is_that_of_their_column() -> None:
    listed = {one.table: one.edition for one in published_editions()}
    assert listed["figures.csv"] == " and ".join(
        sorted({one.edition for one in figures().series.values()})
    )


PROGRAM = """
import builtins, io
opened = []
for module in (builtins, io):
    real = module.open
    module.open = lambda file, *a, real=real, **k: opened.append(str(file)) or real(file, *a, **k)
import geobias.atlas.economies, geobias.atlas.table, geobias.atlas.figures
import geobias.atlas.indicators, geobias.atlas.spelling
assert not [name for name in opened if name.endswith(".csv")], opened
"""


def test_importing_the_atlas_reads_no_table() -> None:
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
