"""Simulated studies in the designs that geobias really has.

The countries of each region and income group, the figures that are missing, the templates and the
nationalities in them, the entities of each country and their fame are the real ones; only what a
model answers is made up, with a truth that is known:

    errors(…)     WorldBench: an error for each question, or none where the model declines
    answers(…)    WorldBench: a number for each question, for screens that look at numbers
    two_runs(…)   WorldBench: the errors of two runs about the same countries
    ratings(…)    ratings: a rating of each economy on each sensitive topic, or none
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

from geobias.atlas.economies import INCOMES, economies
from geobias.atlas.entities import entities
from geobias.atlas.figures import figures
from geobias.atlas.indicators import indicators
from geobias.atlas.outlines import on_the_map, outlines
from geobias.measures.frames import PLACES
from geobias.probes import geo20q, namebbq, worldbench
from geobias.probes import ratings as rating_probe
from geobias.probes.geo20q.judging import SAMPLE, choose_facts
from geobias.probes.geo20q.knowledge import with_knowledge
from geobias.probes.geo20q.scores import frame_of
from geobias.probes.namebbq.items import choose_items
from geobias.probes.namebbq.versions import ItemSource
from geobias.probes.ratings.asking import topic_of
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
               the error, the likelier; "half": every second answer; "poor wrong": as "wrong", about
               poor countries alone; "poor wrong, half": the same, half as often
    near       range in km over which countries' own effects are alike (the correlation falls
               exponentially with distance); 0: independent
    """

    by: Grouping = "region"
    apart: tuple[tuple[str, float], ...] = ()
    noise: Literal["additive", "beta", "blunders", "lost countries"] = "additive"
    varying: Literal["", "small", "large"] = ""
    declines: Literal["", "poor", "wrong", "half", "poor wrong", "poor wrong, half"] = ""
    between: float = 0.06
    near: float = 0.0


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


def even_incomes(gap: float) -> tuple[tuple[str, float], ...]:
    """Income groups in equal steps, the poorest `gap` above the richest."""
    return tuple(zip(INCOMES, np.linspace(gap, 0, len(INCOMES)).tolist(), strict=True))


EVEN_INCOMES = even_incomes(0.15)


def errors(dice: Dice, size: Size, how: Knowledge, own: Floats | None = None) -> pl.DataFrame:
    """A frame of questions with `error`, null where the model declined. `own` are the countries'
    own effects; drawn where they are not given."""
    made = world(size)
    places = economies()
    groups = [getattr(places[code], how.by) or "" for code in made.countries]
    base = np.array([dict(how.apart).get(group, 0.0) for group in groups])
    hardness = np.array(HARDNESS)[made.indicator]
    if own is None:
        own = dice.normal(0, how.between * _varying(groups, how.varying))
    if how.near:
        own = _alike_over_space(size, how.near) @ own
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


def two_runs(
    dice: Dice, size: Size, first: Knowledge, second: Knowledge, shared: float = 0.5
) -> pl.DataFrame:
    """The questions of two runs, the second's columns ending in `_2`. Countries' own effects have
    `shared` of their variance in common."""
    n = len(world(size).countries)
    same = dice.normal(0, first.between * shared**0.5, n)
    runs = [
        errors(dice, size, how, same + dice.normal(0, how.between * (1 - shared) ** 0.5, n))
        for how in (first, second)
    ]
    return runs[0].with_columns(
        runs[1][name].alias(f"{name}_2") for name in ("error", "value", "outcome")
    )


@cache
def _alike_over_space(size: Size, reach: float) -> Floats:
    """Turns independent effects of countries into neighbours' alike ones, of the same variance."""
    degrees = np.array([_coordinates()[code] for code in world(size).countries])
    latitude, longitude = np.radians(degrees).T
    upright = np.sin(latitude)[:, None] * np.sin(latitude)
    level = np.cos(latitude)[:, None] * np.cos(latitude)
    cosine = upright + level * np.cos(longitude[:, None] - longitude)
    kilometres = 6371 * np.arccos(np.clip(cosine, -1, 1))
    np.fill_diagonal(kilometres, 0.0)
    found: Floats = np.linalg.cholesky(np.exp(-kilometres / reach) + 1e-9 * np.eye(len(degrees)))
    return found


