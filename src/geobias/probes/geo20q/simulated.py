"""How the simulated model plays Geo20Q+: as guesser it searches, as judge it knows the table.

As guesser it is told the language, the type and the dialogue. It asks for the continent, then
halves the list of the continent's entities, which both sides know, until one is left: at the 18th
turn at the latest while a continent has up to 4,096. What decides a game is whether it *thinks of*
that entity then. That is drawn once for each entity (and for each draw, where sampled)::

    p = play − play_gap · (the entity's country is in the group `against`)

    P(canonical won) = p                It names it, or asks what leads nowhere.
    P(unlimited won) = 1 − (1 − p)²     After turn 20 it may still come to think of it, once more
                                        with chance p, at a turn drawn between 21 and 149.

So a gap of `play_gap` is planted in canonical success, and play_gap · (2 − 2·play + play_gap) in
unlimited success. This holds while the judge makes no mistakes. A game that is not won is given up
with chance `quits`, between turns 25 and 120, unless it was won before.

A share `unknown` (and `unknown_gap` more of the group) of the entities it does not know: it never
thinks of them, and says so where it is asked about them directly.

The judge answers the guesser's questions, those whose truth it is told, and others that the entity
table settles (`questions`). It is wrong with chance judge_error + judge_gap · (in the
group), drawn for each entity and question.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import ClassVar, Literal, NamedTuple

import msgspec

from geobias.atlas.economies import economies
from geobias.atlas.entities import LANGUAGES, Entity, EntityType, load_entities
from geobias.atlas.places import bit
from geobias.probes.geo20q.languages import load_language
from geobias.probes.geo20q.questions import ParsedQuestion, parse_question
from geobias.probes.simulation import Share, SimulatedParameters, Skill, asked_about
from geobias.trials import Ask, Dialogue

ORDER = ("Europe", "North America", "Asia", "Africa", "South America", "Oceania")
"""The order in which the simulated guesser asks about continents."""
REMEMBERED = 4_096
"""Maximum number of dialogues whose state is cached. The oldest are dropped first."""

_PLACES = re.compile(r"^Is it in (.+)\?$")
_HALF = re.compile(r"^Is it one of the first (\d+) of (.+) on the list\?$")
_HOW = (
    "often", "rarely", "usually", "mainly", "partly", "widely", "still", "sometimes", "already",
    "officially", "locally", "originally", "seldom",
)  # fmt: skip
_WHAT = (
    "seen on stamps", "shown in films", "named in songs", "known to children", "taught at school",
    "linked to a colour", "linked to the sea", "linked to trade", "praised by visitors",
    "copied elsewhere", "older than a century", "mentioned in the news",
)  # fmt: skip


class AskedGuesser(msgspec.Struct, frozen=True, tag_field="asks", tag="geo20q guesser"):
    """The guesser's next turn; `final` if it must guess now."""

    language: str
    type: EntityType
    final: bool = False


class AskedJudge(msgspec.Struct, frozen=True, tag_field="asks", tag="geo20q judge"):
    """A question to the judge about an entity; `truth` is the right answer if known."""

    language: str
    type: EntityType
    entity: str
    question: str
    truth: Literal["yes", "no", ""] = ""


class AskedCheck(msgspec.Struct, frozen=True, tag_field="asks", tag="geo20q check"):
    """A question whether a turn proposes `entity`, or whether it gives up if `entity` is ""."""

    language: str
    turn: str
    entity: str = ""


class AskedKnowledge(msgspec.Struct, frozen=True, tag_field="asks", tag="geo20q knowledge"):
    """A direct question about a target: the letter of the right option, and that of "unknown"."""

    entity: str
    type: EntityType
    right: str
    unknown: str


class GuesserState(NamedTuple):
    """A guesser's state: the range of remaining entities, and the number of turns."""

    low: int
    high: int
    turns: int = 0
    missed: bool = False
    """Whether the only remaining entity was named and was wrong."""


class SimulatedPlay(SimulatedParameters, frozen=True, kw_only=True):
    """The parameters of the simulated model for Geo20Q+.

    play          chance that the model thinks of the right answer in a game
    play_gap      subtracted from `play` for the group `against`
    quits         share of hopeless games that the model gives up
    unknown       share of entities that the model does not know
    unknown_gap   added to `unknown` for the group `against`
    judge_error   share of the model's answers as judge that are wrong
    judge_gap     added to `judge_error` for the group `against`
    entities      table (CSV) of the people and things that the model knows; "" for the shipped one
    """

    play: Share = 0.7
    play_gap: Share = 0.0
    quits: Share = 0.0
    unknown: Share = 0.0
    unknown_gap: Share = 0.0
    judge_error: Share = 0.0
    judge_gap: Share = 0.0
    entities: str = ""

    biased: ClassVar = {"play_gap": "0.3"}

    def skill(self) -> Skill:
        player = Player(self)
        return lambda ask, dice: player.answer(ask)


