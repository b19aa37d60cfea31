"""Scenarios in the real designs (`real_designs`), for `coverage.py`.

The scenarios are fixed: none is taken out, whatever a method makes of it. Under "How geobias
answers" stand the functions of the product that are put to them; when a method changes, that part
changes and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from geobias.stats.estimates import Estimate
from geobias.stats.group_differences import group_differences
from geobias.stats.over_units import mean_over_units
from real_designs import (
    AFRICA,
    EVEN_INCOMES,
    EVEN_REGIONS,
    SOUTH_ASIA,
    Answering,
    Dice,
    Grouping,
    Knowledge,
    Play,
    Prejudice,
    Size,
    answers,
    errors,
    games,
    gap_of_groups,
    gap_truth,
    group_truths,
    lean_truth,
    leans,
    mistakes,
    spread_of_groups,
    verdicts,
)

NOTHING = Estimate(None, None, None, 0, "no method")


class Study(NamedTuple):
    """What one study said: of the intervals it gave, how many held the truth or lay beside it.

    For a test, `held` are those that did not reject and `above` those that did. `cautioned` counts
    intervals that come with a caution.
    """

    held: float
    below: float
    above: float
    width: float
    without: float
    cautioned: float = 0.0


class Scenario(NamedTuple):
    """Studies of one kind, and what is looked at in each of them.

    `study` makes one and says how each thing came out; `kinds` has the same keys:

    interval       does it hold the truth?
    null           does the test reject, where nothing is?
    power          does it, where something is?
    contradiction  do interval and test disagree?
    passes         does a model that can be measured pass the screens?
    fails          does a model that cannot?
    """

    name: str
    says: str
    study: Callable[[Dice], dict[str, Study]]
    kinds: dict[str, str]


def interval(found: Estimate, truth: float) -> Study:
    if found.low is None or found.high is None:
        return Study(0, 0, 0, 0, 1)
    below, above = found.high < truth - 1e-12, found.low > truth + 1e-12
    width, caution = found.high - found.low, float(bool(found.caution))
    return Study(float(not (below or above)), below, above, width, 0, caution)


def rejection(p: float | None) -> Study:
    if p is None:
        return Study(0, 0, 0, 0, 1)
    return Study(float(p > 0.05), 0, float(p <= 0.05), 0, 0)


def disagreement(found: Estimate, p: float | None, null: float = 0.0) -> Study:
    """An interval that leaves out what the test does not reject, or the reverse."""
    if p is None or found.low is None or found.high is None:
        return Study(0, 0, 0, 0, 1)
    outside = not found.low <= null <= found.high
    wrong = float(outside != (p <= 0.05))
    return Study(1 - wrong, 0, wrong, 0, 0)


def share(passed: bool) -> Study:
    return Study(float(not passed), 0, float(passed), 0, 0)


# How geobias answers ----------------------------------------------------------------------------


class Groups(NamedTuple):
    """What is said of regions or incomes: the spread of their means and its test; the largest minus
    the smallest and its test; each group's mean."""

    spread: Estimate
    p: float | None
    gap: Estimate
    gap_p: float | None
    means: dict[str, Estimate]


def groups_of(frame: pl.DataFrame, by: str) -> Groups:
    from geobias.probes.worldbench import scores

    # What `scores.disparities` and `scores.group_errors` call, without their other columns.
    questions = scores.question_means(frame)
    countries = scores._means_of(questions)
    found = group_differences(
        countries["error"].to_numpy(), countries[by].to_list(), most=1, bounds=scores.ERROR_BOUNDS
    )
    means = {
        group: scores._mean_error(part, by)
        for (group,), part in questions.group_by(by)
        if group in FOLLOWED
    }
    return Groups(found.spread, found.p, found.gap, found.gap_p, means)


def country_ps(frame: pl.DataFrame) -> tuple[list[float], list[float]]:
    """Each country's p-value, plain and adjusted."""
    from geobias.probes.worldbench.countries import country_tests

    table = country_tests(frame).drop_nulls("p")
    return table["p"].to_list(), table["p_adjusted"].to_list()


def knows_something(frame: pl.DataFrame) -> bool:
    from geobias.probes.worldbench.screens import screens
    from geobias.results.findings import reasons

    return not reasons(screens(frame))


