"""What a run of some size can show: the test of the primary contrast, with the real countries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping

import msgspec
import polars as pl

from geobias.atlas.economies import economies
from geobias.errors import BadRequest
from geobias.measures.measure import Contrast, Measure, Planned, by_income, unit_words
from geobias.measures.questions import questions
from geobias.results.formatting import singular
from geobias.stats.contrasts import MIN_UNITS, trend_weights
from geobias.stats.planning import Design, unit_spread


class Aim(msgspec.Struct, frozen=True, kw_only=True):
    """The test a probe is run for, as planning needs it.

    gap          what the gap is: "mean error between the best and the worst region"
    unit, units  what the test compares, and several of them: "country", "countries"
    items        what each unit is asked: "questions"
    most_items   how many of those there are for a unit at most
    most_gap     the largest gap there can be
    assumptions  what the answer rests on, in sentences
    """

    gap: str
    unit: str
    units: str
    items: str
    design: Design
    most_items: int
    assumptions: list[str]
    most_gap: float = 1.0


MOST_WITHIN = 10_000
"""Items of a unit where others can always be found: people of a country."""
PILOT = " (the upper 80% limit of what the run shows)."
"""Where a spread is from a run."""


def aim_of(
    measure: Measure, asked: Collection[tuple[str, str]], spread: tuple[float, ...] | None
) -> Aim:
    """The test of the primary contrast, of these questions (item and country); `spread` (between,
    within) as a run shows it, or else what the measure declares."""
    contrast, known = measure.primary_contrast, spread or measure.spread
    if contrast is None or known is None:
        raise BadRequest(f"{measure.label} has no test to plan for: leave out --gap and --power")
    between, within = known
    held = Planned(asked, 1.0, None)
    if contrast.planned:
        held = contrast.planned(asked, between, within)
    items = Counter(unit for _, unit in held.asked)
    design, groups = contrast_design(items, contrast, between, within)
    design = msgspec.structs.replace(design, inflation=held.inflation, freedom=held.freedom)
    units = measure.counted
    told = PILOT if spread else " (an assumption: --like RUN measures it)."
    return Aim(
        gap=f"{measure.unit.split(',')[0]} {contrast.between}",
        unit=singular(units),
        units=units,
        items=unit_words(measure.inner_column)
        if measure.inner_column not in measure.units
        else "questions",
        design=design,
        most_items=MOST_WITHIN if measure.within else len({item for item, _ in asked}),
        most_gap=measure.length,
        assumptions=[
            f"A gap counts as seen where the test {contrast.between} has p < 0.05.",
            groups,
            f"{units.capitalize()} of a group differ with an SD of {between:.2f}, answers about "
            f"one of them with {within:.2f}{told}",
            "Repeats of a question are no new questions.",
        ],
    )


def contrast_design(
    items: Mapping[str, int], contrast: Contrast, between: float, within: float
) -> tuple[Design, str]:
    """The contrast over these economies, each with so many items; and which groups are in it, in
    words. `between` economies of a group and `within` one, as SDs."""
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
    design = Design(
        groups=tuple(len(tested[name]) for name in weights),
        weights=tuple(weights.values()),
        items=tuple(count for name in weights for count in tested[name]),
        between=between,
        within=within,
    )
    small = len(members) - len(tested)
    left_out = f" (and {small} of under {MIN_UNITS}, not tested)" if small else ""
    sizes = ", ".join(map(str, design.groups))
    return design, f"Groups of {sizes} economies{left_out}: {', '.join(weights)}."


def incomes_design(items: Mapping[str, int], between: float, within: float) -> tuple[Design, str]:
    """`contrast_design` of the income groups."""
    return contrast_design(items, by_income(""), between, within)


def spread_of(frame: pl.DataFrame, measure: Measure) -> tuple[float, ...] | None:
    """How much answers vary between units of a group and within a unit, from a run; None where
    there are too few."""
    contrast = measure.primary_contrast
    if contrast is None or contrast.by not in frame.columns:
        return None
    known = questions(frame, measure, contrast.by).drop_nulls(["value", contrast.by])
    value = pl.col("value")
    over = [contrast.by, *filter(None, (measure.item,))]
    centred = known.select(measure.unit_column, value=value - value.mean().over(over))
    return unit_spread(centred["value"].to_numpy(), centred[measure.unit_column].to_numpy())