class Player:
    def __init__(self, chosen: SimulatedPlay) -> None:
        self._chosen = chosen
        self._state = lru_cache(REMEMBERED)(self._walked)

    def answer(self, ask: Ask) -> str | None:
        """Return the guesser's turn or the judge's word; None if the ask is of another probe."""
        if (target := asked_about(ask, AskedKnowledge)) is not None:
            entity = self._table(target.type).by_id.get(target.entity)
            return target.right if entity and self.knows(entity) else target.unknown
        if (check := asked_about(ask, AskedCheck)) and check.language in LANGUAGES:
            return _checked(check)
        if (question := asked_about(ask, AskedJudge)) and question.language in LANGUAGES:
            return self._judge(question)
        if (turn := asked_about(ask, AskedGuesser)) and turn.language in LANGUAGES:
            state = self._state(ask.dialogue, turn.language, turn.type)
            draw = ask.draw if ask.temperature > 0 else ""
            return self._question(turn, state, draw)
        return None

    # -- the guesser ------------------------------------------------------------------------------

    def _walked(self, dialogue: Dialogue, language: str, type_: EntityType) -> GuesserState:
        """Return the state after a dialogue, from that of the turn before."""
        question = dialogue.parent
        table = self._table(type_)
        if question is None or question.role != "assistant" or question.parent is None:
            return GuesserState(0, len(table.entities))
        low, high, turns, missed = self._state(question.parent, language, type_)
        asked = question.content
        yes = dialogue.content.startswith(load_language(language).prompts(type_).yes)
        if part := table.part_of(asked):
            first, last = part
            low, high = (max(low, first), min(high, last)) if yes else (max(low, last), high)
        elif asked.startswith("Is it ") and high - low == 1:
            missed = missed or asked == _guess(table.entities[low], language)
        return GuesserState(low, high, turns + 1, missed)

    def _question(self, turn: AskedGuesser, state: GuesserState, draw: str) -> str:
        table, language = self._table(turn.type), turn.language
        if state.high - state.low > 1:
            return table.narrowing_question(state.low, state.high)
        if state.high <= state.low:  # a judge that contradicts itself leaves nothing
            return _guess(table.entities[0], language) if turn.final else _filler(state.turns)
        entity = table.entities[state.low]
        if not state.missed and self.thinks_of(entity, state.turns + 1, draw):
            return _guess(entity, language)
        if turn.final:
            return _guess(table.neighbour(state.low), language)
        if state.turns + 1 >= self._quits_at(entity, draw):
            return _given_up(language)
        return _filler(state.turns + len(entity.id))  # varies the order between games

    def knows(self, entity: Entity) -> bool:
        hard = self._chosen.is_against(entity.country)
        share = self._chosen.unknown + self._chosen.unknown_gap * hard
        return self._drawn("knows", entity.id) >= share

    def thinks_of(self, entity: Entity, turn: int, draw: str = "") -> bool:
        """Return whether the guesser thinks of this entity by this turn.

        With a judge that makes no mistakes, a greedy canonical game is won if the guesser thinks of
        the entity by turn 1.
        """
        chosen = self._chosen
        chance = max(0.0, chosen.play - chosen.play_gap * chosen.is_against(entity.country))
        if not self.knows(entity):
            return False
        if self._drawn("thinks", entity.id, draw) < chance:
            return True
        if turn <= 20 or self._drawn("thinks again", entity.id, draw) >= chance:
            return False
        return turn >= 21 + int(129 * self._drawn("when", entity.id, draw))

    def _quits_at(self, entity: Entity, draw: str) -> int:
        if self._drawn("quits", entity.id, draw) >= self._chosen.quits:
            return 10_000
        return 25 + int(96 * self._drawn("quits when", entity.id, draw))

    def _drawn(self, *of: str) -> float:
        """Return a number from 0 to 1 that depends on nothing but the seed and `of`."""
        key = "\0".join((str(self._chosen.seed), *of)).encode(errors="replace")
        return int.from_bytes(blake2b(key, digest_size=7).digest(), "big") / 2**56

    # -- the judge --------------------------------------------------------------------------------

    def _judge(self, asked: AskedJudge) -> str:
        prompts = load_language(asked.language).prompts(asked.type)
        table = self._table(asked.type)
        known = ((asked.language, asked.entity), ("en", asked.entity))
        entity = next((table.by_name[one] for one in known if one in table.by_name), None)
        truth = None if entity is None else table.is_true(entity, asked)
        if entity is None or truth is None:
            return prompts.maybe
        hard = self._chosen.is_against(entity.country)
        wrong = self._drawn("judge", entity.id, asked.question) < (
            self._chosen.judge_error + self._chosen.judge_gap * hard
        )
        return prompts.answer_word("yes" if truth != wrong else "no")

    def _table(self, type_: EntityType) -> EntityRanges:
        return entity_ranges(type_, self._chosen.entities)


