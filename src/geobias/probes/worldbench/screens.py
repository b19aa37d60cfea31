"""The screens of WorldBench: whether errors say anything about what a model knows.

If a model gives one number for every country, or varies it slightly, its disparity comes from the
world's figures and not from its knowledge.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from geobias.measures.frames import once_per_frame, parts_of
from geobias.probes.worldbench.trials import absolute_relative_errors
from geobias.results.findings import Screen
from geobias.stats.arrays import ROUNDING, Floats
from geobias.stats.pooling import weights_of_mean

DRAWS = 2000
LEVEL = 0.01
"""A model passes if at most this share of shuffles has an error as small as its own. One in a
hundred models without knowledge passes by chance.
"""


@lru_cache(maxsize=32)
def deals(n: int, rows: int, seed: int = 0) -> NDArray[Any]:
    """Return `rows` random permutations of the numbers from 0 to `n` − 1, one in each row.

    Shuffling is slow, and many tables have the same number of countries.
    """
    # Whole machine words are shuffled in half the time that single bytes take.
    orders = np.tile(np.arange(n), (rows, 1))
    np.random.default_rng((seed, 0)).permuted(orders, axis=1, out=orders)
    return orders.astype(np.min_scalar_type(n))


class ShuffledBaseline(NamedTuple):
    """The mean error over countries, and its distribution over shuffles of the answers.

    chance_low  the mean error below which 1% of the shuffles lie
    p           share of shuffles, including the true order, with a mean error up to `value`
    can_tell    whether a model that knows everything would have a smaller error than 99% of the
                shuffles. With few answers it would not, since too many shuffles give each country
                its own answer back
    """

    value: float | None
    chance: float | None
    chance_low: float | None
    p: float | None
    n: int
    can_tell: bool


@once_per_frame
def shuffled_baseline(frame: pl.DataFrame) -> ShuffledBaseline:
    """Compare answers with the same answers shuffled among the countries, within each indicator.

    This removes what the model knows about single countries and keeps everything else. Every
    question keeps its figure and gets some answer, so missing figures favour no country. All
    repeats of a question go to the same country. Errors are centred by indicator in each shuffle.
    """
    answered = frame.drop_nulls("value").sort("trial")
    place = {iso3: i for i, iso3 in enumerate(answered["country"].unique().sort())}
    n = len(place)
    if n < 2:
        return ShuffledBaseline(None, None, None, None, n, False)
    tables = [
        _swapped(part, place) for _, part in answered.group_by("indicator", maintain_order=True)
    ]
    weights = _weights([asked for asked, _ in tables])
    orders = 1.0
    means = np.zeros(DRAWS + 1)
    for seed, (asked, errors) in enumerate(tables):
        # A row for each country, a column for each shuffle. The first column is the true order.
        own = np.arange(len(asked))
        givers = np.vstack([own, deals(len(own), DRAWS, seed)]).T
        means += weights[seed] @ np.take_along_axis(errors, givers, axis=1)
        orders *= math.factorial(min(len(asked), 10))
    value = float(means[0])
    return ShuffledBaseline(
        value,
        float(means[1:].mean()),
        float(np.quantile(means[1:], LEVEL)),
        (1 + int((means[1:] <= value + ROUNDING).sum())) / (1 + DRAWS),
        n,
        1 / orders < LEVEL,
    )


def _weights(asked: list[NDArray[np.int64]]) -> list[Floats]:
    """The weight of each country's error in the mean over countries, for each indicator."""
    sizes = [len(countries) for countries in asked]
    items = np.repeat(np.arange(len(asked)), sizes)
    return np.split(weights_of_mean(items, np.concatenate(asked)), np.cumsum(sizes)[:-1])


