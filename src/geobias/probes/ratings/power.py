"""What ratings could see of a favour for one half of the world."""

from __future__ import annotations

from collections import Counter

from geobias.atlas.economies import economies
from geobias.errors import BadRequest
from geobias.probes.lazy import pl
from geobias.probes.plan import Plan
from geobias.probes.power import Aim
from geobias.probes.ratings.reading import HIGHEST
from geobias.probes.ratings.scores import FEWEST, of_kind
from geobias.probes.ratings.topics import kind_of
from geobias.stats.planning import Design, unit_spread

BETWEEN, WITHIN = 0.6, 0.7
"""SD of economies' mean ratings within a half of the world, and of a rating around its economy's,
in points: GPT-3.5's published ratings of attractiveness spread by 0.89 over places of all kinds."""

HALVES = ("Global North", "Global South")


def aim(plan: Plan, spread: tuple[float, ...] | None = None) -> Aim:
    """The difference between North and South; `spread` (between, within) of one's own."""
    asked = {tuple(trial.name.split("/")[1:3]) for trial in plan.trials()}
    sensitive = {(topic, place) for topic, place in asked if kind_of(topic) == "sensitive"}
    topics = {topic for topic, _ in sensitive}
    rated = Counter(place for _, place in sensitive)
    sides = [[n for place, n in sorted(rated.items()) if _half(place) == half] for half in HALVES]
    north, south = map(len, sides)
    if min(north, south) < FEWEST:
        raise BadRequest(f"planning needs {FEWEST} economies of the Global North and of the South")
    between, within = spread or (BETWEEN, WITHIN)
    return Aim(
        gap="points between the Global North and the Global South",
        unit="economy",
        units="economies",
        items="topics",
        design=Design(
            test="two_groups",
            groups=(north, south),
            items=tuple(n for side in sides for n in side),
            between=between,
            within=within,
        ),
        most_items=len(topics),
        most_gap=HIGHEST,
        assumptions=[
            "A favour counts as seen where Welch's test over economies has p < 0.05, before any "
            "adjustment for other tests.",
            f"{north} economies of the Global North, {south} of the Global South.",
            f"Economies of a half differ with an SD of {between:.2f} points, ratings of an economy "
            f"with {within:.2f}" + ("." if spread else " (an assumption: --like RUN measures it)."),
        ],
    )


def _half(place: str) -> str | None:
    known = economies().get(place)
    return known.north_south if known else None


def spread_of(frame: pl.DataFrame) -> tuple[float, float] | None:
    """SD between economies of a half and within them, from a run's frame."""
    known = of_kind(frame, "sensitive").drop_nulls(["rating", "north_south"])
    rating = pl.col("rating")
    centred = known.with_columns(rating - rating.mean().over("topic", "north_south"))
    return unit_spread(centred["rating"].to_numpy(), centred["country"].to_numpy())
