"""Geo20Q+'s trials: one game for each entity and repeat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial

import msgspec

from geobias.atlas.entities import LANGUAGES, Entity
from geobias.atlas.entity_files import load_entities
from geobias.errors import BadRequest
from geobias.probes.geo20q.choosing import MATCHED, choose_entities, usual_design
from geobias.probes.geo20q.game import Rules, game
from geobias.probes.geo20q.judging import JUDGE_RECORDS, SAMPLE, WORDS, choose_facts, judge_trials
from geobias.probes.geo20q.knowledge import KNOWLEDGE_RECORDS, knowledge_trials
from geobias.probes.geo20q.languages import Language, load_language
from geobias.probes.geo20q.naming import Names
from geobias.probes.geo20q.settings import Geo20QSettings
from geobias.probes.plan import Plan, fingerprint
from geobias.probes.settings import OMITTED
from geobias.trials import Trial


def plan(settings: Geo20QSettings) -> Plan:
    if settings.played_setting == "both" and settings.turns > settings.most_turns:
        raise BadRequest(
            f"--turns {settings.turns} is more than --most-turns {settings.most_turns}: "
            "raise --most-turns"
        )
    design = settings.design or usual_design(settings.size)
    table, left_out = load_entities(settings.entities)
    chosen = choose_entities(
        table,
        size=settings.size,
        named=settings.entities,
        type=settings.type,
        design=design,
        each=settings.each,
    )
    language = load_language(settings.language, settings.prompts)
    code, own_language = language.code, language.code not in LANGUAGES
    played = [one for one in chosen if own_language or one.name_in(code)]
    if not played:
        raise BadRequest(
            f"none of the entities has a name in {language.name}: choose another --language"
        )
    judge_questions = settings.judge_questions
    if judge_questions is None:
        judge_questions = SAMPLE[settings.size]
    asked = 0 if own_language else judge_questions
    facts = choose_facts(played, code, seed=settings.seed, count=asked) if asked else []
    rules = Rules(language, Names(table, code), settings)

    def trials() -> Iterator[Trial]:
        yield from knowledge_trials(played, settings.system, settings.seed)
        yield from judge_trials(facts, language, as_printed=settings.paper)
        for repeat in range(settings.repeats):
            for entity in played:
                name = f"geo20q/{code}/{entity.id}/{repeat}"
                yield Trial(name, partial(game, entity, rules, name, repeat))

    games, questions = settings.repeats * len(played), len(facts) + len(played)
    # Greedy games that begin alike share their beginnings.
    fewest = games if settings.sampled_at > 0 else len({entity.type for entity in played})
    digest = _digest(chosen, code)
    # At size paper a user's table may be the paper's, so a design chose from it.
    by_name = settings.entities is not None and settings.each is None and settings.size != "paper"
    of_facts = {f"{JUDGE_RECORDS}.{code}": fingerprint(str(WORDS[code]))} if facts else {}
    return Plan(
        probe="geo20q",
        settings=settings.entries(
            **settings.held,
            entities=f"{len(chosen)} ({digest})",
            setting=settings.played_setting,
            prompts=OMITTED,
            design="" if by_name else design,
            judge_questions=judge_questions,
        ),
        count=games + questions,
        parts={"geo20q": games, JUDGE_RECORDS: len(facts), KNOWLEDGE_RECORDS: len(played)},
        calls=(fewest + questions, games * _most_calls(settings) + questions),
        trials=trials,
        editions={"entities": digest},
        prompts={f"geo20q.{code}": fingerprint(language.source)} | of_facts,
        usual=partial(_usual, settings, games, len(facts), len(played)),
        # Repeats add nobody to the primary gap, which is about people.
        compared=lambda: [(one.id, one.country) for one in chosen if one.type == "person"],
        notes=(
            *_left_out_note(left_out),
            *(() if design == MATCHED or settings.entities else _order_note(played)),
            *_language_notes(chosen, language),
            _protocol_note(settings),
        ),
    )


def _most_calls(settings: Geo20QSettings) -> int:
    """Return the maximum of calls in a game.

    The paper's protocol has a further call at every turn, ours only at turns that may give up or
    win, and one for the country of the final guess.
    """
    setting = settings.played_setting
    longest = settings.turns if setting == "canonical" else settings.most_turns
    guesses = longest + (setting == "both")
    checks = longest - 1 if settings.paper else guesses + (setting != "unlimited")
    return guesses + (longest - 1) + checks


FOUND_SHORT, LOST_SHORT = 0.45, 0.5
"""Usual course of a canonical game: the share of its turns that a won game uses, and the share of
games that use all turns without finding the target.
"""
FOUND_LONG, LOST_LONG = 26, 0.2
"""Usual course of an unlimited game: the turns to a found target, and the share of games that use
all turns. Simulated models have 46 and 72 turns on average, and the plan lies in between.
"""
GUESSER, JUDGE, TURN, ASKED, ANSWERED = 75, 105, 17, 8, 2
"""Tokens of the guesser's prompt and of the judge's prompt, tokens that each turn adds to the
guesser's prompt, and tokens of a turn of the guesser and of an answer.
"""


def _usual(
    settings: Geo20QSettings, games: int, judged: int, known: int
) -> dict[str, tuple[float, float, float]]:
    """Return the usual calls, input tokens and output tokens of a run by role.

    Calls shared between games are not subtracted. The guesser sees the whole dialogue again at each
    turn, so tokens grow with the square of a game's length.
    """
    short, setting = settings.turns, settings.played_setting
    most = short if setting == "canonical" else settings.most_turns
    found, lost = (
        (FOUND_SHORT * short, LOST_SHORT) if setting == "canonical" else (FOUND_LONG, LOST_LONG)
    )
    found = min(found, most)
    squares = (1 - lost) * found**2 + lost * most**2
    turns = games * ((1 - lost) * found + lost * most)
    guesses = LOST_SHORT * games if setting == "both" else 0.0
    to_judge = turns * (2 if settings.paper else 1) + judged
    return {
        "guesser": (
            turns + guesses + known,
            turns * GUESSER
            + games * TURN * squares / 2
            + guesses * (GUESSER + TURN * short)
            + known * JUDGE,
            turns * ASKED + known * ANSWERED,
        ),
        "judge": (to_judge, to_judge * JUDGE, (turns + judged) * ANSWERED),
    }


def _digest(chosen: Sequence[Entity], code: str) -> str:
    """A digest of the facts that decide games."""
    rows = [
        (e.id, e.type, e.category, e.country, [(e.name_in(code), e.spellings(code))])
        for e in chosen
    ]
    return fingerprint(msgspec.json.encode(rows).decode())


def _left_out_note(words: Counter[str]) -> Iterator[str]:
    if words:
        named = ", ".join(f"{word} {count:,}" for word, count in words.most_common(12))
        yield f"{words.total():,} rows have a word that is not known, and are left out: {named}."


def _order_note(played: Sequence[Entity]) -> Iterator[str]:
    things = [one for one in played if one.type == "thing"]
    if unlisted := sum(one.standing == "unlisted" for one in things):
        yield (
            f"{unlisted:,} of {len(things):,} things are in no list of vital articles. They were "
            "chosen by hand and by their place in their country's list, not by a figure."
        )


def _protocol_note(settings: Geo20QSettings) -> str:
    if settings.paper:
        return (
            "Protocol paper: sampled as in Zhang et al., give-up asked at every turn, any mention "
            "wins, there is no referee. The judge has 16 tokens, not 6."
        )
    greedy = "greedy (published: temperatures 0.8 and 0.2); " * (settings.sampled_at == 0)
    return (
        f"Geo20Q+ differs from the paper: {greedy}a turn must propose the target to win "
        "(published: any mention wins); giving up is asked only in doubt "
        "(published: at every turn). --protocol paper plays as published."
    )


def _language_notes(chosen: Sequence[Entity], language: Language) -> Iterator[str]:
    own_language = language.code not in LANGUAGES
    if missing := sum(not one.name_in(language.code) for one in chosen):
        yield (
            f"{missing:,} of {len(chosen):,} entities have no name in {language.name} and are "
            + ("played by their English name." if own_language else "left out.")
        )
    if own_language:
        yield (
            f"In {language.name}, a language of your own, the judge is asked no known facts, and "
            "questions are not searched for places."
        )
