"""The paper's disparity between groups (sections 5.1 to 5.3, Figures 5 to 9).

The disparity is the largest minus the smallest mean error of a group. A group's mean is over all
of its answered questions, and errors are not centred by indicator. Small groups count too: North
America is a region of three economies. As a baseline, the economies are divided at random into as
many groups, ten times, and the mean of the ten gaps is taken.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
import polars as pl

from geobias.measures.frames import once_per_frame
from geobias.measures.measure import Measure
from geobias.measures.questions import questions
from geobias.probes.worldbench.scores import ERROR, ERROR_UNIT, GROUPINGS
from geobias.probes.worldbench.screens import deals
from geobias.stats.estimates import Estimate

DEALS = 10


class Gap(NamedTuple):
    """The paper's disparity, and the mean disparity of random groups; None without two groups."""

    value: float | None
    baseline: float | None


@once_per_frame
def gap(frame: pl.DataFrame, by: str) -> Gap:
    """The paper's disparity over the groups in the column `by` of the frame."""
    known = questions(frame, ERROR).drop_nulls(["value", by])
    value = pl.col("value")
    means = known.group_by(by, maintain_order=True).agg(value.mean())["value"].to_numpy()
    if len(means) < 2:
        return Gap(None, None)
    countries = known.group_by("country").agg(value.sum(), pl.len()).sort("country")
    sums, counts = (countries[name].to_numpy() for name in ("value", "len"))
    # Random groups have equally many countries, or one more.
    places = np.array_split(np.arange(len(sums)), len(means))
    orders, starts = deals(len(sums), DEALS), [part[0] for part in places]
    over, under = (np.add.reduceat(one[orders], starts, axis=1) for one in (sums, counts))
    return Gap(float(np.ptp(means)), float(np.ptp(over / under, axis=1).mean()))


def disparity(by: str, rows: pl.DataFrame, value: str, of: str) -> Estimate:
    """The paper's disparity over the groups in `by`, for a measure.

    It has no interval, since the paper gives none.
    """
    found = gap(rows, by)
    economies = rows.drop_nulls([value, by])["country"].n_unique()
    why = "" if found.value is not None else f"fewer than two {GROUPINGS[by]} have answers"
    return Estimate(found.value, None, None, economies, why)


def _plain(rows: pl.DataFrame, value: str, by: str) -> Estimate:
    known = questions(rows, ERROR).drop_nulls("value")
    mean = float(known["value"].to_numpy().mean()) if known.height else None
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
        estimate=partial(disparity, by),
        chance=partial(_baseline, by),
        note=f"The paper's disparity: the largest minus the smallest mean error of all "
        f"{GROUPINGS[by]}, errors as they are. Chance is the mean of ten random deals of the "
        "countries into as many groups.",
        on_map=False,
        main=False,
    )


def _baseline(by: str, frame: pl.DataFrame) -> float | None:
    return gap(frame, by).baseline
