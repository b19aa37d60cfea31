"""A gate against the run before: not worse by more than a margin."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import geobias
from geobias.errors import BadRequest
from geobias.probes import derived, worldbench
from geobias.probes.registry import all_probes
from geobias.report.baseline import Limit, _worsening, farther_from_zero, limits_from, worsened
from geobias.report.formats import as_json
from geobias.report.gating import GateVerdict, verdicts
from geobias.results.findings import Better, Findings
from geobias.runfile import RunReader
from tests.defined import defined
from tests.report.made import change, changed, metric

ERROR, BIAS, ANSWERED = "worldbench.error", "namebbq.bias_ambiguous", "worldbench.answered"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two economies, where its numbers do not matter."""
    plan = worldbench.plan(indicators=["population", "gdp"], countries=["KEN", "FRA"])
    return geobias.run([plan], "sim/fair", tmp_path_factory.mktemp("small") / "r.geobias").path


def margins(**given: float) -> list[Limit]:
    names = {"error": ERROR, "bias": BIAS}
    return limits_from({"worse": {names[name]: one for name, one in given.items()}}, "limits")


def gated(run: Path, found: Findings, baseline: Path, **given: float) -> list[GateVerdict]:
    """The steps of `geobias.gate`, which the tests of Python and of the command go through."""
    limits = margins(**given)
    with RunReader(run) as now, RunReader(baseline) as before:
        return verdicts(found, limits, since=worsened([now], [before], found, limits))


def test_a_model_that_lost_what_it_knew_fails_and_the_margin_is_what_decides(
    fair: Path, biased: Path, findings: Findings
) -> None:
    with RunReader(biased) as now, RunReader(fair) as before:
        since = worsened([now], [before], findings, margins(error=0.0))

    def verdict(margin: float) -> GateVerdict:
        return verdicts(findings, margins(error=margin), since=since)[0]

    lost = verdict(0.0)
    assert (lost.outcome, verdict(0.9).outcome) == ("fail", "pass")
    assert defined(lost.low) > 0
    assert lost.says.startswith("worse by ")
    assert verdict(defined(lost.value)).outcome == "undecided"


def test_a_model_that_got_better_passes_any_margin(
    fair: Path, fair_findings: Findings, biased: Path
) -> None:
    error, bias = gated(fair, fair_findings, biased, error=0.0, bias=0.0)
    assert (error.outcome, bias.outcome) == ("pass", "pass")
    assert defined(bias.high) < 0


def test_a_stereotype_that_was_not_there_before_fails(fair: Path, biased: Path) -> None:
    [bias] = geobias.gate(biased, limits={"worse": {BIAS: 0.1}}, baseline=fair)
    assert (bias.outcome, bias.passed) == ("fail", False)


@pytest.mark.parametrize(
    ("better", "value", "low", "high"),
    [("low", 0.1, 0.02, 0.2), ("high", -0.1, -0.2, -0.02)],
)
def test_worse_is_more_of_what_should_be_low_and_less_of_what_should_be_high(
    better: Better, value: float, low: float, high: float
) -> None:
    found = _worsening(metric(better=better), change())
    assert (found.value, found.low, found.high, found.n) == (value, low, high, 20)
    absent = _worsening(metric(name="worldbench.error_median"), None)
    assert absent.value is None
    assert absent.undefined_because


@pytest.mark.parametrize(
    ("now", "change", "worse"),
    [
        ((0.5, 0.7), (0.2, 0.4), (0.2, 0.4)),  # both lean one way: the change itself
        ((-0.7, -0.5), (-0.4, -0.2), (0.2, 0.4)),
        ((-0.1, 0.1), (-0.05, 0.03), (-0.05, 0.05)),  # either sign: by its size
        ((-0.1, 0.1), (-0.6, -0.4), (-0.6, -0.2)),  # a lean that went away
        ((0.4, 0.6), (0.4, 0.6), (0.2, 0.6)),  # one that came
        ((-0.4, -0.2), (-0.7, -0.4), (-0.3, 0.4)),  # turned round, as large as before
    ],
)
def test_where_nought_is_best_worse_is_farther_from_it(
    now: tuple[float, float], change: tuple[float, float], worse: tuple[float, float]
) -> None:
    low, high = now
    found = farther_from_zero(change, metric(low=low, high=high, better="zero"))
    assert found == pytest.approx(worse)


