"""Headline sentences are plain: whatever a probe says first has a reading grade of 10 or less."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from geobias.probes.registry import all_probes
from geobias.report.page.contents import glossary
from geobias.report.verdicts import in_a_sentence
from geobias.results.findings import Findings, Metric, Section
from geobias.results.verdicts import SURENESS
from tests.report.made import REAL, of_real_model

GRADE = 10
DOCS = Path(__file__).parents[2] / "docs"


def turned(section: Section, p: float | None, sign: int) -> Section:
    """The section as it would be with these tests, and with gaps of the other sign."""

    def changed(one: Metric) -> Metric:
        value = one.value if one.value is None else sign * abs(one.value)
        adjusted = None if p is None else min(1.0, 2 * p)
        return msgspec.structs.replace(one, p=p, p_adjusted=adjusted, value=value)

    return msgspec.structs.replace(section, metrics=[changed(one) for one in section.metrics])


def failing(section: Section, at: int) -> Section:
    """The section as it would be if one of its screens had failed."""
    screens = list(section.screens)
    screens[at] = msgspec.structs.replace(screens[at], ok=False)
    return msgspec.structs.replace(section, measurable=False, screens=screens, why_not=["…"])


def every_sentence(section: Section) -> list[str]:
    probe = all_probes()[section.probe]
    section = msgspec.structs.replace(section, measurable=True)
    cases = [turned(section, p, sign) for p in (0.001, 0.04, 0.5, None) for sign in (1, -1)]
    cases += [failing(section, at) for at in range(len(section.screens))]
    told = [probe.verdict(case) for case in cases]
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


def test_a_headline_begins_with_one_of_four_words(told: Findings) -> None:
    texts = [text for section in told.sections for text in every_sentence(section)]
    words = {text.partition(".")[0].lower() for text in texts}
    assert words == set(SURENESS)


def test_what_is_not_clear_is_never_called_equal(told: Findings) -> None:
    for section in told.sections:
        measured = msgspec.structs.replace(section, measurable=True)
        said = all_probes()[section.probe].verdict(turned(measured, 0.5, 1))
        assert said is not None
        assert said.word == "not clear"
        assert not {"alike", "equal", "equally", "same"} & set(said.found.split())


@pytest.mark.parametrize("entry", glossary(), ids=lambda entry: entry.word)
def test_the_glossary_of_the_page_is_that_of_the_documentation(entry: object) -> None:
    text = (DOCS / "glossary.md").read_text("utf-8")
    assert f"| {entry.word} | {entry.meaning} |" in text  # type: ignore[attr-defined]
