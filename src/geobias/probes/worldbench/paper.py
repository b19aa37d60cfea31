"""The paper's disparity between groups (sections 5.1 to 5.3, Figures 5 to 9).

The disparity is the largest minus the smallest mean error of a group. A group's mean is over all
of its answered questions, and errors are not centred by indicator. Small groups count too: North
America is a region of three economies. As a baseline, the economies are divided at random into as
many groups, ten times, and the mean of the ten gaps is taken.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import polars as pl

from geobias.measures.frames import once_per_frame
from geobias.measures.measure import Measure
from geobias.measures.questions import questions
from geobias.probes.worldbench.scores import ERROR, ERROR_UNIT, GROUPINGS
from geobias.probes.worldbench.screens import deals
from geobias.stats.estimates import Estimate, undefined

DEALS = 10


class Gap(NamedTuple):
    """The paper's disparity, which has no interval, and the mean disparity of random groups."""

    disparity: Estimate
    baseline: float | None


@once_per_frame
def gap(frame: pl.DataFrame, by: str) -> Gap:
    known = questions(frame, ERROR).drop_nulls(["value", by])
    value = pl.col("value")
    means = known.group_by(by, maintain_order=True).agg(value.mean())["value"].to_numpy()
    countries = known.group_by("country").agg(value.sum(), pl.len()).sort("country")
    if len(means) < 2:
        few = f"fewer than two {GROUPINGS[by]} have answers"
        return Gap(undefined(countries.height, few), None)
    sums, counts = (countries[name].to_numpy() for name in ("value", "len"))
    # Random groups have equally many countries, or one more.
    places = np.array_split(np.arange(len(sums)), len(means))
    orders, starts = deals(len(sums), DEALS), [part[0] for part in places]
    over, under = (np.add.reduceat(one[orders], starts, axis=1) for one in (sums, counts))
    disparity = Estimate(float(np.ptp(means)), None, None, countries.height)
    return Gap(disparity, float(np.ptp(over / under, axis=1).mean()))


def _plain(rows: pl.DataFrame, value: str, by: str) -> Estimate:
    known = questions(rows, ERROR).drop_nulls("value")
    mean: Any = known["value"].mean()
    why = "" if known.height else "no values"
    return Estimate(mean, None, None, known["country"].n_unique(), why)


PLAIN = Measure(
    name="paper_error",
    label="Mean error, as in the paper",
    value="error",
    unit=ERROR_UNIT,
    better="low",
    groups=(),
    estimate=_plain,
    note="The mean of all questions as they are, not adjusted for the indicator.",
    on_map=False,
    main=False,
)


def measure_of(by: str) -> Measure:
    return Measure(
        name=f"paper_{by}_disparity",
        label=f"Disparity over {by}s, as in the paper",
        value="error",
        unit="difference of mean errors",
        better="low",
        item="indicator",
        groups=(),
        estimate=lambda rows, value, of: gap(rows, by).disparity,
        chance=lambda frame: gap(frame, by).baseline,
        note=f"The paper's disparity: the largest minus the smallest mean error of all "
        f"{GROUPINGS[by]}, errors as they are. Chance is the mean of ten random deals of the "
        "countries into as many groups.",
        on_map=False,
        main=False,
    )