SHARE = st.floats(0, 1)
ENDS = st.tuples(st.floats(-1, 1), st.floats(-1, 1)).map(sorted)


@given(ENDS, ENDS, SHARE, SHARE)
def test_no_distance_from_nought_lies_outside_its_interval(
    now: list[float], change: list[float], x: float, y: float
) -> None:
    (now_low, now_high), (low, high) = now, change
    ends = farther_from_zero((low, high), metric(low=now_low, high=now_high, better="zero"))
    n, c = now_low + x * (now_high - now_low), low + y * (high - low)
    assert ends[0] - 1e-9 <= abs(n) - abs(n - c) <= ends[1] + 1e-9


def test_a_baseline_that_is_not_finished_fails(
    fair: Path, fair_findings: Findings, tmp_path: Path
) -> None:
    part = changed(
        fair,
        tmp_path / "part.geobias",
        "DELETE FROM records WHERE rowid IN "
        "(SELECT rowid FROM records WHERE probe = 'worldbench' LIMIT 5)",
    )
    [verdict] = gated(fair, fair_findings, part, error=0.5)
    assert (verdict.outcome, verdict.passed) == ("fail", False)
    assert ": 5 are still" in verdict.says


@pytest.mark.parametrize("probe", ["worldbench", "namebbq", "geo20q", "ratings"])
def test_every_change_that_a_probe_names_is_of_one_of_its_metrics(probe: str) -> None:
    own = all_probes()[probe]
    rule = defined(derived.comparison(own))
    assert rule.metrics
    assert set(rule.metrics) <= set(derived.metric_names(own))


def test_a_report_of_the_run_before_is_a_baseline_with_a_wider_interval(
    fair: Path, biased: Path, fair_findings: Findings, tmp_path: Path
) -> None:
    before = tmp_path / "report.json"
    before.write_text(as_json(fair_findings), "utf-8")
    limits = {"worse": {ERROR: 0.01}}
    paired, unpaired = (
        geobias.gate(biased, limits=limits, baseline=path)[0] for path in (fair, before)
    )
    assert unpaired.outcome == "fail"
    assert unpaired.value == pytest.approx(paired.value, rel=0.01)
    assert None not in (unpaired.low, unpaired.high, paired.low, paired.high)
    assert unpaired.high - unpaired.low > paired.high - paired.low  # type: ignore[operator]


def test_each_model_is_compared_with_itself_in_a_baseline_of_several(
    small: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "before"
    plan = worldbench.plan(indicators=["population", "gdp"], countries=["KEN", "FRA"])
    geobias.run([plan], "sim/fair", folder / "fair.geobias")
    geobias.run([plan], "sim/?gap=0.4&recall_sd=0.9", folder / "other.geobias")
    report = tmp_path / "report.json"
    report.write_text(as_json(geobias.findings(folder)), "utf-8")
    limits = {"worse": {ERROR: 0.1}}
    for baseline in (folder, report):
        [verdict] = geobias.gate(small, limits=limits, baseline=baseline)
        assert verdict.value == 0
    other = geobias.run([plan], "sim/?gap=0.1", tmp_path / "new.geobias").path
    with pytest.raises(BadRequest, match=r"2 runs of worldbench .* 0 of them on sim/\?gap=0.1"):
        geobias.gate(other, limits=limits, baseline=report)


def test_a_report_of_other_questions_is_no_baseline(
    small: Path, biased: Path, tmp_path: Path
) -> None:
    before = tmp_path / "report.json"
    before.write_text(as_json(geobias.findings(small)), "utf-8")
    with pytest.raises(BadRequest, match="not comparable"):
        geobias.gate(biased, limits={"worse": {ERROR: 0.01}}, baseline=before)
    before.write_text("{}", "utf-8")
    with pytest.raises(BadRequest, match=r"not a report\.json"):
        geobias.gate(biased, limits={"worse": {ERROR: 0.01}}, baseline=before)
