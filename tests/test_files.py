from __future__ import annotations

import os
from pathlib import Path

import pytest

from geobias.errors import BadRequest, CannotWrite, GeobiasError
from geobias.files import draft_of, write_whole


def test_a_file_is_written_and_nothing_else_is_left(tmp_path: Path) -> None:
    write_whole(tmp_path / "a.csv", b"new")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("a.csv", b"new")]


def test_folders_that_are_missing_are_made(tmp_path: Path) -> None:
    write_whole(tmp_path / "no/such/folder.csv", b"new")
    assert (tmp_path / "no/such/folder.csv").read_bytes() == b"new"


@pytest.mark.parametrize(
    ("name", "why"), [("", "Is a directory"), ("file/below.csv", "Not a directory")]
)
@pytest.mark.parametrize("refusal", [CannotWrite, BadRequest])
def test_what_cannot_be_written_is_said_in_a_sentence(
    tmp_path: Path, name: str, why: str, refusal: type[GeobiasError]
) -> None:
    (tmp_path / "file").write_text("as it was", encoding="utf-8")
    with pytest.raises(refusal, match=f"cannot write .+: {why}$"):
        write_whole(tmp_path / name, b"new", refusal)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_text(encoding="utf-8") == "as it was"


@pytest.mark.parametrize("refusal", [CannotWrite, BadRequest])
def test_what_was_there_stays_where_writing_fails(
    tmp_path: Path, refusal: type[GeobiasError]
) -> None:
    out = tmp_path / "x.json"
    out.write_text("old")

    def write_half() -> None:
        with draft_of(out, refusal) as draft:
            draft.write_text("half")
            raise OSError("disk gone")

    with pytest.raises(refusal, match="cannot write"):
        write_half()
    assert [path.name for path in tmp_path.iterdir()] == ["x.json"]
    assert out.read_text() == "old"


def test_a_device_is_written_and_not_replaced() -> None:
    write_whole(Path(os.devnull), b"gone")
    assert not Path(os.devnull).is_file()


def test_a_link_under_the_name_of_the_draft_is_not_followed(tmp_path: Path) -> None:
    others = tmp_path / "others.txt"
    others.write_bytes(b"as it was")
    (tmp_path / f"a.csv.{os.getpid()}.part").symlink_to(others)
    write_whole(tmp_path / "a.csv", b"new")
    assert others.read_bytes() == b"as it was"
    assert (tmp_path / "a.csv").read_bytes() == b"new"
    assert not (tmp_path / "a.csv").is_symlink()
