"""Results in other people's forms: Every Eval Ever, model cards, JUnit, one table for a paper."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.errors import BadRequest
from geobias.probes.probe import Citation
from geobias.probes.registry import all_probes
from geobias.report.documents import bibtex, latex_summary, markdown_summary
from geobias.report.formats import junit_report
from geobias.report.publishing import SCHEMA_VERSION, every_eval_ever, model_card, public_name
from geobias.results.findings import Findings
from tests.report.made import findings as made
from tests.report.made import metric

# Of the package every-eval-ever 0.3.0 on PyPI: MIT License, Copyright (c) 2026 EvalEval.
SCHEMA = json.loads(Path(__file__).with_name("every_eval_ever.schema.json").read_text("utf-8"))
any_text = st.text(max_size=40) | st.sampled_from(
    ["---\nlicense: mit", 'a"b', "a | b", "<x>&amp;", "\u2028\x00\ud800", ": {", "\\end{longtable}"]
)


def _document(findings: Findings) -> dict[str, Any]:
    import jsonschema  # type: ignore[import-untyped]

    document: dict[str, Any] = json.loads(every_eval_ever(findings))
    jsonschema.validate(document, SCHEMA)
    return document


def _metadata(card: str) -> list[dict[str, Any]]:
    """The metadata at the head of a card; they are JSON after the key."""
    _, head, _ = card.split("---\n", 2)
    index: list[dict[str, Any]] = json.loads(head.removeprefix("model-index: "))
    return index


def test_our_version_of_every_eval_ever_is_the_schemas() -> None:
    assert SCHEMA["version"] == SCHEMA_VERSION


def test_a_real_run_is_a_document_of_every_eval_ever(findings: Findings) -> None:
    document = _document(findings)
    results = {one["evaluation_result_id"]: one for one in document["evaluation_results"]}
    for section in findings.sections:
        for one in section.metrics:
            if one.value is not None and section.measurable:
                assert results[one.name]["score_details"]["score"] == one.value
    assert document["model_info"]["additional_details"]["simulated"] == "true"


def test_a_result_has_its_interval_its_n_and_its_direction() -> None:
    (result,) = _document(made(metric(better="zero")))["evaluation_results"]
    uncertainty = result["score_details"]["uncertainty"]
    assert uncertainty["num_samples"] == 30
    assert uncertainty["confidence_interval"] == {
        "lower": 0.1,
        "upper": 0.3,
        "confidence_level": 0.95,
    }
    assert result["metric_config"]["lower_is_better"] is True
    assert result["metric_config"]["additional_details"]["better"] == "nearer to 0"


@pytest.mark.parametrize(
    ("found", "why"),
    [
        (made(why=("nobody could read a word",)), "not measurable: nobody could read a word"),
        (
            made(metric(value=None, low=None, high=None, undefined_because="one country")),
            "undefined: one country",
        ),
    ],
)
def test_what_has_no_number_is_no_result_and_is_named_with_the_reason(
    found: Findings, why: str
) -> None:
    document = _document(found)
    assert document["evaluation_results"] == []
    details = document["source_metadata"]["additional_details"]
    assert details["no result for worldbench.error"] == why
    card = model_card(found)
    assert "model-index" not in card
    assert why in card


@given(any_text)
def test_any_name_gives_a_document_a_card_and_xml(text: str) -> None:
    found = made(text=text)
    _document(found)
    card = model_card(found)
    assert _metadata(card)[0]["results"][0]["metrics"][0]["value"] == 0.2
    assert card.count("\n---\n") == 1
    ElementTree.fromstring(junit_report(found))


def test_an_address_is_nobody_elses_business() -> None:
    assert public_name("http://10.0.0.7:8000/v1/org/model") == "org/model"
    assert public_name("completions:https://gpu.intern/x/v1/base") == "base"
    assert public_name("openai/gpt-4o") == "openai/gpt-4o"


def test_a_model_card_shows_headline_numbers_with_their_intervals() -> None:
    assert "0.20 [0.10, 0.30] | 30 countries | lower" in model_card(made())


@pytest.mark.parametrize("make", [every_eval_ever, model_card])
def test_a_document_about_one_model_refuses_two(make: Any) -> None:
    one = made()
    two = msgspec.structs.replace(one, runs=[*one.runs, *one.runs])
    with pytest.raises(BadRequest, match="one model"):
        make(two)


def test_junit_has_a_test_for_each_screen_and_metric() -> None:
    suites = ElementTree.fromstring(junit_report(made(missing=2, why=("it is noise",))))
    ended = {
        case.get("name"): next((part.tag for part in case), "") for case in suites.iter("testcase")
    }
    assert ended == {
        "worldbench: complete": "failure",
        "worldbench: parse rate": "failure",
        "worldbench.error": "skipped",
    }
    assert suites.get("failures") == "2"


def test_the_summary_is_one_table_with_a_row_for_each_model() -> None:
    text = markdown_summary(made())
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len(rows) == 3
    assert "0.20 [0.10, 0.30]" in rows[2]
    assert "not run" in rows[2]


def test_the_summary_marks_numbers_of_runs_that_are_not_complete() -> None:
    text = markdown_summary(made(missing=3))
    assert "0.20\\* [0.10, 0.30]" in text
    assert "50% asked" in text


def test_the_summary_says_why_there_is_no_number() -> None:
    for make in (markdown_summary, latex_summary):
        text = make(made(why=("nobody could read a word",)))
        assert "not measurable" in text
        assert "because nobody could read a word" in text
        assert "0.20" not in text


def test_the_summary_in_latex_is_one_table() -> None:
    text = latex_summary(made())
    assert text.count("\\begin{longtable}") == 1
    assert "0.20 {[}0.10, 0.30{]}" in text


PAPER = Citation("Ana Ruiz, Bo Li", "A & {B}: 100%", "FAccT 2024", "https://doi.org/10.1/2", "x")


def test_a_paper_of_a_conference_has_authors_place_year_and_doi() -> None:
    text = bibtex([PAPER], "0.1.0")
    assert "@inproceedings{ruiz2024," in text
    assert "author = {Ana Ruiz and Bo Li}," in text
    assert "booktitle = {FAccT}," in text
    assert "doi = {10.1/2}," in text
    assert "title = {{A \\& B: 100\\%}}," in text


def test_a_paper_without_a_place_is_misc_with_its_number_at_arxiv() -> None:
    text = bibtex([PAPER._replace(where="2025", link="https://arxiv.org/abs/2507.1")], "0.1.0")
    assert "@misc{ruiz2025," in text
    assert "eprint = {2507.1}," in text
    assert "booktitle" not in text


def test_a_paper_without_a_year_has_that_of_its_number_at_arxiv() -> None:
    text = bibtex([PAPER._replace(where="", link="https://arxiv.org/abs/2507.1")], "0.1.0")
    assert "@misc{ruiz2025," in text
    assert "year = {2025}," in text


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
