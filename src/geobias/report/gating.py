"""Limits on metrics, and whether a run keeps to them. Noise fails no build.

A limit is broken when the whole 95% interval lies beyond it; with `strict`, when any of it does. A
metric without an interval says nothing either way: it breaks no limit, and with `strict` it keeps
to none. What cannot be measured keeps to no limit: a model that talks nonsense must not pass a gate
on bias. Nor does a run that is not complete: what is still to be asked may change every number. A
model that was not put to the metric's probe is named, and fails with `strict`.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from geobias.errors import BadRequest
from geobias.probes.registry import all_probes
from geobias.results.findings import Findings, Metric, Section
from geobias.results.formatting import metric_value
from geobias.results.text import one_line

Bound = Literal["max", "min", "within"]
BOUNDS: tuple[Bound, ...] = ("max", "min", "within")


class Limit(msgspec.Struct, frozen=True):
    """A metric's name, and the most ("max") or least ("min") it may be; "within" is of its size,
    whatever its sign.
    """

    metric: str
    bound: Bound
    value: float

    def __str__(self) -> str:
        sign = {"max": "≤", "min": "≥", "within": "within ±"}[self.bound]
        return f"{self.metric} {sign} {self.value:g}"


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """A limit held against one model's metric; `says` is the reason in words.

    `asked` is False where the model was not put to the metric's probe; `measurable` is False where
    there is no number to hold against the limit; `missing` counts what was planned for the probe
    and is not asked yet.
    """

    limit: Limit
    model: str
    passed: bool
    asked: bool = True
    measurable: bool
    value: float | None
    low: float | None
    high: float | None
    n: int
    missing: int
    says: str


def verdicts(
    findings: Findings,
    limits: Sequence[Limit],
    *,
    strict: bool = False,
    allow_unmeasurable: bool = False,
    allow_unfinished: bool = False,
) -> list[Verdict]:
    """Each limit for each model, with or without the metric, with or without its probe.

    A name that no metric has, or a probe that was not run at all, is a `BadRequest`.
    """
    found = []
    for limit in limits:
        sections = [one for one in findings.sections if one.probe == _probe(limit.metric)]
        if not sections or limit.metric not in _names(findings):
            raise BadRequest(_unknown(limit.metric, findings))
        for section in sections:
            metric = next((one for one in section.metrics if one.name == limit.metric), None)
            found.append(
                _verdict(limit, section, metric, strict, allow_unmeasurable, allow_unfinished)
            )
        asked = {one.model for one in sections}
        found += [
            _not_asked(limit, model, passed=allow_unmeasurable or not strict)
            for model in findings.models
            if model not in asked
        ]
    return found


def _not_asked(limit: Limit, model: str, *, passed: bool) -> Verdict:
    return Verdict(
        limit=limit,
        model=model,
        passed=passed,
        asked=False,
        measurable=False,
        value=None,
        low=None,
        high=None,
        n=0,
        missing=0,
        says=f"no verdict: {_probe(limit.metric)} was not run with this model",
    )


def _probe(name: str) -> str:
    return name.partition(".")[0]


def _names(findings: Findings) -> list[str]:
    """Every metric that the probes of the findings can have."""
    known = all_probes()
    probes = {one.probe for one in findings.sections if one.probe in known}
    possible = {name for probe in probes for name in known[probe].metric_names}
    return sorted(possible | {one.name for each in findings.sections for one in each.metrics})


def _unknown(name: str, findings: Findings) -> str:
    probe = _probe(name)
    there = sorted({one.probe for one in findings.sections})
    if probe in all_probes() and probe not in there:
        return f"{name}: the run holds {', '.join(there) or 'no probe'} and no {probe}"
    near = difflib.get_close_matches(name, _names(findings), 3, 0.4)
    hint = f"did you mean {' or '.join(near)}?" if near else "see geobias gate RUN --list"
    return f"no metric is called {name!r}: {hint}"


def _verdict(
    limit: Limit,
    section: Section,
    metric: Metric | None,
    strict: bool,
    allow_unmeasurable: bool,
    allow_unfinished: bool,
) -> Verdict:
    why = list(section.why_not) if metric is None or metric.screened else []
    if metric is None:
        why.append("the run was not made to measure it")
    elif metric.value is None:
        why.append(metric.undefined_because or "it is undefined")
    if why or metric is None:
        passed = allow_unmeasurable
        says = f"not measurable, because {'; and '.join(why)}"
    else:
        passed = _keeps(limit, metric, strict)
        says = _reason(limit, metric, passed, strict)
    missing, planned = section.replies.missing, section.replies.planned
    if missing:
        passed = passed and allow_unfinished
        says += f"; not finished: {missing:,} of {planned:,} are still to be asked"
    return Verdict(
        limit=limit,
        model=section.model,
        passed=passed,
        measurable=not why,
        value=metric.value if metric else None,
        low=metric.low if metric else None,
        high=metric.high if metric else None,
        n=metric.n if metric else 0,
        missing=missing,
        says=says,
    )


def _keeps(limit: Limit, metric: Metric, strict: bool) -> bool:
    """Whether all of the interval (strict), or any of it, is on the right side of the limit.

    Without an interval the number could be any.
    """
    low, high = metric.low, metric.high
    if low is None or high is None:
        return not strict
    if limit.bound == "max":
        return (high if strict else low) <= limit.value
    if limit.bound == "min":
        return (low if strict else high) >= limit.value
    if strict:
        return max(abs(low), abs(high)) <= limit.value
    return low <= limit.value and high >= -limit.value


def _reason(limit: Limit, metric: Metric, passed: bool, strict: bool) -> str:
    found = f"{metric_value(metric, 3)} over {metric.n:,} {metric.counted}"
    if metric.low is None or metric.high is None:
        return f"{found}: too few units for an interval, so that {limit} is undecided"
    if strict:
        word = "all of the interval is" if passed else "not all of the interval is"
        return f"{found}: {word} within the limit {limit}"
    word = "at least a part of the interval is" if passed else "the whole interval is"
    side = "within" if passed else "beyond"
    return f"{found}: {word} {side} the limit {limit}"


def parse_limits(bound: Bound, texts: Iterable[str]) -> list[Limit]:
    """Limits as they are written on the command line: "PROBE.region_disparity=0.15"."""
    limits = []
    for text in texts:
        name, _, number = text.partition("=")
        try:
            value = float(number)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise BadRequest(
                f"--{bound} {text}: write METRIC=NUMBER, such as PROBE.region_disparity=0.15"
            )
        limits.append(Limit(name.strip(), bound, value))
    return limits


def read_limits(toml: bytes, source: str) -> list[Limit]:
    """Limits in a TOML file: tables [max], [min], [within] of metric = number.

    A metric's name may stand in quotes, or plainly, since a dot in TOML makes tables of tables.
    """
    try:
        read = msgspec.toml.decode(toml)
    except (msgspec.DecodeError, UnicodeDecodeError, ValueError) as error:
        raise BadRequest(f"{source} is not TOML: {error}") from None
    if unknown := sorted(read.keys() - set(BOUNDS)):
        raise BadRequest(
            f"{source}: no limit is called {unknown[0]!r}; there are [max], [min], [within]"
        )
    limits: list[Limit] = []
    for bound in BOUNDS:
        if bound in read:
            limits += _flat(bound, read[bound], "", source)
    if not limits:
        raise BadRequest(f"{source} sets no limit; write [max] and below it METRIC = NUMBER")
    return limits


def _flat(bound: Bound, table: object, prefix: str, source: str) -> list[Limit]:
    if isinstance(table, dict):
        inside = ((f"{prefix}.{key}".lstrip("."), value) for key, value in table.items())
        return [limit for name, value in inside for limit in _flat(bound, value, name, source)]
    if isinstance(table, bool) or not isinstance(table, int | float):
        raise BadRequest(f"{source}: [{bound}] {prefix} is not a number")
    if not math.isfinite(table):
        raise BadRequest(f"{source}: [{bound}] {prefix} = {table} is no limit; write a number")
    return [Limit(prefix, bound, float(table))]


def junit(found: Sequence[Verdict]) -> bytes:
    """The verdicts as JUnit XML, as continuous integration shows them."""
    from xml.etree.ElementTree import Element, SubElement, tostring

    failed = sum(not one.passed for one in found)
    skipped = sum(one.passed and not one.asked for one in found)
    about = {"name": "geobias gate", "tests": str(len(found)), "failures": str(failed)}
    suites = Element("testsuites", about)
    suite = SubElement(suites, "testsuite", about | {"errors": "0", "skipped": str(skipped)})
    for one in found:
        case = SubElement(
            suite, "testcase", name=one_line(str(one.limit)), classname=one_line(one.model)
        )
        if not one.passed:
            SubElement(case, "failure", message=one_line(one.says)).text = one_line(one.says)
        elif not one.asked:
            SubElement(case, "skipped", message=one_line(one.says))
        else:
            SubElement(case, "system-out").text = one_line(one.says)
    xml: bytes = tostring(suites, encoding="utf-8", xml_declaration=True)
    return xml
