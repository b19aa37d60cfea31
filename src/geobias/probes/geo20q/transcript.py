"""A game of 20 questions as a chat: each turn with its answer, what it repeats or contradicts, and
the map of the places that were asked about.

Everything is read again from the replies; the record's own counts stand beside it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, get_args

from geobias.atlas.economies import economies
from geobias.atlas.entities import LANGUAGES, Entity, entities
from geobias.atlas.languages import Language, Wording, load_language
from geobias.atlas.places import bit
from geobias.probes.geo20q.game import Rules, namer
from geobias.probes.geo20q.meaning import understand
from geobias.probes.geo20q.moves import Moves, study
from geobias.probes.geo20q.naming import Directory, Names, names_of
from geobias.probes.geo20q.turn import turn_of
from geobias.probes.geo20q.verdict import verdict
from geobias.results.charts import Spot, WorldMap
from geobias.results.descriptions import Span, Turn
from geobias.runfile import SavedReply


def entity_of(record: Mapping[str, Any]) -> Entity:
    """The entity of a game: the table's, or what the record knows where a user had another."""
    known = entities().get(str(record.get("entity", "")))
    if known is not None and known.name == record.get("name"):
        return known
    return Entity(
        id=str(record.get("entity", "")),
        name=str(record.get("name", "")),
        type="person" if record.get("type") == "person" else "thing",
        category=str(record.get("category", "")),
        country=str(record.get("country", "")),
    )


def language_of(record: Mapping[str, Any]) -> Language:
    """The language as it is shipped; a run with other prompts says so in its manifest."""
    code = str(record.get("language") or "en")
    return load_language(code if code in LANGUAGES else "en")


def turns(record: Mapping[str, Any], saved: Sequence[SavedReply]) -> list[Turn]:
    """The turns of a game from its replies, in order."""
    entity, language = entity_of(record), language_of(record)
    name = names_of(entity, language.code)
    found: list[Turn] = []
    played = _with_judge(saved)
    for i, (reply, judged) in enumerate(played, start=1):
        number = sum(not one.final for one in found)
        # The record knows too, where the words of the run's own prompts are not ours.
        due = bool(record.get("final_guess")) and number + 1 == record.get("canonical_turns")
        final = (due or language.final_guess in reply.question()) and not any(
            one.final for one in found
        )
        turn = _guess(reply, judged, language, entity, name)
        # The final guess of the canonical game stands beside turn 20 of the other one.
        turn.number, turn.final = number + 1, final
        if final:
            # The first name of all that was said counts, by the run's whole table.
            turn.won = record.get("canonical") == "won"
        found.append(turn)
        gave_up = "gave_up" in (record.get("canonical"), record.get("unlimited"))
        _answered(found, judged, language, name, gave_up=gave_up and i == len(played))
    _won_by_another_spelling(record, found)
    if entity.country in economies():
        _mark(found, entity, language.code)
    return found


def _with_judge(saved: Sequence[SavedReply]) -> list[tuple[SavedReply, list[SavedReply]]]:
    """The guesser's replies, each with what the judge said to it."""
    found: list[tuple[SavedReply, list[SavedReply]]] = []
    for reply in saved:
        if reply.role != "judge":
            found.append((reply, []))
        elif found:
            found[-1][1].append(reply)
    return found


def _won_by_another_spelling(record: Mapping[str, Any], found: Sequence[Turn]) -> None:
    """A run with an entity table of its own knew spellings that ours does not: it has the word."""
    if any(turn.won for turn in found):
        return
    if record.get("canonical") == "won" and any(turn.final for turn in found):
        next(turn for turn in found if turn.final).won = True
    elif found and "won" in (record.get("canonical"), record.get("unlimited")):
        found[-1].won = True


def _guess(
    reply: SavedReply,
    judged: Sequence[SavedReply],
    language: Language,
    entity: Entity,
    name: Names,
) -> Turn:
    """The question as the judge was asked it; where it was not, as the game reads it."""
    asked = next(filter(None, (_asked_of_judge(one, language, entity) for one in judged)), "")
    won = False
    if not asked and reply.outcome == "ok":
        read = turn_of(reply.text, language, _namer(entity, language))
        asked = read.asked if read else ""
        won = read is not None and name.any(read.said)
    shown = asked or reply.text or f"[{reply.outcome}]"
    raw = "" if " ".join(reply.text.split()) == shown else reply.text[:4000]
    return Turn(
        number=0,
        asked=shown,
        marked=_spelling(shown, entity, language.code) if won else None,
        raw=raw,
        digest=reply.digest.hex(),
        won=won,
        question=asked,
    )


