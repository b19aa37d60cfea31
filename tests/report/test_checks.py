"""What people checked, in numbers and in every format of the report.

No interval of a report contradicts its test, whatever the model.

The p of a metric belongs to its interval: it is under 0.05 just where the interval leaves out 0.
Beside it, tables have p-values of several kinds; `BELONGS` says which interval each belongs to.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import geobias
from geobias.probes import worldbench
from geobias.probes.registry import all_probes, plan_of
from geobias.report.checks import check_of, check_questions, run_checks
from geobias.report.findings import collect
from geobias.report.formats import FORMATS
from geobias.report.page import rendered
from geobias.results.findings import Findings
from geobias.runfile import RunReader, Verdict, save_verdict
from tests.probes.geo20q.made import write_table
from tests.report.made import found_in
from tests.wording import reads_as


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("checks") / "a.geobias"
    plan = worldbench.plan(indicators=["population"], countries=["KEN"])
    return geobias.run([plan], "sim/fair", path).path


@pytest.fixture
def run(untouched: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(untouched, tmp_path))


def judged(run: Path, sample: str, words: Sequence[str], reviewer: str = "Ada") -> None:
    for i, word in enumerate(words):
        save_verdict(run, Verdict(reviewer=reviewer, sample=sample, item=f"t{i}", verdict=word))


def test_a_run_that_nobody_checked_says_nothing(run: Path) -> None:
    with RunReader(run) as reader:
        assert run_checks(reader, check_questions()) == []


def test_the_share_of_right_readings_has_its_interval(run: Path) -> None:
    judged(run, "worldbench.parsed", ["right"] * 39 + ["wrong"])
    with RunReader(run) as reader:
        [one] = run_checks(reader, check_questions())
    assert (one.n, one.right) == (40, 39)
    assert "97.5% [87.1, 99.6]" in one.text


def test_where_reviewers_differ_an_item_is_not_right(run: Path) -> None:
    judged(run, "worldbench.parsed", ["right"] * 8 + ["wrong"] * 2, "Ada")
    judged(run, "worldbench.parsed", ["right"] * 7 + ["wrong"] * 3, "Ben")
    with RunReader(run) as reader:
        [one] = run_checks(reader, check_questions())
    assert (one.n, one.right, one.disputed, one.reviewers) == (10, 7, 1, 2)
    reads_as("Checked by two people", one.text)


def test_completeness_is_that_of_the_paper() -> None:
    """85.2% of unread replies without a number, at its share of read ones, gives 98.2%."""
    words = ["none"] * 852 + ["missed"] * 148
    verdicts = [
        Verdict(reviewer="Ada", sample="worldbench.unparsed", item=f"t{i}", verdict=word)
        for i, word in enumerate(words)
    ]

    question = next(one for one in check_questions() if one.name == "worldbench.completeness")
    found = check_of(question, verdicts, {"parsed": 889, "unparsed": 60, "abstained": 51})
    assert found is not None
    assert found.value == pytest.approx(0.982, abs=0.0005)
    assert (found.low, found.high) == pytest.approx((0.979, 0.985), abs=0.001)


def test_a_verdict_that_cannot_be_said_is_in_no_share(run: Path) -> None:
    judged(run, "geo20q.ending", ["right", "wrong", "unsure"])
    with RunReader(run) as reader:
        [one] = run_checks(reader, check_questions())
    assert (one.n, one.right) == (2, 1)


def test_every_document_of_the_report_shows_the_checks(run: Path) -> None:
    judged(run, "worldbench.parsed", ["right"] * 20)
    with RunReader(run) as reader:
        findings = collect([reader])
        page = rendered(findings, [reader])
    [check] = findings.sections[0].checks
    assert check.text in page
    for name in ("md", "json", "latex"):
        assert "on 20 replies" in FORMATS[name](findings), name


BELONGS = {
    "worldbench": {
        "income_trend_by_indicator": {"p": "gap"},
    },
    "namebbq": {
        "scores": {"p": "value"},
        "nationalities": {"p": "bias_ambiguous"},
        "regions": {"p": "bias_ambiguous"},
    },
    "geo20q": {"equal_fame": {"p": "difference"}},
    "ratings": {"topics": {"p": "correlation"}},
}
"""Probe → table → column of a p-value → the estimate whose interval it belongs to."""
BIASES = "gap=0.8&stereotype=0.9&favour=3&play=0.9&play_gap=0.8"
"""So large that every table of tests has some under 0.05."""

Contradiction = tuple[str, float, float, float]


def contradictions(found: Findings) -> Iterator[Contradiction]:
    for where, low, high, p in intervals(found):
        if low is not None and high is not None and p is not None:
            left_out = not low <= 0 <= high
            if left_out != (p < 0.05):
                yield where, low, high, p


def intervals(
    found: Findings,
) -> Iterator[tuple[str, float | None, float | None, float | None]]:
    for country in found.countries:
        for one in country.measures:
            yield f"{country.iso3} {one.metric}", one.low, one.high, one.p
    for section in found.sections:
        for metric in section.metrics:
            yield metric.name, metric.low, metric.high, metric.p
        for name, columns in BELONGS[section.probe].items():
            for row in section.tables[name].rows if name in section.tables else ():
                for p, of in columns.items():
                    cells = [row[f"{of}_low"], row[f"{of}_high"], row[p]]
                    low, high, value = (one if isinstance(one, float) else None for one in cells)
                    yield f"{section.probe} {name} {row}", low, high, value


@pytest.mark.parametrize("model", ["sim/fair?play=0.6", f"sim/biased?{BIASES}"])
def test_no_interval_leaves_out_no_difference_where_its_test_does_not_reject_it(
    tmp_path: Path, model: str
) -> None:
    # Few entities, so that games end within few turns.
    table = write_table(tmp_path / "entities.csv", 1, countries=30)
    settings: dict[str, Any] = {
        "worldbench": {"indicators": ["population", "gdp"]},
        "namebbq": {"size": "quick"},
        "geo20q": {
            "entities": str(table),
            "setting": "canonical",
            "turns": 9,
            "judge_questions": 0,
        },
        "ratings": {"topics": ["morality", "intelligence"]},
    }
    plans = [
        plan_of(probe, {"size": "standard"} | settings[name])
        for name, probe in all_probes().items()
    ]
    path = geobias.run(plans, f"{model}&entities={table}", tmp_path / "run.geobias").path
    found = found_in(path)
    assert len(found.sections) == len(plans)
    assert sum(None not in one for one in intervals(found)) >= 20
    assert [*contradictions(found)] == []
