"""Choose the indicators and economies that a run asks about, by the size of the run.

A sample has the most populous economies of each region, and others taken at even steps from a list
in the order of income groups. So each income group has its share, and the sample is the same for
every user, seed and example country. Small territories are included, since a sample of
well-documented countries would measure something else than the full run.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path

import msgspec

from geobias.atlas.economies import INCOMES, Economy, economies, economy
from geobias.atlas.figures import Figures, Rule, ground_truth_rule, read_figures
from geobias.atlas.figures import figures as shipped_figures
from geobias.atlas.groupings import atlas_groups, populous_first, populous_share
from geobias.atlas.indicators import Indicator, indicator, indicators, read_indicators
from geobias.errors import BadRequest, unknown
from geobias.results.formatting import counted

QUICK_INDICATORS = ("population", "gdp", "renewable_energy")
"""Indicators with figures for nearly every economy, from easy to hard (the paper's Figure 12)."""
PER_REGION = {"quick": 4, "standard": 8}
STANDARD_EXAMPLE = "CHE"
OTHER_EXAMPLES = ("COL", "MLI")
"""The paper's example countries (appendix E) if Switzerland has no figure."""


CLASSIFICATIONS = {"2024": "economies.csv", "2026": "groupings.csv"}
"""Fiscal year → the table with its regions and income groups."""


def classified(one: Economy, year: str) -> Economy:
    """The economy `one` with its region and income group of fiscal year `year`.

    Samples are always drawn by the groups of 2024, so that they do not depend on `year`.
    """
    if year == "2024":
        return one
    region, income = (atlas_groups(f"{name}_fy{year}")[one.iso3] for name in ("region", "income"))
    return msgspec.structs.replace(one, region=region or one.region, income=income)


def figures_from(path: Path | None, own: Iterable[Indicator] = ()) -> Figures:
    """The shipped figures, replaced and extended by the table at `path` if there is one.

    Downloads of the World Bank name the user's `own` indicators by their codes.
    """
    ids = {one.code: one.id for one in own}
    shipped = shipped_figures()
    if path is None:
        return shipped
    users = read_figures(path, ids)
    return Figures({**shipped.series, **users.series}, users.unknown)


def own_indicators(path: Path | None) -> Mapping[str, Indicator]:
    return {} if path is None else read_indicators(path)


def choose_indicators(
    wanted: Sequence[str] | None,
    size: str,
    figures: Figures,
    own: Mapping[str, Indicator],
    rule: Rule,
) -> dict[str, Indicator]:
    """The indicators to ask about, by id. If none are `wanted`, they are those of the `size` and
    the user's `own`.

    Wanted and own indicators must have figures under the `rule`. Shipped ones without figures are
    skipped: there are no CO₂ figures of 2021.
    """

    def has_figures(name: str) -> bool:
        return name in figures.series and bool(figures.truths(name, rule))

    known = {**indicators(), **own}
    usual = QUICK_INDICATORS if size == "quick" else indicators()
    names = [*filter(has_figures, usual), *own]
    if wanted is not None:
        names = [indicator(text, known).id for text in wanted]
    chosen = {name: known[name] for name in names}
    bare = [name for name in chosen if not has_figures(name)]
    if bare or not chosen:
        raise BadRequest(
            f"there are no figures for {bare[0] if bare else 'any indicator'} under the rule "
            f"{rule}: choose other --indicators or another --ground-truth, or give a table of "
            "figures with --figures"
        )
    return chosen


def check_positive(figures: Figures, chosen: Iterable[str]) -> None:
    """Raise `BadRequest` if a figure of the `chosen` indicators is below 0.

    Errors are shares of the larger of two values, which must not be negative.
    """
    for name in chosen:
        for iso3, own in figures.of(name).figures.items():
            if (least := min(own.values(), default=0.0)) < 0:
                raise BadRequest(
                    f"{name} of {iso3} has the figure {least:g}: figures below 0 cannot be asked "
                    "about, since errors are shares of the larger value: leave the indicator out"
                )


def left_out(figures: Figures, own: Mapping[str, Indicator]) -> tuple[str, ...]:
    """Sentences on the parts of a user's table that are left out, and why."""
    strange = [name for name in figures.series if name not in {*indicators(), *own}]
    notes = []
    if figures.unknown:
        places = counted(len(figures.unknown), "places")
        notes.append(
            f"Left out: figures of {places} that are no country ({_some(figures.unknown)})."
        )
    if strange:
        undefined = counted(len(strange), "indicators")
        notes.append(
            f"Left out: figures of {undefined} without a definition ({_some(strange)}); "
            "--indicator-file defines one."
        )
    return tuple(notes)


def _some(names: Sequence[str]) -> str:
    return ", ".join([*(repr(name[:40]) for name in names[:5]), *["…"] * (len(names) > 5)])


def choose_economies(
    countries: Sequence[str] | None,
    regions: Sequence[str] | None,
    size: str,
    *,
    excluded: Economy,
    with_figures: Collection[str],
    classification: str,
) -> list[Economy]:
    """The economies to ask about, in the order of their codes.

    `excluded` is the run's example country, whose figure the prompt reveals. A sample is drawn
    without the standard example country, and `excluded` is removed afterwards, so that the sample
    hardly depends on the example.
    """
    sampled = size in PER_REGION and countries is None
    having = set(with_figures) - {STANDARD_EXAMPLE if sampled else excluded.iso3}
    pool = [one for one in economies().values() if one.iso3 in having]
    if regions is not None:
        region_of = {one.iso3: classified(one, classification).region for one in pool}
        within = {_region(name, sorted(set(region_of.values()))) for name in regions}
        pool = [one for one in pool if region_of[one.iso3] in within]
    if countries is not None:
        named = {one.iso3: one for one in map(economy, countries)}
        if excluded.iso3 in named:
            raise BadRequest(
                f"{excluded.name} is the example country, whose figures the question gives away; "
                "choose another with --example-country to ask about it"
            )
        if bare := [one.name for code, one in named.items() if code not in with_figures]:
            raise BadRequest(
                f"{bare[0]} cannot be asked about, since it has no figure: leave it out"
            )
        pool = [one for one in pool if one.iso3 in named]
    elif sampled:
        pool = [one for one in _sample(pool, PER_REGION[size]) if one.iso3 != excluded.iso3]
    if not pool:
        raise BadRequest("no country with a figure is left to ask about; name others")
    return [classified(one, classification) for one in pool]


def _sample(pool: Iterable[Economy], each: int) -> list[Economy]:
    by_region: dict[str, list[Economy]] = {}
    for one in sorted(pool, key=_income_then_shuffled):
        by_region.setdefault(one.region, []).append(one)
    taken: list[Economy] = []
    for members in by_region.values():
        first = set(populous_first(one.iso3 for one in members)[: populous_share(each)])
        rest = [one for one in members if one.iso3 not in first]
        count = min(each - len(first), len(rest))
        taken += [one for one in members if one.iso3 in first]
        # The middle of each of `count` equal stretches of the sorted list.
        taken += [rest[(2 * i + 1) * len(rest) // (2 * count)] for i in range(count)]
    return sorted(taken, key=lambda one: one.iso3)


def _income_then_shuffled(one: Economy) -> tuple[int, bytes]:
    """A sort key: by income group from poor to rich, then pseudo-random.

    Venezuela has no income group and comes last.
    """
    income = INCOMES.index(one.income) if one.income in INCOMES else len(INCOMES)
    return income, blake2b(one.iso3.encode(), digest_size=8).digest()


def choose_rule(text: str | None, year: int | None, figures: Figures) -> Rule:
    """The ground truth rule: `text`. Without it, the question's `year`; without both, "average"."""
    rules = [ground_truth_rule(str(named)) for named in (text, year) if named is not None]
    for rule in rules:
        if isinstance(rule, int) and rule not in figures.years:
            span = f"{figures.years[0]} to {figures.years[-1]}"
            raise BadRequest(f"there are no figures of {rule}: the table has {span}")
    return rules[0] if rules else "average"


def _region(text: str, known: Sequence[str]) -> str:
    wanted = text.strip().casefold().replace(" and ", " & ")
    for name in known:
        if name.casefold() == wanted:
            return name
    raise unknown("region", text, known)
