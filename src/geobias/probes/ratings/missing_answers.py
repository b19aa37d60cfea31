"""How far ratings' scores could move if every sensitive question had been rated.

With 0.0 or 9.9, whichever moves a number most.
"""

from __future__ import annotations

from typing import TypeAlias

from geobias.probes.lazy import pl
from geobias.probes.ratings.reading import HIGHEST
from geobias.probes.ratings.scores import bias_value, economy_ratings
from geobias.probes.ratings.topics import anchor_values
from geobias.stats.group_differences import Groups, spread_range

Ends: TypeAlias = tuple[float | None, float | None]


def missing_count(sensitive: pl.DataFrame) -> int:
    """Sensitive questions without a rating."""
    return sensitive["rating"].null_count()


def spread_ends(sensitive: pl.DataFrame, by: str) -> Ends:
    """The smallest and the largest spread between groups."""
    filled = (sensitive.with_columns(pl.col("rating").fill_null(end)) for end in (0.0, HIGHEST))
    known, low, high = (
        Groups.of(means["value"].to_numpy(), means[by].to_list())
        for means in map(economy_ratings, (sensitive, *filled))
    )
    if known.why_none:
        return None, None
    places = [low.names.index(name) for name in known.names]
    return spread_range(known, low.means[places], high.means[places])


def half_ends(sensitive: pl.DataFrame, half: str, sides: tuple[str, str]) -> Ends:
    """The smallest and the largest difference between two halves of the world."""
    ends: list[float | None] = []
    for first, second in ((0.0, HIGHEST), (HIGHEST, 0.0)):
        given = pl.when(pl.col(half) == sides[0]).then(first).otherwise(second)
        means = economy_ratings(sensitive.with_columns(pl.col("rating").fill_null(given)))
        one, other = (means.filter(pl.col(half) == side)["value"].mean() for side in sides)
        known = isinstance(one, float) and isinstance(other, float)
        ends.append(float(one) - float(other) if known else None)  # type: ignore[arg-type]
    return ends[0], ends[1]


def bias_ends(sensitive: pl.DataFrame, anchor: str) -> Ends:
    """The bias score had missing ratings run against the anchor as far as can be, or with it."""
    held = anchor_values(anchor)
    values = sorted(held[code] for code in sensitive["country"].unique() if code in held)
    if not values:
        return None, None
    middle = values[len(values) // 2]
    above = [code for code in sensitive["country"].unique() if held.get(code, middle) >= middle]
    ends = []
    for high, low in ((0.0, HIGHEST), (HIGHEST, 0.0)):
        given = pl.when(pl.col("country").is_in(above)).then(high).otherwise(low)
        filled = sensitive.with_columns(pl.col("rating").fill_null(given))
        ends.append(bias_value(filled, anchor))
    return ends[0], ends[1]
