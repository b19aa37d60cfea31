"""Compare a run's metrics with limits, and with an earlier run as the baseline.

The worsening w of a metric depends on which values are good:

    low is good                 w is how much larger the metric is
    high is good                w is how much smaller the metric is
    0 is best (bias or gap)     w is how much farther from 0 the metric is

The interval of w is the interval of the paired change in `geobias compare`, on the items that both
runs have, so what the runs share cancels out. Comparing the upper end of this interval with a
margin is the usual test of non-inferiority (Piaggio et al. 2012, CONSORT), at 2.5% one-sided.

The baseline may also be a report.json, which has no answers to pair. Its estimates are then treated
as independent of the new run's, and the interval of the difference is computed from the two
intervals (Zou and Donner 2008). It is wider than a paired interval.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from geobias.errors import BadRequest
from geobias.probes import derived
from geobias.probes.registry import all_probes
from geobias.report.comparing import compare, differing
from geobias.report.records import labelled, short_name
from geobias.results.changes import Change
from geobias.results.findings import Findings, Metric, Run, Section
from geobias.results.tables import metric_of
from geobias.runfile import Manifest, RunReader
from geobias.untrusted import Undecodable, bytes_of, in_words, text_of, toml_value

Bound = Literal["max", "min", "within", "worse"]
BOUNDS: tuple[Bound, ...] = ("max", "min", "within", "worse")


class Limit(msgspec.Struct, frozen=True):
    """A limit on a metric.

    max, min  the value must be at most, or at least, this
    within    the metric must lie between −value and value
    worse     the metric may be worse than in the baseline run by at most this much
    """

    metric: str
    bound: Bound
    value: float

    def __str__(self) -> str:
        sign = {"max": "≤", "min": "≥", "within": "within ±", "worse": "worse by ≤"}[self.bound]
        return f"{self.metric} {sign} {self.value:g}"

    @property
    def allowed(self) -> tuple[float, float]:
        """The lowest and the highest allowed value."""
        least = {"min": self.value, "within": -self.value}.get(self.bound, -math.inf)
        return least, math.inf if self.bound == "min" else self.value


def parse_limits(bound: Bound, texts: Iterable[str]) -> list[Limit]:
    """Parse limits from the command line, each like "PROBE.region_disparity=0.15"."""
    limits = []
    for text in texts:
        name, _, number = text.partition("=")
        try:
            value = float(number)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            metric = name.strip() or "METRIC"
            raise BadRequest(f"--{bound} {text}: write METRIC=NUMBER, such as {metric}=0.5")
        limits.append(Limit(name.strip(), bound, value))
    return limits


def read_limits(path: Path) -> list[Limit]:
    """Read limits from TOML tables [max], [min], [within], [worse] of metric = number."""
    try:
        table = toml_value(text_of(path), dict[str, object])
    except Undecodable as error:
        raise BadRequest(f"{path}: {error}") from None
    return limits_from(table, str(path))


def limits_from(read: Mapping[str, object], source: str) -> list[Limit]:
    """Return the limits in a mapping like {"max": {"worldbench.error": 0.4}}.

    TOML reads a dot in a key as a nested table, so a metric's name may be spread over several
    tables.
    """
    if unknown := sorted(read.keys() - set(BOUNDS)):
        tables = ", ".join(f"[{bound}]" for bound in BOUNDS)
        raise BadRequest(f"{source}: no limit is called {unknown[0]!r}; choose from {tables}")
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
    elif not name:
        raise BadRequest(f"{source}: {bound} is not a table; write [{bound}] and METRIC = NUMBER")
    elif isinstance(value, bool) or not isinstance(value, int | float):
        raise BadRequest(f"{source}: [{bound}] {name} is not a number")
    elif not math.isfinite(value):
        raise BadRequest(f"{source}: [{bound}] {name} = {value} is not a limit; write a number")
    else:
        yield Limit(name, bound, float(value))


NO_CHANGE = "the items that both runs share do not show how it changed"


class Worsened(NamedTuple):
    """A metric with its worsening as the value, or None. `why_not` says why the baseline cannot be
    measured, and `missing` counts the trials that it has not finished.
    """

    metric: Metric | None
    why_not: list[str]
    missing: int


Baseline: TypeAlias = "Sequence[RunReader] | Findings"
"""Earlier runs: their files, or the findings in their report.json."""
MOST_REPORT_BYTES = 200_000_000


def read_report(path: Path) -> Findings:
    try:
        return msgspec.json.decode(bytes_of(path, MOST_REPORT_BYTES), type=Findings)
    except (Undecodable, msgspec.DecodeError) as error:
        raise BadRequest(f"{path} is not a report.json of geobias: {in_words(error)}") from None


def worsened(
    runs: Sequence[RunReader],
    baseline: Baseline,
    findings: Findings,
    limits: Sequence[Limit],
    *,
    anyway: bool = False,
) -> dict[tuple[str, str], Worsened]:
    """Return (model, metric) → worsening since the baseline, for each limit on worsening.

    `findings` are the findings of `runs`. Raises `BadRequest` if the baseline lacks a probe or a
    model, or if the runs must not be compared. `anyway` allows the comparison.
    """
    check_baseline(baseline, limits)
    found = {}
    for run, model in labelled(runs):
        for probe, names in _worse(limits).items():
            section = findings.section(probe, model)
            if section is None or probe not in run.manifest().probes:
                continue
            earlier = _earlier(baseline, probe, run.manifest().models["model"])
            if isinstance(earlier, Run):
                assert isinstance(baseline, Findings)
                before = baseline.section(probe, earlier.model)
                if not anyway:
                    _check_comparable(earlier, run.manifest(), probe)
                changes = _unpaired_changes(before, section, names)
                why_not = before.why_not if before else []
                missing = earlier.planned.get(probe, 0) - earlier.done.get(probe, 0)
            else:
                [pair] = compare([earlier, run], anyway=anyway, probes=[probe]).pairs
                totals = (one for one in reversed(pair.changes) if one.by in ("all", "gap"))
                changes = {one.metric: one for one in totals}
                why_not, missing = pair.why_not_first, pair.missing_first
            why_not = [f"of the baseline, {why}" for why in why_not]
            for name in names:
                now = metric_of(section, name)
                worse = now and _worsening(now, changes.get(name))
                found[model, name] = Worsened(worse, why_not, max(0, missing))
    return found


def _unpaired_changes(
    before: Section | None, now: Section, names: Iterable[str]
) -> dict[str, Change]:
    pairs = [(metric_of(before, name), metric_of(now, name)) for name in names] if before else []
    changes = (_unpaired(first, second) for first, second in pairs if first and second)
    return {change.metric: change for change in changes if change}


def _check_comparable(earlier: RunReader | Run, run: Manifest, probe: str) -> None:
    """Raise `BadRequest` if a run must not be compared with an earlier one."""
    if isinstance(earlier, Run):
        manifest = Manifest(**{name: getattr(earlier, name) for name in _OF_MANIFEST})
    else:
        manifest = earlier.manifest()
    differs = differing(all_probes()[probe], manifest, run)
    forbidding = differs.forbidding
    if isinstance(earlier, Run):  # its answers cannot be paired, so the items must be the same
        forbidding = forbidding + differs.choosing
    if forbidding:
        raise BadRequest(
            f"the baseline is not comparable in {probe}, since it differs in "
            f"{'; '.join(forbidding)}; --anyway compares it all the same"
        )


_OF_MANIFEST = ("geobias", "created", "probes", "models", "editions", "prompts", "planned")


def _unpaired(first: Metric, second: Metric) -> Change | None:
    """The difference of two independent metrics, or None if one of them has no value."""
    if first.value is None or second.value is None:
        return None
    value, low, high = second.value - first.value, None, None
    if not (first.low is None or first.high is None or second.low is None or second.high is None):
        low = value - math.hypot(second.value - second.low, first.high - first.value)
        high = value + math.hypot(second.high - second.value, first.value - first.low)
    return Change(
        metric=second.name,
        by="all",
        group="all",
        first=first.value,
        second=second.value,
        difference=value,
        difference_low=low,
        difference_high=high,
        n=second.n,
        counted=second.counted,
    )


def check_baseline(
    baseline: Baseline, limits: Sequence[Limit], planned: Iterable[Manifest] = ()
) -> None:
    """Raise `BadRequest` if the baseline lacks a run that a limit on worsening needs.

    The change of the metric must be computed, too. `planned` are runs that have not been made yet.
    They must be comparable with the baseline.
    """
    planned = list(planned)
    for probe, names in _worse(limits).items():
        _having(baseline, probe)
        possible, rule = (
            derived.metric_names(all_probes()[probe]),
            derived.comparison(all_probes()[probe]),
        )
        compared = rule.metrics if rule else ()
        for name in names:
            if name in possible and name not in compared and not isinstance(baseline, Findings):
                known = ", ".join(one for one in possible if one in compared)
                raise BadRequest(f"--worse does not apply to {name}, only to {known}")
        for run in planned:
            _check_comparable(_earlier(baseline, probe, run.models["model"]), run, probe)


def _worse(limits: Sequence[Limit]) -> dict[str, list[str]]:
    """Probe → its metrics that have a limit on worsening."""
    names: dict[str, list[str]] = {}
    for metric in dict.fromkeys(limit.metric for limit in limits if limit.bound == "worse"):
        names.setdefault(metric.partition(".")[0], []).append(metric)
    return dict(sorted(names.items()))


def _earlier(baseline: Baseline, probe: str, model: str) -> RunReader | Run:
    """The run to compare with: of several that have the probe, the one of the same model."""
    having = _having(baseline, probe)
    model = short_name(model) if isinstance(baseline, Findings) else model
    same = [one for one, name in having if name == model] if len(having) > 1 else [having[0][0]]
    if len(same) != 1:
        held = ", ".join(dict.fromkeys(name for _, name in having))
        raise BadRequest(
            f"the baseline holds {len(having)} runs of {probe} ({held}), {len(same)} of them on "
            f"{model}; name the run file to compare with"
        )
    return same[0]


def _having(baseline: Baseline, probe: str) -> list[tuple[RunReader | Run, str]]:
    runs = baseline.runs if isinstance(baseline, Findings) else baseline
    facts = [(one, one if isinstance(one, Run) else one.manifest()) for one in runs]
    having = [(one, fact.models.get("model", "")) for one, fact in facts if probe in fact.probes]
    if not having:
        held = ", ".join(dict.fromkeys(name for _, fact in facts for name in fact.probes))
        raise BadRequest(
            f"the baseline holds {held or 'no probe'} and no {probe}: name a run of {probe}"
        )
    return having


def _worsening(now: Metric, change: Change | None) -> Metric:
    worse = partial(msgspec.structs.replace, now, low=None, high=None, better="low")
    if change is None or change.difference is None:
        return worse(value=None, n=0, undefined_because=NO_CHANGE)
    value, low, high = change.difference, change.difference_low, change.difference_high
    if low is None and change.p == 1 and value == 0:
        low = high = 0.0  # no unit changed, so their mean did not
    farther = abs(change.second or 0.0) - abs(change.first or 0.0)
    value = {"low": value, "high": -value, "zero": farther}[now.better]
    if low is None or high is None:
        return worse(value=value, n=change.n, undefined_because="")
    if now.better == "high":
        low, high = -high, -low
    elif now.better == "zero":
        low, high = farther_from_zero((low, high), now)
    return worse(
        value=value,
        low=low,
        high=high,
        n=change.n,
        counted=change.counted or now.counted,
        undefined_because="",
    )


def farther_from_zero(change: tuple[float, float], now: Metric) -> tuple[float, float]:
    """The interval of |now| − |before|, from the intervals of the change and of now.

    |n| − |n − c| is smallest at the ends of the intervals. It is largest there too, or where the
    number was 0 before (c = n).
    """
    if now.low is None or now.high is None:
        most = max(map(abs, change))  # the distance from 0 changes by at most the change itself
        return -most, most
    ends = [abs(n) - abs(n - c) for n in (now.low, now.high) for c in change]
    from_zero = [abs(n) for n in (now.low, now.high) if change[0] <= n <= change[1]]
    return min(ends), max(ends + from_zero)
