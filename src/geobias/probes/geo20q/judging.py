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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, partial

import msgspec

from geobias.atlas.economies import Economy, economies
from geobias.atlas.entities import Entity, load_entities
from geobias.atlas.fact_questions import Phrasing, phrasing
from geobias.atlas.kinds import Kind, kinds
from geobias.atlas.languages import Language, Wording, load_language
from geobias.atlas.places import bit, names_in, places
from geobias.errors import BadRequest
from geobias.probes.geo20q.game import JUDGE_TOKENS
from geobias.probes.geo20q.meaning import ONE_COUNTRY, STANDING
from geobias.probes.geo20q.naming import names_of
from geobias.probes.geo20q.record import JudgeRecord
from geobias.probes.geo20q.verdict import verdict
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


class Fact(msgspec.Struct, frozen=True):
    """One question about one entity, and the answer that the table gives."""

    entity: Entity
    question: str
    text: str
    truth: str


def facts(entity: Entity, language: str, dice: random.Random) -> list[tuple[Fact, Fact]]:
    """All pairs that can be asked about an entity: yes is right first, then no is right."""
    ask = phrasing(language)
    pairs = [_continents(entity, language, ask, dice), _countries(entity, language, ask, dice)]
    pairs += [_kinds(entity, ask, dice), _type(entity, ask), _genders(entity, ask)]
    return [
        (Fact(entity, question, yes, "yes"), Fact(entity, question, no, "no"))
        for question, yes, no in filter(None, pairs)
    ]


Pair = tuple[str, str, str] | None


def _continents(entity: Entity, language: str, ask: Phrasing, dice: random.Random) -> Pair:
    here = bit(entity.country)
    own = economies()[entity.country].continent
    beside = [name for name in _NEAR[own] if not here & places()[name].possible]
    if not here & places()[own].sure or not beside or _roams(entity):
        return None
    sentence = _where(entity, ask)
    other = dice.choice(beside)
    return (
        "continent",
        sentence.replace("{place}", names_in(language, own)),
        sentence.replace("{place}", names_in(language, other)),
    )


def _countries(entity: Entity, language: str, ask: Phrasing, dice: random.Random) -> Pair:
    if entity.type == "thing" and entity.category not in ONE_COUNTRY:
        return None
    own = economies()[entity.country]
    others = [one for one in _neighbours(own) if names_in(language, one.iso3)]
    if not others or not names_in(language, own.iso3):
        return None
    sentence = _where(entity, ask)
    other = dice.choice(others)
    return (
        "country",
        sentence.replace("{place}", names_in(language, own.iso3)),
        sentence.replace("{place}", names_in(language, other.iso3)),
    )


@cache
def _neighbours(own: Economy) -> Sequence[Economy]:
    """Countries of the same region, member states only: a territory is part of somewhere else."""
    return [
        one
        for one in economies().values()
        if one.region == own.region and one.iso3 != own.iso3 and one.north_south is not None
    ] or [one for one in economies().values() if one.continent == own.continent and one != own]


def _where(entity: Entity, ask: Phrasing) -> str:
    if entity.type == "person":
        return ask.origin
    return ask.position if entity.category in STANDING else ask.provenance


def _roams(entity: Entity) -> bool:
    """Of animals and plants nobody can say from the table where else they live."""
    return entity.category in ("animal", "plant")


def _kinds(entity: Entity, ask: Phrasing, dice: random.Random) -> Pair:
    own = [kind for kind in _askable(ask) if kind.truth(entity) is True and _tells(kind)]
    if not own:
        return None
    yes = dice.choice(own)
    if entity.type == "person":
        return "profession", ask.kinds[yes.name], ask.kinds["fictional"]
    others = [kind for kind in _askable(ask) if kind.truth(entity) is False and _tells(kind)]
    return "category", ask.kinds[yes.name], ask.kinds[dice.choice(others).name]


def _type(entity: Entity, ask: Phrasing) -> Pair:
    person, thing = ask.kinds["person"], ask.thing
    return ("type", person, thing) if entity.type == "person" else ("type", thing, person)


def _genders(entity: Entity, ask: Phrasing) -> Pair:
    if entity.type != "person" or not entity.gender:
        return None
    woman, man = ask.kinds["female"], ask.kinds["male"]
    return ("gender", woman, man) if entity.gender == "F" else ("gender", man, woman)


