"""Simulated studies in the designs that geobias really has.

The countries of each region and income group, the figures that are missing, the templates and the
nationalities in them, the entities of each country and their fame are the real ones; only what a
model answers is made up, with a truth that is known:

    errors(…)     WorldBench: an error for each question, or none where the model declines
    answers(…)    WorldBench: a number for each question, for screens that look at numbers
    leans(…)      Name-BBQ: an answer to each ambiguous item
    games(…)      Geo20Q+: a win or a loss for each entity
    verdicts(…)   Geo20Q+: the judge's answers to known facts

Nothing here knows a method. `coverage.py` hands the frames to the very functions that the tables
and the report call.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any, Literal, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from geobias.atlas.economies import economies
from geobias.atlas.entities import entities
from geobias.atlas.figures import figures
from geobias.atlas.indicators import indicators
from geobias.probes import geo20q, namebbq, worldbench
from geobias.probes.geo20q.judging import SAMPLE, choose_facts
from geobias.probes.geo20q.scores import frame_of
from geobias.probes.namebbq.items import choose_items
from geobias.probes.namebbq.versions import ItemSource
from geobias.stats.arrays import Floats

Dice = np.random.Generator
Size = Literal["standard", "paper"]
Grouping = Literal["region", "income"]

HARDNESS = (0.05, 0.06, 0.14, 0.18, 0.25, 0.3, 0.35, 0.4, 0.45, 0.55, 0.6)
"""Mean error of each of eleven indicators: the paper's range over models."""
HARD = 5
"""How many of them are called hard where poor countries decline hard questions."""
POOR = ("Low income", "Lower middle income")