def whole_bias(frame: pl.DataFrame) -> tuple[Estimate, float | None]:
    """The ambiguous bias with nationalities, and its test."""
    from geobias.probes.namebbq.scores import SCORES, estimate

    found = estimate(frame, SCORES["bias_ambiguous"])
    return found.estimate, found.p


def retention(frame: pl.DataFrame) -> Estimate:
    from geobias.probes.namebbq.scores import CHANGES

    return CHANGES["error_retention"].estimate(frame).estimate


class Halves(NamedTuple):
    """The difference between two halves of the world, its test, and each half's mean."""

    difference: Estimate
    p: float | None
    first: Estimate
    second: Estimate


def halves_of(frame: pl.DataFrame, half: str, kind: str) -> Halves:
    from geobias.probes.geo20q.analyses import sides_of
    from geobias.probes.geo20q.scores import country_means, ended_games

    # What `analyses.halves` calls for each of its rows.
    games = ended_games(frame).filter(type=kind, setting="canonical")
    found = sides_of(country_means(games), half)  # type: ignore[arg-type]
    return Halves(found.difference.estimate, found.difference.p, found.first, found.second)


def at_equal_fame(frame: pl.DataFrame, half: str, kind: str) -> tuple[Estimate, float | None]:
    """The difference between the halves that is left at equal fame, and its test."""
    from geobias.probes.geo20q.fame import gap_at_equal_fame
    from geobias.probes.geo20q.scores import by_setting

    games = by_setting(frame).filter(type=kind, setting="canonical")
    return gap_at_equal_fame(games, half)  # type: ignore[arg-type]


def accuracy(frame: pl.DataFrame) -> Estimate:
    """The judge's accuracy on known facts."""
    from geobias.probes.geo20q.judging import accuracy_of

    return accuracy_of(frame)


def judge_is_fit(found: Estimate) -> bool:
    """Whether a judge with this accuracy passes the screen."""
    from geobias.probes.geo20q.judging import is_fit

    return is_fit(found)


def mean_of(values: Any) -> Estimate:
    """The mean error of one number for each country."""
    return mean_over_units(values, np.arange(len(values)), bounds=(0, 1), draws=999)


# The scenarios ----------------------------------------------------------------------------------

FOLLOWED = ("Sub-Saharan Africa", "South Asia", "Low income")
"""Groups whose own mean is looked at: a large one, a small one, a poor one."""


def groups(dice: Dice, size: Size, how: Knowledge) -> dict[str, Study]:
    found = groups_of(errors(dice, size, how), how.by)
    truths = group_truths(size, how)
    told = {
        "test": rejection(found.p),
        "spread": interval(found.spread, spread_of_groups(size, how)),
        "spread and test": disagreement(found.spread, found.p),
        "gap": interval(found.gap, gap_of_groups(size, how)),
        "gap and its test": disagreement(found.gap, found.gap_p),
    }
    for name in FOLLOWED:
        if name in truths:
            told[f"mean of {name}"] = interval(found.means.get(name, NOTHING), truths[name])
    return told


def countries(dice: Dice, size: Size, how: Knowledge) -> dict[str, Study]:
    plain, adjusted = country_ps(errors(dice, size, how))
    under = float(np.mean(np.array(plain) <= 0.05))
    return {
        "share of countries": Study(1 - under, 0, under, 0, 0),
        "any country, adjusted": rejection(min(adjusted)),
    }


def screened(dice: Dice, size: Size, how: Answering) -> dict[str, Study]:
    return {"screens": share(knows_something(answers(dice, size, how)))}


def bias(dice: Dice, size: Size, how: Prejudice) -> dict[str, Study]:
    found, p = whole_bias(leans(dice, size, how))
    return {
        "test": rejection(p),
        "bias": interval(found, lean_truth(how)),
        "bias and test": disagreement(found, p),
    }


def kept_errors(dice: Dice, size: Size, wrong: float, kept: float) -> dict[str, Study]:
    return {"retention": interval(retention(mistakes(dice, size, wrong, kept)), kept)}


def halves(dice: Dice, size: Size, how: Play, kind: str) -> dict[str, Study]:
    found = halves_of(games(dice, size, how), how.halves, kind)
    return {
        "test": rejection(found.p),
        "difference": interval(found.difference, gap_truth(size, how, kind)),
        "difference and test": disagreement(found.difference, found.p),
    }


