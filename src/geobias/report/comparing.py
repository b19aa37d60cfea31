"""Two runs, or a run and several others, on the items that they share: what changed, and where.

Every test is paired: the same question, the same item, the same game. Differences are the second
minus the first; their intervals and p-values come from the units (countries, templates), and
p-values are adjusted for the number of rows of the same kind.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from geobias.errors import BadRequest
from geobias.probes.geo20q.scores import ENDINGS, SETTINGS
from geobias.probes.geo20q.scores import frame_of as geo20q_frame
from geobias.probes.geo20q.screens import screens as geo20q_screens
from geobias.probes.namebbq.scores import frame_of as namebbq_frame
from geobias.probes.namebbq.screens import screens as namebbq_screens
from geobias.probes.screens import Screen, reasons
from geobias.probes.worldbench.scores import frame_of as worldbench_frame
from geobias.probes.worldbench.screens import screens as worldbench_screens
from geobias.report.comparable import Differences, differences
from geobias.report.findings import labels
from geobias.stats import benjamini_hochberg, holm, paired

if TYPE_CHECKING:
    import polars as pl

    from geobias.runfile import RunReader

SCHEMA = 1
MANY = 30
"""Rows of a kind beyond which p-values are adjusted by Benjamini and Hochberg instead of Holm."""


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """What changed in one group of items.

    metric              "worldbench.error", "namebbq.bias_ambiguous" …
    by, group           of which items: "all", or "region" and which
    first, second       means over units, on the shared items alone
    difference          second minus first, with its 95% interval
    p, p_adjusted       adjusted over the rows with the same metric and `by`
    n, counted, items   units and items behind it
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


class Pair(msgspec.Struct, frozen=True, kw_only=True):
    """Two runs of one probe. `shared` items were read in both; the others are in no difference."""

    probe: str
    first: str
    second: str
    differs: Differences
    why_not_first: list[str]
    why_not_second: list[str]
    shared: int
    only_first: int
    only_second: int
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
    screens: Callable[[pl.DataFrame], list[Screen]]
    keys: tuple[str, ...]
    """Columns that say which item a row is."""
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
    frames = [how.frame(run.records(probe)) for run in (first, second)]
    both = frames[0].join(frames[1], on=how.keys, how="inner", suffix="_2", nulls_equal=True)
    return Pair(
        probe=probe,
        first=name,
        second=other,
        differs=differs,
        why_not_first=reasons(how.screens(frames[0])),
        why_not_second=reasons(how.screens(frames[1])),
        shared=both.height,
        only_first=frames[0].height - both.height,
        only_second=frames[1].height - both.height,
        changes=how.changes(both),
    )


def _worldbench(both: pl.DataFrame) -> list[Change]:
    import polars as pl

    answered = both.filter(pl.col("error").is_not_null() & pl.col("error_2").is_not_null())
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
    return found


def _namebbq(both: pl.DataFrame) -> list[Change]:
    read = both.filter(read=1, read_2=1)
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
        rows.append((str(group), found))
    adjust = benjamini_hochberg if len(rows) > MANY else holm
    together = adjust([found.p for _, found in rows])
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
        )
        for (group, found), p in zip(rows, together, strict=True)
    ]


def _geo20q(both: pl.DataFrame) -> list[Change]:
    import polars as pl

    found = []
    for setting in SETTINGS:
        ended = [pl.col(f"{setting}{end}").is_in(ENDINGS) for end in ("", "_2")]
        played = both.filter(*ended).with_columns(
            (pl.col(f"{setting}{end}") == "won").cast(pl.Float64).alias(f"won{end}")
            for end in ("", "_2")
        )
        for by in ("all", "type", "north_south", "region", "country"):
            unit = "entity" if by == "country" else "country"
            found += _changes(played, f"geo20q.success_{setting}", by, unit, "won")
    return found


PROBES: dict[str, Probe] = {
    "worldbench": Probe(
        worldbench_frame, worldbench_screens, ("indicator", "country", "repeat"), _worldbench
    ),
    "namebbq": Probe(
        namebbq_frame, namebbq_screens, ("item", "dataset", "seed", "repeat"), _namebbq
    ),
    "geo20q": Probe(geo20q_frame, geo20q_screens, ("entity", "language", "repeat"), _geo20q),
}
"""Probe → how its runs are compared."""
