"""Scenarios in the real designs (`real_designs`), for `coverage.py`.

The scenarios are fixed: none is taken out, whatever a method makes of it. Under "How geobias
answers" stand the functions of the product that are put to them; when a method changes, that part
changes and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any, NamedTuple

import msgspec
import numpy as np
import polars as pl

from geobias.measures.measure import HALVES
from geobias.probes.settings import SMALLEST_GAP
from geobias.results.findings import Metric
from geobias.results.tables import metric_from
from geobias.results.verdicts import word_of
from geobias.stats.estimates import Estimate
from geobias.stats.over_units import single_values_mean
from geobias.stats.pooling import holm
from real_designs import (
    AFRICA,
    EVEN_INCOMES,
    EVEN_REGIONS,
    SOUTH_ASIA,
    Answering,
    Dice,
    Favour,
    Grouping,
    Knowledge,
    Play,
    Prejudice,
    Size,
    answers,
    errors,
    even_incomes,
    games,
    gap_of_groups,
    gap_truth,
    group_truths,
    income_trend_of,
    lean_truth,
    leans,
    mistakes,
    ratings,
    spread_of_groups,
    trend_truth,
    two_runs,
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
    cannot         does an interval hold that cannot be right, to show by how much it is not?
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
    """What is said of regions or incomes: the test that all have one mean; the largest minus the
    smallest and its test; each group's mean. Nothing is said of the spread of means any more."""

    spread: Estimate
    p: float | None
    gap: Estimate
    gap_p: float | None
    means: dict[str, Estimate]


def groups_of(frame: pl.DataFrame, by: str) -> Groups:
    from geobias.measures.estimates import groups
    from geobias.probes.worldbench.scores import ERROR, gap_between

    test, pair = gap_between(frame, by)
    means = {one.name: one.mean for one in groups(frame, ERROR, by) if one.name in FOLLOWED}
    gap, gap_p = (pair.difference, pair.difference.p) if pair else (NOTHING, None)
    return Groups(NOTHING, test.p, gap, gap_p, means)


def country_ps(frame: pl.DataFrame) -> tuple[list[float], list[float]]:
    """Each country's p-value, plain and adjusted."""
    from geobias.measures.countries import country_table
    from geobias.probes.worldbench.scores import ERROR

    table = country_table(frame, ERROR).drop_nulls("p").sort("country")
    return table["p"].to_list(), table["p_adjusted"].to_list()


def knows_something(frame: pl.DataFrame) -> bool:
    from geobias.probes.worldbench.screens import screens
    from geobias.results.findings import reasons

    return not reasons(screens(frame))


def whole_bias(frame: pl.DataFrame) -> tuple[Estimate, float | None]:
    """The ambiguous bias with nationalities, and its test."""
    from geobias.measures.estimates import whole
    from geobias.probes.namebbq.measures import BIASES

    found = whole(frame, BIASES["nationality"]).found
    return found, found.p


def retention(frame: pl.DataFrame) -> Estimate:
    from geobias.probes.namebbq.scores import CHANGES

    return CHANGES["error_retention"].estimate(frame).found


def halves_apart(frame: pl.DataFrame, half: str, kind: str) -> Estimate:
    """The difference between two halves of the world, on means of countries."""
    from geobias.probes.geo20q.analyses import ended_games
    from geobias.probes.geo20q.scores import country_means
    from geobias.stats.contrasts import trend

    means = country_means(ended_games(frame).filter(type=kind, setting="canonical"))
    return trend(means["value"].to_numpy(), means[half].to_list(), HALVES[half], most=1)


def at_equal_fame(frame: pl.DataFrame, half: str) -> tuple[Estimate, float | None]:
    """The difference between the halves among people that is left at equal fame, and its test."""
    from geobias.probes.geo20q.fame import equal_fame

    named = {"halves": half, "type": "people", "setting": "canonical", "compared_at": "page views"}
    [row] = equal_fame(frame).filter(**named).to_dicts()
    low, high = row["difference_low"], row["difference_high"]
    return Estimate(row["difference"], low, high, row["countries"]), row["p"]


