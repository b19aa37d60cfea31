"""WorldBench's scores: mean and median errors, disparities between groups, and ranks of groups.

Repeats and paraphrases of a question are averaged first, so that every question has the same
weight, however many of its replies could be read. Medians are over questions. The paper's medians
must be over questions too, since its median for North America (0.19, with a mean of 0.33) is far
below any median of country means.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import msgspec
import polars as pl

from geobias.measures.estimates import trend_of
from geobias.measures.frames import PLACES, once_per_frame, parts_of, table_of
from geobias.measures.measure import Check, Measure, by_income
from geobias.measures.questions import questions, unit_means
from geobias.probes.tables import frame_from
from geobias.probes.worldbench.screens import shuffled_baseline
from geobias.probes.worldbench.trials import WorldBenchRecord
from geobias.results.formatting import estimate
from geobias.results.verdicts import Words
from geobias.stats.contrasts import ALL_ALIKE, MIN_UNITS, TOO_FEW_GROUPS, Pair, welch_f, widest
from geobias.stats.estimates import LEVEL, Estimate, undefined
from geobias.stats.over_units import mean_over_units, median_over_units
from geobias.trials import StoredRecord

GROUPINGS = {"region": "regions", "income": "income groups"}
"""Column of a grouping in the paper → the plural word for its groups."""
ERROR_UNIT = "error, 0 to 1"


def _moved(rows: pl.DataFrame, found: Estimate, interest: float) -> Check:
    """Check a gap by the errors against the nearest figure (see `moving`).

    It warns if changes of the figures may explain the gap `found`. There is no check if that gap is
    not significant, or cannot be compared.
    """
    if "nearest" not in rows.columns or found.value is None or (found.p or 0) >= LEVEL:
        return Check()
    means = unit_means(rows, replace(ERROR, name="error_nearest", value="nearest"))
    close = trend_of(means, ERROR, ERROR.contrasts[0])
    if close.value is None or close.p is None:
        return Check()
    value = estimate(close.value, close.low, close.high)
    said = f"against the nearest figure of any year or edition, the gap is {value}"
    if close.p >= LEVEL or abs(close.value) < interest or close.value * found.value < 0:
        # The gap that is left may be significant and still smaller than the gap of interest.
        smaller = close.p >= LEVEL or close.value / found.value < 1
        why = "moving figures may explain it" if smaller else "it is too small to matter"
        return Check(f"{said}: {why}", 1.0)
    return Check(said, close.p)


ERROR = Measure(
    name="error",
    label="Mean error",
    value="error",
    unit=ERROR_UNIT,
    better="low",
    item="indicator",
    wording="wording",
    floor="floor",
    contrasts=(
        by_income(
            "Error, poor minus rich countries",
            "Above 0: the poorer, the larger the error.",
            check=_moved,
        ),
    ),
    primary="income_trend",
    words=Words(
        above="knows poor countries less well than rich ones",
        below="knows rich countries less well than poor ones",
        gap="gap between poor and rich countries",
        size="Average error",
        scale="0 = exact, 0.5 = half or double",
    ),
    axis="average error, 0 exact to 1 wrong",
    chance=lambda frame: shuffled_baseline(frame).chance,
    note="0 is exact, 0.5 is off by a factor of two, 1 is wholly wrong. Some indicators are "
    "harder than others and lack figures for some countries: the mean allows for that. "
    "Chance is the error of the same answers shuffled among the countries. `floor` is the "
    "error of a model that knows the figures of the last years, or of another edition, "
    "perfectly.",
    spread=(0.08, 0.25),
)
"""`spread`: of beta-distributed errors with mean 0.3. No publication gives a spread."""


def frame_of(records: Iterable[StoredRecord], model: str = "") -> pl.DataFrame:
    return frame_from(records, WorldBenchRecord, model)


def _median(rows: pl.DataFrame, value: str, by: str) -> Estimate:
    """The median over questions of each group in `by`.

    The interval is over countries, or over indicators if `by` is "country".
    """
    known = questions(rows, ERROR).drop_nulls("value")
    unit = "indicator" if by == "country" else "country"
    columns = (known[name].to_numpy() for name in ("value", unit))
    return median_over_units(*columns, bounds=ERROR.bounds)


class Gap(NamedTuple):
    """A test that the means of all groups are equal, and the two groups furthest apart."""

    test: Estimate
    pair: Pair | None


@once_per_frame
def gap_between(frame: pl.DataFrame, by: str) -> Gap:
    means = unit_means(frame, ERROR)
    values, groups = means["value"].to_numpy(), means[by].to_list()
    return Gap(welch_f(values, groups), widest(values, groups, most=1))


def region_disparity(rows: pl.DataFrame, value: str = "error", by: str = "all") -> Estimate:
    """The largest minus the smallest mean of a region, with Games and Howell's interval and p.

    They allow for the choice of these two regions among all pairs.
    """
    test, pair = gap_between(rows, "region")
    if pair is None:
        few = f"fewer than two regions have {MIN_UNITS} countries with answers"
        return undefined(test.n, few if test.reason == TOO_FEW_GROUPS else ALL_ALIKE)
    return msgspec.structs.replace(pair.difference, n=test.n)


REGIONS = Measure(
    name="region_disparity",
    label="Widest gap between regions",
    value="error",
    unit="difference of mean errors",
    better="zero",
    groups=(),
    estimate=region_disparity,
    note=f"The largest minus the smallest mean error of regions, over those with {MIN_UNITS} "
    "countries or more. Noise makes it too large. Interval and p are Games and Howell's, which "
    "hold for all pairs together.",
    on_map=False,
)


MEDIAN = Measure(
    name="error_median",
    label="Median error",
    value="error",
    unit=ERROR_UNIT,
    better="low",
    estimate=_median,
    note="Of the middle question: half have a smaller error, half a larger one.",
    on_map=False,
    main=False,
)


def with_further(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with the columns that the further measures average.

    The log of a ratio is null if the answer or the figure is 0.
    """
    value, truth = pl.col("value"), pl.col("truth")
    both = (value > 0) & (truth > 0)
    apart = (value - truth).abs()
    return frame.with_columns(
        log_ratio=pl.when(both).then((value.log(10) - truth.log(10)).abs().clip(0, MOST_LOG)),
        within_10=apart <= 0.1 * truth.abs(),
        within_25=apart <= 0.25 * truth.abs(),
    )


