"""Two runs, or a run and several others, on the items that they share: what changed, and where.

How items are paired and what is compared is the probe's to say (`Probe.comparison`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from geobias.errors import BadRequest
from geobias.probes.registry import AnyProbe, all_probes
from geobias.report.comparable import Differences, differences
from geobias.report.records import labels, reading_of, records_of
from geobias.results.changes import Change, ComparisonRule
from geobias.results.screens import reasons

if TYPE_CHECKING:
    from geobias.runfile import RunReader

SCHEMA = 1


class Pair(msgspec.Struct, frozen=True, kw_only=True):
    """Two runs of one probe. `shared` items were asked in both, and `read` of them could be read in
    both; the others are in no difference of scores. `missing` ones are planned and not asked yet.
    """

    probe: str
    first: str
    second: str
    differs: Differences
    why_not_first: list[str]
    why_not_second: list[str]
    shared: int
    read: int
    only_first: int
    only_second: int
    missing_first: int
    missing_second: int
    changes: list[Change]


class Compared(msgspec.Struct, frozen=True, kw_only=True):
    """The first run against each of the others, probe by probe."""

    schema: int
    geobias: str
    pairs: list[Pair]


def compare(runs: Sequence[RunReader], *, anyway: bool = False) -> Compared:
    """Compare the first run with each of the others in every probe they share.

    Runs that must not be compared are a `BadRequest` that says why, unless `anyway`.
    """
    from geobias import __version__

    if len(runs) < 2:
        raise BadRequest("name two runs or more: the first is compared with each of the others")
    (first, name), *others = labels(runs)
    pairs = [
        _pair(probe, probe.comparison, (first, name), (second, other), anyway)
        for second, other in others
        for probe in all_probes().values()
        if probe.comparison is not None
        and probe.name in first.manifest().probes
        and probe.name in second.manifest().probes
    ]
    if not pairs:
        raise BadRequest("the runs share no probe, so there is nothing to compare")
    return Compared(schema=SCHEMA, geobias=__version__, pairs=pairs)


def _pair(
    probe: AnyProbe,
    rule: ComparisonRule,
    one: tuple[RunReader, str],
    other: tuple[RunReader, str],
    anyway: bool,
) -> Pair:
    (first, name), (second, other_name) = one, other
    differs = differences(first.manifest(), second.manifest(), probe)
    if differs.forbidding and not anyway:
        raise BadRequest(
            f"{name} and {other_name} must not be compared in {probe.name}, since they differ in "
            f"{'; '.join(differs.forbidding)}; --anyway compares them all the same"
        )
    reading = reading_of(probe, {})
    answers = [probe.answers(records_of(run, probe, ""), reading) for run in (first, second)]
    frames = [one.frame for one in answers]
    both = frames[0].join(frames[1], on=rule.keys, how="inner", suffix="_2", nulls_equal=True)
    why_not = [reasons(probe.screens(one)) for one in answers]
    return Pair(
        probe=probe.name,
        first=name,
        second=other_name,
        differs=differs,
        why_not_first=why_not[0],
        why_not_second=why_not[1],
        shared=both.height,
        read=both.filter(rule.read()).height,
        only_first=frames[0].height - both.height,
        only_second=frames[1].height - both.height,
        missing_first=_missing(first, probe.name),
        missing_second=_missing(second, probe.name),
        changes=rule.changes(both),
    )


def _missing(run: RunReader, probe: str) -> int:
    manifest = run.manifest()
    return max(0, manifest.planned.get(probe, 0) - manifest.done(run.done()).get(probe, 0))
