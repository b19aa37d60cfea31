"""Two runs, or a run and several others, on the items that they share: what changed, and where.

Every test is paired: the same question, the same item, the same game. Differences are the second
minus the first; their intervals and p-values come from the units (countries, templates), and
p-values are adjusted for the number of rows of the same kind. Gaps between groups are followed from
run to run by `stats.gaps`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from geobias.errors import BadRequest
from geobias.probes.geo20q.analyses import HALVES, Half
from geobias.probes.geo20q.judge_scores import judge_frame_of
from geobias.probes.geo20q.judging import PROBE as JUDGE
from geobias.probes.geo20q.scores import ENDINGS, SETTINGS, TYPES
from geobias.probes.geo20q.scores import frame_of as geo20q_frame
from geobias.probes.geo20q.screens import screens as geo20q_screens
from geobias.probes.namebbq.scores import frame_of as namebbq_frame
from geobias.probes.namebbq.screens import screens as namebbq_screens
from geobias.probes.screens import Screen, reasons
from geobias.probes.worldbench.scores import frame_of as worldbench_frame
from geobias.probes.worldbench.screens import screens as worldbench_screens
from geobias.report.comparable import Differences, differences
from geobias.report.findings import labels
from geobias.stats import (
    Estimate,
    benjamini_hochberg,
    changed_gap,
    holm,
    mcnemar,
    paired,
    permuted_difference,
    two_groups,
)

if TYPE_CHECKING:
    import polars as pl

    from geobias.runfile import RunReader

SCHEMA = 1
GROUPINGS = ("region", "income")
MANY = 30
"""Rows of a kind beyond which p-values are adjusted by Benjamini and Hochberg instead of Holm."""


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """What changed in one group of items.

    metric              "worldbench.error", "namebbq.bias_ambiguous" …
    by, group           of which items: "all", or "region" and which; "gap" and between which
    first, second       means over units, on the shared items alone; gaps between the highest and
                        the lowest group are freed of noise
    difference          second minus first, with its 95% interval
    p, p_adjusted       adjusted over the rows with the same metric and `by`, and over all gaps
    n, counted, items   units and items behind it
    gained, lost        where an item is right or wrong, won or lost: items that only the second run
                        has, and only the first; `p_items` is McNemar's, which takes items as
                        independent
    """

    metric: str
    by: str
    group: str
    first: float | None
    second: float | None
    difference: float | None
    difference_low: float | None
    difference_high: float | None
    p: float | None
    p_adjusted: float | None
    n: int
    counted: str
    items: int
    gained: int | None = None
    lost: int | None = None
    p_items: float | None = None


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
        _pair(probe, first, name, second, other, anyway)
        for second, other in others
        for probe in PROBES
        if probe in first.manifest().probes and probe in second.manifest().probes
    ]
    if not pairs:
        raise BadRequest("the runs share no probe, so there is nothing to compare")
    return Compared(schema=SCHEMA, geobias=__version__, pairs=pairs)


class Probe(NamedTuple):
    """How runs of a probe are compared."""

    frame: Callable[..., pl.DataFrame]
    screens: Callable[[pl.DataFrame, RunReader], list[Screen]]
    """Those of the report, from the same frames."""
    keys: tuple[str, ...]
    """Columns that say which item a row is, and that it is the same thing in both."""
    read: Callable[[], pl.Expr]
    """Whether a shared item came to a result in both."""
    changes: Callable[[pl.DataFrame], list[Change]]
    """From the shared items, the second run's values in columns that end in `_2`."""


def _pair(
    probe: str, first: RunReader, name: str, second: RunReader, other: str, anyway: bool
) -> Pair:
    differs = differences(first.manifest(), second.manifest(), probe)
    if differs.forbidding and not anyway:
        raise BadRequest(
            f"{name} and {other} must not be compared in {probe}, since they differ in "
            f"{'; '.join(differs.forbidding)}; --anyway compares them all the same"
        )
    how = PROBES[probe]
    frames = [how.frame(run.records(probe)).sort("trial") for run in (first, second)]
    both = frames[0].join(frames[1], on=how.keys, how="inner", suffix="_2", nulls_equal=True)
    return Pair(
        probe=probe,
        first=name,
        second=other,
        differs=differs,
        why_not_first=reasons(how.screens(frames[0], first)),
        why_not_second=reasons(how.screens(frames[1], second)),
        shared=both.height,
        read=both.filter(how.read()).height,
        only_first=frames[0].height - both.height,
        only_second=frames[1].height - both.height,
        missing_first=_missing(first, probe),
        missing_second=_missing(second, probe),
        changes=how.changes(both),
    )