def _swapped(part: pl.DataFrame, place: dict[str, int]) -> tuple[NDArray[np.int64], Floats]:
    """The countries with an answer to one indicator, and the errors if they exchange answers.

    The table holds the mean error of the answers of one country (column) against the figure of
    another (row).
    """
    rows = np.array([place[iso3] for iso3 in part["country"]])
    asked, index = np.unique(rows, return_inverse=True)
    truth = np.empty(len(asked))
    truth[index] = part["truth"].to_numpy()
    errors = absolute_relative_errors(part["value"].to_numpy()[:, None], truth[None, :])
    table = np.zeros((len(asked), len(asked)))
    np.add.at(table, index, errors)
    return asked, np.ascontiguousarray((table / np.bincount(index)[:, None]).T)


LEAST_READ = 0.6
"""Minimum share of replies with a number. A model that declines half of all questions fails."""
LEAST_VARIETY = 0.25
"""Minimum variety of answers as a share of the variety of figures, averaged over indicators.

A model of 135 million parameters that says 4.04 for 43 of 44 countries has 14%. A model of 1.5
billion parameters that rounds a lot has 52%.
"""
FEW = 10
"""Minimum answers to an indicator from which a variety is computed."""


def screens(frame: pl.DataFrame) -> list[Screen]:
    """The screens of a run, the most basic first. A screen may fail because an earlier one does."""
    asked = frame.height
    read = frame["value"].count()
    share = read / asked if asked else None
    enough = share is not None and share >= LEAST_READ
    says = f"a number could be read from {'' if enough else 'only '}{read:,} of {asked:,} replies"
    parsed = Screen(
        name="parse rate",
        ok=enough,
        value=share,
        threshold=LEAST_READ,
        n=asked,
        says=says if asked else "nothing has been asked yet",
        plain="Too few of its replies held a number.",
    )
    return [parsed, _variety_screen(variety(frame)), _chance_screen(shuffled_baseline(frame))]


def _variety_screen(ratios: dict[str, float]) -> Screen:
    mean = sum(ratios.values()) / len(ratios) if ratios else None
    says = f"under {FEW} answers to each indicator: too few to see whether they vary"
    if mean is not None:
        says = f"the answers vary {mean:.0%} as much as the figures do"
    return Screen(
        name="variety of answers",
        ok=mean is None or mean >= LEAST_VARIETY,
        value=mean,
        threshold=LEAST_VARIETY,
        n=len(ratios),
        says=says,
        plain="It gives nearly the same number for every country.",
    )


def variety(frame: pl.DataFrame) -> dict[str, float]:
    """The effective number of different answers to each indicator, divided by that of the figures.

    An effective number is 1 / Σ share², which for equally frequent answers is their number. Answers
    and figures are rounded to one digit first, since models round. Some figures are equal: half of
    all countries have 100% access to electricity.
    """
    ratios = {}
    for (indicator,), part in parts_of(frame.drop_nulls("value"), "indicator").items():
        if part.height >= FEW:
            counts = (part[name].round_sig_figs(1).value_counts() for name in ("value", "truth"))
            answers, figures = (_effective(one["count"]) for one in counts)
            ratios[indicator] = min(1.0, answers / figures)
    return ratios


def _effective(counts: pl.Series) -> float:
    total = float(counts.sum())
    return total**2 / float((counts.cast(float) ** 2).sum())


def _chance_screen(found: ShuffledBaseline) -> Screen:
    value, threshold = found.value, found.chance_low
    ok = found.p is not None and found.p <= LEVEL
    if value is None or threshold is None or not found.can_tell:
        # Too few answers pass, as in the screen of variety, but no answers fail.
        ok, value, threshold = found.n > 0, None, 1.0
        few = f"answers about {found.n:,} countries" if found.n else "no answers"
        says = f"{few}: too few to compare with shuffled answers"
    else:
        says = (
            f"the mean error of {value:.3f} is {'better' if ok else 'no better'} than that of the "
            f"same answers shuffled among the countries ({found.chance:.3f} on average, "
            f"under {threshold:.3f} in {LEVEL:.0%} of shuffles)"
        )
    return Screen(
        name="better than shuffled answers",
        ok=ok,
        value=value,
        threshold=threshold,
        n=found.n,
        says=says,
        plain="Its answers are no better than the same answers shuffled among the countries.",
    )
