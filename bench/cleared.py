"""How often is a model without any gap cleared, and which limit can it keep?

    python bench/cleared.py [--studies 200]

For each probe's primary number: the share of studies whose whole interval lies within the smallest
gap of interest, and the limit within which it lies in four of five studies.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from geobias.probes.ratings.asking import HIGHEST
from geobias.probes.settings import SMALLEST_GAP
from geobias.stats.estimates import Estimate
from real_designs import (
    Dice,
    Favour,
    Knowledge,
    Play,
    Prejudice,
    Size,
    errors,
    games,
    leans,
    ratings,
)
from real_scenarios import at_equal_fame, income_trend, rating_trend, whole_bias


def fair_models(size: Size) -> Iterator[tuple[str, Callable[[Dice], Estimate], float]]:
    """Name, study and scale of each."""

    def known(dice: Dice) -> Estimate:
        return income_trend(errors(dice, size, Knowledge(noise="beta"))).estimate

    def assumed(dice: Dice, named: float) -> Estimate:
        return whole_bias(leans(dice, size, Prejudice(named=named)))[0]

    def played(dice: Dice) -> Estimate:
        return at_equal_fame(games(dice, size, Play()), "north_south")[0]

    def rated(dice: Dice) -> Estimate:
        return rating_trend(ratings(dice, size, Favour())).estimate

    yield "WorldBench", known, 1.0
    for named in (0.4, 0.1):
        name = f"Name-BBQ, naming a person in {named:.0%}"
        yield name, partial(assumed, named=named), 1.0
    yield "Geo20Q+", played, 1.0
    yield "Ratings", rated, HIGHEST


def farthest(found: Estimate) -> float:
    """How far from 0 the interval reaches."""
    if found.low is None or found.high is None:
        return np.inf
    return max(abs(found.low), abs(found.high))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--studies", type=int, default=200)
    studies = parser.parse_args().studies
    print("| probe | size | cleared | limit kept in four of five |\n|---|---|---:|---:|")
    sizes: tuple[Size, ...] = ("standard", "paper")
    for size in sizes:
        for name, study, scale in fair_models(size):
            reached = [farthest(study(np.random.default_rng((5, i)))) for i in range(studies)]
            cleared = np.mean(np.array(reached) <= SMALLEST_GAP * scale)
            limit = np.quantile(reached, 0.8)
            print(f"| {name} | {size} | {cleared:.1%} | {limit:.3g} |", flush=True)


if __name__ == "__main__":
    main()