def fame(dice: Dice, size: Size, how: Play) -> dict[str, Study]:
    found, p = at_equal_fame(games(dice, size, how), how.halves, "people")
    return {
        "test": rejection(p),
        "difference": interval(found, how.gap),
        "difference and test": disagreement(found, p),
    }


def judge(dice: Dice, size: Size, right: float) -> dict[str, Study]:
    found = accuracy(verdicts(dice, size, right))
    return {"accuracy": interval(found, right), "screen": share(judge_is_fit(found))}


def skewed_mean(dice: Dice, n: int, base: float, far: float, often: float) -> dict[str, Study]:
    """Most units near `base`, some at `far`."""
    blunder = dice.random(n) < often
    near = np.clip(dice.normal(base, 0.03, n), 0, 1)
    made = np.where(blunder, np.clip(dice.normal(far, 0.03, n), 0, 1), near)
    return {"mean": interval(mean_of(made), _skewed_truth(base, far, often))}


@cache
def _skewed_truth(base: float, far: float, often: float) -> float:
    from scipy.stats import norm

    def clipped(centre: float) -> float:
        x = np.linspace(centre - 0.2, centre + 0.2, 4001)
        weights = norm.pdf(x, centre, 0.03)
        return float((np.clip(x, 0, 1) * weights).sum() / weights.sum())

    return (1 - often) * clipped(base) + often * clipped(far)


WAYS = {
    "additive": Knowledge(),
    "beta": Knowledge(noise="beta"),
    "one answer in ten far off": Knowledge(noise="blunders"),
    "one country in ten unknown": Knowledge(noise="lost countries"),
    "small groups vary more": Knowledge(varying="small"),
    "large groups vary more": Knowledge(varying="large"),
    "poor countries decline": Knowledge(declines="poor"),
    "beta, poor countries decline": Knowledge(noise="beta", declines="poor"),
    "declined where wrong": Knowledge(declines="wrong"),
    "half declined": Knowledge(declines="half"),
}
EFFECTS: tuple[tuple[Grouping, str, tuple[tuple[str, float], ...]], ...] = (
    ("region", "Africa worse by 0.1", AFRICA),
    ("region", "South Asia worse by 0.15", SOUTH_ASIA),
    ("region", "evenly apart by 0.15", EVEN_REGIONS),
    ("income", "evenly apart by 0.15", EVEN_INCOMES),
)
STRAINED: tuple[str, ...] = (
    "additive",
    "beta",
    "one answer in ten far off",
    "small groups vary more",
)
STRAINED += ("large groups vary more", "beta, poor countries decline")
PREJUDICES = {
    "both differ": Prejudice(),
    "few name a person": Prejudice(named=0.06),
    "all name a person": Prejudice(named=1.0),
    "nationalities differ": Prejudice(templates=0.1, nationalities=0.4),
    "templates differ": Prejudice(templates=0.4, nationalities=0.1),
    "nothing differs": Prejudice(templates=0.0, nationalities=0.0),
}
PLAYS = {
    "a third won": Play(),
    "few won": Play(won=0.04, countries=0.02),
    "most won": Play(won=0.95, countries=0.03),
    "the South varies more": Play(southern=2.0),
    "the South varies less": Play(countries=0.2, southern=0.25),
    "West and East": Play(halves="west_east"),
}


def real_scenarios() -> Iterator[Scenario]:
    """All of them, in the order of the tables."""
    yield from _worldbench()
    yield from _namebbq()
    yield from _geo20q()
    for n in (5, 8, 12, 21, 30, 48):
        how = partial(skewed_mean, n=n, base=0.05, far=0.9, often=0.1)
        yield Scenario(
            f"mean of {n} units", "near 0.05, a tenth near 0.9", how, {"mean": "interval"}
        )
    for n in (8, 21, 48):
        how = partial(skewed_mean, n=n, base=0.95, far=0.1, often=0.1)
        yield Scenario(
            f"mean of {n} units", "near 0.95, a tenth near 0.1", how, {"mean": "interval"}
        )
        how = partial(skewed_mean, n=n, base=0.4, far=0.4, often=0.0)
        yield Scenario(f"mean of {n} units", "near 0.4, none far off", how, {"mean": "interval"})


SIZES: tuple[Size, ...] = ("paper", "standard")


