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
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

import msgspec

from geobias.errors import BadRequest
from geobias.probes.registry import all_probes
from geobias.results.findings import Findings, Metric, Section
from geobias.results.formatting import metric_value
from geobias.results.metrics import metric_of
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


class GateVerdict(msgspec.Struct, frozen=True, kw_only=True):
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
    strict: bool = False,
    allow_unmeasurable: bool = False,
    allow_unfinished: bool = False,
) -> list[GateVerdict]:
    """Each limit for each model, with or without the metric, with or without its probe.

    A name that no metric has, or a probe that was not run at all, is a `BadRequest`.
    """
    results = []
    for limit in limits:
        probe = limit.metric.partition(".")[0]
        sections = [section for section in findings.sections if section.probe == probe]
        if not sections or limit.metric not in _metric_names(findings):
            raise BadRequest(_unknown(limit.metric, probe, findings))
        results += [
            _verdict(limit, section, strict, allow_unmeasurable, allow_unfinished)
            for section in sections
        ]
        results += [
            GateVerdict(
                limit=limit,
                model=model,
                passed=allow_unmeasurable or not strict,
                asked=False,
                measurable=False,
                says=f"no verdict: {probe} was not run with this model",
            )
            for model in findings.models
            if model not in {section.model for section in sections}
        ]
    return results


def _metric_names(findings: Findings) -> list[str]:
    known = all_probes()
    probes = {section.probe for section in findings.sections if section.probe in known}
    possible = {name for probe in probes for name in known[probe].metric_names}
    present = {metric.name for section in findings.sections for metric in section.metrics}
    return sorted(possible | present)


def _unknown(name: str, probe: str, findings: Findings) -> str:
    there = sorted({section.probe for section in findings.sections})
    if probe in all_probes() and probe not in there:
        return f"{name}: the run holds {', '.join(there) or 'no probe'} and no {probe}"
    near = difflib.get_close_matches(name, _metric_names(findings), 3, 0.4)
    hint = f"did you mean {' or '.join(near)}?" if near else "see geobias gate RUN --list"
    return f"no metric is called {name!r}: {hint}"


def _verdict(
    limit: Limit, section: Section, strict: bool, allow_unmeasurable: bool, allow_unfinished: bool
) -> GateVerdict:
    metric = metric_of(section, limit.metric)
    why = list(section.why_not) if metric is None or metric.screened else []
    if metric is None:
        why.append("the run was not made to measure it")
    elif metric.value is None:
        why.append(metric.undefined_because or "it is undefined")
    if why or metric is None:
        passed, says = allow_unmeasurable, f"not measurable, because {'; and '.join(why)}"
    else:
        passed = _keeps(limit, metric, strict)
        says = _reason(limit, metric, passed, strict)
    missing, planned = section.replies.missing, section.replies.planned
    if missing:
        passed = passed and allow_unfinished
        says += f"; not finished: {missing:,} of {planned:,} are still to be asked"
    return GateVerdict(
        limit=limit,
        model=section.model,
        passed=passed,
        measurable=not why,
        missing=missing,
        says=says,
        **{name: getattr(metric, name) for name in ("value", "low", "high", "n") if metric},
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
    value = f"{metric_value(metric, 3)} over {metric.n:,} {metric.counted}"
    if metric.low is None or metric.high is None:
        return f"{value}: too few units for an interval, so that {limit} is undecided"
    if strict:
        where = f"{'all' if passed else 'not all'} of the interval is within"
    elif passed:
        where = "at least a part of the interval is within"
    else:
        where = "the whole interval is beyond"
    return f"{value}: {where} the limit {limit}"


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
        limits += _limits_in(bound, read.get(bound, {}), "", source)
    if not limits:
        raise BadRequest(f"{source} sets no limit; write [max] and below it METRIC = NUMBER")
    return limits


def _limits_in(bound: Bound, value: object, name: str, source: str) -> Iterator[Limit]:
    if isinstance(value, dict):
        for key, below in value.items():
            yield from _limits_in(bound, below, f"{name}.{key}".lstrip("."), source)
    elif isinstance(value, bool) or not isinstance(value, int | float):
        raise BadRequest(f"{source}: [{bound}] {name} is not a number")
    elif not math.isfinite(value):
        raise BadRequest(f"{source}: [{bound}] {name} = {value} is no limit; write a number")
    else:
        yield Limit(name, bound, float(value))


def junit(results: Sequence[GateVerdict]) -> bytes:
    """The verdicts as JUnit XML, as continuous integration shows them."""
    from xml.etree.ElementTree import Element, SubElement, tostring

    failed = sum(not verdict.passed for verdict in results)
    skipped = sum(verdict.passed and not verdict.asked for verdict in results)
    about = {"name": "geobias gate", "tests": str(len(results)), "failures": str(failed)}
    suites = Element("testsuites", about)
    suite = SubElement(suites, "testsuite", about | {"errors": "0", "skipped": str(skipped)})
    for verdict in results:
        name, model, says = map(one_line, (str(verdict.limit), verdict.model, verdict.says))
        case = SubElement(suite, "testcase", name=name, classname=model)
        if not verdict.passed:
            SubElement(case, "failure", message=says).text = says
        elif not verdict.asked:
            SubElement(case, "skipped", message=says)
        else:
            SubElement(case, "system-out").text = says
    xml: bytes = tostring(suites, encoding="utf-8", xml_declaration=True)
    return xml
