from __future__ import annotations

from pathlib import Path

import pytest

from geobias.atlas.table import TableError
from geobias.atlas.writing import write_whole


def test_a_file_is_written_and_nothing_else_is_left(tmp_path: Path) -> None:
    write_whole(tmp_path / "a.csv", b"new")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("a.csv", b"new")]


@pytest.mark.parametrize("name", ["", "no/such/folder.csv", "file/below.csv"])
def test_what_cannot_be_written_is_said_in_a_sentence(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("as it was", encoding="utf-8")
    with pytest.raises(TableError, match=r"cannot be written: .+\.$"):
        write_whole(tmp_path / name, b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_text(encoding="utf-8") == "as it was"
