"""Errors of groups and their gap as the paper has them (sections 5.1 to 5.3, Figures 5 to 9).

Errors are as they are, not centred by indicator, and a group's mean is over all of its answered
questions. The paper's disparity is the largest minus the smallest of these means, over all groups,
however small: North America's three economies are a region. Its baseline deals the economies into
as many groups as there are, ten times, and takes the mean gap.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import polars as pl

from geobias.measures.frames import schema_of
from geobias.probes.worldbench.scores import (
    Grouping,
    deals,
    further_of,
    grouped,
    question_means,
)
from geobias.stats.arrays import Floats

DEALS = 10


class Gap(NamedTuple):
    """The largest minus the smallest group mean, of which groups, and the mean gap of the deals;
    `value` and `baseline` are None where there are fewer than two groups."""

    value: float | None
    highest: str | None
    lowest: str | None
    groups: int
    baseline: float | None


def gap(frame: pl.DataFrame, by: Grouping) -> Gap:
    """The paper's disparity of these questions."""
    questions = question_means(frame, *further_of(by)).drop_nulls(by)
    means = questions.group_by(by).agg(pl.col("error").mean()).sort("error", by)
    if means.height < 2:
        return Gap(None, None, None, means.height, None)
    countries = questions.group_by("country").agg(pl.col("error").sum(), pl.len()).sort("country")
    dealt = dealt_gaps(
        countries["error"].to_numpy(), countries["len"].to_numpy(), means.height, DEALS
    )
    names, errors = means[by], means["error"]
    return Gap(errors[-1] - errors[0], names[-1], names[0], means.height, float(dealt.mean()))


def disparities(frame: pl.DataFrame, by: Grouping, *, per_indicator: bool = True) -> pl.DataFrame:
    """The paper's disparity in all questions ("all") and in each indicator."""
    indicators = grouped(frame, "indicator") if per_indicator else []
    rows: list[dict[str, Any]] = []
    for name, part in [*grouped(frame, "all"), *indicators]:
        found = gap(part, by)
        rows.append(
            {
                "indicator": name,
                "paper_disparity": found.value,
                "paper_baseline": found.baseline,
                "paper_lowest": found.lowest,
                "paper_highest": found.highest,
                "paper_groups": found.groups,
            }
        )
    schema = schema_of(("indicator",), ("paper_disparity", "paper_baseline"))
    schema |= schema_of(("paper_lowest", "paper_highest"), (), ("paper_groups",))
    return pl.DataFrame(rows, schema=schema)


def dealt_gaps(sums: Floats, counts: Floats, groups: int, draws: int) -> Floats:
    """The largest minus the smallest mean in each of so many deals of the units into groups with
    equally many units; of each unit the sum and the number of its values."""
    n = len(sums)
    sizes = np.array([n // groups + (i < n % groups) for i in range(groups)])
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    orders = deals(n, draws)
    means = np.add.reduceat(sums[orders], starts, axis=1) / np.add.reduceat(
        counts[orders], starts, axis=1
    )
    gaps: Floats = np.ptp(means, axis=1)
    return gaps
