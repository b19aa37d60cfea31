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
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from geobias.errors import BadRequest
from geobias.probes import derived
from geobias.probes.registry import all_probes
from geobias.report.comparing import compare, differences
from geobias.report.findings import collect
from geobias.report.records import Given, labelled
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
    """How much worse a metric is than in the baseline, for a limit on worsening.

    metric   the metric with the worsening as its value, or None
    why_not  why the baseline cannot be measured
    missing  number of trials that the baseline run has not finished
    """

    metric: Metric | None
    why_not: list[str]
    missing: int


_Since: TypeAlias = tuple[dict[str, Change], list[str], int]
"""The change of each metric, and the baseline's `why_not` and `missing` as in `Worsened`."""
Baseline: TypeAlias = "Sequence[RunReader] | Findings"
"""Earlier runs: their files, or the findings in their report.json."""
MOST_REPORT_BYTES = 200_000_000


def read_report(path: Path) -> Findings:
    """Read the findings from a report.json."""
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
    given: Given | None = None,
    anyway: bool = False,
) -> dict[tuple[str, str], Worsened]:
    """Return (model, metric) → worsening since the baseline, for each limit on worsening.

    `findings` are the findings of `runs`. Raises `BadRequest` if the baseline lacks a probe or a
    model, or if the runs must not be compared. `anyway` allows the comparison.
    """
    check_baseline(baseline, limits)
    names = _worse(limits)
    found = {}
    for run, model in labelled(runs):
        for probe in sorted(_probes_of(names) & run.manifest().probes.keys()):
            section = findings.section(probe, model)
            if section is None:
                continue
            own = [name for name in names if name.partition(".")[0] == probe]
            earlier = _earlier(baseline, probe, run.manifest().models["model"])
            if isinstance(earlier, Run):
                assert isinstance(baseline, Findings)
                was = baseline.section(probe, earlier.model)
                changes, why_not, missing = _since_report(
                    earlier, was, run, section, own, anyway=anyway
                )
            else:
                was = _section_before(earlier, section, own, given or {})
                changes, why_not, missing = _since_run(earlier, run, probe, own, anyway=anyway)
            before = {metric.name: metric for metric in was.metrics} if was else {}
            why_not = [f"of the baseline, {why}" for why in why_not]
            for name in own:
                now = metric_of(section, name)
                worse = now and _worsening(now, before.get(name), changes.get(name))
                found[model, name] = Worsened(worse, why_not, missing)
    return found


def _probes_of(names: Iterable[str]) -> set[str]:
    return {name.partition(".")[0] for name in names}


def _since_run(
    baseline: RunReader, run: RunReader, probe: str, names: Sequence[str], *, anyway: bool
) -> _Since:
    """Compute the paired changes since an earlier run.

    Raises `BadRequest` for a limit on a metric whose change is not computed.
    """
    [pair] = compare([baseline, run], anyway=anyway, probes=[probe]).pairs
    changes = {one.metric: one for one in reversed(pair.changes) if one.by in ("all", "gap")}
    _check_changes(probe, names, _compared_by(probe) or changes.keys())
    return changes, pair.why_not_first, pair.missing_first


def _compared_by(probe: str) -> Collection[str]:
    """Return the metrics whose change the probe computes; empty if not known beforehand."""
    rule = derived.comparison(all_probes()[probe])
    return rule.metrics if rule is not None else ()


def _check_changes(probe: str, names: Sequence[str], told: Collection[str]) -> None:
    """Raise `BadRequest` for a metric of the probe whose change is not computed (not in `told`)."""
    possible = derived.metric_names(all_probes()[probe])
    for name in names:
        if name in possible and name not in told:
            known = ", ".join(one for one in possible if one in told)
            raise BadRequest(f"--worse does not apply to {name}, only to {known}")


def _since_report(
    earlier: Run,
    before: Section | None,
    run: RunReader,
    section: Section,
    names: Sequence[str],
    *,
    anyway: bool,
) -> _Since:
    """Compute the changes since an earlier report. Its answers cannot be paired."""
    if not anyway:
        _check_comparable(earlier, run.manifest(), section.probe)
    if before is None:
        return {}, [], 0
    pairs = [(metric_of(before, name), metric_of(section, name)) for name in names]
    changes = [_unpaired(was, now) for was, now in pairs if was and now]
    missing = earlier.planned.get(section.probe, 0) - earlier.done.get(section.probe, 0)
    return {one.metric: one for one in changes if one}, before.why_not, max(0, missing)


