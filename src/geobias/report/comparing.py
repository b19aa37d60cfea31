"""Compare a run with one or several others, on the items that they share.

The probe decides how items are paired and what is compared (`derived.comparison`).

Runs that differ in their truth or prompts are not compared, and other differences are named
(`probes.differences`). If only the choice of questions differs, those that both runs asked are
compared.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import polars as pl

from geobias.errors import BadRequest
from geobias.probes import derived
from geobias.probes.differences import differences
from geobias.probes.registry import AnyProbe, all_probes
from geobias.report.records import SIMULATED, answers_of, labelled
from geobias.results.changes import Change, ComparisonRule
from geobias.results.findings import reasons
from geobias.runfile import Manifest, RunReader
from geobias.version import __version__

SCHEMA = 1


class Differences(msgspec.Struct, frozen=True):
    """The differences between two runs of a probe, in words.

    forbidding  differences because of which the runs must not be compared
    telling     differences that may cause a difference of results
    choosing    differences in the choice of items; shared items can be compared
    """

    forbidding: list[str]
    telling: list[str]
    choosing: list[str]


class Pair(msgspec.Struct, frozen=True, kw_only=True):
    """The comparison of two runs of one probe.

    Of the `shared` trials, `read` could be read in both runs; differences of scores rest on these
    alone. `cautions` say why a difference may mean less than it seems.
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
    cautions: list[str] = []


class Compared(msgspec.Struct, frozen=True, kw_only=True):
    """All comparisons. `left_out` are shared probes that declare no comparison."""

    schema: int
    geobias: str
    pairs: list[Pair]
    left_out: list[str] = []


def differing(probe: AnyProbe, first: Manifest, second: Manifest) -> Differences:
    found = Differences([], [], [])
    lists = {"truth": found.forbidding, "items": found.choosing}
    for one in differences(probe, [first, second]):
        lists.get(one.bears, found.telling).append(str(one))
    return found


def compare(
    runs: Sequence[RunReader], *, anyway: bool = False, probes: Sequence[str] | None = None
) -> Compared:
    """Compare the first run with each of the others, in every shared probe or only in `probes`.

    Raises `BadRequest` with the reason if two runs must not be compared, unless `anyway`.
    """
    if len(runs) < 2:
        raise BadRequest("name two runs or more: the first is compared with each of the others")
    first, *others = labelled(runs)
    pairs = [
        _pair(probe, rule, first, second, anyway)
        for second in others
        for probe in all_probes().values()
        if (rule := derived.comparison(probe)) is not None
        and (probes is None or probe.name in probes)
        and all(probe.name in run.manifest().probes for run, _ in (first, second))
    ]
    held = first[0].manifest().probes.keys()
    shared = held & {name for run, _ in others for name in run.manifest().probes}
    left_out = [name for name in sorted(shared) if _has_no_rule(name)]
    if not pairs:
        why = f" ({', '.join(left_out)} declares no comparison)" if left_out else ""
        each = "; ".join(f"{run.path} has {', '.join(run.manifest().probes)}" for run in runs)
        raise BadRequest(f"the runs share no probe whose runs can be compared{why}: {each}")
    return Compared(schema=SCHEMA, geobias=__version__, pairs=pairs, left_out=left_out)


def _has_no_rule(name: str) -> bool:
    probe = all_probes().get(name)
    return probe is not None and derived.comparison(probe) is None


def _pair(
    probe: AnyProbe,
    rule: ComparisonRule,
    first: tuple[RunReader, str],
    second: tuple[RunReader, str],
    anyway: bool,
) -> Pair:
    (first_run, first_label), (second_run, second_label) = first, second
    differs = differing(probe, first_run.manifest(), second_run.manifest())
    if differs.forbidding and not anyway:
        raise BadRequest(
            f"{first_label} and {second_label} are not comparable in {probe.name}, since they "
            f"differ in {'; '.join(differs.forbidding)}; --anyway compares them all the same"
        )
    answers = answers_of(probe, [(first_run, ""), (second_run, "")], {})
    frames = [each.frame for each in answers]
    shared = frames[0].join(frames[1], on=rule.keys, how="inner", suffix="_2", nulls_equal=True)
    why_not = [reasons(probe.screens(each)) for each in answers]
    return Pair(
        probe=probe.name,
        first=first_label,
        second=second_label,
        differs=differs,
        why_not_first=why_not[0],
        why_not_second=why_not[1],
        shared=_trials(shared),
        read=_trials(shared.filter(rule.read())),
        only_first=_trials(frames[0]) - _trials(shared),
        only_second=_trials(frames[1]) - _trials(shared),
        missing_first=_missing(first_run, probe.name),
        missing_second=_missing(second_run, probe.name),
        changes=rule.changes(shared),
        cautions=_cautions(probe.name, [first_run.manifest(), second_run.manifest()]),
    )


def _trials(frame: pl.DataFrame) -> int:
    """The number of different trials in a frame, in which a game has a row for each setting."""
    return frame["trial"].n_unique()


def _cautions(probe: str, manifests: Sequence[Manifest]) -> list[str]:
    small = any(one.probes[probe].get("size") == "quick" for one in manifests)
    simulated = any(one.models.get("model", "").startswith(SIMULATED) for one in manifests)
    return [
        *(["a run of size quick shows only large changes"] if small else []),
        *(["a simulated model says nothing about a real one"] if simulated else []),
    ]


def _missing(run: RunReader, probe: str) -> int:
    manifest = run.manifest()
    return max(0, manifest.planned.get(probe, 0) - manifest.done(run.done()).get(probe, 0))