def _missing(run: RunReader, probe: str) -> int:
    manifest = run.manifest()
    return max(0, manifest.planned.get(probe, 0) - manifest.done(run.done()).get(probe, 0))


def _worldbench(both: pl.DataFrame) -> list[Change]:
    import polars as pl

    answered = both.filter(_answered())
    found = []
    for by in ("all", "region", "income", "indicator", "country"):
        unit = "indicator" if by == "country" else "country"
        found += _changes(answered, "worldbench.error", by, unit, "error")
    given = both.with_columns(
        (pl.col(name).is_not_null()).cast(pl.Float64).alias(f"given{end}")
        for name, end in (("value", ""), ("value_2", "_2"))
    )
    for by in ("all", "region", "income"):
        found += _changes(given, "worldbench.answered", by, "country", "given")
    gaps = [_disparity(answered, f"worldbench.{by}_disparity", by, "error") for by in GROUPINGS]
    return found + _together(gaps)


def _answered() -> pl.Expr:
    import polars as pl

    return pl.col("error").is_not_null() & pl.col("error_2").is_not_null()


def _read() -> pl.Expr:
    import polars as pl

    return (pl.col("read") == 1) & (pl.col("read_2") == 1)


def _namebbq(both: pl.DataFrame) -> list[Change]:
    read = both.filter(_read())
    found = []
    for condition, context in (("ambig", "ambiguous"), ("disambig", "disambiguated")):
        for dataset, ending in (("nationality", ""), ("name", "_names")):
            part = read.filter(condition=condition, dataset=dataset)
            metrics = [("accuracy", "right")]
            if condition == "ambig":
                metrics.append(("bias", "lean"))
            for metric, column in metrics:
                name = f"namebbq.{metric}_{context}{ending}"
                for by in ("all", "region", "nationality"):
                    found += _changes(part, name, by, "template", column)
    return found


_COUNTED = {
    "country": "economies",
    "indicator": "indicators",
    "template": "templates",
    "entity": "entities",
}


def _changes(both: pl.DataFrame, metric: str, by: str, unit: str, column: str) -> list[Change]:
    """The paired differences of one metric in each group, p-values adjusted over the groups."""
    import polars as pl

    named = both.with_columns(group=pl.lit("all") if by == "all" else pl.col(by))
    rows = []
    known = named.filter(pl.col("group").is_not_null()).sort("group", unit, "trial")
    for (group,), part in known.group_by("group", maintain_order=True):
        found = paired(
            part[column].cast(float).to_numpy(),
            part[f"{column}_2"].cast(float).to_numpy(),
            part[unit].to_numpy(),
            bounds=(-2, 2) if column == "lean" else (-1, 1),
        )
        rows.append((str(group), found, _turned(part, column)))
    adjust = benjamini_hochberg if len(rows) > MANY else holm
    together = adjust([found.p for _, found, _ in rows])
    return [
        Change(
            metric=metric,
            by=by,
            group=group,
            first=found.first,
            second=found.second,
            difference=found.difference.value,
            difference_low=found.difference.low,
            difference_high=found.difference.high,
            p=found.p,
            p_adjusted=p,
            n=found.difference.n,
            counted=_COUNTED[unit],
            items=found.items,
            **turned,
        )
        for (group, found, turned), p in zip(rows, together, strict=True)
    ]


def _turned(part: pl.DataFrame, column: str) -> dict[str, Any]:
    """How many items went from wrong to right and back, where they are one or the other."""
    if column not in ("right", "won"):
        return {}
    found = mcnemar(*(part[name].cast(bool).to_numpy() for name in (column, f"{column}_2")))
    return {"gained": found.gained, "lost": found.lost, "p_items": found.p}


class Gap(NamedTuple):
    """A gap between groups in both runs, and how it changed."""

    metric: str
    between: str
    first: float | None
    second: float | None
    change: Estimate
    p: float | None
    items: int


def _disparity(both: pl.DataFrame, metric: str, by: str, column: str) -> Gap:
    """The change of the gap between the highest and the lowest group, on country means."""
    means, items = _country_means(both, by, column)
    found = changed_gap(
        means[column].to_numpy(), means[f"{column}_2"].to_numpy(), means[by].to_list(), most=1
    )
    between = f"highest minus lowest {by}"
    return Gap(metric, between, found.first.value, found.second.value, found.change, found.p, items)