def _asked_of_judge(reply: SavedReply, language: Language, entity: Entity) -> str | None:
    """The question that the judge replied to; None where it was asked something else, or with
    prompts of the run's own.
    """
    called, prompt = entity.name_in(language.code) or entity.name, reply.question()
    for wording in get_args(Wording):
        question = language.prompts(entity.type, wording).asked_of_judge(prompt, called)
        if question is not None:
            return question
    return None


def _namer(entity: Entity, language: Language) -> Callable[[str], bool]:
    return namer(entity, Rules(language=language, directory=lambda: _directory(language.code)))


@cache
def _directory(code: str) -> Directory:
    return Directory(entities(), code)


def _spelling(text: str, entity: Entity, language: str) -> Span:
    """Where the name stands; the whole text where it is spelled in yet another way."""
    for spelling in sorted(entity.spellings(language), key=len, reverse=True):
        if found := re.search(re.escape(spelling), text, re.I):
            return found.span()
    return 0, len(text)


def _answered(
    found: Sequence[Turn],
    judged: Sequence[SavedReply],
    language: Language,
    name: Names,
    *,
    gave_up: bool = False,
) -> None:
    """The judge's words belong to the last turn; two of them begin with one about giving up."""
    if not judged:
        return
    turn, said = found[-1], list(judged)
    if len(said) > 1 or gave_up:
        turn.gave_up = said.pop(0).text[:200]
    if not said:
        return
    reply = said[0]
    read = verdict(reply.text, language, name)
    turn.answer = read.answer if reply.outcome == "ok" else ""
    turn.reply = reply.text or f"[{reply.outcome}]"
    turn.reply_digest = reply.digest.hex()
    if read.kind != "plain":
        turn.notes = [{"ramble": "rambles", "refusal": "refuses", "unread": "not read"}[read.kind]]
    if read.leak:
        turn.notes = [*turn.notes, "says the name"]
    turn.answered = 1 + sum(one.answered > 0 for one in found[:-1])


def _mark(found: Sequence[Turn], entity: Entity, language: str) -> None:
    """What each turn adds to the game's moves: the difference between one turn and the next."""
    played = [turn for turn in found if turn.question and turn.answer is not None]
    questions = [turn.question for turn in played]
    answers = [turn.answer or "" for turn in played]
    before = Moves()
    for i, turn in enumerate(played, start=1):
        after = study(entity, language, questions[:i], answers[:i])
        turn.marks = [
            words for name, words in _MARKS if getattr(after, name) > getattr(before, name)
        ]
        before = after
    for turn in found:
        if turn.question:
            turn.places = [place.name for place in understand(turn.question, language).places]


_MARKS = (
    ("repeated", ("repeated", "asked before")),
    ("contradicted", ("contradicts", "goes against an answer")),
    ("not_yes_no", ("open", "no yes/no question")),
    ("flips", ("flip", "judge goes against itself")),
    ("errors", ("error", "table says otherwise")),
)


def asked_about(found: Sequence[Turn], language: str) -> dict[str, tuple[int, int]]:
    """Economy → questions that may be about it, and the turn of the first."""
    told: dict[str, tuple[int, int]] = {}
    codes = {iso3: bit(iso3) for iso3 in economies()}
    for turn in found:
        if not turn.question:
            continue
        area = 0
        for place in understand(turn.question, language).places:
            area |= place.possible
        for iso3, one in codes.items():
            if area & one:
                count, first = told.get(iso3, (0, turn.number))
                told[iso3] = (count + 1, first)
    return told


def places_map(record: Mapping[str, Any], found: Sequence[Turn]) -> WorldMap | None:
    """The map of the places asked about; None where there are none."""
    told = asked_about(found, language_of(record).code)
    if not told:
        return None
    names, home = economies(), str(record.get("country") or "")
    spots = {}
    for iso3, (count, first) in told.items():
        times = f"{count} question{'s' if count > 1 else ''}, first at turn {first}"
        here = ", where the answer is" if iso3 == home else ""
        spots[iso3] = Spot(min(count, 6), f"{names[iso3].name}: {times}{here}")
    if home in names and home not in spots:
        spots[home] = Spot(None, f"{names[home].name}: where the answer is, never asked about")
    return WorldMap(spots=spots, limits=[0.5, 1.5, 2.5, 3.5, 4.5, 5.5], home=home)