MOST_LOG = 20.0
"""Answers that are off by more orders of magnitude count as off by this many."""
_ASIDE: dict[str, Any] = {"item": "indicator", "groups": (), "on_map": False, "main": False}
FURTHER = (
    Measure(
        name="log_ratio",
        label="Orders of magnitude off",
        value="log_ratio",
        unit="|log10 of answer over figure|, 0.3 is a factor of two",
        better="low",
        bounds=(0.0, MOST_LOG),
        missing="observed",
        **_ASIDE,
    ),
    *(
        Measure(
            name=f"within_{share}",
            label=f"Answers within {share}% of the figure",
            value=f"within_{share}",
            unit="share of answers",
            better="high",
            **_ASIDE,
        )
        for share in (10, 25)
    ),
)


# Ranks --------------------------------------------------------------------------------------------


def rank_table(
    frame: pl.DataFrame, by: str, over: Literal["indicator", "model"] = "indicator"
) -> pl.DataFrame:
    """How often each group in `by` has the smallest error, the second smallest, and so on.

    Groups are ranked within each indicator, or each model, in which all of them have an answer.
    Groups with equal means share the smaller rank. `rank` is the mean rank.
    """
    names = sorted(frame[by].drop_nulls().unique())
    ranks: dict[str, list[int]] = {name: [] for name in names}
    further = () if by in PLACES else (by,)
    for part in parts_of(frame, over).values():
        means = unit_means(part, ERROR, *further).drop_nulls([by, "value"])
        found = means.group_by(by).agg(pl.col("value").mean().round(14))
        if found.height == len(names):
            for name, rank in found.select(by, pl.col("value").rank("min")).iter_rows():
                ranks[name].append(int(rank))
    bounds = (1.0, max(2.0, len(names)))
    rows: list[dict[str, Any]] = []
    for name, own in ranks.items():
        mean = mean_over_units(own, range(len(own)), bounds=bounds)
        shares = [own.count(rank) / len(own) if own else None for rank in range(1, len(names) + 1)]
        row = {"group": name, "rank": mean} | {str(at): one for at, one in enumerate(shares, 1)}
        rows.append(row | {"compared": len(own)})
    return table_of(rows).sort("rank", "group", nulls_last=True) if rows else pl.DataFrame()
