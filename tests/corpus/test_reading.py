from __future__ import annotations

import gzip
from pathlib import Path

import polars as pl
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from geobias.corpus import counting
from geobias.corpus.counting import Unreadable, blocks, corpus_files, whole_lines
from geobias.corpus.matching import Tally
from geobias.errors import BadRequest


def texts(path: Path, field: str = "text") -> tuple[bytes, Tally]:
    """All text of a file as lines, and what was noted."""
    tally, end = Tally(), b"" if path.name.startswith("text") else b"\n"
    return b"".join(text + end for text in blocks(path, field, tally)), tally


def test_a_text_files_lines_are_its_documents(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_bytes(b"one\ntwo\nthree")
    found, tally = texts(path)
    assert found == b"one\ntwo\nthree"
    assert (tally.documents, tally.bytes) == (3, 13)


@pytest.mark.parametrize("packing", ["", ".gz", ".zst"])
def test_jsonl_is_read_packed_or_not(tmp_path: Path, packing: str) -> None:
    lines = b'{"text": "one\\ntwo", "meta": {"a": [1]}}\n{"text": "\\u00e9"}\n'
    packed = {"": lines, ".gz": gzip.compress(lines), ".zst": zstandard.compress(lines)}[packing]
    path = tmp_path / f"a.jsonl{packing}"
    path.write_bytes(packed)
    found, tally = texts(path)
    assert found == "one two\né\n".encode()
    assert tally.documents == 2


def test_frames_and_members_put_together_are_one_file(tmp_path: Path) -> None:
    (tmp_path / "text.txt.zst").write_bytes(
        zstandard.compress(b"one\n") + zstandard.compress(b"two")
    )
    (tmp_path / "text.txt.gz").write_bytes(gzip.compress(b"one\n") + gzip.compress(b"two"))
    assert texts(tmp_path / "text.txt.zst")[0] == texts(tmp_path / "text.txt.gz")[0] == b"one\ntwo"


def test_broken_lines_and_missing_text_are_counted_apart(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(
        b'{"text": "good"}\n{"text": "cut\n\n{"other": 1}\n{"text": 5}\n[1]\n'
        b'{"text": "\xff"}\n{"text": null}\n{"text": "also \\ud800 good"}\n'
    )
    found, tally = texts(path)
    assert found == b"good\n"
    assert (tally.documents, tally.broken, tally.without) == (1, 4, 3)


def test_a_deep_line_is_broken_and_no_crash(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"text": ' + b"[" * 100_000 + b'\n{"text": "good"}\n')
    assert texts(path)[1].broken == 1


def test_parquet_in_slices_has_every_row_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counting, "SLICE", 0)
    path = tmp_path / "a.parquet"
    pl.DataFrame({"text": [str(n) for n in range(20)]}).write_parquet(path, row_group_size=7)
    found, tally = texts(path)
    assert found.split() == [str(n).encode() for n in range(20)]
    assert tally.documents == 20


def test_parquet_is_read_by_column(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    frame = pl.DataFrame({"content": ["one\ntwo", None, "three"], "id": [1, 2, 3]})
    frame.write_parquet(path, row_group_size=2)
    found, tally = texts(path, "content")
    assert found == b"one two\nthree\n"
    assert (tally.documents, tally.without) == (2, 1)
    assert texts(path)[1].without == texts(path, "id")[1].without == 3


@pytest.mark.parametrize("name", ["a.parquet", "a.jsonl.gz", "a.jsonl.zst"])
def test_a_file_that_ends_in_the_middle_is_unreadable(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    lines = b"".join(b'{"text": "%d"}\n' % number for number in range(5000))
    if name.endswith(".parquet"):
        pl.DataFrame({"text": ["x"] * 50}).write_parquet(path)
        whole = path.read_bytes()
    else:
        whole = gzip.compress(lines) if name.endswith(".gz") else zstandard.compress(lines)
    for content in (whole[: len(whole) // 2], b"<html>"):
        path.write_bytes(content)
        with pytest.raises(Unreadable, match="is not a whole"):
            texts(path)


@given(st.lists(st.binary(max_size=20), max_size=12), st.integers(1, 40))
def test_blocks_of_a_file_have_every_line_once(pieces: list[bytes], block: int) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(counting, "BLOCK", block)
        found = list(whole_lines(pieces))
    assert b"".join(found) == b"".join(pieces)
    assert all(part.endswith(b"\n") for part in found[:-1])


def test_a_long_line_comes_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "BLOCK", 8)
    monkeypatch.setattr(counting, "MOST_LINE", 32)
    found = list(whole_lines([b"x" * 8] * 12 + [b"\nshort\n"]))
    assert b"".join(found) == b"x" * 96 + b"\nshort\n"
    assert max(map(len, found)) <= 40


def test_folders_are_walked(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    for name in ("B.TXT", "deep/c4.json.gz", "a.parquet.gz", "gz", ".hidden.txt"):
        (tmp_path / name).write_text("x", encoding="utf-8")
    found = corpus_files([tmp_path, tmp_path / "B.TXT"])
    assert [one.name for one in found] == ["B.TXT", "c4.json.gz"]


def test_a_path_that_is_no_corpus_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "a.doc").write_text("x", encoding="utf-8")
    for path in (tmp_path / "a.doc", tmp_path / "none.txt", tmp_path):
        with pytest.raises(BadRequest):
            corpus_files([path])


def test_a_decoder_that_panics_is_a_file_that_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.parquet"
    pl.DataFrame({"text": ["Okapi"]}).write_parquet(path)

    def panic(*_: object, **__: object) -> None:
        raise pl.exceptions.PanicException("assertion failed")

    monkeypatch.setattr(pl, "scan_parquet", panic)
    with pytest.raises(Unreadable, match="not a whole Parquet file: assertion failed"):
        list(blocks(path, "text", Tally()))
