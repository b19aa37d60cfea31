"""Tests of the judge: questions whose answers the entity table holds, and their scores.

If a judge knows less about one half of the world, the guesser loses more games of that half. So the
judge is asked about facts of the table, with the prompts of the game. Every fact is asked in two
forms about the same entity: one in which yes is right, and one in which no is right.

    question     yes is right                   no is right
    type         a person, or not one           the other of the two
    continent    the entity's continent         one of the nearest continents
    country      the entity's country           another country of the region
    category     the thing's kind               a kind that it certainly is not
    profession   the person's profession        a fictional character
    gender       the person's gender            the other gender

Things that cross borders (rivers, mountains) or live in many places are not asked by country.

The accuracy is the share of right answers among those that could be read; a maybe is not right. The
interval is over entities and kinds of question at once (`stats.crossed`), since answers about one
entity are alike, and so are answers to one kind of question.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, partial
from itertools import zip_longest
from typing import Literal, TypeVar

import msgspec
import polars as pl

from geobias.atlas.economies import Economy, economies
from geobias.atlas.entities import Entity
from geobias.atlas.places import bit, names_in, places
from geobias.probes.geo20q.game import JUDGE_TOKENS, JudgeRecord, entity_fields, outcome_of
from geobias.probes.geo20q.languages import Language, Phrasing, phrasing
from geobias.probes.geo20q.questions import ONE_COUNTRY, SPREAD, STANDING, kinds
from geobias.probes.geo20q.replies import read_answer
from geobias.probes.geo20q.scores import PLACES, TYPES, share
from geobias.probes.geo20q.simulated import AskedJudge
from geobias.probes.tables import frame_from
from geobias.stats.crossed import crossed_ratio
from geobias.stats.estimates import LEAST_UNITS, Estimate
from geobias.trials import Ask, Dialogue, Steps, StoredRecord, Trial

JUDGE_RECORDS = "geo20q_judge"
SAMPLE = {"quick": 24, "standard": 400, "paper": 1200}
"""Number of questions in a run of the game of each size."""

_NEAR = {
    "Africa": ("Asia", "Europe"),
    "Asia": ("Europe", "Africa", "Oceania"),
    "Europe": ("Asia", "Africa"),
    "North America": ("South America", "Europe"),
    "South America": ("North America", "Africa"),
    "Oceania": ("Asia", "South America"),
}
"""Each continent → the continents that a judge may mistake for it."""
_NO_KINDS = ("person", "male", "female", "fictional")
"""The kinds of fact that are asked about in addition to kinds of things and professions."""


class Fact(msgspec.Struct, frozen=True):
    """One question about one entity, and the table's answer."""

    entity: Entity
    question: str
    text: str
    truth: Literal["yes", "no"]


Pair = tuple[str, str, str] | None
"""A kind of fact with two questions: one to which yes is right, and one to which no is right."""


def facts(entity: Entity, language: str, seed: int) -> list[tuple[Fact, Fact]]:
    """Return all pairs of questions about an entity in an order that is drawn for it.

    Yes is the right answer to the first of each pair.
    """
    wording, dice = phrasing(language), random.Random(f"{seed} {entity.id} {language}")
    types = [wording.kinds["person"], wording.thing]
    genders = [wording.kinds["male"], wording.kinds["female"]]
    pairs = [
        _continents(entity, language, dice),
        _countries(entity, language, dice),
        _kinds(entity, wording, dice),
        ("type", *(types if entity.type == "person" else reversed(types))),
    ]
    if entity.gender:
        pairs.append(("gender", *(genders if entity.gender == "M" else reversed(genders))))
    found = [
        (Fact(entity, question, yes, "yes"), Fact(entity, question, no, "no"))
        for question, yes, no in filter(None, pairs)
    ]
    dice.shuffle(found)
    return found[::-1]


def _continents(entity: Entity, language: str, dice: random.Random) -> Pair:
    here = bit(entity.country)
    own = economies()[entity.country].continent
    others = [name for name in _NEAR[own] if not here & places()[name].possible]
    if not here & places()[own].sure or entity.category in SPREAD:
        return None
    return _places(entity, "continent", language, own, dice.choice(others))


def _countries(entity: Entity, language: str, dice: random.Random) -> Pair:
    if entity.type == "thing" and entity.category not in ONE_COUNTRY:
        return None
    own = economies()[entity.country]
    if not names_in(language, own.iso3):
        return None
    return _places(entity, "country", language, own.iso3, dice.choice(_neighbours(own)).iso3)


def _places(entity: Entity, question: str, language: str, own: str, other: str) -> Pair:
    wording = phrasing(language)
    sentence = wording.position if entity.category in STANDING else wording.provenance
    if entity.type == "person":
        sentence = wording.origin
    yes, no = (sentence.replace("{place}", names_in(language, key)) for key in (own, other))
    return question, yes, no


@cache
def _neighbours(own: Economy) -> Sequence[Economy]:
    """Return the other member states of an economy's region, without territories.

    Every language has names for all of them.
    """
    return [
        one
        for one in economies().values()
        if one.region == own.region and one.iso3 != own.iso3 and one.north_south is not None
    ]


