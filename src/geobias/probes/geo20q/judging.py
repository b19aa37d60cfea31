"""Is the judge fit to judge? Questions whose answers the entity table knows.

A judge that knows less about one half of the world loses that half's games for the guesser. So it
is asked, with the very prompts of the game, what the table can tell: is it a person, is it from
Africa, from Kenya, is it a food, was she a politician. Every fact is asked twice about the same
entity, once so that yes is right and once so that no is: a continent beside the own, a country of
the same region, another kind of thing. A judge that says yes to both contradicts itself.

    question     yes is right                   no is right
    type         a person, or no person         the other of the two
    continent    its own                        one of the nearest
    country      its own                        another of the same region
    category     its own kind                   another kind that it surely is not
    profession   its own                        a fictional character
    gender       its own                        the other

Things that cross borders (rivers, mountains) or live in many places are not asked by country.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Literal

import msgspec

from geobias.atlas.economies import Economy, economies
from geobias.atlas.entities import Entity, load_entities
from geobias.atlas.fact_questions import Phrasing, phrasing
from geobias.atlas.kinds import kinds
from geobias.atlas.languages import Language, Wording, load_language
from geobias.atlas.places import bit, names_in, places
from geobias.errors import BadRequest
from geobias.probes.geo20q.game import JUDGE_TOKENS
from geobias.probes.geo20q.naming import name_matcher
from geobias.probes.geo20q.question_parsing import ONE_COUNTRY, SPREAD, STANDING
from geobias.probes.geo20q.record import JudgeRecord, entity_fields
from geobias.probes.geo20q.simulated import AskedJudge
from geobias.probes.geo20q.verdict import read_verdict
from geobias.probes.plan import Plan, fingerprint
from geobias.trials import Ask, Dialogue, Steps, Trial

JUDGE_RECORDS = "geo20q_judge"
SAMPLE = {"quick": 24, "standard": 400, "paper": 1200}
"""Questions in a run of the game of each size."""

_NEAR = {
    "Africa": ("Asia", "Europe"),
    "Asia": ("Europe", "Africa", "Oceania"),
    "Europe": ("Asia", "Africa"),
    "North America": ("South America", "Europe"),
    "South America": ("North America", "Africa"),
    "Oceania": ("Asia", "South America"),
}
"""The continents that a judge may mistake one for."""
_NO_KINDS = ("person", "male", "female", "fictional")
"""What is asked beside kinds of things and professions."""


class Fact(msgspec.Struct, frozen=True):
    """One question about one entity, and the answer that the table gives."""

    entity: Entity
    question: str
    text: str
    truth: Literal["yes", "no"]


Pair = tuple[str, str, str] | None
"""The kind of fact, and the two questions about it: yes is right, no is right."""


def facts(entity: Entity, language: str, dice: random.Random) -> list[tuple[Fact, Fact]]:
    """All pairs that can be asked about an entity: yes is right first, then no is right."""
    wording = phrasing(language)
    pairs = [
        _continents(entity, language, dice),
        _countries(entity, language, dice),
        _kinds(entity, wording, dice),
        _types(entity, wording),
        _genders(entity, wording),
    ]
    return [
        (Fact(entity, question, yes, "yes"), Fact(entity, question, no, "no"))
        for question, yes, no in filter(None, pairs)
    ]


def _continents(entity: Entity, language: str, dice: random.Random) -> Pair:
    here = bit(entity.country)
    own = economies()[entity.country].continent
    others = [name for name in _NEAR[own] if not here & places()[name].possible]
    if not here & places()[own].sure or not others or entity.category in SPREAD:
        return None
    return _places(entity, "continent", language, own, dice.choice(others))


def _countries(entity: Entity, language: str, dice: random.Random) -> Pair:
    if entity.type == "thing" and entity.category not in ONE_COUNTRY:
        return None
    own = economies()[entity.country]
    others = [one.iso3 for one in _neighbours(own) if names_in(language, one.iso3)]
    if not others or not names_in(language, own.iso3):
        return None
    return _places(entity, "country", language, own.iso3, dice.choice(others))


def _places(entity: Entity, question: str, language: str, own: str, other: str) -> Pair:
    wording = phrasing(language)
    sentence = wording.position if entity.category in STANDING else wording.provenance
    if entity.type == "person":
        sentence = wording.origin
    yes, no = (sentence.replace("{place}", names_in(language, key)) for key in (own, other))
    return question, yes, no


@cache
def _neighbours(own: Economy) -> Sequence[Economy]:
    """Countries of the same region, member states only: a territory is part of somewhere else."""
    return [
        one
        for one in economies().values()
        if one.region == own.region and one.iso3 != own.iso3 and one.north_south is not None
    ] or [one for one in economies().values() if one.continent == own.continent and one != own]


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


def _types(entity: Entity, wording: Phrasing) -> Pair:
    person, thing = wording.kinds["person"], wording.thing
    return ("type", person, thing) if entity.type == "person" else ("type", thing, person)


def _genders(entity: Entity, wording: Phrasing) -> Pair:
    if entity.type != "person" or not entity.gender:
        return None
    woman, man = wording.kinds["female"], wording.kinds["male"]
    return ("gender", woman, man) if entity.gender == "F" else ("gender", man, woman)


def choose_facts(
    chosen: Iterable[Entity], language: str, *, seed: int = 0, count: int = 120
) -> list[Fact]:
    """About `count` questions in pairs, spread evenly over types, and over regions by halves.

    The same seed chooses the same questions. Where the entities do not have that many facts, all
    there are.
    """
    shuffled = sorted((e for e in chosen if e.name_in(language)), key=lambda e: e.id)
    random.Random(f"{seed} order").shuffle(shuffled)
    waiting: dict[tuple[str, ...], deque[Iterator[tuple[Fact, Fact]]]] = {}
    for entity in shuffled:
        place = economies()[entity.country]
        stratum = (entity.type, place.region, place.north_south or "Global South")
        waiting.setdefault(stratum, deque()).append(_facts_in_turn(entity, language, seed))
    taken: list[Fact] = []
    queues = [waiting[stratum] for stratum in sorted(waiting)]
    while queues and len(taken) + 1 < count:
        for queue in queues:
            taken += _next_pair(queue)
            if len(taken) + 1 >= count:
                break
        queues = [queue for queue in queues if queue]
    return taken


def _facts_in_turn(entity: Entity, language: str, seed: int) -> Iterator[tuple[Fact, Fact]]:
    """An entity's pairs in an order of its own; worked out when the first is asked for, since most
    entities of a table never have a turn."""
    dice = random.Random(f"{seed} {entity.id} {language}")
    pairs = facts(entity, language, dice)
    dice.shuffle(pairs)
    yield from reversed(pairs)


def _next_pair(queue: deque[Iterator[tuple[Fact, Fact]]]) -> Sequence[Fact]:
    """The next pair of a stratum. Who gave it waits until all others have had their turn."""
    while queue:
        entity = queue.popleft()
        for pair in entity:
            queue.append(entity)
            return pair
    return ()


def judge_trials(
    chosen: Iterable[Fact], language: Language, *, wording: Wording = "consistent"
) -> Iterator[Trial]:
    """Trials of probe "geo20q_judge", asked of the role "judge" at temperature 0."""
    for fact in chosen:
        name = f"{JUDGE_RECORDS}/{language.code}/{fact.entity.id}/{fact.question}/{fact.truth}"
        yield Trial(name, partial(_ask_fact, fact, language, wording, name))


def _ask_fact(fact: Fact, language: Language, wording: Wording, trial: str) -> Steps:
    entity = fact.entity
    called = entity.name_in(language.code) or entity.name
    prompt = language.prompts(entity.type, wording).to_judge(called, fact.text)
    reply = yield Ask(
        dialogue=Dialogue().user(prompt),
        max_tokens=JUDGE_TOKENS,
        role="judge",
        about=AskedJudge(language.code, entity.type, called, fact.text, fact.truth),
    )
    answer, outcome = "", str(reply.outcome)
    if reply.outcome == "ok":
        answer = read_verdict(reply.text, language, name_matcher(entity, language.code)).answer
        outcome = "read" if answer else "unread"
    return JudgeRecord(
        trial=trial,
        probe=JUDGE_RECORDS,
        outcome=outcome,
        question=fact.question,
        text=fact.text,
        truth=fact.truth,
        answer=answer,
        **entity_fields(entity, language.code),
    )


def plan(
    *,
    questions: int = 400,
    language: Sequence[str] = ("en",),
    entities: str | None = None,
    wording: Wording = "consistent",
    seed: int = 0,
) -> Plan:
    """The judge alone: `questions` in each language, of the shipped entities or a table's."""
    table = load_entities(entities)
    languages = [load_language(code) for code in dict.fromkeys(language)]
    facts_by_language = {
        one.code: choose_facts(table.values(), one.code, seed=seed, count=questions)
        for one in languages
    }
    total = sum(map(len, facts_by_language.values()))
    if not total:
        raise BadRequest(f"the table has no fact to ask about in {', '.join(facts_by_language)}")

    def trials() -> Iterator[Trial]:
        for one in languages:
            yield from judge_trials(facts_by_language[one.code], one, wording=wording)

    return Plan(
        probe=JUDGE_RECORDS,
        settings={
            "questions": questions,
            "languages": list(facts_by_language),
            "entities": entities or "shipped",
            "wording": wording,
            "seed": seed,
        },
        count=total,
        calls=(total, total),
        trials=trials,
        editions={"entities": _digest(table)},
        prompts=prompt_digests(languages, facts_by_language),
    )


def prompt_digests(languages: Iterable[Language], asked: Iterable[str]) -> dict[str, str]:
    """For a manifest: prompts, and how facts are asked for in the languages `asked`, by content."""
    prompts = {f"geo20q.{one.code}": fingerprint(one.source) for one in languages}
    facts = {f"{JUDGE_RECORDS}.{code}": fingerprint(phrasing(code).source) for code in asked}
    return prompts | facts


def _digest(table: Mapping[str, Entity]) -> str:
    rows = [(e.id, e.name, e.type, e.category, e.country, e.gender) for e in table.values()]
    return fingerprint(msgspec.json.encode(rows).decode())
