"""A game as a reader sees it: in a line, in facts, and as a chat with the map of the places that
were asked about; what people check by hand.

The chat is read again from the replies; the record's own counts stand beside it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, get_args

from geobias.atlas.economies import economies, economy_name
from geobias.atlas.entities import LANGUAGES, Entity, entities
from geobias.atlas.places import bit
from geobias.probes.geo20q.game import Rules, guesser_turn
from geobias.probes.geo20q.judging import JUDGE_RECORDS
from geobias.probes.geo20q.knowledge import KNOWLEDGE_RECORDS
from geobias.probes.geo20q.languages import Language, Wording, load_language
from geobias.probes.geo20q.naming import names_in
from geobias.probes.geo20q.questions import Moves, analyse_moves, parse_question
from geobias.probes.geo20q.replies import read_verdict
from geobias.probes.geo20q.scores import ENDINGS, SETTINGS
from geobias.probes.probe import Showing
from geobias.results.charts import Spot, WorldMap
from geobias.results.descriptions import (
    CheckQuestion,
    Description,
    Facts,
    Key,
    ReadAs,
    Sample,
    Span,
    Turn,
)
from geobias.results.formatting import counted
from geobias.runfile import SavedReply

_FAULTS = {
    "repeated": "asked before",
    "contradicted": "against an earlier answer",
    "not_yes_no": "not a yes/no question",
    "flips": "flips",
    "leaks": "leaks",
    "rambles": "rambles",
    "refusals": "refusals",
}
"""What is counted of a game → in words."""
_ANSWERS = ("yes", "no", "maybe", "unread")


def describe(record: Mapping[str, Any]) -> Description:
    kinds = {JUDGE_RECORDS: _fact, KNOWLEDGE_RECORDS: _knowledge}
    return kinds.get(record["probe"], _game)(record)


def _game(record: Mapping[str, Any]) -> Description:
    played = [setting for setting in SETTINGS if record.get(setting)]
    words = {setting: str(record[setting]).replace("_", " ") for setting in played}
    turns = {setting: record.get(f"{setting}_turns") or 0 for setting in played}
    endings = {one: f"{words[one]} after {counted(turns[one], 'turns')}" for one in played}
    return Description(
        title=f"{record.get('name', '')} ({economy_name(str(record.get('country', '')))})",
        topic=str(record.get("category", "")),
        language=str(record.get("language") or "en"),
        read=", ".join(dict.fromkeys(endings.values())),
        result=words[played[-1]] if played else "",
        correct=record[played[-1]] == "won" if played and record[played[-1]] in ENDINGS else None,
        facts=_facts(record, endings),
        turns=max(turns.values(), default=0),
    )


def _facts(record: Mapping[str, Any], endings: Mapping[str, str]) -> Facts:
    facts = [
        ("Answer", f"{record['name']} ({record.get('category')})"),
        ("Country", economy_name(str(record.get("country")))),
        ("Language", str(record.get("language"))),
        *((setting.capitalize(), ending) for setting, ending in endings.items()),
    ]
    if record.get("guessed"):
        where = economy_name(str(record.get("guessed_country")))
        other = entities().get(str(record["guessed"]))
        facts.append(("Guessed instead", f"{other.name if other else record['guessed']}, {where}"))
    marks = [f"{record[key]} {words}" for key, words in _FAULTS.items() if record.get(key)]
    facts.append(("Marks", ", ".join(marks) or "none"))
    if record.get("checked"):
        share = f"{record.get('errors')} of {record['checked']} that the table can check"
        facts.append(("Judge wrong", share))
    if place := record.get("first_place"):
        facts.append(("First place asked", f"{place}, turn {record.get('first_place_turn')}"))
    return facts


def _fact(record: Mapping[str, Any]) -> Description:
    answer, truth = record.get("answer") or "", record.get("truth") or ""
    result = ("right" if answer == truth else "wrong") if answer else ""
    return Description(
        title=f"{record.get('name', '')}: {record.get('text', '')}",
        topic=str(record.get("category", "")),
        language=str(record.get("language") or "en"),
        read=f"{answer or 'no answer'}, the table says {truth}",
        result=result,
        bad=result == "wrong",
        correct=result == "right" if result else None,
        facts=[("Outcome", ReadAs().words(str(record["outcome"])))],
    )


def _knowledge(record: Mapping[str, Any]) -> Description:
    known = record.get("knows")
    return Description(
        title=f"{record.get('name', '')}: does it know this target?",
        topic=str(record.get("category", "")),
        language=str(record.get("language") or "en"),
        read=f"{record.get('answer') or 'no answer'}, the table says {record.get('truth')}",
        result="" if known is None else "known" if known else "not known",
        correct=known,
        facts=[("Outcome", ReadAs().words(str(record["outcome"])))],
    )


def _answered(record: Mapping[str, Any]) -> int:
    if record["probe"] != "geo20q":
        return 0
    return sum(int(record.get(word) or 0) for word in _ANSWERS)


SAMPLES = (
    Sample(
        name="geo20q.judge",
        title="Answers of the judge",
        question="Is the judge's answer right?",
        keys=(
            Key("1r", "right", "Right"),
            Key("2w", "wrong", "Wrong"),
            Key("3u", "unsure", "Cannot be said"),
        ),
        items=_answered,
        shows="answer",
    ),
)
CHECKS = (
    CheckQuestion(
        name="geo20q.judge_right",
        sample="geo20q.judge",
        label="Judge's answers that are right",
        right=lambda word: word == "right",
        sentence="Judge checked on {n} answers: {share} right.",
    ),
)


_NOTES = {"ramble": "rambles", "refusal": "refuses", "unread": "not read"}
_MARKS = {
    "repeated": ("repeated", "asked before"),
    "contradicted": ("contradicts", "goes against an answer"),
    "not_yes_no": ("open", "not a yes/no question"),
    "flips": ("flip", "judge goes against itself"),
    "errors": ("error", "table says otherwise"),
}
"""Fields of `Moves` → what a turn is marked with that adds to them."""


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


def turns(record: Mapping[str, Any], replies: Sequence[SavedReply]) -> list[Turn]:
    entity, language = entity_of(record), language_of(record)
    final_guess = language.prompts(entity.type).final_guess
    endings = record.get("canonical"), record.get("unlimited")
    chat: list[Turn] = []
    played = _with_judge(replies)
    for i, (reply, asked) in enumerate(played, start=1):
        turn = _guesser_turn(reply, asked, language, entity)
        # The final guess of the canonical game stands beside turn 20 of the other one.
        turn.number = 1 + sum(not one.final for one in chat)
        # The record knows too, where the words of the run's own prompts are not ours.
        due = bool(record.get("final_guess")) and turn.number == record.get("canonical_turns")
        if (due or final_guess in reply.question()) and not any(t.final for t in chat):
            turn.final = True
        gave_up = "gave_up" in endings and i == len(played)
        _add_answer(turn, asked, language, entity, gave_up=gave_up)
        chat.append(turn)
    answered = [turn for turn in chat if turn.reply is not None]
    for number, turn in enumerate(answered, start=1):
        turn.answered = number
    _mark_wins(record, chat)
    if entity.country in economies():
        _mark(chat, entity, language.code)
    return chat


def _with_judge(saved: Sequence[SavedReply]) -> list[tuple[SavedReply, list[SavedReply]]]:
    """The guesser's replies, each with what the judge said to it."""
    rounds: list[tuple[SavedReply, list[SavedReply]]] = []
    for reply in saved:
        if reply.role == "guesser":
            rounds.append((reply, []))
        elif rounds and reply.role == "judge":
            rounds[-1][1].append(reply)
    return rounds


