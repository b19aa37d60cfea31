"""How the simulated model plays Geo20Q+: guesser and judge know the same list of entities.

The guesser is told the language, the type and the dialogue. It asks for the continent, and then
halves the list of the continent's entities until one is left. This takes at most 18 turns if the
continent has up to 4,096 entities. Each question names the range that is left, so the next one
follows from the last question and its answer. A random draw then decides whether the guesser
*thinks of* the entity. There is one draw for each entity, or for each sampled game::

    P(won) = play − play_gap · (the entity's country is in the group `against`)

If it thinks of the entity, it names the entity and wins. If not, it asks useless questions. So
success has a planted gap of `play_gap`, as long as the judge makes no mistakes.

It never thinks of entities that it does not know, and says "I do not know" if it is asked directly.

The judge answers the questions of the search, and questions whose right answer it is told. To all
others it says maybe. Whether it errs is drawn for each entity and question.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import accumulate, pairwise
from typing import ClassVar, Literal

import msgspec

from geobias.atlas.economies import economies
from geobias.atlas.entities import LANGUAGES, Entity, EntityType
from geobias.atlas.entity_files import load_entities
from geobias.probes.geo20q.languages import load_language
from geobias.probes.simulation import Share, SimulatedParameters, Skill, asked_about
from geobias.trials import Ask, Dialogue

ORDER = ("Europe", "North America", "Asia", "Africa", "South America", "Oceania")
"""The order in which the simulated guesser asks about continents."""
_PLACE = re.compile(r"Is it in (.+)\?")
_RANGE = re.compile(r"Is it one of numbers (\d+) to (\d+), rather than up to (\d+)\?")
"""The first number of the range, the last of its first half, and its last, counted from 1."""
_USELESS = re.compile(r"Is number (\d+) more than \d+ years old\?")


class AskedGuesser(msgspec.Struct, frozen=True, tag_field="asks", tag="geo20q guesser"):
    """The guesser's next turn; `final` if it must guess now."""

    language: str
    type: EntityType
    final: bool = False


class AskedJudge(msgspec.Struct, frozen=True, tag_field="asks", tag="geo20q judge"):
    """A question to the judge about an entity (its id); `truth` is the right answer if known."""

    language: str
    type: EntityType
    entity: str
    question: str
    truth: Literal["yes", "no", ""] = ""


class AskedCheck(msgspec.Struct, frozen=True, tag_field="asks", tag="geo20q check"):
    """Does a turn propose `entity`? If `entity` is "": does it give up?"""

    language: str
    turn: str
    entity: str = ""


class AskedKnowledge(msgspec.Struct, frozen=True, tag_field="asks", tag="geo20q knowledge"):
    """A direct question about a target, with the letters of the right and the last option."""

    entity: str
    type: EntityType
    right: str
    unknown: str


