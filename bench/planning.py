"""Does `geobias plan` promise what studies show? Promised and simulated power side by side.

    python bench/planning.py [--studies 1000] [--only REGEX]

For each design (the real countries, questions, templates, nationalities and entities)
studies are drawn item by item with the spread that the plan assumes, at the gap that it promises to
see 50%, and 80%, of the time. Each study is handed to the very function that the report calls.
Exits with 1 where a promise is off by more than five points beyond the simulation's own noise (two
standard errors).
"""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

import numpy as np

from geobias.atlas.economies import INCOMES, economies
from geobias.measures.planning import Aim
from geobias.probes import derived
from geobias.probes.plan import Plan
from geobias.probes.registry import find_probe, plan_of
from geobias.stats.contrasts import trend
from geobias.stats.crossed import crossed_ratio
from geobias.stats.planning import power, smallest_gap
from geobias.stats.pooling import centred
from geobias.stats.regression import difference_at_equal

Dice: TypeAlias = np.random.Generator
Study: TypeAlias = Callable[[float, Dice], float | None]
"""The p-value of one study with a true gap."""
OFF = 0.05
WON = 0.2
"""Share of games won: about what the paper's three models reach (Table 1)."""


class Row(NamedTuple):
    name: str
    gap: float
    promised: float
    simulated: float
    studies: int

    @property
    def kept(self) -> bool:
        noise = 2 * math.sqrt(self.simulated * (1 - self.simulated) / self.studies)
        return abs(self.simulated - self.promised) <= OFF + noise


def worldbench(plan: Plan, aim: Aim) -> Study:
    """Errors of questions, some indicators harder than others, in the plan's own income groups,
    whose means lie on a line."""
    asked = sorted({tuple(trial.name.split("/")[1:3]) for trial in plan.trials()})
    indicators = np.array([one for one, _ in asked])
    countries = np.array([iso3 for _, iso3 in asked])
    names, country = np.unique(countries, return_inverse=True)
    _, indicator = np.unique(indicators, return_inverse=True)
    incomes = [economies()[iso3].income for iso3 in names]
    steps = np.array([INCOMES.index(one) if one else 1.5 for one in incomes]) / 3
    design = aim.design

    def study(gap: float, dice: Dice) -> float | None:
        true = -gap * steps + dice.normal(0, design.between, len(names))
        hard = dice.normal(0, 0.15, indicator.max() + 1)
        errors = true[country] + hard[indicator] + dice.normal(0, design.within, len(asked))
        freed = centred(errors, indicators, countries)
        return trend(np.bincount(country, freed) / np.bincount(country), incomes, INCOMES).p

    return study


def namebbq(plan: Plan, aim: Aim) -> Study:
    """Leanings of items, crossed in templates, nationalities and others as they are. Who the other
    person is does not matter here, as the plan assumes."""
    items = plan.compared() if plan.compared else ()
    templates, nationalities, others = (np.array(side) for side in zip(*items, strict=True))
    rows, row = np.unique(templates, return_inverse=True)
    columns, column = np.unique(nationalities, return_inverse=True)
    design = aim.design

    def study(gap: float, dice: Dice) -> float | None:
        lean = gap + dice.normal(0, design.between, len(rows))[row]
        lean += dice.normal(0, design.across, len(columns))[column]
        lean += dice.normal(0, design.within, len(items))
        return crossed_ratio(lean, np.ones(len(items)), row, column, others).estimate.p

    return study


def geo20q(plan: Plan, aim: Aim) -> Study:
    """Games won and lost, about people that the model knows."""
    assert plan.compared is not None
    half = {one.iso3: one.north_south for one in economies().values()}
    homes = [unit for _, unit, *_ in plan.compared() if half[unit]]
    names, country = np.unique(homes, return_inverse=True)
    of_south = np.array([half[name] == "Global South" for name in names])
    design = aim.design

    def study(gap: float, dice: Dice) -> float | None:
        # Beta rates have the wanted mean and SD and stay between 0 and 1.
        mean = WON + gap * (0.5 - of_south)
        size = mean * (1 - mean) / design.between**2 - 1
        rate = dice.beta(mean * size, (1 - mean) * size)[country]
        won = (dice.random(len(homes)) < rate).astype(float)
        return difference_at_equal(won, of_south[country].astype(float), {}, country).p

    return study


def ratings(plan: Plan, aim: Aim) -> Study:
    """Means of economies over their topics, in the plan's own income groups."""
    design = aim.design
    items = np.array(design.items)
    group = np.repeat(np.arange(len(design.groups)), design.groups)
    incomes = [INCOMES[number] for number in group]

    def study(gap: float, dice: Dice) -> float | None:
        noise = np.sqrt(design.between**2 + design.within**2 / items)
        values = -gap * group / 3 + noise * dice.normal(size=len(items))
        return trend(values, incomes, INCOMES).p

    return study


STUDIES: dict[str, Callable[[Plan, Aim], Study]] = {
    "worldbench": worldbench,
    "namebbq": namebbq,
    "geo20q": geo20q,
    "ratings": ratings,
}


def designs() -> Iterator[tuple[str, Plan]]:
    for name in STUDIES:
        for size in ("standard", "paper"):
            yield f"{name} {size}", plan_of(find_probe(name), {"size": size})


def rows(studies: int, only: str = "", seed: int = 1) -> Iterator[Row]:
    """Each design at the gaps that are promised to be seen half of the time, and 80% of it."""
    for number, (name, plan) in enumerate(designs()):
        if not re.search(only, name):
            continue
        aim = derived.aim(find_probe(plan.probe), plan)
        study = STUDIES[plan.probe](plan, aim)
        for wanted in (0.5, 0.8):
            gap = smallest_gap(aim.design, wanted=wanted, most=aim.most_gap)
            if gap is None:
                continue
            dice = np.random.default_rng([seed, number, round(100 * wanted)])
            found = [study(gap, dice) for _ in range(studies)]
            seen = sum(p is not None and p < aim.design.level for p in found) / studies
            yield Row(name, gap, power(aim.design, gap), seen, studies)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=1000)
    parser.add_argument("--only", default="", help="Designs whose name this finds.")
    chosen = parser.parse_args()
    print("| design | gap | promised | simulated | |\n|---|---:|---:|---:|---|")
    kept = True
    for row in rows(chosen.studies, chosen.only):
        kept &= row.kept
        mark = "" if row.kept else "off"
        print(
            f"| {row.name} | {row.gap:g} | {row.promised:.1%} | {row.simulated:.1%} | {mark} |",
            flush=True,
        )
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