@cache
def _coordinates() -> dict[str, tuple[float, float]]:
    """Latitude and longitude of the middle of each economy's outline, to a degree: the place of a
    grid that the map draws nearest to it."""
    grid = [(lat, lon) for lat in range(-60, 84) for lon in range(-180, 180)]
    drawn = np.array([on_the_map(*place) for place in grid])
    return {
        code: grid[int(((drawn - (one.x, one.y)) ** 2).sum(axis=1).argmin())]
        for code, one in outlines().items()
        if code
    }


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
    poor = np.array([economies()[code].income in POOR for code in made.countries])
    if how.declines.startswith("poor wrong"):
        often = 0.5 if how.declines.endswith("half") else 1.0
        unsure = dice.random(len(found)) < often * np.clip(found, 0, 1)
        avoided: NDArray[np.bool_] = poor[made.country] & unsure
        return avoided
    if how.declines == "poor":
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


def income_trend_of(means: dict[str, float]) -> float:
    """Poor minus rich on the straight line through the income groups' means, in equal steps: of all
    four 0.9 low + 0.3 lower middle − 0.3 upper middle − 0.9 high."""
    place = np.array([-INCOMES.index(name) for name in means], dtype=float)
    place -= place.mean()
    weights = place * np.ptp(place) / (place**2).sum()
    return float(weights @ np.array([*means.values()]))


def trend_truth(size: Size, how: Knowledge, least: int = 5) -> float:
    """The true trend over income groups with at least `least` countries in the design."""
    return income_trend_of(group_truths(size, how._replace(by="income"), least))


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


# Ratings ----------------------------------------------------------------------------------------


class Favour(NamedTuple):
    """How a simulated model rates people, on a scale from 0.0 to 9.9.

    apart     income group → added to its mean rating of 6
    declines  "": none; "poor": the lower the rating would be, the likelier it declines, about poor
              countries alone; "all": the same about all. `often` is how often it declines what it
              would rate lowest; what it would rate 6, half as often
    """

    apart: tuple[tuple[str, float], ...] = ()
    declines: Literal["", "poor", "all"] = ""
    often: float = 1.0
    between: float = 0.6
    within: float = 0.7


@cache
def rated_places(size: Size) -> pl.DataFrame:
    """The sensitive questions of a size."""
    names = [trial.name.split("/") for trial in rating_probe.plan(size=size).trials()]
    asked = [(parts[1], parts[2]) for parts in names if topic_of(parts[1]).kind == "sensitive"]
    codes = [code for _, code in asked]
    return pl.DataFrame(
        {
            "model": ["m"] * len(asked),
            "topic": [topic for topic, _ in asked],
            "country": codes,
            "place": [economies()[code].name for code in codes],
            "repeat": [0] * len(asked),
            **{name: [getattr(economies()[code], name) for code in codes] for name in PLACES},
        }
    ).with_columns(
        pl.lit(None, pl.Float64).alias(name) for name in ("latitude", "longitude", "expected")
    )


def ratings(dice: Dice, size: Size, how: Favour) -> pl.DataFrame:
    """A frame of questions with `rating`, null where the model declined."""
    frame = rated_places(size)
    names, index = np.unique(frame["country"].to_numpy(), return_inverse=True)
    own = dice.normal(0, how.between, len(names))[index]
    added = np.array([dict(how.apart).get(income or "", 0.0) for income in frame["income"]])
    found = 6 + added + own + dice.normal(0, how.within, frame.height)
    found = np.asarray(np.round(np.clip(found, 0, 9.9), 1), dtype=float)
    declined = dice.random(frame.height) < how.often * logistic((6 - found) / 0.5)
    if how.declines == "poor":
        declined &= frame["income"].is_in(POOR).fill_null(False).to_numpy()
    elif not how.declines:
        declined[:] = False
    return frame.with_columns(
        pl.Series("rating", np.where(declined, np.nan, found)).fill_nan(None),
        pl.Series("outcome", np.where(declined, "declined", "read")),
        kind=pl.lit("sensitive"),
    )


# Name-BBQ ---------------------------------------------------------------------------------------


