"""Gates: whether a run keeps limits on its metrics, judged by whole intervals.

    kept       the whole 95% interval lies within the limit, and so does the number if all missing
               answers are as good, or as bad, as possible
    broken     the whole interval lies beyond the limit
    undecided  anything else: the metric may have no interval, or the model was not asked the
               metric's probe. The user chooses whether this passes

By default, a metric that cannot be measured fails, since a model whose replies are nonsense must
not pass a gate on bias. An incomplete run fails too, since the missing answers may change every
number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Literal
from xml.etree.ElementTree import Element, SubElement, tostring

import msgspec

from geobias.errors import BadRequest, meant
from geobias.probes import derived
from geobias.probes.registry import all_probes
from geobias.report.baseline import Limit, Worsened
from geobias.results.findings import Findings, Metric, Section
from geobias.results.formatting import counted, one_line
from geobias.results.tables import metric_of, metric_value, missing_line

Outcome = Literal["pass", "undecided", "fail"]
Undecided = Literal["pass", "fail"]


class GateVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """The verdict on one limit and one model; `says` is the reason in words.

    passed   whether the gate passes: True for "pass", and for undecided if the user allows it
    asked    False if the model was not asked the metric's probe
    value    the metric, or its worsening since the baseline; low, high and n belong to it
    missing  number of trials planned for the probe and not asked yet
    """

    limit: Limit
    model: str
    outcome: Outcome
    passed: bool
    asked: bool = True
    measurable: bool
    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0
    missing: int = 0
    says: str


def verdicts(
    findings: Findings,
    limits: Sequence[Limit],
    *,
    undecided: Undecided = "pass",
    since: Mapping[tuple[str, str], Worsened] = {},
) -> list[GateVerdict]:
    """Return the verdict on each limit for each model, also for models that lack the metric or its
    probe.

    `undecided` says whether an undecided limit passes or fails. `since` holds the worsening of each
    metric with a limit on worsening, by model and metric. Raises `BadRequest` for an unknown
    metric, or a probe that no model was asked.
    """
    results = []
    if not since and any(limit.bound == "worse" for limit in limits):
        raise BadRequest("limits of [worse] need a baseline: name an earlier run with --baseline")
    check_names(limits, {section.probe for section in findings.sections})
    for limit in limits:
        probe = limit.metric.partition(".")[0]
        sections = [section for section in findings.sections if section.probe == probe]
        for section in sections:
            worse = since[section.model, limit.metric] if limit.bound == "worse" else None
            results.append(_verdict(limit, section, worse, undecided))
        results += [
            GateVerdict(
                limit=limit,
                model=model,
                outcome="undecided",
                passed=undecided == "pass",
                asked=False,
                measurable=False,
                says=f"no verdict: {probe} was not run with this model",
            )
            for model in findings.models
            if model not in {section.model for section in sections}
        ]
    return results


def check_names(limits: Sequence[Limit], probes: Collection[str]) -> None:
    """Raise `BadRequest` if none of `probes` has a limit's metric."""
    known = [all_probes()[probe] for probe in probes if probe in all_probes()]
    names = [name for probe in known for name in derived.metric_names(probe)]
    for limit in limits:
        if limit.metric not in names:
            raise BadRequest(_unknown(limit.metric, probes, names))


def _unknown(name: str, probes: Collection[str], names: Collection[str]) -> str:
    probe = name.partition(".")[0]
    if probe in all_probes() and probe not in probes:
        there = f", only {', '.join(sorted(probes))}" if probes else ""
        return f"{name}: the run holds no {probe}{there}"
    return f"no metric is called {name!r}; geobias gate RUN --list has all.{meant(name, names)}"


