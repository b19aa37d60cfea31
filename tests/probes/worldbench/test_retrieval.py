"""Statements and documents are searched, and what cannot be read is reported."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.atlas.economies import economies
from geobias.atlas.figures import figures
from geobias.atlas.indicators import indicators
from geobias.errors import BadRequest, MissingPart
from geobias.probes.worldbench import plan, retrieval
from geobias.probes.worldbench.retrieval import (
    MOST_LETTERS,
    Statements,
    _cut,
    passages_of,
    statements,
)

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("bm25s") is None, reason="the extra [retrieval] is not installed"
)


@pytest.fixture(scope="module")
def found() -> Statements:
    return Statements(statements(figures(), indicators()))


def test_there_is_a_statement_for_every_question() -> None:
    assert len(statements(figures(), indicators())) == 2160


def test_a_statement_gives_the_figures_with_their_years() -> None:
    assert statements(figures(), {"gdp": indicators()["population"]})[1] == (
        "Afghanistan, total population: 38,972,230 in 2020, 40,099,462 in 2021, 41,128,771 in 2022."
    )


def test_statements_of_a_named_year_give_that_year_only() -> None:
    texts = statements(figures(), indicators(), 2016)
    assert "Kenya, total population: 47,894,670 in 2016." in texts


def test_the_nearest_statements_come_first(found: Statements) -> None:
    best = found.nearest("renewable energy consumption Kenya", 3)
    assert len(best) == 3
    assert best[0].startswith("Kenya, renewable energy")


def test_the_right_statement_is_among_three_for_99_in_100_questions(found: Statements) -> None:
    hits = [
        any(
            text.startswith(f"{economies()[iso3].name}, {one.phrase}:")
            for text in found.nearest(f"{one.phrase} {economies()[iso3].name}", 3)
        )
        for one in indicators().values()
        for iso3 in figures().truths(one.id)
    ]
    assert sum(hits) / len(hits) > 0.99


def test_words_that_stand_nowhere_find_nothing(found: Statements) -> None:
    assert found.nearest("qwertz", 3) == []


def test_statements_stand_before_the_question() -> None:
    made = plan(indicators=["gdp"], countries=["Kenya"], retrieve=2)
    lines = next(next(made.trials()).start()).dialogue.content.splitlines()
    assert lines[0] == "Statements that may help:"
    assert lines[1].startswith("- Kenya, GDP")
    assert lines[-1].startswith("What is the GDP measured in US dollars for the country Kenya?")


def test_the_version_of_the_search_is_part_of_the_run() -> None:
    assert "bm25s" in plan(retrieve=1).editions
    assert "bm25s" not in plan().editions


def test_without_the_library_the_command_to_install_it_is_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(retrieval, "find_spec", lambda _: None)
    assert importlib.util.find_spec("bm25s") is not None
    with pytest.raises(MissingPart, match=r"pip install 'geobias\[retrieval\]'"):
        plan(retrieve=3)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "more").mkdir()
    (tmp_path / "a.txt").write_text("Kenya has lions.\n\nThe total population\nof Kenya is large.")
    (tmp_path / "b.md").write_text("# Uganda\n## People\nTotal population: 46 million.\n# Chad\nx")
    (tmp_path / "more" / "c.jsonl").write_text('"Mali is dry."\n{"text": "Peru."}\n[1]\nnot json\n')
    (tmp_path / "d.pdf").write_text("never read")
    return tmp_path


def test_passages_are_paragraphs_below_their_headings(folder: Path) -> None:
    assert passages_of(folder).texts == [
        "Kenya has lions.",
        "The total population of Kenya is large.",
        "Uganda, People: Total population: 46 million.",
        "Chad: x",
        "Mali is dry.",
        "Peru.",
    ]


def test_lines_that_cannot_be_read_are_named(folder: Path) -> None:
    told = " ".join(passages_of(folder).notes)
    assert "6 passages of 3 files" in told
    assert "more/c.jsonl, line 3" in told
    assert "more/c.jsonl, line 4" in told


def test_the_nearest_passage_stands_before_the_question(folder: Path) -> None:
    made = plan(indicators=["population"], countries=["Uganda"], retrieve=1, documents=folder)
    content = next(next(made.trials()).start()).dialogue.content
    assert "- Uganda, People: Total population: 46 million.\n" in content
    assert made.settings["documents"] == folder.name
    assert len(made.editions["documents"]) == 16


def test_other_documents_are_another_run(folder: Path) -> None:
    before = plan(retrieve=1, documents=folder).editions["documents"]
    (folder / "a.txt").write_text("Kenya has no lions.")
    assert plan(retrieve=1, documents=folder).editions["documents"] != before


def test_documents_without_retrieval_are_refused(folder: Path) -> None:
    with pytest.raises(BadRequest, match="goes with --retrieve"):
        plan(documents=folder)


def test_a_folder_without_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match="has no text"):
        passages_of(tmp_path)
    with pytest.raises(BadRequest, match="is no folder"):
        passages_of(tmp_path / "nowhere")


def test_a_link_out_of_the_folder_is_not_followed(folder: Path, tmp_path: Path) -> None:
    inner = folder / "inner"
    inner.mkdir()
    (inner / "link.txt").symlink_to(folder / "a.txt")
    with pytest.raises(BadRequest, match="has no text"):
        passages_of(inner)


@given(st.text(alphabet="ab. ", max_size=3_000))
def test_a_passage_is_never_too_long_and_no_word_is_lost(words: str) -> None:
    parts = list(_cut(" ".join(words.split())))
    assert all(len(part) <= MOST_LETTERS for part in parts)
    assert "".join("".join(parts).split()) == "".join(words.split())


def test_documents_without_a_word_to_search_for_are_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x. x. x.")
    with pytest.raises(BadRequest, match="no word that could be searched for"):
        next(plan(retrieve=1, documents=tmp_path).trials()).start()


def test_a_text_without_an_end_of_a_sentence_is_cut_in_one_pass(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("word " * 400_000)
    texts = passages_of(tmp_path).texts
    assert [len(text) for text in texts[:-1]] == [MOST_LETTERS] * (len(texts) - 1)
    assert sum(map(len, texts)) == 5 * 400_000 - 1