def accuracy(frame: pl.DataFrame) -> Estimate:
    """The judge's accuracy on known facts."""
    from geobias.probes.geo20q.scores import share

    return share(frame, "right")


class Trend(NamedTuple):
    """Poor minus rich over the income groups, its test, and whether a report says it is found."""

    estimate: Estimate
    p: float | None
    found: bool


def _trend_of(metric: Metric) -> Trend:
    """Found is what a report of this probe alone says."""
    estimate = Estimate(metric.value, metric.low, metric.high, metric.n, caution=metric.caution)
    return Trend(estimate, metric.p, word_of(metric) == "found")


def income_trend(frame: pl.DataFrame, *, look_near: bool = False) -> Trend:
    """Of WorldBench's errors; with the caution where neighbours are alike, which takes long."""
    return _trend_of(_error_metric(frame, look_near))


def _error_metric(frame: pl.DataFrame, look_near: bool = False) -> Metric:
    from geobias.measures.words import _metric
    from geobias.probes.worldbench.scores import ERROR

    # Without regions nobody looks whether neighbours are alike.
    asked = frame if look_near else frame.drop("region")
    return _metric("worldbench", asked, ERROR, ERROR.contrasts[0], SMALLEST_GAP)


def clustered_trend(frame: pl.DataFrame) -> Estimate:
    """WorldBench's trend with errors clustered by subregion."""
    from geobias.measures.estimates import clustered_trend as clustered
    from geobias.measures.questions import unit_means
    from geobias.probes.worldbench.scores import ERROR

    means = unit_means(frame, ERROR).drop_nulls(["value", "income", "region"])
    return clustered(means, ERROR, ERROR.contrasts[0])


def rating_trend(frame: pl.DataFrame) -> Trend:
    """Of sensitive ratings."""
    return _trend_of(_rating_metric(frame))


def _rating_metric(frame: pl.DataFrame) -> Metric:
    from geobias.measures.words import metrics_of
    from geobias.probes.ratings.asking import HIGHEST
    from geobias.probes.ratings.scores import FAVOUR

    told = metrics_of("ratings", frame, FAVOUR, SMALLEST_GAP * HIGHEST)
    return next(one for one in told if one.primary)


def changed_trend(both: pl.DataFrame) -> tuple[Estimate, float | None]:
    """How WorldBench's trend changed from one run to another, and its test."""
    from geobias.measures.comparing import changed_gap, paired_levels
    from geobias.probes.worldbench.scores import ERROR

    levels = paired_levels(both.drop_nulls(["error", "error_2"]), ERROR)
    found = changed_gap(levels, "trend", ERROR, ERROR.contrasts[0])
    ends = found.difference_low, found.difference_high
    return Estimate(found.difference, *ends, found.n), found.p


def bias_on_these(frame: pl.DataFrame) -> tuple[Estimate, float | None]:
    """The ambiguous bias on these very items, and its test: signs of templates flipped, without an
    interval."""
    from geobias.measures.crossed import on_items
    from geobias.probes.namebbq.measures import BIASES

    found = on_items(frame, BIASES["nationality"])
    return NOTHING, found.p_items if found else None


class Audit(NamedTuple):
    """The frames of one model's four probes."""

    worldbench: pl.DataFrame
    namebbq: pl.DataFrame
    geo20q: pl.DataFrame
    ratings: pl.DataFrame


def primary_tests(audit: Audit) -> list[Metric]:
    """One of each probe: trends over income groups, ambiguous bias, people at equal fame."""
    others = (
        (whole_bias(audit.namebbq), "namebbq"),
        (at_equal_fame(audit.geo20q, "north_south"), "geo20q"),
    )
    facts: dict[str, Any] = {"label": "", "counted": "", "unit": "", "better": "zero"}
    facts |= {"primary": True, "interest": SMALLEST_GAP}
    return [
        _error_metric(audit.worldbench),
        _rating_metric(audit.ratings),
        *(metric_from(found, name=name, p=p, **facts) for (found, p), name in others),
    ]


