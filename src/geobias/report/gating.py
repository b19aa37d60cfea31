"""Limits on metrics, and whether a run keeps to them. Noise fails no build.

A limit is broken when the whole 95% interval lies beyond it; with `strict`, when any of it does. A
metric without an interval is held against the limit as it is. What cannot be measured keeps to no
limit: a model that talks nonsense must not pass a gate on bias.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from geobias.errors import BadRequest
from geobias.report.findings import SECTIONS, Findings, Metric, Section
from geobias.report.metrics import written

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
    """A limit held against one model's metric; `says` is the reason in words."""

    limit: Limit
    model: str
    passed: bool
    measurable: bool
    value: float | None
    low: float | None
    high: float | None
    n: int
    says: str


def verdicts(
    findings: Findings,
    limits: Sequence[Limit],
    *,
    strict: bool = False,
    allow_unmeasurable: bool = False,
) -> list[Verdict]:
    """Each limit for each model that has its metric. A metric nobody has is a `BadRequest`."""
    found = []
    for limit in limits:
        having = [
            (section, metric)
            for section in findings.sections
            for metric in section.metrics
            if metric.name == limit.metric
        ]
        if not having:
            raise BadRequest(_unknown(limit.metric, findings))
        for section, metric in having:
            found.append(_verdict(limit, section, metric, strict, allow_unmeasurable))
    return found


def _unknown(name: str, findings: Findings) -> str:
    known = sorted({metric.name for one in findings.sections for metric in one.metrics})
    probe = name.partition(".")[0]
    there = sorted({one.probe for one in findings.sections})
    if probe in SECTIONS and probe not in there:
        return f"{name}: the run holds {', '.join(there) or 'no probe'} and no {probe}"
    near = difflib.get_close_matches(name, known, 3, 0.4)
    hint = f"did you mean {' or '.join(near)}?" if near else "see geobias gate RUN --list"
    return f"no metric is called {name!r}: {hint}"


def _verdict(
    limit: Limit, section: Section, metric: Metric, strict: bool, allow_unmeasurable: bool
) -> Verdict:
    why = list(section.why_not) if metric.screened else []
    if metric.value is None:
        why.append(metric.undefined_because or "it is undefined")
    if why:
        passed = allow_unmeasurable
        says = f"not measurable, because {'; and '.join(why)}"
    else:
        passed = _keeps(limit, metric, strict)
        says = _reason(limit, metric, passed, strict)
    return Verdict(
        limit=limit,
        model=section.model,
        passed=passed,
        measurable=not why,
        value=metric.value,
        low=metric.low,
        high=metric.high,
        n=metric.n,
        says=says,
    )


def _keeps(limit: Limit, metric: Metric, strict: bool) -> bool:
    """Whether all of the interval (strict), or any of it, is on the right side of the limit."""
    assert metric.value is not None
    low = metric.value if metric.low is None else metric.low
    high = metric.value if metric.high is None else metric.high
    if limit.bound == "max":
        return (high if strict else low) <= limit.value
    if limit.bound == "min":
        return (low if strict else high) >= limit.value
    if strict:
        return max(abs(low), abs(high)) <= limit.value
    return low <= limit.value and high >= -limit.value


def _reason(limit: Limit, metric: Metric, passed: bool, strict: bool) -> str:
    found = f"{written(metric, 3)} over {metric.n:,} {metric.counted}"
    if metric.low is None or metric.high is None:
        word = "the value itself, as it has no interval, is"
    elif strict:
        word = "all of the interval is" if passed else "not all of the interval is"
        return f"{found}: {word} within the limit {limit}"
    else:
        word = "at least a part of the interval is" if passed else "the whole interval is"
    side = "within" if passed else "beyond"
    return f"{found}: {word} {side} the limit {limit}"


def parse_limits(bound: Bound, texts: Iterable[str]) -> list[Limit]:
    """Limits as they are written on the command line: "worldbench.region_disparity=0.15"."""
    limits = []
    for text in texts:
        name, _, number = text.partition("=")
        try:
            value = float(number)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise BadRequest(
                f"--{bound} {text}: write METRIC=NUMBER, such as worldbench.region_disparity=0.15"
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
    return [Limit(prefix, bound, float(table))]


def junit(found: Sequence[Verdict]) -> bytes:
    """The verdicts as JUnit XML, as continuous integration shows them."""
    from xml.etree.ElementTree import Element, SubElement, tostring

    from geobias.report.text import one_line

    failed = sum(not one.passed for one in found)
    about = {"name": "geobias gate", "tests": str(len(found)), "failures": str(failed)}
    suites = Element("testsuites", about)
    suite = SubElement(suites, "testsuite", about | {"errors": "0", "skipped": "0"})
    for one in found:
        case = SubElement(
            suite, "testcase", name=one_line(str(one.limit)), classname=one_line(one.model)
        )
        if not one.passed:
            SubElement(case, "failure", message=one_line(one.says)).text = one_line(one.says)
        else:
            SubElement(case, "system-out").text = one_line(one.says)
    xml: bytes = tostring(suites, encoding="utf-8", xml_declaration=True)
    return xml