def _mark_wins(record: Mapping[str, Any], chat: Sequence[Turn]) -> None:
    """The turns that won, as the record has them: it knew the run's own table and its model's word
    on doubtful turns."""
    for turn in chat:
        setting = "canonical" if turn.final else "unlimited"
        endings = [setting] if turn.final or record.get(setting) else ["canonical"]
        turn.won = any(
            record.get(one) == "won" and record.get(f"{one}_turns") == turn.number
            for one in endings
        )
        if not turn.won:
            turn.marked = None


def _guesser_turn(
    reply: SavedReply,
    judged: Sequence[SavedReply],
    language: Language,
    entity: Entity,
) -> Turn:
    """The question as the judge was asked it; where it was not, as the game reads it."""
    question = next(filter(None, (_asked_of_judge(one, language, entity) for one in judged)), "")
    if not question:
        rules = Rules(language, names_in(entities(), language.code))
        read = guesser_turn(reply, entity, rules)
        question = read.question if read else ""
    shown = question or reply.text or f"[{reply.outcome}]"
    return Turn(
        number=0,
        asked=shown,
        marked=_spelling(shown, entity, language.code),
        raw="" if " ".join(reply.text.split()) == shown else reply.text[:4000],
        digest=reply.digest.hex(),
        question=question,
    )