def page_finds(tests: list[Metric]) -> bool:
    """Whether a page says of any probe that something is found: its tests are one family."""
    return any(word_of(one) == "found" for one in _family(tests))


def title_finds(models: list[list[Metric]]) -> bool:
    """Whether anything is found of any of several models: all their tests are one family."""
    return page_finds([one for tests in models for one in tests])


def _family(tests: list[Metric]) -> Iterator[Metric]:
    # What `results.tables.adjusted_over_audit` does to sections.
    plain, worst = (holm([getattr(one, name) for one in tests]) for name in ("p", "p_missing"))
    for one, p, p_missing in zip(tests, plain, worst, strict=True):
        yield msgspec.structs.replace(one, p_adjusted=p, p_missing_adjusted=p_missing)


def mean_of(values: Any) -> Estimate:
    """The mean error of one number for each country."""
    return single_values_mean(values, bounds=(0, 1))


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
    found = halves_apart(games(dice, size, how), how.halves, kind)
    return {
        "test": rejection(found.p),
        "difference": interval(found, gap_truth(size, how, kind)),
        "difference and test": disagreement(found, found.p),
    }


def fame(dice: Dice, size: Size, how: Play) -> dict[str, Study]:
    found, p = at_equal_fame(games(dice, size, how), how.halves)
    return {
        "test": rejection(p),
        "difference": interval(found, how.gap),
        "difference and test": disagreement(found, p),
    }


def judge(dice: Dice, size: Size, right: float) -> dict[str, Study]:
    found = accuracy(verdicts(dice, size, right))
    return {"accuracy": interval(found, right)}


def trend(dice: Dice, size: Size, how: Knowledge) -> dict[str, Study]:
    found = income_trend(errors(dice, size, how))
    return _trend(found, trend_truth(size, how))


def _trend(found: Trend, truth: float) -> dict[str, Study]:
    return {
        "test": rejection(found.p),
        "found": share(found.found),
        "trend": interval(found.estimate, truth),
        "trend and test": disagreement(found.estimate, found.p),
    }


def neighbours(dice: Dice, size: Size, how: Knowledge) -> dict[str, Study]:
    frame = errors(dice, size, how)
    told = _trend(income_trend(frame, look_near=True), trend_truth(size, how))
    told["test, subregions as units"] = rejection(clustered_trend(frame).p)
    return told | {"test of regions": rejection(groups_of(frame, "region").p)}


def rated_trend(dice: Dice, size: Size, how: Favour) -> dict[str, Study]:
    return _trend(rating_trend(ratings(dice, size, how)), income_trend_of(dict(how.apart)))


def changed(dice: Dice, size: Size, first: Knowledge, second: Knowledge) -> dict[str, Study]:
    found, p = changed_trend(two_runs(dice, size, first, second))
    truth = trend_truth(size, second) - trend_truth(size, first)
    return {
        "test": rejection(p),
        "change": interval(found, truth),
        "change and test": disagreement(found, p),
    }


def few_templates(dice: Dice, size: Size, how: Prejudice) -> dict[str, Study]:
    frame = leans(dice, size, how)
    found, p = whole_bias(frame)
    these, these_p = bias_on_these(frame)
    truth = float(frame["expected"].to_numpy().mean())
    return {
        "test, items like these": rejection(p),
        "bias, items like these": interval(found, lean_truth(how)),
        "sign flips, items like these": rejection(these_p),
        "test, these items": rejection(these_p),
        "bias, these items": interval(these, truth),
    }


MODELS = 12