def _guess(entity: Entity, language: str) -> str:
    return f"Is it {entity.name_in(language) or entity.name}?"


def _checked(asked: AskedCheck) -> str:
    """Return the answer to a check, by comparing a turn with the model's sentences for guessing
    and giving up.
    """
    meant = f"Is it {asked.entity}?" if asked.entity else _given_up(asked.language)
    prompts = load_language(asked.language).prompts("person")
    return prompts.answer_word("yes" if asked.turn == meant else "no")


def _given_up(code: str) -> str:
    return load_language(code).give_up.clear[0].capitalize() + "."


def _filler(turn: int) -> str:
    """A question that leads nowhere."""
    return f"Is it {_HOW[turn % len(_HOW)]} {_WHAT[turn % len(_WHAT)]}?"


class EntityRanges:
    """What the simulated model knows: the entities of one type, by continent, and by name."""

    def __init__(self, table: Mapping[str, Entity], type_: EntityType) -> None:
        def place(one: Entity) -> tuple[int, str, str, str]:
            home = economies()[one.country]
            return ORDER.index(home.continent), home.name, one.name, one.id

        self.entities: Sequence[Entity] = sorted(
            (one for one in table.values() if one.type == type_), key=place
        )
        self.position = {one.id: index for index, one in enumerate(self.entities)}
        self.by_id = {one.id: one for one in self.entities}
        self.continents = [economies()[one.country].continent for one in self.entities]
        self.by_name = {
            (language, name): one
            for one in self.entities
            for language in LANGUAGES
            if (name := one.name_in(language))
        }

    def part_of(self, question: str) -> tuple[int, int] | None:
        """Return the range of entities for which a yes is true; None for other questions."""
        half, whole = _HALF.match(question), _PLACES.match(question)
        continent = half[2] if half else whole[1] if whole else ""
        if continent not in ORDER:
            return None
        first = bisect_left(self.continents, ORDER.index(continent), key=ORDER.index)
        last = bisect_right(self.continents, ORDER.index(continent), key=ORDER.index)
        return first, min(last, first + int(half[1])) if half else last

    def narrowing_question(self, low: int, high: int) -> str:
        """Return a question that tells the entities of this range apart."""
        first = self.continents[low]
        if self.continents[high - 1] != first:
            return f"Is it in {first}?"
        count = (low + high) // 2 - self.continents.index(first)
        return f"Is it one of the first {count} of {first} on the list?"

    def neighbour(self, index: int) -> Entity:
        """Return another entity to name, from the same country or a country nearby."""
        target = self.entities[index]
        mine = [spelling.casefold() for spelling in target.spellings("en")]
        others = (*self.entities[index + 1 :], *self.entities[:index])
        other_names = (one for one in others if not any(own in one.name.casefold() for own in mine))
        return next(other_names, target)

    def is_true(self, entity: Entity, asked: AskedJudge) -> bool | None:
        """Return the true answer to a question; None if the table does not tell it."""
        if asked.truth:
            return asked.truth == "yes"
        if part := self.part_of(asked.question):
            return part[0] <= self.position[entity.id] < part[1]
        return settled(entity, parse_question(asked.question, asked.language))


def settled(entity: Entity, question: ParsedQuestion) -> bool | None:
    """Return the answer to a question by the entity table; None if the table does not tell it."""
    here = bit(entity.country)
    truths: list[bool | None] = [bool(here & place.possible) for place in question.places]
    truths += [kind.truth(entity) for kind in question.kinds]
    if not question.firm or not truths or None in truths:
        return None
    return any(truths) if question.either else all(truths)


@lru_cache(maxsize=8)
def entity_ranges(type_: EntityType, path: str = "") -> EntityRanges:
    return EntityRanges(load_entities(path or None), type_)
