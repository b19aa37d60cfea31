"""Groups of countries in frames of answers: any column of the atlas, or of a user's file."""

from __future__ import annotations

from pathlib import Path

from geobias.atlas.groupings import ATLAS, OF_ECONOMY, column_key, groups_of
from geobias.errors import BadRequest
from geobias.probes.lazy import pl

NO_GROUPS = ("indicator", "country", "all")
"""What errors can be grouped by, and disparities cannot."""
_PLURALS = {
    "region": "regions",
    "income": "incomes",
    "continent": "continents",
    "north_south": "Global North and South",
    "west_east": "Global West and East",
    "official_language": "official languages",
    "population_class": "classes of population",
}


def column_of(by: str, file: Path | None) -> str:
    """The name under which frames have the grouping."""
    key = column_key(by)
    if file is None:
        return key
    return by if key not in (*OF_ECONOMY, *NO_GROUPS) else f"{by} (own)"


def plural(column: str) -> str:
    """The groups in words: "regions"."""
    return _PLURALS.get(column, f"groups of {column}")


def with_groups(
    frame: pl.DataFrame, by: str, file: Path | None = None, *, also: bool = False
) -> pl.DataFrame:
    """The frame with a column for this grouping, named as `column_of` says.

    `also` allows what is no grouping of countries: indicator, country, all.
    """
    column = column_of(by, file)
    if column in frame.columns and file is None and (also or column not in NO_GROUPS):
        return frame
    if also and column == "all":
        return frame
    if column in NO_GROUPS:
        raise BadRequest(f"countries cannot be grouped by {by}: there are {', '.join(ATLAS)}")
    groups = groups_of(by, file)
    found = [groups.get(iso3) for iso3 in frame["country"]]
    return frame.with_columns(pl.Series(column, found, pl.String))