def fair_audits(dice: Dice, size: Size) -> dict[str, Study]:
    """Models that treat all alike, each with draws of its own."""
    models = [
        primary_tests(
            Audit(
                errors(dice, size, Knowledge(noise="beta")),
                leans(dice, size, Prejudice()),
                games(dice, size, Play(fame=0.0)),
                ratings(dice, size, Favour()),
            )
        )
        for _ in range(MODELS)
    ]
    pages = float(np.mean([page_finds(tests) for tests in models]))
    return {
        "a page finds something": Study(1 - pages, 0, pages, 0, 0),
        "a title over models does": share(title_finds(models)),
    }


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
    # Scenarios that break what the methods assume.
    for size in SIZES:
        yield from _trends(size)
        yield from _declining(size)
        yield from _comparisons(size)
        yield from _few_templates(size)
        yield from _unknown_fame(size)
    for n in (100, 180):
        for base, far, often, says in (
            (0.05, 0.9, 0.1, "near 0.05, a tenth near 0.9"),
            (0.95, 0.1, 0.1, "near 0.95, a tenth near 0.1"),
            (0.4, 0.4, 0.0, "near 0.4, none far off"),
        ):
            how = partial(skewed_mean, n=n, base=base, far=far, often=often)
            yield Scenario(f"mean of {n} units", says, how, {"mean": "interval"})
    kinds = {"a page finds something": "null", "a title over models does": "null"}
    says = f"{MODELS} fair models, four probes each"
    yield Scenario("pages, standard", says, partial(fair_audits, size="standard"), kinds)


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
            checked = partial(judge, size=size, right=right)
            kinds = {"accuracy": "interval"}
            yield Scenario(f"judge, {size}", f"right on {right:.0%}", checked, kinds)


def _kinds(effect: bool, name: str) -> dict[str, str]:
    test = "power" if effect else "null"
    return {"test": test, name: "interval", f"{name} and test": "contradiction"}


def _trend_kinds(effect: bool) -> dict[str, str]:
    return _kinds(effect, "trend") | {"found": "power" if effect else "null"}


def _trends(size: Size) -> Iterator[Scenario]:
    """The income trend under every noise, and where neighbours are alike."""
    for words, knowledge in WAYS.items():
        how = partial(trend, size=size, how=knowledge._replace(by="income"))
        yield Scenario(f"trend, {size}", f"no difference; {words}", how, _trend_kinds(False))
    for gap in (0.05, 0.1, 0.15):
        for words in STRAINED if gap == 0.15 else STRAINED[:3]:
            knowledge = WAYS[words]._replace(by="income", apart=even_incomes(gap))
            how = partial(trend, size=size, how=knowledge)
            says = f"evenly apart by {gap:g}; {words}"
            yield Scenario(f"trend, {size}", says, how, _trend_kinds(True))
    for reach in (500, 1500, 4000):
        how = partial(neighbours, size=size, how=Knowledge(by="income", near=reach))
        kinds = _trend_kinds(False)
        kinds |= {"test, subregions as units": "null", "test of regions": "null"}
        says = f"no difference; neighbours alike over {reach:,} km"
        yield Scenario(f"neighbours, {size}", says, how, kinds)
    apart = Knowledge(by="income", apart=even_incomes(0.1), near=1500)
    says = "evenly apart by 0.1; neighbours alike over 1,500 km"
    yield Scenario(
        f"neighbours, {size}", says, partial(trend, size=size, how=apart), _trend_kinds(True)
    )


def _declining(size: Size) -> Iterator[Scenario]:
    """What a model would get wrong, or rate low, it declines to answer."""
    declines: tuple[tuple[Any, str], ...] = (
        ("poor wrong, half", "poor countries decline half of their errors"),
        ("poor wrong", "poor countries decline by error"),
        ("wrong", "all decline by error"),
    )
    noises: tuple[tuple[Any, str], ...] = (("beta", "beta"), ("blunders", "a tenth far off"))
    for which, words in declines:
        for noise, called in noises:
            knowledge = Knowledge(by="income", noise=noise, declines=which)
            how = partial(trend, size=size, how=knowledge)
            says = f"no difference; {called}, {words}"
            yield Scenario(f"declining, {size}", says, how, _trend_kinds(False))
        apart = Knowledge(by="income", noise="beta", declines=which, apart=even_incomes(0.15))
        how = partial(trend, size=size, how=apart)
        says = f"evenly apart by 0.15; beta, {words}"
        yield Scenario(f"declining, {size}", says, how, _trend_kinds(True))
    low: tuple[tuple[str, Favour], ...] = (
        ("all answered", Favour()),
        ("poor countries decline half of their low ratings", Favour(declines="poor", often=0.5)),
        ("poor countries decline low ratings", Favour(declines="poor")),
        ("all decline low ratings", Favour(declines="all")),
    )
    for words, favour in low:
        for gap in (0.0, -1.0):
            how = partial(rated_trend, size=size, how=favour._replace(apart=even_incomes(gap)))
            says = "no difference" if not gap else "poor rated 1 point lower"
            kinds = _trend_kinds(bool(gap))
            yield Scenario(f"rating trend, {size}", f"{says}; {words}", how, kinds)


