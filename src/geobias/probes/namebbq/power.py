"""What Name-BBQ could see of a bias."""

from __future__ import annotations

from collections import Counter

import polars as pl

from geobias.errors import BadRequest
from geobias.measures.planning import Aim
from geobias.probes.namebbq.items import Item, choose_items
from geobias.probes.namebbq.versions import ItemSource
from geobias.probes.plan import Plan
from geobias.stats.planning import Design, unit_spread

BETWEEN, WITHIN, ACROSS = 0.1, 0.43, 0.05
"""SD of templates' biases, of an item's answer (−1, 0 or 1) around its template's bias, and of
nationalities' biases. The second is that of a model that names somebody in 19% of ambiguous items
(GPT-4o-mini in the paper's Table 3); no publication gives the others."""

THIRD_KIND = 1.15
"""By what the variance that the test estimates is larger than the true one on average: it is the
largest of those over fewer and more kinds of units (`stats.crossed`). 1.19 in 150 simulated studies
of size standard, 1.09 in as many of size paper."""


def aim(plan: Plan, spread: tuple[float, ...] | None = None) -> Aim:
    """The ambiguous bias with nationalities; `spread` of one's own: between templates, within them,
    and across nationalities.
    """
    crossed = ambiguous_items(plan)
    templates = Counter(template for template, _, _ in crossed)
    nationalities = Counter(nationality for _, nationality, _ in crossed)
    between, within, across = spread or (BETWEEN, WITHIN, ACROSS)
    return Aim(
        gap="of bias from 0, in ambiguous items with nationalities",
        unit="template",
        units="templates",
        items="ambiguous items",
        design=Design(
            groups=(len(templates),),
            weights=(1.0,),
            items=tuple(templates[name] for name in sorted(templates)),
            columns=tuple(nationalities[name] for name in sorted(nationalities)),
            cells=tuple(Counter(item[:2] for item in crossed).values()),
            between=between,
            within=within,
            across=across,
            inflation=THIRD_KIND,
        ),
        most_items=10_000,
        assumptions=[
            "A bias counts as seen where the test over templates and nationalities has p < 0.05, "
            "of this test alone.",
            f"{len(templates)} templates crossed with {len(nationalities)} nationalities.",
            f"Templates' biases differ with an SD of {between:.2f}, nationalities' with "
            f"{across:.2f}, answers within a template with {within:.2f}"
            + ("." if spread else " (an assumption: --like RUN measures it)."),
            "Versions with names are a second measurement of the same kind and size.",
        ],
    )


def ambiguous_items(plan: Plan) -> list[tuple[str, str, str]]:
    """Template, stereotyped nationality and the other one of each ambiguous item."""
    read = ItemSource.with_digest(plan.editions["items"])
    source = read or ItemSource.of(plan.settings["items"])
    chosen = choose_items(source.items, plan.settings["size"])
    items = [
        (item.template, *_stereotyped_first(item)) for item in chosen if item.condition == "ambig"
    ]
    if not items:
        raise BadRequest("planning needs ambiguous items")
    return items


def _stereotyped_first(item: Item) -> tuple[str, str]:
    [other] = set(item.people) - {item.person}
    told = item.nationalities if item.by_nationality else item.groups
    return told[item.person], told[other]


def spread_of(frame: pl.DataFrame) -> tuple[float, ...] | None:
    """SD between templates, within them, and between nationalities once templates are taken off."""
    read = frame.filter(condition="ambig", dataset="nationality", read=1)
    lean = read["lean"].cast(float)
    templates = unit_spread(lean.to_numpy(), read["template"].to_numpy())
    nationalities = unit_spread(
        lean.to_numpy(), read["nationality"].to_numpy(), read["template"].to_numpy()
    )
    return (*templates, nationalities[0]) if templates and nationalities else None
