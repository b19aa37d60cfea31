"""Groupings of a measure's table, by a column of the frame, the atlas or a user's file."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from geobias.atlas.groupings import ATLAS, OF_ECONOMY, column_key, groups_of
from geobias.errors import BadRequest
from geobias.measures.measure import Measure

MOST_GROUPS = 500
"""A column with more values distinguishes single answers, not groups."""


def with_groups(
    frame: pl.DataFrame, measure: Measure, by: str, file: Path | None = None
) -> tuple[pl.DataFrame, str]:
    """The frame with a column for the grouping `by`, and the name of that column."""
    key = column_key(by)
    if file is None and (key == "all" or key in frame.columns):
        if key in frame.columns and frame[key].n_unique() > MOST_GROUPS:
            raise BadRequest(
                f"{key} has {frame[key].n_unique():,} different values, too many for groups"
            )
        return frame, key
    if "country" not in frame.columns or (file is None and key not in ATLAS):
        known = ", ".join(dict.fromkeys(("all", *measure.groups, *measure.asked_by, *ATLAS)))
        raise BadRequest(f"{measure.name} cannot be grouped by {by}: try {known}")
    column = by if file and key not in (*OF_ECONOMY, *measure.asked_by) else f"{by} (own)"
    column = column if file else key
    groups = groups_of(by, file)
    found = [groups.get(iso3) for iso3 in frame["country"]]
    return frame.with_columns(pl.Series(column, found, pl.String)), column
