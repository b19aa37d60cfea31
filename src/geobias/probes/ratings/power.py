"""What ratings could see of a favour for one half of the world."""

from __future__ import annotations

from geobias.atlas.economies import economies
from geobias.probes.lazy import pl
from geobias.probes.plan import Plan
from geobias.probes.power import Aim
from geobias.probes.ratings.reading import HIGHEST
from geobias.probes.ratings.scores import of_kind
from geobias.probes.ratings.topics import kind_of
from geobias.stats.planning import Design, unit_spread

BETWEEN, WITHIN = 0.6, 0.7
"""SD of economies' mean ratings within a half of the world, and of a rating around its economy's,
in points: GPT-3.5's published ratings of attractiveness spread by 0.89 over places of all kinds."""


def aim(plan: Plan, spread: tuple[float, float] | None = None) -> Aim:
    """The difference between North and South; `spread` (between, within) of one's own."""
    asked = {tuple(trial.name.split("/")[1:3]) for trial in plan.trials()}
    sensitive = {(topic, place) for topic, place in asked if kind_of(topic) == "sensitive"}
    halves = [_half(place) for place in sorted({place for _, place in sensitive})]
    groups = tuple(halves.count(side) for side in ("Global North", "Global South"))
    topics = {topic for topic, _ in sensitive}
    between, within = spread or (BETWEEN, WITHIN)
    return Aim(
        gap="points between the Global North and the Global South",
        unit="economy",
        units="economies",
        items="topics",
        design=Design(
            test="two_groups",
            groups=groups if min(groups) else (len(halves) // 2, len(halves) - len(halves) // 2),
            items=max(1, len(topics)),
            between=between,
            within=within,
        ),
        most_items=max(1, len(topics)),
        most_gap=HIGHEST,
        assumptions=[
            "A favour counts as seen where the test over economies has p ≤ 0.05.",
            f"{groups[0]} economies of the Global North, {groups[1]} of the Global South.",
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
