"""Geo20Q+'s trials: one game for each entity, language and repeat."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

from geobias.atlas.entities import LANGUAGES, Entity, load_entities
from geobias.atlas.languages import Language, languages_in, load_languages
from geobias.errors import BadRequest
from geobias.probes.geo20q.choosing import choose_entities
from geobias.probes.geo20q.game import Rules, game
from geobias.probes.geo20q.judging import (
    SAMPLE,
    Fact,
    choose_facts,
    judge_trials,
    questions_digests,
)
from geobias.probes.geo20q.naming import Directory
from geobias.probes.geo20q.settings import Geo20QSettings
from geobias.probes.plan import Plan, fingerprint
from geobias.probes.settings import OMITTED
from geobias.trials import Trial

USUAL_SETTING: dict[str, Literal["canonical", "unlimited", "both"]] = {
    "quick": "canonical",
    "standard": "both",
    "paper": "both",
}


def plan(settings: Geo20QSettings) -> Plan:
    """Geo20Q+ with these settings. What cannot be played is a `BadRequest` that says why.

    The plan's `notes` say how many entities are left out or named in English. `judge_questions`
    known facts are asked of the judge in each language, so that a judge that knows less about a
    place can be told from a guesser that does.
    """
    setting = settings.setting or USUAL_SETTING[settings.size]
    turns, most_turns, repeats = settings.turns, settings.most_turns, settings.repeats
    if setting == "both" and turns > most_turns:
        raise BadRequest(f"the game of {turns} turns is not the shorter one: raise --most-turns")
    design, each = _design(settings)
    table = load_entities(settings.entities)
    chosen = choose_entities(
        table,
        size=settings.size,
        named=settings.entities,
        type=settings.type,
        design=design,
        each=each,
    )
    spoken = load_languages(_codes(settings.language, settings.prompts), settings.prompts)
    played = _played(chosen, spoken)
    rules = {
        code: Rules(
            language=one,
            setting=setting,
            turns=turns,
            most_turns=most_turns,
            temperature=settings.sampled_at,
            judge_temperature=settings.judge_temperature,
            wording=settings.wording,
            ask_give_up=settings.give_up == "ask",
            system=settings.system,
            seed=settings.seed,
            directory=_Directory(table, code),
        )
        for code, one in spoken.items()
    }
    given = settings.judge_questions
    wanted = SAMPLE[settings.size] if given is None else given
    known = {
        code: choose_facts(list_, code, seed=settings.seed, count=wanted)
        if code in LANGUAGES
        else []
        for code, list_ in played.items()
    }
    added = {code: one.name for code, one in spoken.items() if code not in LANGUAGES}
    games = repeats * sum(map(len, played.values()))
    asked = sum(map(len, known.values()))
    digest = _digest(chosen, spoken)
    return Plan(
        probe="geo20q",
        settings=settings.entries(
            entities=f"{len(chosen)} ({digest})",
            setting=setting,
            languages=list(spoken),
            own_languages=added or OMITTED,
            design=design if settings.size == "paper" or each is not None else "",
            each=each,
            judge_questions=wanted,
        ),
        count=games + asked,
        parts={"geo20q": games, "geo20q_judge": asked},
        calls=_calls(played, rules, repeats, asked),
        trials=partial(_trials, played, known, rules, repeats),
        editions={"entities": digest},
        prompts=_prompts(spoken, known),
        naive=_naive_bounds(games, setting, turns, most_turns),
        notes=_notes(chosen, spoken, judged=wanted > 0),
    )


Played: TypeAlias = Mapping[str, Sequence[Entity]]
"""Language → the entities that games in it are about."""


def _played(chosen: Sequence[Entity], spoken: Mapping[str, Language]) -> Played:
    played = {
        code: [e for e in chosen if e.name_in(code) or code not in LANGUAGES] for code in spoken
    }
    if not any(played.values()):
        raise BadRequest(f"none of the entities has a name in {', '.join(spoken)}")
    return played


def _trials(
    played: Played, known: Mapping[str, Sequence[Fact]], rules: Mapping[str, Rules], repeats: int
) -> Iterator[Trial]:
    """In each language the judge's questions, and then the games."""
    for code, list_ in played.items():
        own = rules[code]
        yield from judge_trials(known[code], own.language, wording=own.wording)
        for repeat in range(repeats):
            for one in list_:
                name = trial_name(one, code, repeat)
                yield Trial(name, partial(game, one, own, name, repeat))


def _prompts(spoken: Mapping[str, Language], known: Mapping[str, Sequence[Fact]]) -> dict[str, str]:
    """Digests of the words of the games, and of the questions to the judge where any are asked."""
    found = {f"geo20q.{code}": fingerprint(one.source) for code, one in spoken.items()}
    return found | questions_digests(code for code, facts in known.items() if facts)


def _calls(played: Played, rules: Mapping[str, Rules], repeats: int, asked: int) -> tuple[int, int]:
    """The fewest and the most calls: greedy games that begin alike share their beginnings."""
    one = next(iter(rules.values()))
    games = repeats * sum(map(len, played.values()))
    openings = sum(len({each.type for each in list_}) for list_ in played.values())
    longest = _most_calls(one.setting, one.turns, one.most_turns, asks_give_up=one.ask_give_up)
    return (openings if one.temperature == 0 else games) + asked, games * longest + asked


def trial_name(entity: Entity, language: str, repeat: int) -> str:
    """E.g. `geo20q/en/eiffel-tower/0`."""
    return f"geo20q/{language}/{entity.id}/{repeat}"


def _naive_bounds(games: int, setting: str, turns: int, most_turns: int) -> tuple[int, int]:
    """Calls of the published protocol: each setting is a game of its own, the judge answers every
    turn, and a further model checks every turn for giving up."""
    limits = {"canonical": (turns,), "unlimited": (most_turns,), "both": (turns, most_turns)}
    return 3 * games * len(limits[setting]), 3 * games * sum(limits[setting])


def _most_calls(setting: str, turns: int, most_turns: int, *, asks_give_up: bool) -> int:
    """Of one game: a guess each turn; an answer, and a check for giving up, on all but the last."""
    longest = turns if setting == "canonical" else most_turns
    return longest + (1 + asks_give_up) * (longest - 1) + (setting == "both")


def _design(settings: Geo20QSettings) -> tuple[str, int | None]:
    """Places of which kind, and how many entities of each type in each of them."""
    if settings.per_continent is not None and settings.per_country is not None:
        raise BadRequest("--per-continent and --per-country exclude each other")
    if settings.per_country is not None:
        return "countries", settings.per_country
    if settings.per_continent is not None:
        return "continents", settings.per_continent
    return settings.design, settings.each


def _codes(language: Sequence[str], prompts: Path | None) -> list[str]:
    codes = list(dict.fromkeys(language))
    if codes == ["all"]:
        added = set() if prompts is None else languages_in(prompts) - set(LANGUAGES)
        return [*LANGUAGES, *sorted(added)]
    if not codes:
        raise BadRequest("name a language to play in")
    return codes


class _Directory:
    """Made when first wanted: a game that is won needs none, and another process makes its own."""

    def __init__(self, table: Mapping[str, Entity], language: str) -> None:
        self._given = (table, language)
        self._made: Directory | None = None

    def __call__(self) -> Directory:
        self._made = self._made or Directory(*self._given)
        return self._made

    def __reduce__(self) -> tuple[Any, ...]:
        return _Directory, self._given


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
