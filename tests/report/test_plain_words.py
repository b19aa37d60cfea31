"""Headline sentences are plain: whatever a probe says first has a reading grade of 10 or less."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from geobias.probes import derived
from geobias.probes.registry import all_probes
from geobias.report.documents import markdown
from geobias.report.page.contents import glossary
from geobias.report.verdicts import in_a_line, in_a_sentence, verdict_of
from geobias.results.findings import Findings, Metric, Section
from geobias.results.verdicts import LABELS, primary_of
from tests.report.made import REAL, of_real_model

GRADE = 10
DOCS = Path(__file__).parents[2] / "docs"


def turned(section: Section, p: float | None, sign: int, **facts: Any) -> Section:
    """The section as it would be with these tests, and with gaps of the other sign."""

    def changed(one: Metric) -> Metric:
        value = one.value
        if value is not None and one.better == "zero":
            value = sign * abs(value)
        more = facts if one.primary else {}
        adjusted = None if p is None else min(1.0, 2 * p)
        return msgspec.structs.replace(
            one, p=p, p_adjusted=adjusted, p_missing_adjusted=adjusted, value=value, **more
        )

    return msgspec.structs.replace(section, metrics=[changed(one) for one in section.metrics])


def failing(section: Section, at: int) -> Section:
    """The section as it would be if one of its screens had failed."""
    screens = list(section.screens)
    screens[at] = msgspec.structs.replace(screens[at], ok=False)
    return msgspec.structs.replace(section, measurable=False, screens=screens, why_not=["…"])


def every_sentence(section: Section) -> list[str]:
    probe = all_probes()[section.probe]
    section = msgspec.structs.replace(section, measurable=True)
    ends = {"low": -9.0, "high": 9.0}
    cases = [turned(section, p, sign, **ends) for p in (0.001, 0.5, None) for sign in (1, -1)]
    cases.append(turned(section, 0.001, 1, low=-1e-9, high=1e-9, missing=0))
    cases.append(turned(section, 0.001, 1, missing=7, lowest=-1.0, highest=1.0, interest=1e-12))
    cases[-1] = msgspec.structs.replace(
        cases[-1],
        metrics=[msgspec.structs.replace(m, p_missing_adjusted=1.0) for m in cases[-1].metrics],
    )
    cases += [failing(section, at) for at in range(len(section.screens))]
    told = [derived.verdict(probe, case) for case in cases]
    return [in_a_sentence(one) for one in told if one is not None]


@pytest.fixture(scope="module", params=["made", *REAL])
def told(request: pytest.FixtureRequest, findings: Findings) -> Findings:
    """The findings of a simulated model, and of real ones."""
    return findings if request.param == "made" else of_real_model(request.param)


def test_headline_sentences_have_a_reading_grade_of_ten_or_lower(told: Findings) -> None:
    import textstat

    texts = {text for section in told.sections for text in every_sentence(section)}
    assert len(texts) >= 10
    grades = {text: textstat.flesch_kincaid_grade(text) for text in texts}
    assert not {text: grade for text, grade in grades.items() if grade > GRADE}


def test_a_headline_begins_with_one_of_five_labels(told: Findings) -> None:
    labels = set()
    for section in told.sections:
        first = " ".join(all_probes()[section.probe].saying.first(section))
        for text in every_sentence(section):
            labels.add(text.removeprefix(first).strip().partition(". ")[0])
    assert labels == {*LABELS.values()}


def test_name_bbq_leads_with_errors_and_the_names_that_are_recognised() -> None:
    found = of_real_model("qwen2.5-coder-1.5b")
    [section] = [one for one in found.sections if one.probe == "namebbq"]
    first = (
        "It names somebody in 48% [39%, 56%] of unanswerable stories (30 nationalities). "
        "Names recognised: 25% [17%, 35%] (68 nationalities)."
    )
    told = verdict_of(found, section)
    assert told.first == first
    assert in_a_sentence(told).startswith(f"{first} Open.")
    assert in_a_line(found, section).startswith(f"{first} Open: ")
    cells = markdown(found).partition("## What was found")[0].replace("\\", "")
    assert f"| {first} Open: " in cells


def test_what_is_open_is_never_called_equal(told: Findings) -> None:
    for section in told.sections:
        measured = msgspec.structs.replace(section, measurable=True)
        probe = all_probes()[section.probe]
        said = derived.verdict(probe, turned(measured, 0.5, 1, low=-9.0, high=9.0))
        assert said is not None
        metric = primary_of(section)
        assert said.word == ("open" if metric and metric.value is not None else "untested")
        assert not {"alike", "equal", "equally", "same"} & set(said.found.split())


def test_the_glossary_of_the_page_is_that_of_the_documentation() -> None:
    text = (DOCS / "glossary.md").read_text("utf-8")
    assert not [word for word, meaning in glossary() if f"| {word} | {meaning} |" not in text]