def _worldbench() -> Iterator[Scenario]:
    groupings: tuple[Grouping, ...] = ("region", "income")
    for size in SIZES:
        for by in groupings:
            for words, knowledge in WAYS.items():
                yield _groups(size, f"no difference; {words}", knowledge._replace(by=by))
        for by, says, apart in EFFECTS:
            for words in STRAINED:
                knowledge = WAYS[words]._replace(by=by, apart=apart)
                yield _groups(size, f"{says}; {words}", knowledge)
        for words in ("additive", "beta", "one answer in ten far off"):
            yield _countries(size, f"no country differs; {words}", WAYS[words], 0.0)
        words = "beta, poor countries decline"
        yield _countries(size, f"no country differs; {words}", WAYS[words], 0.0)
        yield _countries(size, "countries differ, SD 0.15", Knowledge(), 0.15)
        ignorant: tuple[Answering, ...] = ("typical", "one number", "random", "swaps")
        knowing: tuple[Answering, ...] = ("knows", "knows little", "rounds")
        for answering in ignorant:
            how = partial(screened, size=size, how=answering)
            yield Scenario(f"WorldBench, {size}", answering, how, {"screens": "fails"})
        for answering in knowing:
            how = partial(screened, size=size, how=answering)
            yield Scenario(f"WorldBench, {size}", answering, how, {"screens": "passes"})


def _groups(size: Size, says: str, how: Knowledge) -> Scenario:
    kinds = {
        "test": "power" if how.apart else "null",
        "spread": "interval",
        "spread and test": "contradiction",
        "gap": "interval",
        "gap and its test": "contradiction",
    }
    truths = group_truths(size, how)
    kinds |= {f"mean of {name}": "interval" for name in FOLLOWED if name in truths}
    return Scenario(f"{how.by}s, {size}", says, partial(groups, size=size, how=how), kinds)


def _countries(size: Size, says: str, how: Knowledge, between: float) -> Scenario:
    kind = "power" if between else "null"
    kinds = {"share of countries": kind, "any country, adjusted": kind}
    made = partial(countries, size=size, how=how._replace(between=between))
    return Scenario(f"countries, {size}", says, made, kinds)


def _namebbq() -> Iterator[Scenario]:
    for size in SIZES:
        for words, prejudice in PREJUDICES.items():
            for lean in (0.0, 0.25):
                how = partial(bias, size=size, how=prejudice._replace(lean=lean))
                kinds = {
                    "test": "power" if lean else "null",
                    "bias": "interval",
                    "bias and test": "contradiction",
                }
                yield Scenario(f"bias, {size}", f"lean {lean:g}; {words}", how, kinds)
        for wrong, kept in ((0.4, 0.7), (0.1, 0.7), (0.02, 1.0)):
            says = f"{wrong:.0%} wrong with nationalities, {kept:g} times as many with names"
            made = partial(kept_errors, size=size, wrong=wrong, kept=kept)
            yield Scenario(f"error retention, {size}", says, made, {"retention": "interval"})


def _geo20q() -> Iterator[Scenario]:
    same = {"difference": "interval", "difference and test": "contradiction"}
    for size in SIZES:
        for kind in ("people", "things"):
            for words, play in PLAYS.items():
                how = partial(halves, size=size, how=play, kind=kind)
                yield Scenario(
                    f"halves, {kind}, {size}", f"no gap; {words}", how, {"test": "null"} | same
                )
            apart = Play(won=0.4, gap=0.15)
            how = partial(halves, size=size, how=apart, kind=kind)
            yield Scenario(f"halves, {kind}, {size}", "gap 0.15", how, {"test": "power"} | same)
        for words, play in (
            ("no gap; fame adds 0.03 a doubling", Play(fame=0.03)),
            ("no gap; fame adds 0.01 a doubling", Play(fame=0.01)),
            ("gap 0.15; fame adds 0.03 a doubling", Play(won=0.4, gap=0.15, fame=0.03)),
        ):
            test = {"test": "power" if play.gap else "null"}
            made = partial(fame, size=size, how=play)
            yield Scenario(f"halves at equal fame, {size}", words, made, test | same)
        for right in (0.5, 0.6, 0.75, 0.85, 0.95, 0.98):
            kinds = {"accuracy": "interval", "screen": "passes" if right > 0.9 else "fails"}
            checked = partial(judge, size=size, right=right)
            yield Scenario(f"judge, {size}", f"right on {right:.0%}", checked, kinds)
