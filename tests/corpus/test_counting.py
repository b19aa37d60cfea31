from __future__ import annotations

import gzip
import json
import signal
from pathlib import Path

import polars as pl
import pytest

from geobias.atlas.entities import read_entities
from geobias.corpus import count, read_counts
from geobias.errors import BadRequest
from tests.cli.commands import geobias as in_a_process
from tests.cli.commands import start as start_process
from tests.cli.running import Done, geobias
from tests.waiting import PATIENCE, until
from tests.wording import reads_as

from .made import write_table

LINE = json.dumps({"text": "The Eiffel Tower, fado and the University of Otago."}) + "\n"
FOUND = {"eiffel-tower": 1, "fado": 1, "rama": 0, "otago": 0, "otago-uni": 1, "atitlan": 0}


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Three files of ten documents each, and an entity table beside the folder."""
    write_table(tmp_path)
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / "a.jsonl").write_text(LINE * 10, "utf-8")
    (folder / "b.jsonl.gz").write_bytes(gzip.compress(LINE.encode() * 10))
    pl.DataFrame({"text": [json.loads(LINE)["text"]] * 10}).write_parquet(folder / "c.parquet")
    return folder


def times(number: int) -> dict[str, int]:
    return {one: number * found for one, found in FOUND.items()}


def run(corpus: Path, name: str = "counts.parquet", **options: object) -> dict[str, int | None]:
    table = read_entities(corpus.parent / "entities.csv")
    out = corpus.parent / name
    count([corpus], table, out, **options)  # type: ignore[arg-type]
    return dict(read_counts(out))


def by_command(corpus: Path, *words: str, name: str = "out.parquet") -> tuple[Done, Path]:
    """What the command says, and where it writes."""
    out = corpus.parent / name
    table = ("--entities", corpus.parent / "entities.csv", "--out", out)
    return geobias("count", corpus, *table, *words), out


def test_many_processes_count_what_one_does(corpus: Path) -> None:
    (corpus / "d.txt").write_text("Eiffel Tower\n" * 5, "utf-8")
    alone = run(corpus, workers=1)
    assert run(corpus, workers=2, name="other.parquet") == alone
    assert alone["eiffel-tower"] == 35


def test_finished_files_are_not_read_again_and_changed_ones_are(corpus: Path) -> None:
    done: list[tuple[int, int]] = []
    size = sum(file.stat().st_size for file in corpus.iterdir())
    run(corpus, progress=lambda *amount: done.append(amount))
    assert (len(done), done[-1]) == (3, (size, size))
    assert run(corpus, progress=lambda *amount: done.append(amount)) == times(30)
    assert len(done) == 3
    (corpus / "a.jsonl").write_text(LINE * 11, "utf-8")
    assert run(corpus, progress=lambda *amount: done.append(amount)) == times(31)
    assert len(done) == 4


def test_a_count_of_other_names_or_another_field_begins_anew(corpus: Path) -> None:
    run(corpus)
    table = corpus.parent / "entities.csv"
    table.write_text(table.read_text("utf-8").replace("Fado", "Fada"), "utf-8")
    assert run(corpus)["fado"] == 0
    with pytest.raises(BadRequest, match="--field"):
        run(corpus, field="content")


@pytest.mark.parametrize("kept", [b"{", b'{"documents": "x"}', b"\xff\xfe", b"[" * 5000])
def test_damaged_counts_of_a_file_are_named(corpus: Path, kept: bytes) -> None:
    run(corpus)
    part = next((corpus.parent / "counts.parquet.parts").iterdir())
    part.write_bytes(kept)
    with pytest.raises(BadRequest, match=r"is damaged .*: delete it"):
        run(corpus)


def test_a_file_cut_off_is_left_out_whole_named_and_tried_again(corpus: Path) -> None:
    file = corpus / "b.jsonl.gz"
    whole = file.read_bytes()
    file.write_bytes(whole[:-12])
    done, out = by_command(corpus)
    assert done.code == 1
    assert "b.jsonl.gz" in done.err
    assert read_counts(out) == times(20)
    file.write_bytes(whole)
    assert by_command(corpus)[0].code == 0
    assert read_counts(out) == times(30)


def test_a_field_that_no_document_has_is_one_sentence(corpus: Path) -> None:
    with pytest.raises(BadRequest, match="--field"):
        run(corpus, field="content")
    assert not (corpus.parent / "counts.parquet").exists()


def test_a_name_that_ends_in_csv_makes_a_csv_file(corpus: Path) -> None:
    done, out = by_command(corpus, name="out.csv")
    assert done.code == 0
    header, *lines = out.read_text("utf-8").splitlines()
    assert header == "id,name,type,category,country,count,documents,shared"
    assert lines[0] == "eiffel-tower,Eiffel Tower,thing,landmark,FRA,30,30,0"
    assert read_counts(out) == times(30)


def test_a_file_that_is_no_table_of_counts_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    (tmp_path / "b.csv").write_text("id,count\na,1\na,2\n", "utf-8")
    (tmp_path / "c.csv").write_text("id,views\na,1\n", "utf-8")
    for name in ("a.parquet", "b.csv", "c.csv", "none.parquet"):
        with pytest.raises(BadRequest, match="is not a table of counts"):
            read_counts(tmp_path / name)


def test_the_command_says_what_it_found_and_what_it_left_out(corpus: Path) -> None:
    (corpus / "a.jsonl").write_text(LINE * 9 + "{broken\n", "utf-8")
    (corpus / "notes.md").write_text("x", "utf-8")
    done, _ = by_command(corpus)
    assert done.code == 0
    reads_as("Printed by geobias count", done.out.replace(str(corpus.parent), "FOLDER"))
    assert done.err == ""
    facts = by_command(corpus, "--json")[0].json()
    assert {row["id"]: row["count"] for row in facts["counts"]} == times(29)
    assert (facts["broken_lines"], facts["documents"]) == (1, 29)


def test_a_count_that_is_stopped_keeps_what_is_finished(tmp_path: Path) -> None:
    write_table(tmp_path)
    (tmp_path / "corpus").mkdir()
    packed = gzip.compress(b"The Eiffel Tower.\n" + b"Nothing of note here.\n" * 300_000, 1)
    for number in range(20):
        (tmp_path / f"corpus/{number}.txt.gz").write_bytes(packed)
    words = ("count", "corpus", "--entities", "entities.csv", "--workers", "2")
    process = start_process(*words, cwd=tmp_path)
    parts = tmp_path / "counts.parquet.parts"
    until(lambda: len([*parts.glob("*.json")]) >= 2, process)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err.count("\n")) == (3, 1), err
    assert "resumes" in err
    done = {part: part.stat().st_mtime_ns for part in parts.glob("*.json")}
    assert 2 <= len(done) < 20
    assert in_a_process(*words, cwd=tmp_path)[0] == 0
    assert done.items() <= {part: part.stat().st_mtime_ns for part in parts.iterdir()}.items()
    assert read_counts(tmp_path / "counts.parquet")["eiffel-tower"] == 20
