from __future__ import annotations

import hashlib
from pathlib import Path

from geobias.atlas.editions import published_editions, sha256_of
from geobias.atlas.figures import figures
from geobias.atlas.table import PROBES, SHIPPED

FOLDERS = (SHIPPED, *PROBES.glob("*/tables"))
TABLES = [path for folder in FOLDERS for path in folder.glob("*.csv")]


def test_every_shipped_table_has_an_edition() -> None:
    names = [edition.table for edition in published_editions()]
    assert names == sorted(path.name for path in TABLES)
    assert {"economies.csv", "economy_aliases.csv", "figures.csv", "indicators.csv"} <= set(names)


def test_an_edition_is_the_digest_of_the_bytes(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_bytes(b"a,b\n")
    digest = hashlib.sha256(b"a,b\n").hexdigest()
    assert sha256_of(path) == digest


def test_one_changed_byte_is_another_edition(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_bytes(b"a,b\n")
    before = sha256_of(path)
    path.write_bytes(b"a,c\n")
    assert sha256_of(path) != before


def test_every_shipped_table_is_described_in_the_readme() -> None:
    for path in TABLES:
        readme = path.with_name("README.md").read_text(encoding="utf-8")
        assert f"## {path.name}" in readme or path.name.startswith("published_")


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
    assert listed["figures.csv"] == " and ".join(sorted(set(figures().editions.values())))
