"""Tests of the judge: questions whose answers the entity table holds, with the prompts of the game.

If a judge knows less about one half of the world, the guesser loses more games of that half. Every
fact is asked in two forms about the same entity: one in which yes is right, and one in which no is
right.

    question     yes is right                   no is right
    type         a person, or not one           the other of the two
    continent    the entity's continent         another continent
    country      the entity's country           another country of the region

Things that cross borders (rivers, mountains) or live in many places are not asked by country.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Literal, NamedTuple

import polars as pl

from geobias.atlas.economies import economies
from geobias.atlas.entities import Entity
from geobias.atlas.places import bit, names_in, places
from geobias.probes.geo20q.game import JUDGE_TOKENS, JudgeRecord, entity_fields, outcome_of
from geobias.probes.geo20q.languages import Language, shipped
from geobias.probes.geo20q.questions import ONE_COUNTRY, SPREAD, STANDING
from geobias.probes.geo20q.replies import read_answer
from geobias.probes.geo20q.scores import PLACES, TYPES
from geobias.probes.geo20q.simulated import ORDER as CONTINENTS
from geobias.probes.geo20q.simulated import AskedJudge
from geobias.probes.tables import frame_from
from geobias.trials import Ask, Dialogue, Steps, StoredRecord, Trial

JUDGE_RECORDS = "geo20q_judge"
SAMPLE = {"quick": 24, "standard": 400, "paper": 1200}
"""Number of questions in a run of the game of each size."""
WORDS = shipped("languages/facts.toml")


class Fact(NamedTuple):
    entity: Entity
    question: str
    text: str
    truth: Literal["yes", "no"]


def questions_about(
    entity: Entity, language: str, dice: random.Random
) -> Iterator[tuple[str, str, str]]:
    """Yield kinds of fact, each with a question whose answer is yes and one whose answer is no."""
    words, here, own = WORDS[language], bit(entity.country), economies()[entity.country]
    asks = words["position" if entity.category in STANDING else "provenance"]
    yes, no = "thing", "person"
    if entity.type == "person":
        asks, yes, no = words["origin"], no, yes

    def of(place: str) -> str:
        text: str = asks.replace("{place}", names_in(language, place))
        return text

    yield "type", words[yes], words[no]
    if here & places()[own.continent].sure and entity.category not in SPREAD:
        others = [one for one in CONTINENTS if not here & places()[one].possible]
        yield "continent", of(own.continent), of(dice.choice(others))
    in_one = entity.type == "person" or entity.category in ONE_COUNTRY
    if in_one and names_in(language, own.iso3):
        # Every language has names for the member states of the United Nations.
        others = [one.iso3 for one in economies().values()
                  if one.region == own.region and one != own and one.north_south]  # fmt: skip
        yield "country", of(own.iso3), of(dice.choice(others))


def choose_facts(chosen: Iterable[Entity], language: str, *, seed: int, count: int) -> list[Fact]:
    """Draw about `count` questions, in pairs. If there are fewer, all are chosen."""
    dice = random.Random(f"{seed} {language}")
    pairs = [
        (Fact(one, kind, yes, "yes"), Fact(one, kind, no, "no"))
        for one in sorted(chosen, key=lambda one: one.id)
        for kind, yes, no in questions_about(one, language, dice)
    ]
    dice.shuffle(pairs)
    return [fact for pair in pairs[: count // 2] for fact in pair]


def judge_trials(
    chosen: Sequence[Fact], language: Language, *, as_printed: bool = False
) -> Iterator[Trial]:
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


def judge_frame_of(records: Iterable[StoredRecord], model: str = "") -> pl.DataFrame:
    answer = pl.col("answer").replace("", None)
    return frame_from(records, JudgeRecord, model, PLACES).with_columns(
        pl.col("type").replace(TYPES), correct=answer == pl.col("truth")
    )
