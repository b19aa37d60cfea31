"""One direct question about every target, which tells whether the guesser knows the target.

    What is Wangari Maathai known for, and where is this person from?
    A. film, Tunisia
    B. activism, Kenya
    …
    I. I do not know

The options combine two fields with four countries. One option is right, so a guess is right one
time in eight. The other countries are of the target's continent. For things that cross borders or
live in many places, they are of other continents. The guesser is asked at temperature 0, and in
English even if the games are in another language, since the question tests knowledge of the target
and not of words.

A target is *known* if the right option is chosen, and not known if another option or "I do not
know" is chosen. Any other reply is unread. It is then undecided whether the target is known, and
gaps among known targets leave out its games.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

import polars as pl

from geobias.atlas.economies import economies
from geobias.atlas.entities import Entity
from geobias.probes.geo20q.game import EntityRecord, entity_fields, outcome_of
from geobias.probes.geo20q.languages import shipped
from geobias.probes.geo20q.questions import ONE_COUNTRY
from geobias.probes.geo20q.simulated import AskedKnowledge
from geobias.probes.questions import opened
from geobias.reading.answer import own_answer
from geobias.reading.choices import LETTERS, Options, read_choice
from geobias.reading.refusals import declines
from geobias.trials import Ask, Steps, StoredRecord, Trial

KNOWLEDGE_RECORDS = "geo20q_knowledge"
COUNTRIES = 4
TOKENS = 32
UNKNOWN = "I do not know"
_ASKS = {
    "person": "What is {name} known for, and where is this person from?",
    "thing": "What is {name}, and where is it from?",
}
_LAST = "Reply with the letter only."
_FIELDS = shipped("knowledge.toml")


class KnowledgeRecord(EntityRecord, frozen=True, kw_only=True):
    """One direct question about a target.

    outcome   "read", "unread", or the outcome of a reply without text
    answer    the option that was chosen, in words; "" if unread
    truth     the right option
    knows     whether the right option was chosen; None if the reply was not read
    """

    truth: str
    answer: str = ""
    knows: bool | None = None


def options(entity: Entity, seed: int) -> list[str]:
    dice = random.Random(f"{seed} {entity.id}")
    together, wrong = _FIELDS["together"], _FIELDS["wrong"][entity.type]
    near = {field for own in together if entity.category in own for field in own}
    fields = [entity.category, dice.choice([one for one in wrong if one not in near])]
    own = economies()[entity.country]
    abroad = entity.type == "thing" and entity.category not in ONE_COUNTRY
    others = [
        one
        for one in economies().values()
        if one != own and (one.continent == own.continent) != abroad
    ]
    places = [own, *dice.sample(others, COUNTRIES - 1)]
    made = [f"{field}, {place.name}" for field in fields for place in places]
    dice.shuffle(made)
    return [*made, UNKNOWN]


def truth_of(entity: Entity) -> str:
    return f"{entity.category}, {economies()[entity.country].name}"


def knowledge_trials(entities: Iterable[Entity], system: str, seed: int) -> Iterator[Trial]:
    for entity in entities:
        name = f"{KNOWLEDGE_RECORDS}/{entity.id}"
        yield Trial(name, partial(_asked, entity, system, seed, name))


def _asked(entity: Entity, system: str, seed: int, trial: str) -> Steps:
    offered, truth = options(entity, seed), truth_of(entity)
    lines = [f"{letter}. {one}" for letter, one in zip(LETTERS, offered, strict=False)]
    asks = _ASKS[entity.type].format(name=entity.name)
    reply = yield Ask(
        dialogue=opened(system).user("\n".join([asks, *lines, _LAST])),
        max_tokens=TOKENS,
        role="guesser",
        about=AskedKnowledge(
            entity.id, entity.type, LETTERS[offered.index(truth)], LETTERS[len(offered) - 1]
        ),
    )
    answer = chosen(reply.text, offered) if reply.outcome == "ok" else ""
    return KnowledgeRecord(
        trial=trial,
        probe=KNOWLEDGE_RECORDS,
        outcome=outcome_of(reply, answer),
        truth=truth,
        answer=answer,
        knows=answer == truth if answer else None,
        **entity_fields(entity, "en"),
    )


def chosen(reply: str, offered: Sequence[str]) -> str:
    """Return the option that a reply chooses by letter or words; "" if it chooses none."""
    read = read_choice(reply, Options(tuple(offered)))
    if read.value is not None:
        return offered[read.value]
    return UNKNOWN if declines(own_answer(reply).text.lower()) else ""


def with_knowledge(frame: pl.DataFrame, records: Iterable[StoredRecord]) -> pl.DataFrame:
    """Add the column `knows` to games: null if the reply was not read, or nothing was asked."""
    known = {one["entity"]: one.get("knows") for one in records}
    knows = pl.col("entity").replace_strict(known, default=None, return_dtype=pl.Boolean)
    return frame.with_columns(knows=knows)
