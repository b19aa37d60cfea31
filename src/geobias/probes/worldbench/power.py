"""What WorldBench could see of a gap between regions."""

from __future__ import annotations

from collections import Counter

from geobias.probes.lazy import pl
from geobias.probes.plan import Aim, Plan, regions_design
from geobias.stats.planning import unit_spread

BETWEEN, WITHIN = 0.08, 0.25
"""SD of countries' mean errors within a region, and of a question's error around its country's mean
once its indicator's difficulty is taken off: what errors of 0.3 on average have if they are spread
as beta-distributed errors of that size are. No publication gives them."""


def aim(plan: Plan, spread: tuple[float, ...] | None = None) -> Aim:
    """Differences between regions, of these questions; `spread` (between, within) of one's own."""
    asked = {tuple(trial.name.split("/")[1:3]) for trial in plan.trials()}
    indicators = {name for name, _ in asked}
    questions = Counter(iso3 for _, iso3 in asked)
    between, within = spread or (BETWEEN, WITHIN)
    design, regions = regions_design(questions, between, within)
    return Aim(
        gap="in mean error between the best and the worst region",
        unit="country",
        units="countries",
        items="questions",
        design=design,
        most_items=len(indicators),
        assumptions=[
            "A gap counts as seen where Welch's F test over countries has p < 0.025, which "
            "is what allowing for both groupings (Holm) asks of the clearer one.",
            regions,
            f"Countries of a region differ with an SD of {between:.2f}, questions about a country "
            f"with {within:.2f}" + ("." if spread else " (an assumption: --like RUN measures it)."),
            "Repeats of a question are no new questions.",
        ],
    )


def spread_of(frame: pl.DataFrame) -> tuple[float, float] | None:
    """SD between countries of a region and within a country, from a run's frame of questions."""
    known = frame.filter(pl.col("error").is_not_null() & pl.col("region").is_not_null())
    error = pl.col("error")
    centred = known.with_columns(error - error.mean().over("indicator", "region"))
    return unit_spread(centred["error"].to_numpy(), centred["country"].to_numpy())
