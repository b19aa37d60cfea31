"""The row a game leaves behind."""

from __future__ import annotations

from typing import Any, Literal

from geobias.atlas.entities import Entity
from geobias.trials import Record

Ending = Literal["won", "lost", "gave_up", "broken", ""]
"""How a game ended; "" where this setting was not played, or (canonical) cannot be known.

broken  a side gave no usable text (filtered, empty, too long …), so that the game is no evidence;
        `outcome` of the record says which
"""


class EntityRecord(Record, frozen=True, kw_only=True):
    """What games and questions to the judge have in common: they are about an entity."""

    entity: str
    name: str
    type: str
    category: str
    language: str = "en"


def entity_fields(entity: Entity, language: str) -> dict[str, Any]:
    fields = {name: getattr(entity, name) for name in ("country", "name", "type", "category")}
    return fields | {"entity": entity.id, "language": language}


class GameRecord(EntityRecord, frozen=True, kw_only=True):
    """One game: one entity, in one language, once; in one setting or in both at once.

    outcome          "played", or the reply's own outcome where a side gave no text to go on
    canonical        how the game of 20 turns ended; `canonical_turns` at which turn
    unlimited        how the game of 150 turns ended; `unlimited_turns` at which turn
                     both by the rule *guess*: the turn proposes the target as the answer
    canonical_mention  how it ended by the rule *mention*: a turn that names the target in any
    unlimited_mention  role wins; with the turns. "" in records of before there were two rules,
                     whose `canonical` and `unlimited` are by an earlier form of *mention*
    doubtful         turns on which a model was asked whether they propose the target
    last_question    the guesser's last question or guess of the longest game played
    final_guess      what the guesser said when told to guess now (canonical; "" where not asked)
    guessed          id of the entity of the table that the last guess names, "" if none of it;
                     never the target's own
    guessed_country  its country
    yes … unread     judge's answers by kind; `unread` are replies that are no answer word
    leaks            judge's replies that hold the entity's name
    rambles          judge's replies that hold an answer word among other words
    refusals         judge's replies that refuse
    errors           judge's answers that the entity table contradicts; `checked` is how many of
                     the questions the table could answer
    early_errors     the same of the first few checkable answers alone (`moves.EARLY`), within the
    early_checked    turns that all settings have: how many there are does not grow with the game
    repeated         questions asked before in the same game, but for case and punctuation
    not_yes_no       guesser's turns that are no yes/no question
    contradicted     questions that go against what the judge has said (asks for Asia after a yes
                     to Africa)
    flips            judge's answers that go against its own earlier ones
    first_place      first continent, region or country asked about (its English name)
    first_place_turn at which turn
    outside          questions about places that do not hold the target, before the first about
                     one that does; `entered` is the turn of that first one, None if never
    calls            replies this game took, from the model or from the ledger
    """

    canonical: Ending = ""
    canonical_turns: int | None = None
    unlimited: Ending = ""
    unlimited_turns: int | None = None
    canonical_mention: Ending = ""
    canonical_mention_turns: int | None = None
    unlimited_mention: Ending = ""
    unlimited_mention_turns: int | None = None
    doubtful: int = 0
    last_question: str = ""
    final_guess: str = ""
    guessed: str = ""
    guessed_country: str = ""
    yes: int = 0
    no: int = 0
    maybe: int = 0
    unread: int = 0
    leaks: int = 0
    rambles: int = 0
    refusals: int = 0
    errors: int = 0
    checked: int = 0
    early_errors: int = 0
    early_checked: int = 0
    repeated: int = 0
    not_yes_no: int = 0
    contradicted: int = 0
    flips: int = 0
    first_place: str = ""
    first_place_turn: int | None = None
    outside: int = 0
    entered: int | None = None
    calls: int = 0


class JudgeRecord(EntityRecord, frozen=True, kw_only=True):
    """One question to the judge whose answer the entity table knows.

    outcome   read, unread, or the reply's own outcome where there was no text
    question  kind of fact: type, continent, country, category …
    text      the question as asked
    truth     "yes" or "no"
    answer    yes, no or maybe; "" where unread
    """

    question: str
    text: str
    truth: str
    answer: str = ""
