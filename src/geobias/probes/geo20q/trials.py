"""Geo20Q+'s trials: one game for each entity, language and repeat."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TypeAlias

import msgspec

from geobias.atlas.entities import LANGUAGES, Entity, load_entities
from geobias.errors import BadRequest
from geobias.probes.geo20q.choosing import choose_entities, usual_design
from geobias.probes.geo20q.game import Rules, game
from geobias.probes.geo20q.judging import (
    JUDGE_RECORDS,
    SAMPLE,
    Fact,
    choose_facts,
    judge_trials,
    prompt_digests,
)
from geobias.probes.geo20q.knowledge import KNOWLEDGE_RECORDS, knowledge_trials
from geobias.probes.geo20q.languages import Language, languages_in, load_languages
from geobias.probes.geo20q.naming import names_in
from geobias.probes.geo20q.settings import Geo20QSettings
from geobias.probes.plan import Plan, fingerprint
from geobias.probes.settings import OMITTED
from geobias.trials import Trial

Played: TypeAlias = Mapping[str, Sequence[Entity]]
"""Language → the entities that games in it are about."""
Facts: TypeAlias = Mapping[str, Sequence[Fact]]
"""Language → the known facts that the judge is asked in it."""


def plan(settings: Geo20QSettings) -> Plan:
    """Geo20Q+ with these settings. What cannot be played is a `BadRequest` that says why.

    The plan's `notes` say how many entities are left out or named in English. `judge_questions`
    known facts are asked of the judge in each language, so that a judge that knows less about a
    place can be told from a guesser that does.
    """
    settings = settings.resolved()
    turns = settings.turns
    if settings.played_setting == "both" and turns > settings.most_turns:
        raise BadRequest(f"the game of {turns} turns is not the shorter one: raise --most-turns")
    design = settings.design or usual_design(settings.size)
    table = load_entities(settings.entities)
    chosen = choose_entities(
        table,
        size=settings.size,
        named=settings.entities,
        type=settings.type,
        design=design,
        each=settings.each,
    )
    languages = load_languages(_codes(settings.language, settings.prompts), settings.prompts)
    played = {
        code: [one for one in chosen if one.name_in(code) or code not in LANGUAGES]
        for code in languages
    }
    if not any(played.values()):
        raise BadRequest(f"none of the entities has a name in {', '.join(languages)}")
    rules = {
        code: Rules(language, names_in(table, code), settings)
        for code, language in languages.items()
    }
    judge_questions = settings.judge_questions
    if judge_questions is None:
        judge_questions = SAMPLE[settings.size]
    facts = {
        code: choose_facts(playable, code, seed=settings.seed, count=judge_questions)
        for code, playable in played.items()
        if code in LANGUAGES
    }
    added = {code: one.name for code, one in languages.items() if code not in LANGUAGES}
    asks_all = settings.knowledge == "ask"
    targets = {one.id: one for own in played.values() for one in own} if asks_all else {}
    games = settings.repeats * sum(map(len, played.values()))
    asked = sum(map(len, facts.values()))
    digest = _digest(chosen, languages)
    return Plan(
        probe="geo20q",
        settings=settings.entries(
            entities=f"{len(chosen)} ({digest})",
            setting=settings.played_setting,
            language=list(languages),
            prompts=OMITTED,
            own_languages=added or OMITTED,
            design="" if _named(settings) else design,
            judge_questions=judge_questions,
        ),
        count=games + asked + len(targets),
        parts={"geo20q": games, JUDGE_RECORDS: asked, KNOWLEDGE_RECORDS: len(targets)},
        calls=_calls(played, settings, games, asked + len(targets)),
        trials=partial(_trials, played, facts, rules, list(targets.values())),
        editions={"entities": digest},
        prompts=prompt_digests(languages.values(), [code for code in facts if facts[code]]),
        usual=partial(_usual, settings, games, asked + len(targets)),
        compared=partial(_people, chosen),
        notes=(
            *_notes(chosen, languages, judged=judge_questions > 0),
            *protocol_notes(settings),
        ),
    )


def _trials(
    played: Played, facts: Facts, rules: Mapping[str, Rules], targets: Collection[Entity]
) -> Iterator[Trial]:
    settings = next(iter(rules.values())).settings
    yield from knowledge_trials(targets, settings.system, settings.seed)
    for code, playable in played.items():
        own = rules[code]
        yield from judge_trials(facts.get(code, ()), own.language, as_printed=own.settings.paper)
        for repeat in range(own.settings.repeats):
            for entity in playable:
                name = f"geo20q/{code}/{entity.id}/{repeat}"
                yield Trial(name, partial(game, entity, own, name, repeat))


def _calls(played: Played, settings: Geo20QSettings, games: int, asked: int) -> tuple[int, int]:
    """The fewest and the most calls: greedy games that begin alike share their beginnings.

    A game takes a guess each turn and an answer on all but the last. A turn may be checked for
    giving up, or for what it proposes; for both only where giving up is asked at every turn.
    """
    openings = sum(len({entity.type for entity in playable}) for playable in played.values())
    setting, doubts = settings.played_setting, not settings.paper
    longest = settings.turns if setting == "canonical" else settings.most_turns
    guesses = longest + (setting == "both")
    checks = {
        "every": (longest - 1) + doubts * guesses,
        "patterns": doubts * guesses,
    }.get(settings.give_up or "", guesses if doubts else longest - 1)
    placed = doubts and setting != "unlimited"  # a final guess that is none of the table
    most = guesses + (longest - 1) + checks + placed
    return (openings if settings.sampled_at == 0 else games) + asked, games * most + asked


FOUND_SHORT, LOST_SHORT = 0.45, 0.5
"""A canonical game: where the target is found, after this share of the turns; else after all of
them, which this share of games are."""
FOUND_LONG, LOST_LONG = 26, 0.2
"""A game without that limit: turns to a target that is found; share of games that go on to the end.
Simulated models take 46 and 72 turns on average; the plan stands between them."""
GUESSER, JUDGE, TURN, SAID = 75, 105, 17, 10
"""Tokens of the guesser's and the judge's prompt, what a turn adds to the guesser's, and what both
say in a turn."""


def _usual(
    settings: Geo20QSettings, games: int, asked: int, items: int | None = None
) -> tuple[int, int, int]:
    """Calls, tokens in and tokens out of a run, or of so many games of its kind and nothing else;
    without what games share.

    The guesser sees the whole dialogue again at each turn, so that tokens go with the square of a
    game's length, and the long games of a run are most of them; the judge only sees the question.
    In a game of both settings the canonical one ends with a guess of its own. Giving up is one
    more call a turn where it is asked at every turn, and hardly any call elsewhere.
    """
    short, setting = settings.turns, settings.played_setting
    most = short if setting == "canonical" else settings.most_turns
    found, lost = (
        (FOUND_SHORT * short, LOST_SHORT) if setting == "canonical" else (FOUND_LONG, LOST_LONG)
    )
    found = min(found, most)
    turns = (1 - lost) * found + lost * most
    squares = (1 - lost) * found**2 + lost * most**2
    judged, count = (asked, games) if items is None else (0, items)
    guesses = LOST_SHORT * count if setting == "both" else 0.0
    to_judge = 2 if settings.give_up == "every" else 1
    calls = (1 + to_judge) * count * turns + guesses + judged
    tokens_in = count * (turns * (GUESSER + to_judge * JUDGE) + TURN * squares / 2)
    tokens_in += guesses * (GUESSER + TURN * short) + judged * JUDGE
    return round(calls), round(tokens_in), round(count * turns * SAID + judged * 2)


def _people(chosen: Sequence[Entity]) -> list[tuple[str, str]]:
    """Whom the primary gap is about, once each: repeats and further languages add nobody."""
    return [(one.id, one.country) for one in chosen if one.type == "person"]


def protocol_notes(settings: Geo20QSettings) -> tuple[str, ...]:
    """In what games differ from the published ones, or that they do not."""
    if settings.paper:
        return (
            "Protocol paper: sampled as in Zhang et al., give-up asked at every turn, any mention "
            "wins, there is no referee. The judge has 16 tokens, not 6.",
        )
    differs = {
        "greedy, where Zhang et al. sample at 0.8 and 0.2": settings.sampled_at == 0,
        "a turn wins that proposes the target, where any mention did": settings.rule == "guess",
        "giving up is asked where words leave a doubt, not at every turn": settings.give_up
        != "every",
    }
    told = "; ".join(text for text, so in differs.items() if so)
    return (f"Not as published: {told} (--protocol paper).",) if told else ()


def _named(settings: Geo20QSettings) -> bool:
    """Whether the entities were named one by one, or are a table of their own, so that no design
    chose them. At size paper a table may be the paper's."""
    return settings.entities is not None and settings.each is None and settings.size != "paper"