def _asked_of_judge(reply: SavedReply, language: Language, entity: Entity) -> str | None:
    """The question that the judge replied to; None where it was asked something else, or with
    prompts of the run's own.
    """
    called, prompt = entity.name_in(language.code) or entity.name, reply.question()
    wordings = (language.prompts(entity.type, wording) for wording in get_args(Wording))
    questions = (one.asked_of_judge(prompt, called) for one in wordings)
    return next((question for question in questions if question is not None), None)


def _spelling(text: str, entity: Entity, language: str) -> Span:
    """Where the name stands; the whole text where it is spelled in yet another way."""
    for spelling in sorted(entity.spellings(language), key=len, reverse=True):
        if match := re.search(re.escape(spelling), text, re.I):
            return match.span()
    return 0, len(text)


def _add_answer(
    turn: Turn,
    judged: Sequence[SavedReply],
    language: Language,
    entity: Entity,
    *,
    gave_up: bool,
) -> None:
    """What the judge said to a turn; two replies begin with one about giving up."""
    replies = list(judged)
    if len(replies) > 1 or (replies and gave_up):
        turn.gave_up = replies.pop(0).text[:200]
    if not replies:
        return
    reply = replies[0]
    names = names_in(entities(), language.code)
    verdict = read_verdict(reply.text, language, partial(names.mentions, target=entity))
    turn.answer = verdict.answer if reply.outcome == "ok" else ""
    turn.reply = reply.text or f"[{reply.outcome}]"
    turn.reply_digest = reply.digest.hex()
    turn.notes = [_NOTES[verdict.kind]] if verdict.kind != "plain" else []
    if verdict.leak:
        turn.notes.append("says the name")


def _mark(chat: Sequence[Turn], entity: Entity, language: str) -> None:
    """What each turn adds to the game's moves: the difference between one turn and the next."""
    played = [turn for turn in chat if turn.question and turn.answer is not None]
    questions = [turn.question for turn in played]
    answers = [turn.answer or "" for turn in played]
    before = Moves()
    for i, turn in enumerate(played, start=1):
        after = analyse_moves(entity, language, questions[:i], answers[:i])
        turn.marks = [
            mark for name, mark in _MARKS.items() if getattr(after, name) > getattr(before, name)
        ]
        before = after
    for turn in chat:
        if turn.question:
            turn.places = [place.name for place in parse_question(turn.question, language).places]


def asked_about(chat: Sequence[Turn], language: str) -> dict[str, tuple[int, int]]:
    """Economy → questions that may be about it, and the turn of the first."""
    asked: dict[str, tuple[int, int]] = {}
    for turn in chat:
        if not turn.question:
            continue
        places = parse_question(turn.question, language).places
        for iso3 in economies():
            if any(bit(iso3) & place.possible for place in places):
                count, first = asked.get(iso3, (0, turn.number))
                asked[iso3] = (count + 1, first)
    return asked


def places_map(record: Mapping[str, Any], turns: Sequence[Turn]) -> WorldMap | None:
    asked = asked_about(turns, language_of(record).code)
    if not asked:
        return None
    names, home = economies(), str(record.get("country") or "")
    spots = {}
    for iso3, (count, first) in asked.items():
        times = f"{count} question{'s' if count > 1 else ''}, first at turn {first}"
        here = ", where the answer is" if iso3 == home else ""
        spots[iso3] = Spot(min(count, 6), f"{names[iso3].name}: {times}{here}")
    if home in names and home not in spots:
        spots[home] = Spot(None, f"{names[home].name}: where the answer is, never asked about")
    return WorldMap(spots=spots, limits=[0.5, 1.5, 2.5, 3.5, 4.5, 5.5], home=home)


SHOWING = Showing(
    describe,
    counted="games",
    excerpt_by=("type", "language"),
    turns=turns,
    turns_map=places_map,
    samples=SAMPLES,
    checks=CHECKS,
)