def _askable(ask: Phrasing) -> list[Kind]:
    return [kinds()[name] for name in ask.kinds]


def _tells(kind: Kind) -> bool:
    """Whether it is a kind of thing or a profession, rather than a person or a gender."""
    return kind.name not in ("person", "male", "female", "fictional")


def choose_facts(
    chosen: Iterable[Entity], language: str, *, seed: int = 0, count: int = 120
) -> list[Fact]:
    """About `count` questions in pairs, spread evenly over types, and over regions by halves.

    The same seed chooses the same questions. Where the entities do not have that many facts, all
    there are.
    """
    shuffled = sorted((e for e in chosen if e.name_in(language)), key=lambda e: e.id)
    random.Random(f"{seed} order").shuffle(shuffled)
    waiting: dict[tuple[str, ...], list[list[tuple[Fact, Fact]]]] = {}
    for entity in shuffled:
        place = economies()[entity.country]
        stratum = (entity.type, place.region, place.north_south or "Global South")
        dice = random.Random(f"{seed} {entity.id} {language}")
        pairs = facts(entity, language, dice)
        dice.shuffle(pairs)
        if pairs:
            waiting.setdefault(stratum, []).append(pairs)
    found: list[Fact] = []
    queues = [waiting[stratum] for stratum in sorted(waiting)]
    while queues and len(found) + 1 < count:
        for queue in queues:
            pairs = queue.pop(0)
            found += pairs.pop()
            if pairs:
                queue.append(pairs)  # its next fact, when all others have had their turn
            if len(found) + 1 >= count:
                break
        queues = [queue for queue in queues if queue]
    return found


def judge_trials(
    chosen: Iterable[Fact], language: Language, *, wording: Wording = "consistent"
) -> Iterator[Trial]:
    """Trials of probe "geo20q_judge", asked of the role "judge" at temperature 0."""
    for fact in chosen:
        name = f"{JUDGE_RECORDS}/{language.code}/{fact.entity.id}/{fact.question}/{fact.truth}"
        yield Trial(name, partial(_asked, fact, language, wording, name))


def _asked(fact: Fact, language: Language, wording: Wording, trial: str) -> Steps:
    entity = fact.entity
    called = entity.name_in(language.code) or entity.name
    prompt = language.prompts(entity.type, wording).to_judge(called, fact.text)
    reply = yield Ask(dialogue=Dialogue().user(prompt), max_tokens=JUDGE_TOKENS, role="judge")
    answer, outcome = "", str(reply.outcome)
    if reply.outcome == "ok":
        spelled = names_of(entity, language.code)
        answer = verdict(reply.text, language, spelled).answer
        outcome = "read" if answer else "unread"
    return JudgeRecord(
        trial=trial,
        probe=JUDGE_RECORDS,
        country=entity.country,
        outcome=outcome,
        entity=entity.id,
        name=entity.name,
        type=entity.type,
        category=entity.category,
        language=language.code,
        question=fact.question,
        text=fact.text,
        truth=fact.truth,
        answer=answer,
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
    table: Mapping[str, Entity] = load_entities(entities)
    spoken = [load_language(code) for code in dict.fromkeys(language)]
    known = {
        one.code: choose_facts(table.values(), one.code, seed=seed, count=questions)
        for one in spoken
    }
    total = sum(map(len, known.values()))
    if not total:
        raise BadRequest(f"the table has no fact to ask about in {', '.join(known)}")

    def trials() -> Iterator[Trial]:
        for one in spoken:
            yield from judge_trials(known[one.code], one, wording=wording)

    return Plan(
        probe=JUDGE_RECORDS,
        settings={
            "questions": questions,
            "languages": list(known),
            "entities": entities or "shipped",
            "wording": wording,
            "seed": seed,
        },
        count=total,
        calls=(total, total),
        trials=trials,
        editions={"entities": _digest(table)},
        prompts={f"geo20q.{one.code}": fingerprint(one.source) for one in spoken}
        | questions_digests(known),
    )


def questions_digests(codes: Iterable[str]) -> dict[str, str]:
    """For a manifest: how facts are asked for in these languages, by content hash."""
    return {f"{JUDGE_RECORDS}.{code}": fingerprint(phrasing(code).source) for code in codes}


def _digest(table: Mapping[str, Entity]) -> str:
    rows = [(e.id, e.name, e.type, e.category, e.country, e.gender) for e in table.values()]
    return fingerprint(msgspec.json.encode(rows).decode())