def logistic(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


# WorldBench -------------------------------------------------------------------------------------


class World(NamedTuple):
    """The questions of a size: which country and which indicator each is about."""

    frame: pl.DataFrame
    country: NDArray[Any]
    indicator: NDArray[Any]
    countries: list[str]


@cache
def world(size: Size) -> World:
    planned = worldbench.plan(size=size)
    names = [trial.name.split("/") for trial in planned.trials()]
    iso3 = [parts[2] for parts in names]
    kinds = [parts[1] for parts in names]
    known, countries = sorted(set(iso3)), economies()
    places = {code: i for i, code in enumerate(known)}
    order = {name: i for i, name in enumerate(indicators())}
    truths = {name: figures().truths(name, "average") for name in order}
    frame = pl.DataFrame(
        {
            "model": ["m"] * len(names),
            "trial": ["/".join(parts) for parts in names],
            "indicator": kinds,
            "country": iso3,
            "region": [countries[code].region for code in iso3],
            "income": [countries[code].income for code in iso3],
            "repeat": [0] * len(names),
            "truth": [truths[kind][code] for kind, code in zip(kinds, iso3, strict=True)],
        }
    )
    return World(
        frame,
        np.array([places[code] for code in iso3]),
        np.array([order[kind] for kind in kinds]),
        known,
    )


class Knowledge(NamedTuple):
    """How a simulated model errs.

    by, apart  what groups of countries differ by, in errors: group → added to its mean error
    noise      "additive": normal around indicator + country; "beta": bounded and skewed, effects
               on the logit scale; "blunders": additive, and one answer in ten far off;
               "lost countries": additive, and one country in ten is unknown altogether
    varying    which countries vary more around their group's mean: "" (all alike), "small" (those
               of small groups), "large"
    declines   "": none; "poor": poor countries' hard questions, every second; "wrong": the worse
               the error, the likelier; "half": every second answer
    """

    by: Grouping = "region"
    apart: tuple[tuple[str, float], ...] = ()
    noise: Literal["additive", "beta", "blunders", "lost countries"] = "additive"
    varying: Literal["", "small", "large"] = ""
    declines: Literal["", "poor", "wrong", "half"] = ""
    between: float = 0.06


AFRICA = (("Sub-Saharan Africa", 0.1),)
SOUTH_ASIA = (("South Asia", 0.15),)
EVEN_REGIONS = tuple(
    zip(
        (
            "North America",
            "Europe & Central Asia",
            "East Asia & Pacific",
            "South Asia",
            "Latin America & Caribbean",
            "Middle East & North Africa",
            "Sub-Saharan Africa",
        ),
        np.linspace(0, 0.15, 7).tolist(),
        strict=True,
    )
)
EVEN_INCOMES = (
    ("High income", 0.0),
    ("Upper middle income", 0.05),
    ("Lower middle income", 0.1),
    ("Low income", 0.15),
)


def errors(dice: Dice, size: Size, how: Knowledge) -> pl.DataFrame:
    """A frame of questions with `error`, null where the model declined."""
    made = world(size)
    places = economies()
    groups = [getattr(places[code], how.by) or "" for code in made.countries]
    base = np.array([dict(how.apart).get(group, 0.0) for group in groups])
    hardness = np.array(HARDNESS)[made.indicator]
    own = dice.normal(0, how.between * _varying(groups, how.varying))
    if how.noise == "lost countries":
        own = own + 0.35 * (dice.random(len(own)) < 0.1)
    effect = (base + own)[made.country]
    if how.noise == "beta":
        mean = logistic(np.log(hardness / (1 - hardness)) + 4.5 * effect)
        found = dice.beta(2 * mean, 2 * (1 - mean))
    else:
        # Around 0.2 to 0.5, so that nothing needs to be cut off at 0 or 1.
        found = 0.2 + 0.5 * hardness + effect + dice.normal(0, 0.08, len(hardness))
        if how.noise == "blunders":
            far = dice.random(len(found)) < 0.1
            found = np.where(far, dice.uniform(0.85, 1, len(found)), found)
        found = np.clip(found, 0, 1)
    kept = ~_declined(dice, how, made, found)
    shown = np.where(kept, found, np.nan)
    return made.frame.with_columns(
        pl.Series("error", shown).fill_nan(None),
        pl.Series("value", np.where(kept, 1.0, np.nan)).fill_nan(None),
        pl.Series("outcome", np.where(kept, "parsed", "abstained")),
    )


def _varying(groups: list[str], which: str) -> Floats:
    """Three times the spread for countries of groups with up to 25, or with more."""
    if which == "":
        return np.ones(len(groups))
    sizes = Counter(groups)
    small = np.array([sizes[group] <= 25 for group in groups])
    return np.where(small if which == "small" else ~small, 3.0, 1.0)


def _declined(dice: Dice, how: Knowledge, made: World, found: Floats) -> NDArray[np.bool_]:
    if how.declines == "half":
        return dice.random(len(found)) < 0.5
    if how.declines == "wrong":
        return dice.random(len(found)) < np.clip(found, 0, 1)
    if how.declines == "poor":
        poor = np.array([economies()[code].income in POOR for code in made.countries])
        hard = np.argsort(HARDNESS)[-HARD:]
        asked = poor[made.country] & np.isin(made.indicator, hard)
        declined: NDArray[np.bool_] = asked & (dice.random(len(found)) < 0.5)
        return declined
    return np.zeros(len(found), dtype=bool)


@cache
def group_truths(size: Size, how: Knowledge, least: int = 1) -> dict[str, float]:
    """The true mean error of each group, of countries like its own, as if each had been asked
    about every indicator; of groups with at least `least` countries in the design."""
    made = world(size)
    groups = [getattr(economies()[code], how.by) for code in made.countries]
    nodes, weights = np.polynomial.hermite_e.hermegauss(40)
    weights = weights / weights.sum()
    found = {}
    for group in sorted({one for one in groups if one}):
        if groups.count(group) < least:
            continue
        added = dict(how.apart).get(group, 0.0)
        spread = how.between * float(
            _varying([g or "" for g in groups], how.varying)[groups.index(group)]
        )
        hardness = np.array(HARDNESS)
        if how.noise == "beta":
            base = np.log(hardness / (1 - hardness))[:, None]
            mean = logistic(base + 4.5 * (added + spread * nodes))
            found[group] = float((mean @ weights).mean())
            continue
        mean_error = float((0.2 + 0.5 * hardness).mean()) + added
        if how.noise == "lost countries":
            mean_error += 0.035
        if how.noise == "blunders":
            mean_error = 0.9 * mean_error + 0.1 * 0.925
        found[group] = mean_error
    return found


def spread_of_groups(size: Size, how: Knowledge, least: int = 5) -> float:
    """The SD of the true group means."""
    means = list(group_truths(size, how, least).values())
    return float(np.std(means, ddof=1))


def gap_of_groups(size: Size, how: Knowledge, least: int = 5) -> float:
    """The largest minus the smallest true group mean."""
    means = list(group_truths(size, how, least).values())
    return max(means) - min(means)


Answering = Literal["typical", "one number", "random", "knows", "knows little", "rounds", "swaps"]


def answers(dice: Dice, size: Size, how: Answering) -> pl.DataFrame:
    """A frame of questions with the number that was given, and its error.

    typical       one typical figure per indicator for every country, 5% up or down
    one number    42
    random        any figure between the smallest and the largest of the indicator, on a log scale
    knows         the true figure, off by a factor of 1.5 up or down (SD of the log 0.4)
    knows little  half of the countries' figures so, the others' typical
    rounds        the true figure to one digit
    swaps         the figure of another country
    """
    frame = world(size).frame
    truth = frame["truth"].to_numpy()
    kind = world(size).indicator
    value = np.empty(len(truth))
    for i in np.unique(kind):
        mine = kind == i
        own = truth[mine]
        usual = np.median(own) * np.exp(dice.uniform(-0.05, 0.05, len(own)))
        near = own * np.exp(dice.normal(0, 0.4, len(own)))
        low, high = np.log(np.maximum(own, own[own > 0].min())).min(), np.log(own.max())
        value[mine] = {
            "typical": usual,
            "one number": np.full(len(own), 42.0),
            "random": np.exp(dice.uniform(low, high, len(own))),
            "knows": near,
            "knows little": np.where(dice.random(len(own)) < 0.5, near, usual),
            "rounds": _one_digit(own),
            "swaps": dice.permutation(own),
        }[how]
    top = np.maximum(value, truth)
    error = np.where(top > 0, np.abs(value - truth) / np.where(top > 0, top, 1), 0.0)
    return frame.with_columns(
        pl.Series("value", value),
        pl.Series("error", error),
        pl.lit("parsed").alias("outcome"),
    )


def _one_digit(values: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        power = 10.0 ** np.floor(np.log10(np.where(values > 0, values, 1)))
    rounded: Floats = np.round(values / power) * power
    return rounded


# Name-BBQ ---------------------------------------------------------------------------------------


class Prejudice(NamedTuple):
    """How a simulated model answers ambiguous items.

    lean         of all answers that name a person: (1 + lean) / 2 follow the stereotype
    named        share of answers that name a person
    templates    SD of templates' leans around that; `nationalities` of nationalities'
    """

    lean: float = 0.0
    named: float = 0.4
    templates: float = 0.2
    nationalities: float = 0.2


@cache
def items(size: Size) -> pl.DataFrame:
    """The trials of Name-BBQ's own items, with what is known of each before it is asked."""
    chosen = {item.example_id: item for item in choose_items(ItemSource.of("builtin").items, size)}
    rows = []
    for trial in namebbq.plan(size=size).trials():
        _, item_id, dataset, _ = trial.name.split("/")
        item = chosen[item_id]
        person = item.target if item.polarity == "neg" else _other(item.people, item.target)
        rows.append(
            {
                "model": "m",
                "trial": trial.name,
                "item": item_id,
                "dataset": dataset.partition("-")[0],
                "seed": int(dataset.partition("-")[2]) if "-" in dataset else None,
                "repeat": 0,
                "template": item.template,
                "condition": item.condition,
                "polarity": item.polarity,
                "social_value": item.social_value,
                "nationality": item.nationalities[person],
                "other_nationality": item.nationalities[_other(item.people, person)],
                "label": item.label,
                "target": item.target,
                "order": "012",
            }
        )
    return pl.DataFrame(rows, infer_schema_length=None)


def _other(people: tuple[int, int], person: int) -> int:
    return people[1] if person == people[0] else people[0]


def leans(dice: Dice, size: Size, how: Prejudice, dataset: str = "nationality") -> pl.DataFrame:
    """Answers to the ambiguous items of one dataset: read, right, named, lean."""
    asked = items(size).filter(pl.col("condition") == "ambig", pl.col("dataset") == dataset)
    own = np.full(asked.height, how.lean)
    for column, spread in (("template", how.templates), ("nationality", how.nationalities)):
        names, index = np.unique(asked[column].to_numpy(), return_inverse=True)
        own = own + dice.normal(0, spread, len(names))[index]
    toward = np.clip((1 + own) / 2, 0, 1)
    named = dice.random(asked.height) < how.named
    follows = dice.random(asked.height) < toward
    lean = np.where(named, np.where(follows, 1, -1), 0)
    return asked.with_columns(
        pl.lit("read").alias("outcome"),
        pl.lit(1).alias("read"),
        pl.Series("named", named.astype(int)),
        pl.Series("right", (~named).astype(int)),
        pl.Series("lean", lean),
    )


@cache
def lean_truth(how: Prejudice) -> float:
    """The expected ambiguous bias: (stereotyped − other) / all answers."""
    spread = float(np.hypot(how.templates, how.nationalities))
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    toward = np.clip((1 + how.lean + spread * nodes) / 2, 0, 1)
    return float(how.named * ((2 * toward - 1) @ weights) / weights.sum())


def mistakes(
    dice: Dice, size: Size, wrong: float, kept: float, templates: float = 0.5
) -> pl.DataFrame:
    """Ambiguous items with nationalities and with names: `wrong` of the first are answered wrongly,
    and `kept` times as many of the second, templates differing (SD of the logit)."""
    asked = items(size).filter(condition="ambig")
    names, index = np.unique(asked["template"].to_numpy(), return_inverse=True)
    own = dice.normal(0, templates, len(names))[index]
    rate = np.where((asked["dataset"] == "name").to_numpy(), wrong * kept, wrong)
    hard = np.clip(rate * np.exp(own - templates**2 / 2), 0, 1)
    right = dice.random(asked.height) >= hard
    lean = np.where(right, 0, dice.choice([-1, 1], asked.height))
    return asked.with_columns(
        pl.lit("read").alias("outcome"),
        pl.lit(1).alias("read"),
        pl.Series("right", right.astype(int)),
        pl.Series("named", (~right).astype(int)),
        pl.Series("lean", lean),
    )


# Geo20Q+ ----------------------------------------------------------------------------------------


class Play(NamedTuple):
    """How often a simulated guesser wins.

    won        share of games won; `gap` is taken off for the South (or the East)
    countries  SD of countries' rates, `southern` times as large in the South
    fame       added for each doubling of an entity's page views above the median; what the halves'
               fame differs by then shows in their success
    """

    won: float = 0.3
    gap: float = 0.0
    halves: Literal["north_south", "west_east"] = "north_south"
    countries: float = 0.1
    southern: float = 1.0
    fame: float = 0.0


SIDES = {"north_south": "Global South", "west_east": "Global East"}


@cache
def played(size: Size) -> pl.DataFrame:
    """The games of a size, canonical, one for each entity."""
    names = [trial.name.split("/") for trial in geo20q.plan(size=size, judge_questions=0).trials()]
    known = entities()
    records = [
        {
            "trial": "/".join(parts),
            "probe": "geo20q",
            "country": known[parts[2]].country,
            "repeat": 0,
            "outcome": "played",
            "entity": parts[2],
            "name": known[parts[2]].name,
            "type": known[parts[2]].type,
            "category": known[parts[2]].category,
            "language": "en",
            "canonical": "won",
            "canonical_turns": 10,
            "unlimited": "",
        }
        for parts in names
    ]
    return frame_of(records, "m", limits={"canonical": 20}).sort("trial")


def games(dice: Dice, size: Size, how: Play) -> pl.DataFrame:
    """Won and lost games."""
    frame = played(size)
    there = (frame[how.halves] == SIDES[how.halves]).fill_null(False).to_numpy()
    names, index = np.unique(frame["country"].to_numpy(), return_inverse=True)
    own = dice.normal(0, how.countries, len(names))[index] * np.where(there, how.southern, 1.0)
    chance = how.won - how.gap * there + own + how.fame * _doublings(size)
    won = dice.random(frame.height) < np.clip(chance, 0.005, 0.995)
    ends = pl.Series("canonical", np.where(won, "won", "lost"))
    return frame.with_columns(ends, pl.Series("canonical_turns", np.where(won, 10, 20)))


@cache
def _doublings(size: Size) -> Floats:
    """Of an entity's views above the median; unknown ones are taken to be at the median of their
    half, which is what a study that knew them all would see."""
    frame = played(size)
    views = frame["views"].cast(pl.Float64).to_numpy()
    logs = np.log2(np.maximum(views, 1))
    south = (frame["north_south"] == "Global South").fill_null(False).to_numpy()
    for half in (south, ~south):
        logs[half & np.isnan(logs)] = np.nanmedian(logs[half])
    found: Floats = np.clip(logs - np.median(logs), -4, 4)
    return found


@cache
def gap_truth(size: Size, how: Play, kind: str) -> float:
    """North minus South (West minus East): mean over countries of the mean chance of winning their
    games about entities of this type, countries like these."""
    frame = played(size)
    there = (frame[how.halves] == SIDES[how.halves]).fill_null(False).to_numpy()
    nodes, weights = np.polynomial.hermite_e.hermegauss(40)
    weights = weights / weights.sum()
    base = how.won - how.gap * there + how.fame * _doublings(size)
    spread = how.countries * np.where(there, how.southern, 1.0)
    chance = np.clip(base[:, None] + spread[:, None] * nodes, 0.005, 0.995) @ weights
    known = (
        frame.select("country", "type", how.halves)
        .with_columns(pl.Series("chance", chance))
        .filter(pl.col("type") == kind, pl.col(how.halves).is_not_null())
    )
    means = known.group_by("country", how.halves).agg(pl.col("chance").mean())
    first = means.filter(pl.col(how.halves) != SIDES[how.halves])["chance"].to_numpy().mean()
    second = means.filter(pl.col(how.halves) == SIDES[how.halves])["chance"].to_numpy().mean()
    return float(first - second)


@cache
def facts(size: Size) -> pl.DataFrame:
    """The known facts that a judge is asked at a size."""
    known = entities()
    chosen = [known[one] for one in played(size)["entity"]]
    asked = choose_facts(chosen, "en", seed=0, count=SAMPLE[size])
    rows = [
        {"entity": one.entity.id, "country": one.entity.country, "type": one.entity.type}
        | {"question": one.question, "truth": one.truth}
        for one in asked
    ]
    return pl.DataFrame(rows)


def verdicts(dice: Dice, size: Size, right: float, alike: float = 0.1) -> pl.DataFrame:
    """Whether the judge is right on each fact; facts about one entity are somewhat alike."""
    asked = facts(size)
    names, index = np.unique(asked["entity"].to_numpy(), return_inverse=True)
    total = 1 / alike - 1
    own = dice.beta(right * total, (1 - right) * total, len(names))[index]
    return asked.with_columns(pl.Series("right", (dice.random(asked.height) < own).astype(int)))
