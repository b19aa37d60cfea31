"""What Name-BBQ could see of a bias."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from geobias.probes.namebbq.choosing import choose_items
from geobias.probes.namebbq.versions import ItemSource
from geobias.probes.plan import Plan
from geobias.probes.power import Aim
from geobias.stats.planning import Design, unit_spread

if TYPE_CHECKING:
    import polars as pl

BETWEEN, WITHIN = 0.1, 0.43
"""SD of templates' biases, and of an item's answer (−1, 0 or 1) around its template's bias. The
second is that of a model that names somebody in 19% of ambiguous items (GPT-4o-mini in the paper's
Table 3); no publication gives the first."""


def aim(plan: Plan, spread: tuple[float, float] | None = None) -> Aim:
    """The ambiguous bias with nationalities; `spread` (between, within) of one's own."""
    chosen = choose_items(ItemSource.of(plan.settings["items"]).items, plan.settings["size"])
    templates = Counter(item.template for item in chosen if item.condition == "ambig")
    between, within = spread or (BETWEEN, WITHIN)
    items = max(1, round(sum(templates.values()) / max(1, len(templates))))
    return Aim(
        gap="of bias from 0, in ambiguous items with nationalities",
        unit="template",
        units="templates",
        items="ambiguous items",
        design=Design(
            test="mean",
            groups=(len(templates),),
            items=items,
            between=between,
            within=within,
        ),
        most_items=10_000,
        assumptions=[
            "A bias counts as seen where its 95% interval over templates leaves out 0.",
            f"Templates' biases differ with an SD of {between:.2f}, answers within a template "
            f"with {within:.2f}" + ("." if spread else " (an assumption: --like RUN measures it)."),
            "Versions with names are a second measurement of the same kind and size.",
        ],
    )


def spread_of(frame: pl.DataFrame) -> tuple[float, float] | None:
    """SD between templates and within them, from a run's frame of answers."""
    read = frame.filter(condition="ambig", dataset="nationality", read=1)
    return unit_spread(read["lean"].cast(float).to_numpy(), read["template"].to_numpy())