class SimulatedPlay(SimulatedParameters, frozen=True, kw_only=True):
    """The parameters of the simulated model for Geo20Q+.

    play          chance that the model thinks of the right answer in a game
    play_gap      subtracted from `play` for the group `against`
    unknown       share of entities that the model does not know
    unknown_gap   added to `unknown` for the group `against`
    judge_error   share of the model's answers as judge that are wrong
    judge_gap     added to `judge_error` for the group `against`
    entities      table (CSV) of the people and things that the model knows; "" for the shipped one
    """

    play: Share = 0.7
    play_gap: Share = 0.0
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

    def answer(self, ask: Ask) -> str | None:
        """Return the guesser's turn or the judge's word; None if the ask is of another probe."""
        if (target := asked_about(ask, AskedKnowledge)) is not None:
            table = self._table(target.type)
            place = table.place.get(target.entity)
            known = place is not None and self.knows(table.entities[place])
            return target.right if known else target.unknown
        if (check := asked_about(ask, AskedCheck)) and check.language in LANGUAGES:
            proposes = check.turn == f"Is it {check.entity}?"
            said = load_language(check.language).prompts("person")
            return said.answer_word("yes" if proposes else "no")
        if (question := asked_about(ask, AskedJudge)) and question.language in LANGUAGES:
            return self._judge(question)
        if (turn := asked_about(ask, AskedGuesser)) and turn.language in LANGUAGES:
            return self._turn(turn, ask.dialogue, ask.draw if ask.temperature > 0 else "")
        return None

    def _turn(self, turn: AskedGuesser, dialogue: Dialogue, draw: str) -> str:
        table, before = self._table(turn.type), dialogue.parent
        said = before.content if before is not None and before.role == "assistant" else ""
        yes = dialogue.content.startswith(load_language(turn.language).prompts(turn.type).yes)
        low, high = 0, 0  # the range that is left: nothing after a wrong guess
        if not said:
            return f"Is it in {ORDER[0]}?"
        if place := _PLACE.fullmatch(said):
            low, high = table.ranges[place[1]] if yes else (0, 0)
            if not yes and place[1] != ORDER[-1]:
                return f"Is it in {ORDER[ORDER.index(place[1]) + 1]}?"
        elif part := _RANGE.fullmatch(said):
            first, middle, last = map(int, part.groups())
            low, high = (first - 1, middle) if yes else (middle, last)
        elif useless := _USELESS.fullmatch(said):
            low = high = int(useless[1])
        if high - low > 1:
            middle = (low + high) // 2
            return f"Is it one of numbers {low + 1} to {middle}, rather than up to {high}?"
        if high > low and self.thinks_of(table.entities[low], draw):
            return _guess(table.entities[low], turn.language)
        if turn.final:
            return _guess(table.entities[high % len(table.entities)], turn.language)
        return f"Is number {high} more than {dialogue.length // 2} years old?"

    def knows(self, entity: Entity) -> bool:
        chosen = self._chosen
        share = chosen.unknown + chosen.unknown_gap * chosen.is_against(entity.country)
        return self._drawn("knows", entity.id) >= share

    def thinks_of(self, entity: Entity, draw: str = "") -> bool:
        """Whether the guesser thinks of this entity, and so wins if the judge is right."""
        chosen = self._chosen
        chance = chosen.play - chosen.play_gap * chosen.is_against(entity.country)
        return self.knows(entity) and self._drawn("thinks", entity.id, draw) < chance

    def _drawn(self, *of: str) -> float:
        """Return a number from 0 to 1 that depends on nothing but the seed and `of`."""
        key = "\0".join((str(self._chosen.seed), *of)).encode(errors="replace")
        return int.from_bytes(blake2b(key, digest_size=7).digest(), "big") / 2**56

    def _judge(self, asked: AskedJudge) -> str:
        prompts, table = load_language(asked.language).prompts(asked.type), self._table(asked.type)
        place, part = table.place.get(asked.entity), table.part_of(asked.question)
        if place is None or not (asked.truth or part):
            return prompts.maybe
        truth = asked.truth == "yes" if asked.truth else place in (part or ())
        chosen, home = self._chosen, table.entities[place].country
        error = chosen.judge_error + chosen.judge_gap * chosen.is_against(home)
        wrong = self._drawn("judge", asked.entity, asked.question) < error
        return prompts.answer_word("yes" if truth != wrong else "no")

    def _table(self, type_: EntityType) -> EntityRanges:
        return entity_ranges(type_, self._chosen.entities)


def _guess(entity: Entity, language: str) -> str:
    return f"Is it {entity.name_in(language) or entity.name}?"


class EntityRanges:
    def __init__(self, table: Mapping[str, Entity], type_: EntityType) -> None:
        def place(one: Entity) -> tuple[int, str, str, str]:
            home = economies()[one.country]
            return ORDER.index(home.continent), home.name, one.name, one.id

        own = (one for one in table.values() if one.type == type_)
        self.entities: Sequence[Entity] = sorted(own, key=place)
        self.place = {one.id: index for index, one in enumerate(self.entities)}
        continents = [economies()[one.country].continent for one in self.entities]
        ends = accumulate(map(continents.count, ORDER), initial=0)
        self.ranges = dict(zip(ORDER, pairwise(ends), strict=True))

    def part_of(self, question: str) -> range | None:
        """Return the places in the list for which a yes is true; None for other questions."""
        if part := _RANGE.fullmatch(question):
            return range(int(part[1]) - 1, int(part[2]))
        place = _PLACE.fullmatch(question)
        return range(*self.ranges[place[1]]) if place and place[1] in self.ranges else None


@lru_cache(maxsize=8)
def entity_ranges(type_: EntityType, path: str = "") -> EntityRanges:
    return EntityRanges(load_entities(path or None).entities, type_)
