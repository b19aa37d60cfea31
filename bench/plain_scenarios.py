"""Scenarios of plain designs, which try one function of `stats` each, for `coverage.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from geobias.probes.geo20q.analyses import mann_whitney
from geobias.stats.arrays import Floats
from geobias.stats.contrasts import trend, welch_f, widest
from geobias.stats.estimates import Estimate, rate
from geobias.stats.over_units import (
    mean_over_units,
    median_over_units,
    rate_over_units,
    ratio_over_units,
    single_values_mean,
)
from geobias.stats.paired import paired
from geobias.stats.pooling import holm, pooled_means, pooled_rates
from geobias.stats.regression import linear, logistic
from real_designs import HARDNESS, Dice
from real_designs import logistic as expit
from real_scenarios import Scenario, Study, interval, rejection

REGIONS = (58, 48, 42, 37, 21, 8, 3)
INCOMES = (83, 54, 54, 26)
TWO = ((60, 112), (12, 8), (5, 9))


def errors(
    dice: Dice, countries: int, apart: float = 0.6, hardness: Any = HARDNESS, sure: float = 2.0
) -> Floats:
    """Errors between 0 and 1, skewed: one for each country and indicator (beta distributed)."""
    base = np.log(np.asarray(hardness) / (1 - np.asarray(hardness)))
    mean: Floats = expit(base + dice.normal(0, apart, (countries, 1)))
    return dice.beta(mean * sure, (1 - mean) * sure)


@cache
def mean_error(apart: float = 0.6, hardness: Any = HARDNESS) -> float:
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    base = np.log(np.asarray(hardness) / (1 - np.asarray(hardness)))
    return float((expit(base[:, None] + apart * nodes) @ weights).mean() / weights.sum())


@cache
def median_error(apart: float = 0.6, hardness: Any = HARDNESS) -> float:
    return float(np.median(errors(np.random.default_rng(0), 400_000, apart, hardness)))


def owner(units: int, each: int) -> NDArray[Any]:
    return np.repeat(np.arange(units), each)


# Means and medians ------------------------------------------------------------------------------


def mean_of_questions(
    dice: Dice, countries: int, hardness: Any = HARDNESS, apart: float = 0.6
) -> Study:
    made = errors(dice, countries, apart, hardness)
    if made.shape[1] == 1:
        found = single_values_mean(made.ravel(), bounds=(0, 1))
    else:
        units = owner(countries, made.shape[1])
        found = mean_over_units(made.ravel(), units, bounds=(0, 1))
    return interval(found, mean_error(apart, hardness))


def mean_of_recall(dice: Dice, countries: int) -> Study:
    """The error of a figure recalled with lognormal noise, whose size differs by country."""
    noise = dice.gamma(2, 0.4, countries)
    made = 1 - np.exp(-np.abs(dice.normal(0, noise)))
    found = single_values_mean(made, bounds=(0, 1))
    return interval(found, recall_truth())


@cache
def recall_truth() -> float:
    dice = np.random.default_rng(1)
    noise = dice.gamma(2, 0.4, 4_000_000)
    return float((1 - np.exp(-np.abs(dice.normal(0, noise)))).mean())


def mean_of_indicators(dice: Dice) -> Study:
    """One country: eleven indicators drawn from the kinds there are, one question each."""
    hardness = dice.choice(HARDNESS, 11)
    made = dice.beta(hardness * 2, (1 - hardness) * 2)
    found = mean_over_units(made, np.arange(11), bounds=(0, 1))
    return interval(found, float(np.mean(HARDNESS)))


def median_of_questions(
    dice: Dice, countries: int, hardness: Any = HARDNESS, apart: float = 0.6
) -> Study:
    made = errors(dice, countries, apart, hardness)
    found = median_over_units(made.ravel(), owner(countries, made.shape[1]), bounds=(0, 1))
    return interval(found, median_error(apart, hardness))


def nested(dice: Dice, countries: int, entities: int, games: int) -> Study:
    own = 0.3 + dice.normal(0, 0.1, countries)
    chance = np.clip(own[:, None] + dice.normal(0, 0.15, (countries, entities)), 0.01, 0.99)
    won = dice.random((countries, entities, games)) < chance[..., None]
    rates = won.mean(axis=2).ravel()
    found = mean_over_units(rates, np.repeat(np.arange(countries), entities), bounds=(0, 1))
    return interval(found, clipped_truth())


def clipped_mean(centre: float) -> float:
    nodes, weights = np.polynomial.hermite_e.hermegauss(40)
    return float(np.clip(centre + 0.15 * nodes, 0.01, 0.99) @ weights / weights.sum())


@cache
def clipped_truth() -> float:
    nodes, weights = np.polynomial.hermite_e.hermegauss(40)
    held = [clipped_mean(0.3 + 0.1 * node) for node in nodes]
    return float(np.array(held) @ weights / weights.sum())


# Rates, ratios, bias scores ---------------------------------------------------------------------


def plain_rate(dice: Dice, n: int, chance: float) -> Study:
    return interval(rate(int(dice.binomial(n, chance)), n), chance)


def clustered_rate(
    dice: Dice, units: int, each: int, chance: float, alike: float, unequal: bool = False
) -> Study:
    total = 1 / alike - 1
    own = dice.beta(chance * total, (1 - chance) * total, units)
    sizes = dice.integers(each // 4 + 1, 2 * each, units) if unequal else np.full(units, each)
    names = np.repeat(np.arange(units), sizes)
    hits = (dice.random(len(names)) < own[names]).astype(float)
    return interval(rate_over_units(hits, names), chance)


def bias_score(dice: Dice, templates: int, each: int, lean: float, named: float) -> Study:
    """2 · n_bias / n_named − 1 over templates that differ in lean and in how often they name."""
    answers = dice.beta(named * 6, (1 - named) * 6, templates)
    toward = dice.beta((1 + lean) / 2 * 8, (1 - lean) / 2 * 8, templates)
    names = owner(templates, each)
    spoke = dice.random(len(names)) < answers[names]
    side = np.where(dice.random(len(names)) < toward[names], 1.0, -1.0) * spoke
    found = ratio_over_units(side, spoke.astype(float), names, bounds=(-1, 1))
    return interval(found, lean)


# Groups -----------------------------------------------------------------------------------------

SHAPES: dict[str, Callable[[int], Floats]] = {
    "none": np.zeros,
    "even": lambda k: np.linspace(0, 1, k),
    "smallest out": lambda k: np.eye(k)[-1],
    "two camps": lambda k: (np.arange(k) >= k // 2).astype(float),
    "two apart": lambda k: np.concatenate([[0.0, 1.0], np.full(k - 2, 0.5)]),
}


def regions(
    dice: Dice, sizes: tuple[int, ...], shape: str, gap: float, skewed: bool
) -> tuple[Floats, list[str]]:
    """A mean error for each country: groups differ by `gap` from the lowest to the highest."""
    means = 0.3 + gap * SHAPES[shape](len(sizes))
    group = np.repeat(np.arange(len(sizes)), sizes)
    if skewed:
        made = dice.beta(means[group] * 6, (1 - means[group]) * 6)
    else:
        made = dice.normal(means[group], 0.12)
    return made, [f"{g}" for g in group]


def true_gap(dice: Dice, sizes: tuple[int, ...], shape: str, gap: float, skewed: bool) -> Study:
    values, groups = regions(dice, sizes, shape, gap, skewed)
    pair = widest(values, groups)
    return interval(pair.difference, gap * tested(sizes, shape)) if pair else Study(0, 0, 0, 0, 1)


def tested(sizes: tuple[int, ...], shape: str) -> float:
    """Which part of the gap lies between groups that are large enough to be tested."""
    places = SHAPES[shape](len(sizes))[np.array(sizes) >= 5]
    return float(np.ptp(places)) if len(places) else 0.0


def no_gap(dice: Dice, sizes: tuple[int, ...], skewed: bool) -> Study:
    values, groups = regions(dice, sizes, "none", 0, skewed)
    return rejection(welch_f(values, groups).p)


def skewed_values(dice: Dice, n: int) -> Floats:
    return dice.gamma(2, 0.1, n)


def shift(dice: Dice, n: int, m: int) -> Study:
    """Two groups of the same skewed shape, one moved up by 0.1."""
    values = np.concatenate([skewed_values(dice, n) + 0.1, skewed_values(dice, m)])
    return interval(trend(values, ["a"] * n + ["b"] * m, "ab"), 0.1)


def rates_with_ties(dice: Dice, n: int, m: int) -> Study:
    """Success rates of ten games a country: many ties, no difference."""
    values = dice.binomial(10, dice.beta(1, 6, n + m)) / 10
    return rejection(ranked(values[:n], values[n:]))


def no_difference(dice: Dice, n: int, m: int) -> Study:
    return rejection(ranked(skewed_values(dice, n), skewed_values(dice, m)))


def ranked(first: Floats, second: Floats) -> float | None:
    """Mann and Whitney's p."""
    sides = ["Global North"] * len(first) + ["Global South"] * len(second)
    means = pl.DataFrame({"north_south": sides, "value": np.concatenate([first, second])})
    return mann_whitney(means, "north_south")["p"]


