"""BibTeX of geobias and of the papers whose benchmarks were run."""

from __future__ import annotations

import re

from geobias.probes.probe import Citation
from geobias.probes.registry import all_probes
from geobias.report.documents import bibtex

PAPER = Citation("Ana Ruiz, Bo Li", "A & {B}: 100%", "FAccT 2024", "https://doi.org/10.1/2", "x")


def test_a_paper_has_authors_place_year_and_address() -> None:
    text = bibtex([PAPER], "0.1.0")
    assert "@misc{ruiz2024," in text
    assert "author = {Ana Ruiz and Bo Li}," in text
    assert "howpublished = {FAccT 2024}," in text
    assert "url = {https://doi.org/10.1/2}," in text
    assert "title = {{A \\& B: 100\\%}}," in text


def test_a_paper_without_a_year_has_that_of_its_number_at_arxiv() -> None:
    text = bibtex([PAPER._replace(where="", link="https://arxiv.org/abs/2507.1")], "0.1.0")
    assert "@misc{ruiz2025," in text
    assert "year = {2025}," in text
    assert "howpublished" not in text


def test_geobias_has_the_year_of_the_runs() -> None:
    assert "year = {2026}," in bibtex([], "0.1.0", "2026")


def test_two_papers_of_one_author_and_year_have_two_keys() -> None:
    text = bibtex([PAPER, PAPER._replace(title="Another"), PAPER], "0.1.0")
    assert re.findall(r"@\w+\{(.+),", text) == ["geobias", "ruiz2024", "ruiz2024a"]


def test_every_paper_of_ours_has_an_entry_with_balanced_braces() -> None:
    papers = [paper for probe in all_probes().values() for paper in probe.papers]
    text = bibtex(papers, "0.1.0")
    assert text.count("@") == len(papers) + 1
    assert text.count("{") == text.count("}")
    assert "Version 0.1.0" in text