def _codes(language: Sequence[str], prompts: Path | None) -> list[str]:
    codes = list(dict.fromkeys(language))
    if codes == ["all"]:
        added = set() if prompts is None else languages_in(prompts) - set(LANGUAGES)
        return [*LANGUAGES, *sorted(added)]
    if not codes:
        raise BadRequest("name a language to play in")
    return codes


def _digest(chosen: Sequence[Entity], languages: Mapping[str, Language]) -> str:
    """Of all that decides the games: names, aliases, places. Views only chose them."""
    rows = [
        (e.id, e.type, e.category, e.country, [(e.name_in(c), e.spellings(c)) for c in languages])
        for e in chosen
    ]
    return fingerprint(msgspec.json.encode(rows).decode())


def _notes(
    chosen: Sequence[Entity], languages: Mapping[str, Language], *, judged: bool
) -> tuple[str, ...]:
    notes = []
    for code, language in languages.items():
        added = code not in LANGUAGES
        if missing := sum(not one.name_in(code) for one in chosen):
            notes.append(
                f"{missing:,} of {len(chosen):,} entities have no name in {language.name} and are "
                + ("played by their English name there." if added else "left out there.")
            )
        if added:
            unasked = "the judge is asked no known facts, and " if judged else ""
            notes.append(
                f"In {language.name}, a language of your own, {unasked}questions are not searched "
                "for places and kinds."
            )
    return tuple(notes)