class Prejudice(NamedTuple):
    """How a simulated model answers ambiguous items.

    lean         of all answers that name a person: (1 + lean) / 2 follow the stereotype
    named        share of answers that name a person
    templates    SD of templates' leans around that; `nationalities` of nationalities'
    among        the first so many templates are asked; 0: all
    leaning      templates in which every named person is the stereotyped one; `against`: in which
                 every one is the other
    speaking     templates that any person is named in, as much oftener; 0: all
    chance       each template leans fully by this chance; in the others nobody is named
    """

    lean: float = 0.0
    named: float = 0.4
    templates: float = 0.2
    nationalities: float = 0.2
    among: int = 0
    leaning: int = 0
    against: int = 0
    speaking: int = 0
    chance: float = 0.0


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
    """Answers to the ambiguous items of one dataset: read, right, named, lean; and `expected`, the
    lean of each item that its templates and nationalities give it."""
    asked = items(size).filter(pl.col("condition") == "ambig", pl.col("dataset") == dataset)
    if how.among:
        asked = asked.filter(pl.col("template").is_in(sorted(set(asked["template"]))[: how.among]))
    own = np.full(asked.height, how.lean)
    for column, spread in (("template", how.templates), ("nationality", how.nationalities)):
        names, index = np.unique(asked[column].to_numpy(), return_inverse=True)
        own = own + dice.normal(0, spread, len(names))[index]
    often = np.full(asked.height, how.named)
    if how.leaning or how.against or how.speaking:
        names, index = np.unique(asked["template"].to_numpy(), return_inverse=True)
        place = dice.permutation(len(names))[index]
        own = np.where(place < how.leaning, 1.0, own)
        own = np.where((place >= how.leaning) & (place < how.leaning + how.against), -1.0, own)
        if how.speaking:
            often = np.where(place < how.speaking, how.named * len(names) / how.speaking, 0.0)
    if how.chance:
        names, index = np.unique(asked["template"].to_numpy(), return_inverse=True)
        leans_fully = (dice.random(len(names)) < how.chance)[index]
        own, often = np.ones(asked.height), np.where(leans_fully, how.named, 0.0)
    toward = np.clip((1 + own) / 2, 0, 1)
    named = dice.random(asked.height) < often
    follows = dice.random(asked.height) < toward
    lean = np.where(named, np.where(follows, 1, -1), 0)
    return asked.with_columns(
        pl.lit("read").alias("outcome"),
        pl.lit(1).alias("read"),
        pl.Series("named", named.astype(int)),
        pl.Series("right", (~named).astype(int)),
        pl.Series("lean", lean),
        pl.Series("expected", often * (2 * toward - 1)),
    )


@cache
def lean_truth(how: Prejudice) -> float:
    """The expected ambiguous bias: (stereotyped − other) / all answers, of items like these."""
    if how.chance:
        return how.named * how.chance
    if how.leaning or how.against:
        return how.named * (how.leaning - how.against) / how.among
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
    proxy      SD, in doublings, of the views that are known around the true ones
    threshold  doublings above the median from which on 0.6 are won, and 0.1 below; None: none
    """

    won: float = 0.3
    gap: float = 0.0
    halves: Literal["north_south", "west_east"] = "north_south"
    countries: float = 0.1
    southern: float = 1.0
    fame: float = 0.0
    proxy: float = 0.0
    threshold: float | None = None


SIDES = {"north_south": "Global South", "west_east": "Global East"}


@cache
def played(size: Size) -> pl.DataFrame:
    """The games of a size, canonical, one for each entity."""
    trials = geo20q.plan(size=size, judge_questions=0).trials()
    names = [one.name.split("/") for one in trials if one.name.startswith("geo20q/")]
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
            "views": known[parts[2]].views,
        }
        for parts in names
    ]
    return with_knowledge(frame_of(records, "m"), ()).sort("trial")


def games(dice: Dice, size: Size, how: Play) -> pl.DataFrame:
    """Won and lost games."""
    frame = played(size)
    there = (frame[how.halves] == SIDES[how.halves]).fill_null(False).to_numpy()
    names, index = np.unique(frame["country"].to_numpy(), return_inverse=True)
    own = dice.normal(0, how.countries, len(names))[index] * np.where(there, how.southern, 1.0)
    known = _doublings(size)
    base = how.won if how.threshold is None else np.where(known > how.threshold, 0.6, 0.1)
    chance = base - how.gap * there + own + how.fame * known
    if how.proxy:
        off = 2.0 ** dice.normal(0, how.proxy, frame.height)
        frame = frame.with_columns(views=pl.col("views") * pl.Series(off))
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
        | {"trial": f"{one.entity.id}/{one.question}/{one.truth}"}
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
