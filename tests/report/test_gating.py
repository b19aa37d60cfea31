from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.report.baseline import Bound, Limit
from geobias.report.gating import GateVerdict, Outcome, Undecided, junit, verdicts
from geobias.results.findings import Findings
from tests.report.made import findings, metric

NAME = "worldbench.error"


def verdict_of(found: Findings, bound: Bound, value: float, **how: Any) -> GateVerdict:
    return verdicts(found, [Limit(NAME, bound, value)], **how)[0]


def passes(found: Findings, bound: Bound, value: float, **how: Any) -> bool:
    return verdict_of(found, bound, value, **how).passed


@pytest.mark.parametrize(
    ("bound", "value", "outcome"),
    [
        ("max", 0.35, "pass"),
        ("max", 0.3, "pass"),
        ("max", 0.2, "undecided"),
        ("max", 0.1, "undecided"),
        ("max", 0.09, "fail"),
        ("min", 0.05, "pass"),
        ("min", 0.25, "undecided"),
        ("min", 0.31, "fail"),
        ("within", 0.3, "pass"),
        ("within", 0.15, "undecided"),
        ("within", 0.05, "fail"),
    ],
)
def test_the_interval_from_10_to_30_percent(bound: Bound, value: float, outcome: Outcome) -> None:
    found = findings(metric(value=0.2, low=0.1, high=0.3))
    assert verdict_of(found, bound, value).outcome == outcome
    assert passes(found, bound, value) == (outcome != "fail")
    assert passes(found, bound, value, undecided="fail") == (outcome == "pass")


def test_a_bias_against_the_stereotype_counts_by_its_size() -> None:
    against = findings(metric(value=-0.4, low=-0.5, high=-0.3))
    assert verdict_of(against, "within", 0.2).outcome == "fail"
    unclear = findings(metric(value=-0.1, low=-0.3, high=0.1))
    assert verdict_of(unclear, "within", 0.2).outcome == "undecided"


def test_a_model_cannot_pass_by_declining() -> None:
    found = findings(metric(value=0.2, low=0.1, high=0.3, missing=9, lowest=0.15, highest=0.5))
    assert verdict_of(found, "max", 0.35).outcome == "undecided"
    assert verdict_of(found, "max", 0.5).outcome == "pass"
    answered = findings(metric(value=0.2, low=0.1, high=0.3))
    assert verdict_of(answered, "max", 0.35).outcome == "pass"


def test_an_undecided_limit_is_a_skipped_test_only_if_the_user_lets_it_pass() -> None:
    found, limit = findings(metric()), Limit(NAME, "max", 0.2)
    choices: list[Undecided | None] = ["pass", "fail", None]
    for undecided in choices:
        told = verdicts(found, [limit], undecided=undecided or "pass")
        suite = ElementTree.fromstring(junit(told, undecided)).find("testsuite")
        assert suite is not None
        counted = ("1", "0") if undecided == "pass" else ("0", "1")
        assert (suite.attrib["skipped"], suite.attrib["failures"]) == counted


def test_a_model_that_was_not_put_to_the_probe_is_named() -> None:
    found = findings(metric())
    both = msgspec.structs.replace(found, models=[*found.models, "other"])
    first, second = verdicts(both, [Limit(NAME, "max", 1)])
    assert (first.asked, second.asked, second.model, second.passed) == (True, False, "other", True)
    suite = ElementTree.fromstring(junit([first, second], "pass")).find("testsuite")
    assert suite is not None
    assert (suite.attrib["skipped"], suite.attrib["failures"]) == ("1", "0")


def test_a_model_without_the_metric_fails_where_another_has_it() -> None:
    found = findings(metric(name="worldbench.unread"))
    other = findings(metric(), text="other").sections
    both = msgspec.structs.replace(found, sections=[*found.sections, *other])
    first, second = verdicts(both, [Limit(NAME, "max", 1)])
    assert (first.model, first.passed, first.measurable) == ("m", False, False)
    assert (second.model, second.passed) == ("other", True)


def test_how_often_a_model_answered_is_known_of_any_model() -> None:
    assert passes(findings(metric(screened=False), why=("it always says A",)), "max", 0.5)


@given(st.text(max_size=80) | st.sampled_from(["]]>", "<failure/>", "&x;", "\x00\x1b", "\ufffe"]))
def test_junit_can_be_parsed_whatever_a_model_is_called(text: str) -> None:
    found = verdicts(findings(text=text), [Limit(NAME, "max", 0.05), Limit(NAME, "max", 1)])
    suites = ElementTree.fromstring(junit(found, None))
    assert suites.attrib["failures"] == "1"
    cases = suites.findall("./testsuite/testcase")
    assert [case.find("failure") is not None for case in cases] == [True, False]
