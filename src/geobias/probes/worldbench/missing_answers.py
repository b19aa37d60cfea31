"""How far the errors could move if every question without an answer had been answered.

As well as can be: an error of 0. As badly: 1. For differences between groups, some answers as well
and some as badly (`stats.missing_values`).
"""

from __future__ import annotations

from typing import NamedTuple

from geobias.probes.lazy import pl
from geobias.probes.worldbench.scores import ERROR_BOUNDS, GROUPINGS, Grouping, country_means
from geobias.stats.missing_values import Cells, Ends, group_ends


class Missing(NamedTuple):
    """How many questions have no error, and the least and the largest that each number could be."""

    answers: int
    error: Ends
    spread: dict[Grouping, Ends]
    gap: dict[Grouping, Ends]


def missing_answers(frame: pl.DataFrame) -> Missing:
    """The bounds of a run's numbers."""
    filled = [frame.with_columns(pl.col("error").fill_null(end)) for end in ERROR_BOUNDS]
    ends = (country_means(one)["error"].mean() for one in filled)
    error: Ends = tuple(ends)  # type: ignore[assignment]
    found = {by: group_ends(_cells(frame, by)) for by in GROUPINGS}
    return Missing(
        frame["error"].null_count(),
        error,
        {by: spread for by, (spread, _) in found.items()},
        {by: gap for by, (_, gap) in found.items()},
    )


def _cells(frame: pl.DataFrame, by: Grouping) -> Cells:
    """The questions, with the least and the largest mean error that their repeats can have."""
    error, (low, high) = pl.col("error"), ERROR_BOUNDS
    questions = (
        frame.group_by("indicator", "country", by, maintain_order=True)
        .agg(low=error.fill_null(low).mean(), high=error.fill_null(high).mean())
        .sort("country", "indicator")
    )
    return Cells(
        low=questions["low"].to_numpy(),
        high=questions["high"].to_numpy(),
        items=questions["indicator"].to_numpy(),
        units=questions["country"].to_numpy(),
        groups=questions[by].to_list(),
        bounds=ERROR_BOUNDS,
    )