def _verdict(
    limit: Limit, section: Section, worse: Worsened | None, undecided: Undecided
) -> GateVerdict:
    own = metric_of(section, limit.metric)
    metric = worse.metric if worse else own
    why = list(section.why_not) if own is None or own.screened else []
    if worse and (own is None or own.screened):
        why += worse.why_not
    if metric is None:
        why.append("the run was not made to measure it")
    elif metric.value is None:
        why.append(metric.undefined_because or "it is undefined")
    outcome: Outcome
    if why or metric is None:
        outcome, passed = "fail", False
        says = f"not measurable, because {'; and '.join(why)}"
    else:
        outcome = _outcome(limit, metric)
        passed = outcome == "pass" or (outcome, undecided) == ("undecided", "pass")
        says = _reason(limit, metric, outcome)
    missing, planned = section.replies.missing, section.replies.planned
    if missing:
        says += f"; not finished: {missing:,} of {planned:,} are still to be asked"
    if worse and worse.missing:
        says += f"; the baseline is not finished: {worse.missing:,} are still to be asked"
    if missing or (worse and worse.missing):
        outcome, passed = "fail", False
    return GateVerdict(
        limit=limit,
        model=section.model,
        outcome=outcome,
        passed=passed,
        measurable=not why,
        missing=missing,
        says=says,
        **{name: getattr(metric, name) for name in ("value", "low", "high", "n") if metric},
    )


def _outcome(limit: Limit, metric: Metric) -> Outcome:
    """Compare the metric's interval, and its range over possible missing answers, with the limit.
    Without an interval the outcome is "undecided".
    """
    low, high = metric.low, metric.high
    if low is None or high is None:
        return "undecided"
    least, most = limit.allowed
    if least <= low and high <= most:
        ends = (metric.lowest, metric.highest) if metric.missing else ()
        safe = all(end is None or least <= end <= most for end in ends)
        return "pass" if safe else "undecided"
    return "fail" if low > most or high < least else "undecided"


def _reason(limit: Limit, metric: Metric, outcome: Outcome) -> str:
    value = f"{metric_value(metric, 3)} over {counted(metric.n, metric.counted)}"
    if limit.bound == "worse":
        value = f"worse by {value}"
    if metric.low is None or metric.high is None:
        return f"{value}: without an interval, {limit} is undecided"
    least, most = limit.allowed
    if outcome == "undecided" and least <= metric.low and metric.high <= most:
        where = "the missing answers decide; without them, the whole interval is within"
    else:
        where = {
            "pass": "the whole interval is within",
            "undecided": "the interval spans",
            "fail": "the whole interval is beyond",
        }[outcome]
    missing = missing_line(metric, 3) if limit.bound != "worse" else ""
    said = [f"{value}: {where} the limit", missing, metric.caution]
    return "; ".join(one for one in said if one)


def tally(results: Sequence[GateVerdict]) -> str:
    """Count the verdicts in one line: "gate: 3 pass, 1 undecided, 2 fail (1 not measurable)"."""
    counts = Counter(verdict.outcome for verdict in results)
    stopped = any(one.outcome == "undecided" and not one.passed for one in results)
    undecided = f"{counts['undecided']:,} undecided{' (counts as fail)' if stopped else ''}"
    nothing = sum(one.outcome == "fail" and not one.measurable for one in results)
    fail = f"{counts['fail']:,} fail{f' ({nothing:,} not measurable)' if nothing else ''}"
    return f"gate: {counts['pass']:,} pass, {undecided}, {fail}"


def junit(results: Sequence[GateVerdict], undecided: Undecided | None) -> bytes:
    """The verdicts as JUnit XML. An undecided verdict is a skipped test if the user lets it pass.

    Otherwise it is a failure, as in the exit code.
    """
    kinds = [_junit_element(one, undecided) for one in results]
    counts = {"tests": str(len(kinds)), "failures": str(kinds.count("failure"))}
    suites = Element("testsuites", {"name": "geobias gate"} | counts)
    more = {"errors": "0", "skipped": str(kinds.count("skipped"))}
    suite = SubElement(suites, "testsuite", {"name": "geobias gate"} | counts | more)
    for verdict, kind in zip(results, kinds, strict=True):
        title, model, says = map(one_line, (str(verdict.limit), verdict.model, verdict.says))
        test = SubElement(suite, "testcase", name=title, classname=model)
        if kind == "system-out":
            SubElement(test, kind).text = says
        else:
            SubElement(test, kind, message=says)
    xml: bytes = tostring(suites, encoding="utf-8", xml_declaration=True)
    return xml


def _junit_element(verdict: GateVerdict, undecided: Undecided | None) -> str:
    open_ = verdict.outcome == "undecided"
    if not verdict.passed or (open_ and undecided is None):
        return "failure"
    return "skipped" if open_ else "system-out"
