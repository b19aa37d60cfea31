"""JUnit's XML, which build servers show as a list of tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from geobias.results.findings import Findings, Metric, Section
from geobias.results.formatting import metric_value
from geobias.results.screens import because
from geobias.results.text import one_line


class Case(NamedTuple):
    """One test: its name, the model it is about, how it ended and what is said of it."""

    name: str
    model: str
    outcome: Literal["passed", "skipped", "failed"]
    says: str


def junit_document(name: str, cases: Sequence[Case]) -> bytes:
    from xml.etree.ElementTree import Element, SubElement, tostring

    failed = sum(case.outcome == "failed" for case in cases)
    skipped = sum(case.outcome == "skipped" for case in cases)
    about = {"name": name, "tests": str(len(cases)), "failures": str(failed)}
    suites = Element("testsuites", about)
    suite = SubElement(suites, "testsuite", about | {"errors": "0", "skipped": str(skipped)})
    for case in cases:
        title, model, says = map(one_line, (case.name, case.model, case.says))
        test = SubElement(suite, "testcase", name=title, classname=model)
        if case.outcome == "failed":
            SubElement(test, "failure", message=says).text = says
        elif case.outcome == "skipped":
            SubElement(test, "skipped", message=says)
        else:
            SubElement(test, "system-out").text = says
    xml: bytes = tostring(suites, encoding="utf-8", xml_declaration=True)
    return xml


def junit_report(findings: Findings) -> str:
    """A test for each screen, for completeness, and for each metric.

    A number alone is neither good nor bad: a metric passes where it was measured, and is skipped
    with the reason where it was not. Limits on metrics are for `geobias gate --junit`.
    """
    cases = [case for section in findings.sections for case in _cases(section)]
    return junit_document("geobias report", cases).decode() + "\n"


def _cases(section: Section) -> Iterator[Case]:
    replies, model = section.replies, section.model
    asked = f"{replies.asked:,} of {replies.planned:,} planned were asked"
    yield Case(
        f"{section.probe}: complete", model, "failed" if replies.missing else "passed", asked
    )
    for screen in section.screens:
        outcome: Literal["passed", "failed"] = "passed" if screen.ok else "failed"
        yield Case(f"{section.probe}: {screen.name}", model, outcome, screen.says)
    for check in section.checks:
        yield Case(f"{section.probe}: checked by people", model, "passed", check.text)
    for metric in section.metrics:
        yield _metric_case(metric, section)


def _metric_case(metric: Metric, section: Section) -> Case:
    if metric.screened and not section.measurable:
        return Case(metric.name, section.model, "skipped", because(section.why_not))
    if metric.value is None:
        return Case(metric.name, section.model, "skipped", metric.undefined_because or "undefined")
    says = f"{metric.label}: {metric_value(metric, 3)}, n = {metric.n:,} {metric.counted}"
    return Case(metric.name, section.model, "passed", says)