def _halves(both: pl.DataFrame, metric: str, half: Half, column: str) -> Gap:
    """The change of the gap between two halves of the world: one's mean change less the other's."""
    means, items = _country_means(both, half, column)
    sides = [means.filter(means[half] == name) for name in HALVES[half]]
    changes = [(side[f"{column}_2"] - side[column]).to_numpy() for side in sides]
    found = two_groups(*changes, bounds=(-2, 2))
    p = permuted_difference(*changes)
    gaps: list[float | None] = [None, None]
    if 0 not in found.n:
        first, second = ([_mean(side[name]) for side in sides] for name in (column, f"{column}_2"))
        gaps = [first[0] - first[1], second[0] - second[1]]
    between = " minus ".join(HALVES[half])
    return Gap(metric, between, gaps[0], gaps[1], found.difference, p, items)


def _mean(values: pl.Series) -> float:
    return float(values.to_numpy().mean())


def _country_means(both: pl.DataFrame, by: str, column: str) -> tuple[pl.DataFrame, int]:
    """Each country's means in both runs, of those that have a group; and the items behind them.

    Repeats of a question are averaged first, as in the report.
    """
    import polars as pl

    known = both.filter(pl.col("country").fill_null("") != "", pl.col(by).is_not_null())
    numbers = [pl.col(name).mean() for name in (column, f"{column}_2")]
    means = known
    for keys in (["country", by, "indicator"], ["country", by]):
        # Sums of floats must not depend on the order of rows.
        if set(keys) <= set(means.columns):
            means = means.group_by(keys, maintain_order=True).agg(numbers)
    return means.sort("country"), known.height


def _together(gaps: Sequence[Gap]) -> list[Change]:
    """The gaps that both runs have, p-values adjusted for their number."""
    known = [gap for gap in gaps if gap.change.value is not None]
    return [
        Change(
            metric=gap.metric,
            by="gap",
            group=gap.between,
            first=gap.first,
            second=gap.second,
            difference=gap.change.value,
            difference_low=gap.change.low,
            difference_high=gap.change.high,
            p=gap.p,
            p_adjusted=p,
            n=gap.change.n,
            counted=_COUNTED["country"],
            items=gap.items,
        )
        for gap, p in zip(known, holm([gap.p for gap in known]), strict=True)
    ]


def _geo20q(both: pl.DataFrame) -> list[Change]:
    import polars as pl

    found, gaps = [], []
    for setting in SETTINGS:
        played = both.filter(_ended(setting)).with_columns(
            (pl.col(f"{setting}{end}") == "won").cast(pl.Float64).alias(f"won{end}")
            for end in ("", "_2")
        )
        for by in ("all", "type", "north_south", "region", "country"):
            unit = "entity" if by == "country" else "country"
            found += _changes(played, f"geo20q.success_{setting}", by, unit, "won")
        gaps.append(_disparity(played, f"geo20q.region_disparity_{setting}", "region", "won"))
        for half in HALVES:
            for kind in TYPES.values():
                name = f"geo20q.{half}_gap_{kind}_{setting}"
                gaps.append(_halves(played.filter(type=kind), name, half, "won"))
    return found + _together(gaps)


def _ended(*settings: str) -> pl.Expr:
    """Whether a game came to an end in both runs, in one of the settings."""
    import polars as pl

    return pl.any_horizontal(
        pl.col(name).is_in(ENDINGS) & pl.col(f"{name}_2").is_in(ENDINGS) for name in settings
    )


def _games_screens(frame: pl.DataFrame, run: RunReader) -> list[Screen]:
    return geo20q_screens(frame, judge_frame_of(run.records(JUDGE)).sort("trial"))


PROBES: dict[str, Probe] = {
    "worldbench": Probe(
        worldbench_frame,
        lambda frame, run: worldbench_screens(frame),
        ("indicator", "country", "repeat"),
        _answered,
        _worldbench,
    ),
    "namebbq": Probe(
        namebbq_frame,
        lambda frame, run: namebbq_screens(frame),
        ("item", "dataset", "seed", "repeat"),
        _read,
        _namebbq,
    ),
    # Users' tables number their entities as they like: an id alone is not the same entity.
    "geo20q": Probe(
        geo20q_frame,
        _games_screens,
        ("entity", "name", "type", "country", "language", "repeat"),
        lambda: _ended(*SETTINGS),
        _geo20q,
    ),
}
"""Probe → how its runs are compared."""