def _check_comparable(earlier: RunReader | Run, run: Manifest, probe: str) -> None:
    """Raise `BadRequest` if a run must not be compared with an earlier one."""
    if isinstance(earlier, Run):
        manifest = Manifest(**{name: getattr(earlier, name) for name in _OF_MANIFEST})
    else:
        manifest = earlier.manifest()
    differs = differences(manifest, run, all_probes()[probe])
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

    `planned` are runs that have not been made yet. They must be comparable with the baseline.
    """
    planned, names = list(planned), _worse(limits)
    for probe in sorted(_probes_of(names)):
        _having(baseline, probe)
        if not isinstance(baseline, Findings) and (told := _compared_by(probe)):
            _check_changes(probe, [one for one in names if one.startswith(f"{probe}.")], told)
        for run in planned:
            _check_comparable(_earlier(baseline, probe, run.models["model"]), run, probe)


def _worse(limits: Sequence[Limit]) -> list[str]:
    """Return the metrics that have a limit on worsening."""
    return list(dict.fromkeys(limit.metric for limit in limits if limit.bound == "worse"))


def _earlier(baseline: Baseline, probe: str, model: str) -> RunReader | Run:
    """Return the run of the baseline to compare a model's run of a probe with.

    If several runs have the probe, the run of the same model is returned.
    """
    having = _having(baseline, probe)
    same = [one for one, name in having if name == model] if len(having) > 1 else [having[0][0]]
    if len(same) != 1:
        held = ", ".join(dict.fromkeys(name for _, name in having))
        raise BadRequest(
            f"the baseline holds {len(having)} runs of {probe} ({held}), {len(same)} of them on "
            f"{model}; name the run file to compare with"
        )
    return same[0]


def _having(baseline: Baseline, probe: str) -> list[tuple[RunReader | Run, str]]:
    """Return the baseline's runs of a probe, each with the name of its model."""
    runs = baseline.runs if isinstance(baseline, Findings) else baseline
    facts = [(one, one if isinstance(one, Run) else one.manifest()) for one in runs]
    having = [(one, fact.models.get("model", "")) for one, fact in facts if probe in fact.probes]
    if not having:
        held = ", ".join(dict.fromkeys(name for _, fact in facts for name in fact.probes))
        raise BadRequest(
            f"the baseline holds {held or 'no probe'} and no {probe}: name a run of {probe}"
        )
    return having


def _section_before(
    baseline: RunReader, now: Section, names: Sequence[str], given: Given
) -> Section | None:
    """Compute the findings of an earlier run, or return None if no limit needs them.

    They take time, and only a limit on a metric whose best value is 0 needs them.
    """
    signed = {one.name for one in now.metrics if one.better == "zero"}
    if not signed.intersection(names):
        return None
    return collect([baseline], given=given, probes={now.probe}, brief=True).sections[0]


def _worsening(now: Metric, before: Metric | None, change: Change | None) -> Metric:
    worse = partial(msgspec.structs.replace, now, low=None, high=None, better="low")
    if change is None or change.difference is None:
        return worse(value=None, n=0, undefined_because=NO_CHANGE)
    value, low, high = change.difference, change.difference_low, change.difference_high
    assert value is not None
    if low is None and change.p == 1 and value == 0:
        low = high = 0.0  # no unit changed, so their mean did not
    farther = abs(change.second or 0.0) - abs(change.first or 0.0)
    value = {"low": value, "high": -value, "zero": farther}[now.better]
    if low is None or high is None:
        return worse(value=value, n=change.n, undefined_because="")
    if now.better == "high":
        low, high = -high, -low
    elif now.better == "zero":
        low, high = _farther_from_zero((low, high), before, now)
    return worse(
        value=value,
        low=low,
        high=high,
        n=change.n,
        counted=change.counted or now.counted,
        undefined_because="",
    )


def _farther_from_zero(
    change: tuple[float, float], before: Metric | None, now: Metric
) -> tuple[float, float]:
    """The interval of |now| − |before|, from the intervals of now − before, before and now.

    If both intervals lie above 0, the result is the interval of the change. If both lie below 0,
    its sign is turned. Otherwise it is the widest range that all three intervals allow, since the
    distance from 0 changes by at most the change itself (the triangle inequality).
    """
    ends = [
        (one.low, one.high)
        for one in (before, now)
        if one is not None and one.low is not None and one.high is not None
    ]
    most = max(map(abs, change))
    if len(ends) < 2:
        return -most, most
    if all(low > 0 for low, _ in ends):
        return change
    if all(high < 0 for _, high in ends):
        return -change[1], -change[0]
    (before_least, before_most), (now_least, now_most) = map(_sizes, ends)
    return max(-most, now_least - before_most), min(most, now_most - before_least)


def _sizes(interval: tuple[float, float]) -> tuple[float, float]:
    """The smallest and the largest absolute value in the interval."""
    low, high = interval
    return 0.0 if low <= 0 <= high else min(abs(low), abs(high)), max(abs(low), abs(high))
