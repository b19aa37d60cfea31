"""How far the errors could move if every question without an answer had been answered.

As well as can be: an error of 0. As badly: 1. For differences between groups, as well for some and
as badly for others.
"""

from __future__ import annotations

from typing import NamedTuple

from geobias.probes.lazy import pl
from geobias.probes.worldbench.scores import ERROR_BOUNDS, GROUPINGS, Grouping, country_means
from geobias.stats.group_differences import Groups, spread_range


class Missing(NamedTuple):
    """How many questions have no error, and the least and the largest that each number could be."""

    answers: int
    error: tuple[float | None, float | None]
    spread: dict[Grouping, tuple[float | None, float | None]]
    gap: dict[Grouping, tuple[float | None, float | None]]


def missing_answers(frame: pl.DataFrame) -> Missing:
    """The bounds of a run's numbers. Groups stay as well known as they are."""
    known = country_means(frame)
    low, high = (
        country_means(frame.with_columns(pl.col("error").fill_null(e))) for e in ERROR_BOUNDS
    )
    spread: dict[Grouping, tuple[float | None, float | None]] = {}
    gap: dict[Grouping, tuple[float | None, float | None]] = {}
    for by in GROUPINGS:
        groups = Groups.of(known["error"].to_numpy(), known[by].to_list())
        if groups.why_none:
            spread[by] = gap[by] = (None, None)
            continue
        least, most = (
            Groups.of(part["error"].to_numpy(), part[by].to_list()) for part in (low, high)
        )
        places = [least.names.index(name) for name in groups.names]
        ends = least.means[places], most.means[places]
        spread[by] = spread_range(groups, *ends)
        gap[by] = (
            max(0.0, float(ends[0].max() - ends[1].min())),
            float(ends[1].max() - ends[0].min()),
        )
    answers = frame["error"].null_count()
    return Missing(answers, (_mean(low), _mean(high)), spread, gap)


def _mean(means: pl.DataFrame) -> float | None:
    return means["error"].mean()  # type: ignore[return-value]
