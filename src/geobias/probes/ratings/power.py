"""What ratings could see of a difference between regions."""

from __future__ import annotations

from collections import Counter

from geobias.probes.lazy import pl
from geobias.probes.plan import Aim, Plan, regions_design
from geobias.probes.ratings.reading import HIGHEST
from geobias.probes.ratings.scores import of_kind
from geobias.probes.ratings.topics import kind_of
from geobias.stats.planning import unit_spread

BETWEEN, WITHIN = 0.6, 0.7
"""SD of economies' mean ratings within a region, and of a rating around its economy's, in points:
GPT-3.5's published ratings of attractiveness spread by 0.89 over places of all kinds."""


def aim(plan: Plan, spread: tuple[float, ...] | None = None) -> Aim:
    """Differences between regions; `spread` (between, within) of one's own."""
    asked = {tuple(trial.name.split("/")[1:3]) for trial in plan.trials()}
    sensitive = {(topic, place) for topic, place in asked if kind_of(topic) == "sensitive"}
    between, within = spread or (BETWEEN, WITHIN)
    rated = Counter(place for _, place in sensitive)
    design, regions = regions_design(rated, between, within)
    return Aim(
        gap="points between the region that is rated highest and the lowest",
        unit="economy",
        units="economies",
        items="topics",
        design=design,
        most_items=len({topic for topic, _ in sensitive}),
        most_gap=HIGHEST,
        assumptions=[
            "A gap counts as seen where Welch's F test over economies has p < 0.025, which "
            "is what allowing for both groupings (Holm) asks of the clearer one.",
            regions,
            f"Economies of a region differ with an SD of {between:.2f} points, ratings of an "
            f"economy with {within:.2f}"
            + ("." if spread else " (an assumption: --like RUN measures it)."),
        ],
    )


def spread_of(frame: pl.DataFrame) -> tuple[float, float] | None:
    """SD between economies of a region and within them, from a run's frame."""
    known = of_kind(frame, "sensitive").drop_nulls(["rating", "region"])
    rating = pl.col("rating")
    centred = known.with_columns(rating - rating.mean().over("topic", "region"))
    return unit_spread(centred["rating"].to_numpy(), centred["country"].to_numpy())