def _comparisons(size: Size) -> Iterator[Scenario]:
    """Two runs; income groups evenly apart by 0.15 have means with an SD of 0.065."""
    for first, second in ((0.0, 0.0), (0.1, 0.1), (0.0, 0.15), (0.15, 0.05)):
        runs = [Knowledge(by="income", apart=even_incomes(gap)) for gap in (first, second)]
        how = partial(changed, size=size, first=runs[0], second=runs[1])
        kinds = _kinds(first != second, "change")
        says = f"evenly apart by {first:g}, then by {second:g}"
        yield Scenario(f"change of a trend, {size}", says, how, kinds)


EVEN = Prejudice(templates=0.0, nationalities=0.0, among=25)
FEW = {
    "3 of 25 templates lean fully, 40% named": EVEN._replace(leaning=3),
    "3 of 25 lean fully, 3 against, 40% named": EVEN._replace(leaning=3, against=3),
    "6% named in 4 of 25 templates, 83% stereotyped": EVEN._replace(
        named=0.06, speaking=4, lean=0.66
    ),
    "6% named in 4 of 25 templates, 50% stereotyped": EVEN._replace(named=0.06, speaking=4),
    "each of 25 templates leans fully by a chance of 12%, 40% named": EVEN._replace(chance=0.12),
    "each of 25 templates leans fully by a chance of 20%, 40% named": EVEN._replace(chance=0.2),
    "25 templates, nothing leans": EVEN,
    "25 templates, both differ": Prejudice(among=25),
    "60 templates, both differ": Prejudice(),
}


def _few_templates(size: Size) -> Iterator[Scenario]:
    for says, how in FEW.items():
        leaning = abs(lean_truth(how)) > 1e-9
        # Where templates differ by chance, these very ones do lean.
        these = "power" if how.leaning or how.templates or leaning else "null"
        like_these = "power" if leaning else "null"
        kinds = {
            "test, items like these": like_these,
            "bias, items like these": "interval",
            "sign flips, items like these": like_these,
            "test, these items": these,
            "bias, these items": "interval",
        }
        made = partial(few_templates, size=size, how=how)
        yield Scenario(f"few templates, {size}", says, made, kinds)


def _unknown_fame(size: Size) -> Iterator[Scenario]:
    """What is known of fame is not what success depends on."""
    for says, play in (
        ("no gap; views off by a doubling, 0.03 a doubling", Play(fame=0.03, proxy=1.0)),
        ("no gap; views off by a doubling, 0.06 a doubling", Play(fame=0.06, proxy=1.0)),
        ("no gap; 0.1 won below the median fame, 0.6 above", Play(threshold=0.0)),
        ("no gap; 0.1 won below 4 times the median, 0.6 above", Play(threshold=2.0)),
        ("no gap; 0.1 won below 8 times the median, 0.6 above", Play(threshold=3.0)),
        ("no gap; 2% won", Play(won=0.02)),
        ("no gap; 98% won", Play(won=0.98)),
        (
            "gap 0.15; views off by a doubling, 0.03 a doubling",
            Play(won=0.4, gap=0.15, fame=0.03, proxy=1.0),
        ),
    ):
        made = partial(fame, size=size, how=play)
        kinds = _kinds(play.gap != 0, "difference")
        yield Scenario(f"halves at equal fame, {size}", says, made, kinds)