# Pairs ------------------------------------------------------------------------------------------


def two_runs(dice: Dice, countries: int, change: float) -> tuple[Floats, Floats, NDArray[Any]]:
    """Errors of two models on the same questions; the second is better where both are bad."""
    first = errors(dice, countries)
    moved = change + dice.normal(0, 0.05, (countries, 1)) + dice.normal(0, 0.2, first.shape)
    return first.ravel(), (first + moved).ravel(), owner(countries, first.shape[1])


def paired_difference(dice: Dice, countries: int) -> Study:
    first, second, units = two_runs(dice, countries, -0.05)
    return interval(paired(first, second, units).difference, -0.05)


def paired_rates(dice: Dice, countries: int) -> Study:
    """Success of two models in the same ten games of each country, 5% and 12%."""
    easy = dice.beta(0.5, 9.5, countries)[:, None]
    first = dice.random((countries, 10)) < easy
    second = dice.random((countries, 10)) < np.minimum(easy * 2.4, 1)
    found = paired(
        first.ravel().astype(float),
        second.ravel().astype(float),
        owner(countries, 10),
        bounds=(-1, 1),
    )
    return interval(found.difference, more_wins())


@cache
def more_wins() -> float:
    easy = np.random.default_rng(2).beta(0.5, 9.5, 4_000_000)
    return float((np.minimum(easy * 2.4, 1) - easy).mean())


