"""Tables that nobody in good faith would write: refused with a sentence, in little memory."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from geobias.atlas.entities import COLUMNS, read_entities, read_views
from geobias.atlas.figures import read_figures
from geobias.atlas.groupings import groups_of
from geobias.atlas.table import MOST_LINE, TableError
from geobias.atlas.worldbank_csv import read_series
from geobias.models.catalogue import price
from geobias.probes.geo20q.entity_import import Candidate, import_entities, write_entities
from geobias.probes.namebbq.names import read_names

READERS: list[Callable[[Path], Any]] = [
    read_entities,
    read_figures,
    read_names,
    read_series,
    read_views,
    import_entities,
    lambda path: groups_of("bloc", path),
    lambda path: price("m", path),
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


def test_a_packed_line_without_an_end_is_not_unpacked_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "bomb.csv.gz"
    path.write_bytes(gzip.compress(b"name,country\n" + b"a" * (8 * MOST_LINE), 1))
    with pytest.raises(TableError, match=f"more than {MOST_LINE:,} letters"):
        import_entities(path)


def test_a_packed_table_that_is_damaged_inside_is_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "damaged.csv.gz"
    raw = bytearray(gzip.compress(b"name,country\n" + b"Okapi,Kenya\n" * 500))
    raw[12:20] = b"\xff" * 8
    path.write_bytes(raw)
    with pytest.raises(TableError, match="no whole gzip file"):
        import_entities(path)


@pytest.mark.parametrize("column", ["views", "hpi", "editions"])
def test_fame_without_end_is_no_number(tmp_path: Path, column: str) -> None:
    row = {"id": "okapi", "name": "Okapi", "type": "thing", "category": "animal", "country": "COD"}
    columns = [*COLUMNS, "hpi", "editions"]
    path = tmp_path / "entities.csv"
    cells = ",".join((row | {column: NUMBER}).get(name, "") for name in columns)
    path.write_text(f"{','.join(columns)}\n{cells}\n")
    with pytest.raises(TableError, match=f"is no number of {column}"):
        read_entities(path)


def test_views_without_end_are_no_number(tmp_path: Path) -> None:
    path = tmp_path / "views.csv"
    path.write_text(f"id,title,views,edition,note\nokapi,Okapi,{NUMBER},e,\n")
    with pytest.raises(TableError, match="is no number of views"):
        read_views(path)


def test_a_year_without_end_is_no_year(tmp_path: Path) -> None:
    path = tmp_path / "figures.csv"
    path.write_text(f"indicator,iso3,edition,{NUMBER}\npopulation,KEN,e,5\n")
    with pytest.raises(TableError, match="consecutive years"):
        read_figures(path)


def test_many_names_that_begin_alike_get_ids_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    one = Candidate("木", "thing", "plant", "CHN", "", "", None, "")
    write_entities([one] * 3_000, path)
    assert len(read_entities(path)) == 3_000
