"""Groups of economies, from the atlas or from a user's file.

A file is a CSV with a column of ISO-3 codes (`iso3`) and any others. The atlas has such a file too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from geobias.atlas.economies import economies
from geobias.atlas.figures import figures
from geobias.atlas.table import TableError, read_rows, shipped_table
from geobias.errors import BadRequest

Groups = Mapping[str, str | None]
"""Economy's code → its group, None if it has none."""

OF_ECONOMY = ("region", "income", "continent", "north_south", "west_east")
"""Columns of `economies.csv`. Further groups are in `groupings.csv`."""
ATLAS = (*OF_ECONOMY, "region_fy2026", "income_fy2026", "official_language", "population_class")
MOST_GROUPS = 60
"""Maximum values of a grouping. A column with more values holds labels or numbers, not groups."""


def column_key(name: str) -> str:
    """The name of a column as the user may write it: "North-South" gives north_south."""
    return name.strip().casefold().replace("-", "_").replace(" ", "_")


@cache
def atlas_groups(column: str) -> Groups:
    if column in OF_ECONOMY:
        return MappingProxyType({iso3: getattr(one, column) for iso3, one in economies().items()})
    return MappingProxyType(_read_groups(column, shipped_table("groupings.csv")))


def subregions() -> Groups:
    """Code of each economy → its subregion, the smallest unit of UN M49 above countries."""
    return atlas_groups("subregion")


def official_languages() -> Mapping[str, list[str]]:
    """Economy's code → the codes of its official languages."""
    return {iso3: (codes or "").split() for iso3, codes in atlas_groups("languages").items()}


def populous_first(codes: Iterable[str]) -> list[str]:
    """Economies from the most to the fewest people, by the shipped figures.

    Economies without a figure (Taiwan) come last; ties are sorted by code.
    """
    sizes = figures().truths("population", "average")
    return sorted(codes, key=lambda iso3: (-sizes.get(iso3, 0), iso3))


def populous_share(count: int) -> int:
    """Return how many of `count` sampled economies are a region's most populous: a third, rounded
    up.

    Readers look for China, Brazil and Nigeria, and most people live there. The other two thirds
    keep small economies in the sample, since models know them less well.
    """
    return -(-count // 3)


def groups_of(column: str, file: Path | None = None) -> Groups:
    """The groups of a column, from the user's file if one is given, else from the atlas."""
    if file is None:
        if column_key(column) not in ATLAS:
            raise BadRequest(
                f"the atlas has no column {column!r}: choose from {', '.join(ATLAS)}; for a "
                "column of your own, give a CSV with ISO-3 codes with --group-file"
            )
        return atlas_groups(column_key(column))
    found = _read_groups(column, file)
    if len(set(found.values())) > MOST_GROUPS:
        raise BadRequest(
            f"{column} of {file} has {len(set(found.values())):,} different values: a grouping has "
            f"at most {MOST_GROUPS}"
        )
    return found


def _read_groups(column: str, file: Path) -> dict[str, str | None]:
    """Read a column of a file, by economy. Unknown codes are left out."""
    found: dict[str, str | None] = {}
    for line, cells in read_rows(file, ()):
        row = {column_key(name): cell.strip() for name, cell in cells.items()}
        code = next((row[name] for name in ("iso3", "country", "code") if name in row), None)
        if code is None:
            raise TableError(file, 1, "the header needs iso3 and further columns")
        if column_key(column) not in row:
            raise BadRequest(f"{file} has no column {column!r}: choose from {', '.join(cells)}")
        if code.upper() in found:
            raise TableError(file, line, f"{code} occurs twice in the table")
        if code.upper() in economies():
            found[code.upper()] = row[column_key(column)] or None
    if not found:
        raise TableError(file, None, "holds no ISO-3 code of a country")
    return found