def no_change(dice: Dice, countries: int) -> Study:
    first, second, units = two_runs(dice, countries, 0)
    return rejection(paired(first, second, units).difference.p)


# Pooling and regressions ------------------------------------------------------------------------


def over_groups(found: list[Estimate], truths: Floats) -> Study:
    parts = [interval(one, float(truth)) for one, truth in zip(found, truths, strict=True)]
    return Study(*np.mean(parts, axis=0))


def study_of_rates(dice: Dice, countries: int, unequal: bool) -> Study:
    truths = dice.beta(1.5, 6, countries)
    games = dice.integers(2, 40, countries) if unequal else np.full(countries, 10)
    return over_groups(pooled_rates(dice.binomial(games, truths), games), truths)


def study_of_means(dice: Dice, countries: int) -> Study:
    truths = dice.normal(0.4, 0.08, countries)
    sizes = dice.integers(3, 12, countries)
    means = dice.normal(truths, 0.25 / np.sqrt(sizes))
    found = pooled_means(means, 0.25 / np.sqrt(sizes), sizes.tolist())
    return over_groups(found, truths)


def slope(dice: Dice, countries: int, effect: float, kind: str) -> Estimate | None:
    """Ten games a country on popularity, which differs by country and by game."""
    names = owner(countries, 10)
    popular = dice.normal(0, 0.7, countries)[names] + dice.normal(0, 0.7, len(names))
    apart = dice.normal(0, 0.6, countries)[names]
    if kind == "linear":
        turns = 12 + effect * popular + 2 * apart + dice.normal(0, 3, len(names))
        fitted = linear(turns, popular, names)
    else:
        won = dice.random(len(names)) < expit(-1 + effect * popular + apart)
        fitted = logistic(won, popular, names)
    return fitted.slope if fitted.r_squared is not None else None


def slope_interval(dice: Dice, countries: int) -> Study:
    found = slope(dice, countries, -1.0, "linear")
    return interval(found, -1.0) if found else Study(0, 0, 0, 0, 1)


def no_slope(dice: Dice, countries: int, kind: str) -> Study:
    found = slope(dice, countries, 0.0, kind)
    return rejection(found.p if found else None)


def family(dice: Dice) -> Study:
    """Eleven indicators without any gap: does Holm find one?"""
    p = [welch_f(*regions(dice, INCOMES, "none", 0, False)).p for i in range(11)]
    return rejection(min(one for one in holm(p) if one is not None))


def scenarios() -> Iterator[Scenario]:
    """All of them; what they look at has no name."""
    return (
        Scenario(name, says, _named(study), {"": kind}) for name, says, study, kind in _scenarios()
    )


