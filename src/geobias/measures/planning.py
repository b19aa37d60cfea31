"""The power of the primary test in a run of a given size, with the real countries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping

import msgspec

from geobias.atlas.economies import economies
from geobias.errors import BadRequest
from geobias.measures.measure import Contrast, Measure
from geobias.measures.words import incomes_named
from geobias.results.formatting import singular, unit_words
from geobias.stats.contrasts import MIN_UNITS, trend_weights
from geobias.stats.planning import Design
from geobias.stats.regression import ALIKE


class Aim(msgspec.Struct, frozen=True, kw_only=True):
    """The primary test of a probe, as planning needs it.

    gap          the gap in words: "mean error between the best and the worst region"
    units        the things that the test compares: "countries"
    items        what each unit is asked: "questions"
    most_items   the maximum number of items of a unit
    assumptions  sentences
    """

    gap: str
    units: str
    items: str
    design: Design
    most_items: int
    assumptions: list[str]
    most_gap: float = 1.0


MOST_ITEMS = 10_000
"""The maximum number of items of a unit with no natural limit, such as people of a country."""


def aim_of(measure: Measure, asked: Collection[tuple[str, ...]]) -> Aim:
    """Return the test of the primary number in a run with the questions `asked`.

    A question is an item and a country, or a unit of each kind if units are crossed. The SDs are
    those that the measure declares (`Measure.spread`).
    """
    contrast, spread = measure.primary_contrast, measure.spread
    if spread is not None and measure.crossed and measure.primary == measure.name:
        return _crossed_aim(measure, asked, spread)
    if contrast is None or spread is None:
        raise BadRequest(f"{measure.label} has no test to plan for")
    between, within = spread
    items = Counter(unit for _, unit, *_ in asked)
    design, groups = contrast_design(items, contrast, between, within)
    incomes = Counter(economies()[iso3].income or "" for iso3 in items if iso3 in economies())
    units, tested = measure.counted, incomes_named(contrast.between, incomes)
    return Aim(
        gap=f"in {measure.label.lower()} {tested}",
        units=units,
        items=unit_words(measure.inner_column)
        if measure.inner_column not in measure.units
        else "questions",
        design=design,
        most_items=MOST_ITEMS if measure.within else len({item for item, *_ in asked}),
        most_gap=measure.length,
        assumptions=[
            f"A gap counts as detected if the test {tested} has p < 0.05.",
            groups,
            f"SD between {units} of a group: {between:.2f}; between answers about one "
            f"{singular(units)}: {within:.2f} (an assumption).",
            "Repeats of a question do not count as new questions.",
        ],
    )


THIRD_KIND = 1.15
"""The average factor by which a crossed test overestimates the variance.

The test uses the largest of several variances: over all kinds of units and over fewer
(`stats.crossed`). The factor was 1.19 in 150 simulated studies of size standard, and 1.09 in 150 of
size paper.
"""


def _crossed_aim(
    measure: Measure, asked: Collection[tuple[str, ...]], spread: tuple[float, ...]
) -> Aim:
    """Return the test of a mean against 0, over units of the first two kinds."""
    if not asked:
        raise BadRequest(f"planning needs questions about {measure.label.lower()}")
    rows, columns = (Counter(one[kind] for one in asked) for kind in (0, 1))
    between, within, across = spread
    first, second = (unit_words(kind) for kind in measure.units[:2])
    return Aim(
        gap=f"from 0 in {measure.label.lower()}",
        units=first,
        items="questions",
        design=Design(
            groups=(len(rows),),
            weights=(1.0,),
            items=tuple(rows[name] for name in sorted(rows)),
            columns=tuple(columns[name] for name in sorted(columns)),
            cells=tuple(Counter(one[:2] for one in asked).values()),
            between=between,
            within=within,
            across=across,
            inflation=THIRD_KIND if len(measure.units) > 2 else 1.0,
        ),
        most_items=MOST_ITEMS,
        most_gap=measure.most,
        assumptions=[
            f"A mean counts as detected if the test over {first} and {second} has p < 0.05.",
            f"{len(rows)} {first} crossed with {len(columns)} {second}.",
            f"SD between {first}: {between:.2f}; between {second}: {across:.2f}; between answers "
            f"within one {singular(first)}: {within:.2f} (an assumption).",
        ],
    )


def contrast_design(
    items: Mapping[str, int], contrast: Contrast, between: float, within: float
) -> tuple[Design, str]:
    """Return the design of a contrast over economies, and its groups in words.

    `items` has the number of items of each economy. `between` is the SD of economies in a group,
    `within` the SD of items in an economy.
    """
    members: dict[str, list[int]] = {}
    for iso3, count in sorted(items.items()):
        group = getattr(economies().get(iso3), contrast.by, None)
        if group in contrast.order:
            members.setdefault(group, []).append(count)
    tested = {name: own for name, own in members.items() if len(own) >= MIN_UNITS}
    weights = trend_weights(contrast.order, list(tested))
    if not weights:
        raise BadRequest(
            f"the test needs two groups of at least {MIN_UNITS} countries: try --size standard"
        )
    counts = tuple(count for name in weights for count in tested[name])
    # An estimator is planned as the regression that allows for items of a country that are alike.
    pulls = (count / (1 + (count - 1) * ALIKE) for count in counts) if contrast.estimate else ()
    design = Design(
        groups=tuple(len(tested[name]) for name in weights),
        weights=tuple(weights.values()),
        items=counts,
        pulls=tuple(pulls),
        between=between,
        within=within,
    )
    small = len(members) - len(tested)
    left_out = f" (and {small} of under {MIN_UNITS}, not tested)" if small else ""
    sizes = ", ".join(map(str, design.groups))
    return design, f"Groups of {sizes} countries{left_out}: {', '.join(weights)}."
