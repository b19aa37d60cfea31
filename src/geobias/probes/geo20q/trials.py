"""Geo20Q+'s trials: one game for each entity, language and repeat."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias, cast, get_args

import msgspec

from geobias.atlas.entities import LANGUAGES, Entity
from geobias.atlas.languages import Language, Wording, languages_in, load_languages
from geobias.errors import BadRequest
from geobias.probes.geo20q.choosing import DESIGNS, SIZES, TYPES, choose_entities, table_of
from geobias.probes.geo20q.game import Rules, Setting, game
from geobias.probes.geo20q.judging import (
    SAMPLE,
    Fact,
    choose_facts,
    judge_trials,
    questions_digests,
)
from geobias.probes.geo20q.naming import Directory
from geobias.probes.plan import Plan, fingerprint
from geobias.trials import Trial

SETTINGS: tuple[str, ...] = get_args(Setting)
USUAL_SETTING = {"quick": "canonical", "standard": "both", "paper": "both"}
GIVE_UP = ("ask", "patterns")


def plan(
    *,
    size: str = "quick",
    entities: str | None = None,
    type: str = "both",
    setting: str | None = None,
    language: Sequence[str] = ("en",),
    design: str = "continents",
    each: int | None = None,
    turns: int = 20,
    most_turns: int = 150,
    wording: str = "consistent",
    give_up: str = "ask",
    prompts: Path | None = None,
    repeats: int = 1,
    temperature: float = 0.0,
    judge_temperature: float = 0.0,
    judge_questions: int | None = None,
    seed: int = 0,
    system: str = "",
) -> Plan:
    """Geo20Q+ with its settings. What cannot be played is a `BadRequest` that says why.

    `entities` are names parted by commas or a table (CSV). In one of our languages in which an
    entity has no name there is no game about it; in a language that a file in `prompts` adds, the
    game is about its English name. The plan's `notes` say how many are left out or so named.
    `judge_questions` known facts are asked of the judge in each language, so that a judge that
    knows less about a place can be told from a guesser that does.
    """
    chosen_setting = setting or USUAL_SETTING.get(size, "both")
    _check(size, type, chosen_setting, design, wording, give_up)
    _check_turns(chosen_setting, turns, most_turns)
    table = table_of(entities)
    chosen = choose_entities(table, size=size, named=entities, type=type, design=design, each=each)
    spoken = load_languages(_codes(language, prompts), prompts)
    played = _played(chosen, spoken)
    rules = {
        code: Rules(
            language=one,
            setting=cast(Setting, chosen_setting),
            turns=turns,
            most_turns=most_turns,
            temperature=temperature,
            judge_temperature=judge_temperature,
            wording=cast(Wording, wording),
            ask_give_up=give_up == "ask",
            system=system,
            seed=seed,
            directory=_Directory(table, code),
        )
        for code, one in spoken.items()
    }
    wanted = SAMPLE[size] if judge_questions is None else judge_questions
    known = {
        code: choose_facts(list_, code, seed=seed, count=wanted) if code in LANGUAGES else []
        for code, list_ in played.items()
    }
    added = {code: one.name for code, one in spoken.items() if code not in LANGUAGES}
    games = repeats * sum(map(len, played.values()))
    asked = sum(map(len, known.values()))
    digest = _digest(chosen, spoken)
    return Plan(
        probe="geo20q",
        settings={
            "size": size,
            "entities": f"{len(chosen)} ({digest})",
            "type": type,
            "setting": chosen_setting,
            "languages": list(spoken),
            **({"own_languages": added} if added else {}),
            "design": design if size == "paper" or each is not None else "",
            "each": each,
            "turns": turns,
            "most_turns": most_turns,
            "wording": wording,
            "give_up": give_up,
            "repeats": repeats,
            "temperature": temperature,
            "judge_temperature": judge_temperature,
            "judge_questions": wanted,
            "seed": seed,
            "system": system,
        },
        count=games + asked,
        parts={"geo20q": games, "geo20q_judge": asked},
        calls=_calls(played, rules, repeats, asked),
        trials=partial(_trials, played, known, rules, repeats),
        editions={"entities": digest},
        prompts=_prompts(spoken, known),
        naive=_naive_bounds(games, chosen_setting, turns, most_turns),
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


def naive_calls(record: Mapping[str, Any]) -> tuple[int, int]:
    """Calls that the published protocol would take for a game's turns.

    There, each setting is a game of its own, the judge answers every turn, and a further model
    checks every turn for giving up: three calls a turn. The second number leaves those checks out.
    """
    played = sum(record[f"{setting}_turns"] or 0 for setting in ("canonical", "unlimited"))
    return 3 * played, 2 * played


def _naive_bounds(games: int, setting: str, turns: int, most_turns: int) -> tuple[int, int]:
    limits = {"canonical": (turns,), "unlimited": (most_turns,), "both": (turns, most_turns)}
    return 3 * games * len(limits[setting]), 3 * games * sum(limits[setting])


def _most_calls(setting: str, turns: int, most_turns: int, *, asks_give_up: bool) -> int:
    """Of one game: a guess each turn; an answer, and a check for giving up, on all but the last."""
    longest = turns if setting == "canonical" else most_turns
    return longest + (1 + asks_give_up) * (longest - 1) + (setting == "both")


def _check(
    size: str,
    type: str,
    setting: str,
    design: str,
    wording: str,
    give_up: str,
) -> None:
    for what, given, known in (
        ("size", size, SIZES),
        ("type", type, TYPES),
        ("setting", setting, SETTINGS),
        ("design", design, DESIGNS),
        ("wording", wording, get_args(Wording)),
        ("way to see giving up", give_up, GIVE_UP),
    ):
        if given not in known:
            raise BadRequest(f"no {what} is called {given!r}: there are {', '.join(known)}")


def _check_turns(setting: str, turns: int, most_turns: int) -> None:
    if not 1 <= turns <= 1000 or not 1 <= most_turns <= 1000:
        raise BadRequest("a game has between 1 and 1,000 turns")
    if setting == "both" and turns > most_turns:
        raise BadRequest(f"the game of {turns} turns is not the shorter one: raise --most-turns")


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