def _named(study: Callable[[Dice], Study]) -> Callable[[Dice], dict[str, Study]]:
    return lambda dice: {"": study(dice)}


def _scenarios() -> Iterator[tuple[str, str, Callable[[Dice], Study], str]]:
    one = (0.2,)
    many: list[tuple[str, str, Callable[[Dice], Study]]] = [
        ("mean, 3 countries", "11 questions each", partial(mean_of_questions, countries=3)),
        ("mean, 8 countries", "11 questions each", partial(mean_of_questions, countries=8)),
        ("mean, 48 countries", "11 questions each", partial(mean_of_questions, countries=48)),
        (
            "mean, 21 countries, skewed",
            "1 question each, beta errors",
            partial(mean_of_questions, countries=21, hardness=one),
        ),
        (
            "mean, 200 countries, skewed",
            "1 question each, beta errors",
            partial(mean_of_questions, countries=200, hardness=one),
        ),
        (
            "mean, 48 countries, lognormal",
            "1 question each, recalled with lognormal noise",
            partial(mean_of_recall, countries=48),
        ),
        ("mean, 11 indicators", "1 question each, of one country", mean_of_indicators),
        ("median, 3 countries", "11 questions each", partial(median_of_questions, countries=3)),
        ("median, 8 countries", "11 questions each", partial(median_of_questions, countries=8)),
        ("median, 48 countries", "11 questions each", partial(median_of_questions, countries=48)),
        (
            "median, 11 values",
            "1 question each",
            partial(median_of_questions, countries=11, hardness=one),
        ),
        (
            "median, 200 values",
            "1 question each",
            partial(median_of_questions, countries=200, hardness=one),
        ),
        (
            "nested mean, 40 countries",
            "10 entities each, 5 games each; other countries",
            partial(nested, countries=40, entities=10, games=5),
        ),
        (
            "nested mean, 3 countries",
            "10 entities each, 5 games each; other countries",
            partial(nested, countries=3, entities=10, games=5),
        ),
        ("rate, 200 trials, 0.5", "independent", partial(plain_rate, n=200, chance=0.5)),
        ("rate, 50 trials, 0.03", "independent", partial(plain_rate, n=50, chance=0.03)),
        (
            "rate, 25 templates, 0.97",
            "20 items each",
            partial(clustered_rate, units=25, each=20, chance=0.97, alike=0.05),
        ),
        (
            "rate, 172 countries, 0.03",
            "10 games each",
            partial(clustered_rate, units=172, each=10, chance=0.03, alike=0.1),
        ),
        (
            "rate, 40 countries, unequal",
            "3 to 19 games each, 0.15",
            partial(clustered_rate, units=40, each=10, chance=0.15, alike=0.1, unequal=True),
        ),
        (
            "rate, 8 countries, 0.3",
            "20 games each",
            partial(clustered_rate, units=8, each=20, chance=0.3, alike=0.1),
        ),
        (
            "rate, 3 countries, 0.4",
            "20 games each",
            partial(clustered_rate, units=3, each=20, chance=0.4, alike=0.1),
        ),
        (
            "bias score, 25 templates",
            "lean 0.2, half of 40 name somebody",
            partial(bias_score, templates=25, each=40, lean=0.2, named=0.5),
        ),
        (
            "bias score, 25 templates, few named",
            "lean 0, 8% of 40 name somebody",
            partial(bias_score, templates=25, each=40, lean=0.0, named=0.08),
        ),
        (
            "bias score, 4 templates",
            "lean 0.2, half of 20 name somebody",
            partial(bias_score, templates=4, each=20, lean=0.2, named=0.5),
        ),
        (
            "gap, regions, none",
            "217 countries, normal",
            partial(true_gap, sizes=REGIONS, shape="none", gap=0, skewed=False),
        ),
        (
            "gap, regions, none, skewed",
            "217 countries, beta",
            partial(true_gap, sizes=REGIONS, shape="none", gap=0, skewed=True),
        ),
    ]
    for sizes, called in ((REGIONS, "regions"), (INCOMES, "incomes")):
        for shape in ("even", "two camps", "two apart", "smallest out"):
            many.append(
                (
                    f"gap, {called}, {shape}",
                    f"true gap 0.2, {len(sizes)} groups of {min(sizes)} to {max(sizes)}",
                    partial(true_gap, sizes=sizes, shape=shape, gap=0.2, skewed=True),
                )
            )
    many += [
        (f"difference, {n} and {m} units", "skewed, one moved by 0.1", partial(shift, n=n, m=m))
        for n, m in TWO
    ]
    many += [
        (
            f"paired difference, {n} countries",
            "11 questions each",
            partial(paired_difference, countries=n),
        )
        for n in (3, 8, 48, 200)
    ]
    many += [
        (
            "paired rates, 48 countries",
            "10 games each, 5% and 12%",
            partial(paired_rates, countries=48),
        ),
        (
            "pooled rates, 172 countries",
            "10 games each; share of all intervals",
            partial(study_of_rates, countries=172, unequal=False),
        ),
        (
            "pooled rates, 20 countries",
            "2 to 39 games; share of all intervals",
            partial(study_of_rates, countries=20, unequal=True),
        ),
        (
            "pooled means, 20 groups",
            "3 to 11 units; share of all intervals",
            partial(study_of_means, countries=20),
        ),
        ("slope, 40 clusters", "linear, 10 games each", partial(slope_interval, countries=40)),
        ("slope, 172 clusters", "linear, 10 games each", partial(slope_interval, countries=172)),
    ]
    for name, says, study in many:
        yield name, says, study, "interval"
    yield (
        "disparity over regions",
        "217 countries, normal",
        partial(no_gap, sizes=REGIONS, skewed=False),
        "null",
    )
    yield (
        "disparity over regions, skewed",
        "217 countries, beta",
        partial(no_gap, sizes=REGIONS, skewed=True),
        "null",
    )
    yield (
        "disparity over incomes, skewed",
        "217 countries, beta",
        partial(no_gap, sizes=INCOMES, skewed=True),
        "null",
    )
    for n, m in TWO:
        yield (f"Mann–Whitney, {n} and {m}", "skewed", partial(no_difference, n=n, m=m), "null")
    yield (
        "Mann–Whitney with ties, 60 and 112",
        "rates of ten games",
        partial(rates_with_ties, n=60, m=112),
        "null",
    )
    for n in (8, 48):
        yield (
            f"sign flips, {n} countries",
            "11 questions each",
            partial(no_change, countries=n),
            "null",
        )
    yield (
        "linear slope, 40 clusters",
        "10 games each",
        partial(no_slope, countries=40, kind="linear"),
        "null",
    )
    yield (
        "logistic slope, 40 clusters",
        "10 games each",
        partial(no_slope, countries=40, kind="logistic"),
        "null",
    )
    yield ("Holm over eleven indicators", "any of 11 tests over incomes", family, "null")
    hard = [
        (
            "mean, 3 countries, 1 question each",
            "beta errors",
            partial(mean_of_questions, countries=3, hardness=one),
            "three skewed numbers do not show their skew",
        ),
        (
            "mean, 8 countries, 1 question each",
            "beta errors, very skewed",
            partial(mean_of_questions, countries=8, hardness=(0.05,)),
            "most are near 0, and few of the large ones are seen",
        ),
        (
            "rate, 3 countries, 0.02",
            "10 games each",
            partial(clustered_rate, units=3, each=10, chance=0.02, alike=0.1),
            "no or one win: the interval is wide and nearly always right",
        ),
        (
            "rate, 25 countries, 0.02, very alike",
            "10 games each, intraclass correlation 0.3",
            partial(clustered_rate, units=25, each=10, chance=0.02, alike=0.3),
            "all wins come from one or two countries",
        ),
        (
            "median, 5 values",
            "1 question each",
            partial(median_of_questions, countries=5, hardness=one),
            "five values have no 95% interval for a median; none is given",
        ),
        (
            "mean, 2 countries",
            "11 questions each",
            partial(mean_of_questions, countries=2),
            "no interval is given",
        ),
        (
            "slope, 8 clusters",
            "linear, 10 games each",
            partial(slope_interval, countries=8),
            "no interval is given",
        ),
    ]
    for name, says, study, why in hard:
        yield name, f"{says}: {why}", study, "cannot"
    few: tuple[tuple[tuple[int, ...], str], ...] = (
        ((4, 4), "even"),
        ((8, 8, 8, 8), "two apart"),
        ((10,) * 20, "even"),
        ((54, 48, 44, 23, 14, 12), "smallest out"),
    )
    for groups, shape in few:
        yield (
            f"gap, {len(groups)} groups, {shape}",
            f"true gap 0.15, groups of {' '.join(map(str, sorted({*groups})))}, normal",
            partial(true_gap, sizes=groups, shape=shape, gap=0.15, skewed=False),
            "interval",
        )