def _kinds(entity: Entity, wording: Phrasing, dice: random.Random) -> Pair:
    askable = [kinds()[name] for name in wording.kinds if name not in _NO_KINDS]
    own = [kind.name for kind in askable if kind.truth(entity) is True]
    if not own:
        return None
    yes = wording.kinds[dice.choice(own)]
    if entity.type == "person":
        return "profession", yes, wording.kinds["fictional"]
    others = [kind.name for kind in askable if kind.truth(entity) is False]
    return "category", yes, wording.kinds[dice.choice(others)]


def choose_facts(
    chosen: Iterable[Entity], language: str, *, seed: int = 0, count: int = 120
) -> list[Fact]:
    """Choose about `count` questions in pairs, spread evenly over types, regions and halves.

    Equal seeds choose equal questions. If the entities do not have that many facts, all are chosen.
    """
    shuffled = sorted((e for e in chosen if e.name_in(language)), key=lambda e: e.id)
    random.Random(f"{seed} order").shuffle(shuffled)
    strata: dict[tuple[str, ...], list[list[tuple[Fact, Fact]]]] = {}
    for entity in shuffled:
        place = economies()[entity.country]
        stratum = (entity.type, place.region, place.north_south or "Global South")
        strata.setdefault(stratum, []).append(facts(entity, language, seed))
    # One pair of each stratum in turn, and within it one of each entity in turn.
    pairs = _in_turn(_in_turn(strata[stratum]) for stratum in sorted(strata))
    return [fact for pair in pairs[: count // 2] for fact in pair]


T = TypeVar("T")


def _in_turn(lists: Iterable[list[T]]) -> list[T]:
    """Return the first item of each list, then the second of each, and so on."""
    return [one for items in zip_longest(*lists) for one in items if one is not None]


def judge_trials(
    chosen: Iterable[Fact], language: Language, *, as_printed: bool = False
) -> Iterator[Trial]:
    """Yield the trials that ask the judge about facts, at temperature 0."""
    for fact in chosen:
        name = f"{JUDGE_RECORDS}/{language.code}/{fact.entity.id}/{fact.question}/{fact.truth}"
        yield Trial(name, partial(_ask_fact, fact, language, as_printed, name))


def _ask_fact(fact: Fact, language: Language, as_printed: bool, trial: str) -> Steps:
    entity = fact.entity
    called = entity.name_in(language.code) or entity.name
    prompt = language.prompts(entity.type, as_printed=as_printed).to_judge(called, fact.text)
    reply = yield Ask(
        dialogue=Dialogue().user(prompt),
        max_tokens=JUDGE_TOKENS,
        role="judge",
        about=AskedJudge(language.code, entity.type, entity.id, fact.text, fact.truth),
    )
    answer = read_answer(reply.text, language) if reply.outcome == "ok" else ""
    return JudgeRecord(
        trial=trial,
        probe=JUDGE_RECORDS,
        outcome=outcome_of(reply, answer),
        question=fact.question,
        text=fact.text,
        truth=fact.truth,
        answer=answer,
        **entity_fields(entity, language.code),
    )


LEAST_ACCURACY = 0.9
"""Minimum share of questions about facts that a judge must answer right."""
GOOD_ACCURACY = 0.95


def judge_frame_of(records: Iterable[StoredRecord], model: str = "") -> pl.DataFrame:
    """Return a row for each question to the judge: was the answer `read`, and is it `correct`?

    `correct` is null where the answer was unread.
    """
    frame = frame_from(records, JudgeRecord, model, PLACES)
    answer = pl.col("answer").fill_null("")
    read = answer != ""
    return frame.with_columns(
        pl.col("type").replace(TYPES),
        read=read,
        unread=~read,
        correct=pl.when(read).then(answer == pl.col("truth")),
    )


def accuracy_of(read: pl.DataFrame) -> Estimate:
    """Return the share of right answers, with an interval over entities and kinds of question.

    `n` counts entities. With fewer than three kinds of question, or if all answers are right (or
    all wrong), the interval is over countries.
    """
    found = share(read, "correct")
    entities, questions = read["entity"], read["question"]
    if (
        read["correct"].n_unique() > 1
        and min(entities.n_unique(), questions.n_unique()) >= LEAST_UNITS
    ):
        right = read["correct"].cast(float).to_numpy()
        found = crossed_ratio(
            right,
            [1.0] * len(right),
            entities.to_numpy(),
            questions.to_numpy(),
            null=LEAST_ACCURACY,
            bounds=(0.0, 1.0),
        ).estimate
    return msgspec.structs.replace(found, n=entities.n_unique())


def is_fit(accuracy: Estimate) -> bool:
    """Return whether a judge of this accuracy may judge.

    A judge is fit if its accuracy is at least `LEAST_ACCURACY`. It is also fit if the upper end of
    the interval is at least `GOOD_ACCURACY`, since a good judge could then score as low by chance.
    """
    if accuracy.value is None:
        return False
    high = accuracy.value if accuracy.high is None else accuracy.high
    return accuracy.value >= LEAST_ACCURACY or high >= GOOD_ACCURACY
