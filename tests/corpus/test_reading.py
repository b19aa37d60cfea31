from __future__ import annotations

import gzip
import io
import json
from pathlib import Path

import polars as pl
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from geobias.corpus import reading
from geobias.corpus.reading import (
    Job,
    Unreadable,
    blocks,
    corpus_files,
    jobs_of,
    kind_of,
    lines_between,
    whole_lines,
)
from geobias.corpus.spellings import Tally, names_of
from geobias.errors import BadRequest

from .made import entity, table_of

NAMES = names_of(table_of(entity("Eiffel Tower")))


def texts(path: Path, field: str = "text") -> tuple[bytes, Tally]:
    """All text of a file as lines, and what was noted."""
    tally = Tally(NAMES)
    (source,), _ = corpus_files([path])
    found = b""
    for job in sorted(jobs_of([source]), key=lambda job: job.start):
        for text in blocks(job, field, tally):
            found += text + (b"" if source.kind == "text" else b"\n")
    return found, tally


def test_a_text_files_lines_are_its_documents(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
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
    (tmp_path / "a.txt.zst").write_bytes(zstandard.compress(b"one\n") + zstandard.compress(b"two"))
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(b"one\n") + gzip.compress(b"two"))
    assert texts(tmp_path / "a.txt.zst")[0] == texts(tmp_path / "a.txt.gz")[0] == b"one\ntwo"


def test_broken_lines_and_missing_text_are_counted_apart(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(
        b'{"text": "good"}\n{"text": "cut\n\n{"other": 1}\n{"text": 5}\n[1]\n'
        b'{"text": "\xff"}\n{"text": null}\n{"text": "also \\ud800 good"}\n'
    )
    found, tally = texts(path)
    assert found == b"good\nalso ? good\n"
    assert (tally.documents, tally.broken, tally.without) == (2, 2, 4)


def test_a_deep_line_is_broken_and_no_crash(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"text": ' + b"[" * 100_000 + b'\n{"text": "good"}\n')
    assert texts(path)[1].broken == 1


def test_parquet_in_slices_has_every_row_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "ROWS", 3)
    monkeypatch.setattr(reading, "SLICE", 0)
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
        with pytest.raises(Unreadable, match="is no whole"):
            texts(path)


@given(
    st.lists(st.binary(max_size=20).map(lambda raw: raw.replace(b"\n", b"")), max_size=12),
    st.booleans(),
    st.integers(1, 40),
)
def test_pieces_of_a_file_have_every_line_once(lines: list[bytes], ended: bool, piece: int) -> None:
    whole = b"\n".join(lines) + (b"\n" if ended and lines else b"")
    found: list[bytes] = []
    for start in range(0, max(1, len(whole)), piece):
        raw = io.BytesIO(whole)
        found += lines_between(raw, start, min(start + piece, len(whole)))
    assert b"".join(found) == whole
    assert all(part.endswith(b"\n") for part in found[:-1])


def test_a_long_line_comes_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "BLOCK", 8)
    monkeypatch.setattr(reading, "MOST_LINE", 32)
    found = list(whole_lines(io.BytesIO(b"x" * 100 + b"\nshort\n")))
    assert b"".join(found) == b"x" * 100 + b"\nshort\n"
    assert max(map(len, found)) <= 40


def test_what_is_a_corpus_is_known_by_its_name() -> None:
    assert kind_of(Path("c4-0001.json.gz")) == ("jsonl", "gz")
    assert kind_of(Path("A.TXT")) == ("text", "")
    assert kind_of(Path("a.parquet.gz")) is None
    assert kind_of(Path("gz")) is None


def test_folders_are_walked_and_other_files_counted(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    for name in ("b.txt", "deep/a.jsonl", "README.md", ".hidden.txt"):
        (tmp_path / name).write_text("x", encoding="utf-8")
    found, others = corpus_files([tmp_path, tmp_path / "b.txt"])
    assert [Path(one.path).name for one in found] == ["b.txt", "a.jsonl"]
    assert others == 1


def test_a_path_that_is_no_corpus_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "a.doc").write_text("x", encoding="utf-8")
    for path in (tmp_path / "a.doc", tmp_path / "none.txt", tmp_path):
        with pytest.raises(BadRequest):
            corpus_files([path])


def test_plain_files_are_dealt_out_in_pieces_and_packed_ones_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("geobias.corpus.reading.PIECE", 10)
    (tmp_path / "a.txt").write_bytes(b"x" * 25)
    (tmp_path / "b.txt.gz").write_bytes(b"x" * 25)
    sources, _ = corpus_files([tmp_path])
    jobs = [(Path(job.source.path).name, job.start, job.end) for job in jobs_of(sources)]
    assert jobs == [("b.txt.gz", 0, 25), ("a.txt", 0, 10), ("a.txt", 10, 20), ("a.txt", 20, 25)]
    assert isinstance(jobs_of(sources)[0], Job)


def test_an_empty_file_has_no_documents(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"")
    assert texts(tmp_path / "a.txt")[1].documents == 0


def test_json_lines_of_documents_keep_their_order(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps({"text": str(n)}) + "\n" for n in range(100)), "utf-8")
    assert texts(path)[0].split() == [str(n).encode() for n in range(100)]


def test_a_decoder_that_panics_is_a_file_that_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.parquet"
    pl.DataFrame({"text": ["Okapi"]}).write_parquet(path)

    def panic(*_: object, **__: object) -> None:
        raise pl.exceptions.PanicException("assertion failed")

    [source], _ = corpus_files([path])
    [job] = jobs_of([source])
    monkeypatch.setattr(pl, "scan_parquet", panic)
    with pytest.raises(Unreadable, match="no whole Parquet file: assertion failed"):
        list(blocks(job, "text", Tally(names_of({}))))
