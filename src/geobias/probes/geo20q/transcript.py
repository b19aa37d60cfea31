"""A game as a reader sees it: in a line, in facts, and as a chat with the map of the places that
were asked about; what people check by hand.

The chat is read again from the replies; the record's own counts stand beside it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from geobias.atlas.economies import economies, economy_name
from geobias.atlas.entities import LANGUAGES, Entity, entities
from geobias.probes.geo20q.game import Rules, guesser_turn
from geobias.probes.geo20q.judging import JUDGE_RECORDS
from geobias.probes.geo20q.knowledge import KNOWLEDGE_RECORDS
from geobias.probes.geo20q.languages import load_language
from geobias.probes.geo20q.naming import Names, names_in, said_in
from geobias.probes.geo20q.questions import Moves, analyse_moves, parse_question
from geobias.probes.geo20q.replies import read_verdict
from geobias.probes.geo20q.scores import ENDINGS, SETTINGS
from geobias.probes.probe import Showing
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

_MARKS = {
    "repeated": ("repeated", "asked before"),
    "contradicted": ("contradicts", "against an earlier answer"),
    "not_yes_no": ("open", "not a yes/no question"),
}
"""What is counted of a guesser's turns → how a turn is marked that adds to it."""
_FAULTS = {name: words for name, (_, words) in _MARKS.items()} | {
    name: name for name in ("leaks", "rambles", "refusals")
}
_ANSWERS = ("yes", "no", "maybe", "unread")
_NOTES = {"ramble": "rambles", "refusal": "refuses", "unread": "not read"}


# In a line ----------------------------------------------------------------------------------------


def describe(record: Mapping[str, Any]) -> Description:
    if record["probe"] in (JUDGE_RECORDS, KNOWLEDGE_RECORDS):
        return _question(record)
    played = [setting for setting in SETTINGS if record.get(setting)]
    words = {setting: str(record[setting]).replace("_", " ") for setting in played}
    turns = {setting: record.get(f"{setting}_turns") or 0 for setting in played}
    endings = {one: f"{words[one]} after {counted(turns[one], 'turns')}" for one in played}
    ended = played and record[played[-1]] in ENDINGS
    return Description(
        title=f"{record['name']} ({economy_name(str(record['country']))})",
        topic=str(record["category"]),
        language=str(record["language"]),
        read=", ".join(dict.fromkeys(endings.values())),
        result=words[played[-1]] if played else "",
        reading=words[played[-1]] if ended else "",
        reading_label="The game was",
        correct=record[played[-1]] == "won" if ended else None,
        facts=_facts(record, endings),
        turns=max(turns.values(), default=0),
    )


def _facts(record: Mapping[str, Any], endings: Mapping[str, str]) -> Facts:
    facts = [
        ("Answer", f"{record['name']} ({record['category']})"),
        ("Country", economy_name(str(record["country"]))),
        ("Language", str(record["language"])),
        *((setting.capitalize(), ending) for setting, ending in endings.items()),
    ]
    guessed, places = (
        str(record.get(name) or "").split(";") for name in ("guessed", "guessed_country")
    )
    named = [
        f"{_named(id_, record)}, {economy_name(country) or 'of unknown origin'}"
        for id_, country in zip(guessed, places, strict=True)
        if id_
    ]
    if named:
        facts.append(("Guessed instead", "; ".join(named)))
    marks = [f"{record[key]} {words}" for key, words in _FAULTS.items() if record.get(key)]
    facts.append(("Marks", ", ".join(marks) or "none"))
    if place := record.get("first_place"):
        facts.append(("First place asked", f"{place}, turn {record.get('first_place_turn')}"))
    return facts


def _named(id_: str, record: Mapping[str, Any]) -> str:
    if id_ == "?":
        return str(record.get("final_guess"))
    return entities()[id_].name if id_ in entities() else id_


def _question(record: Mapping[str, Any]) -> Description:
    """A known fact asked of the judge, or the guesser's knowledge of a target."""
    answer, truth = record.get("answer") or "", record.get("truth") or ""
    right = answer == truth if answer else None
    words = ("known", "not known") if "knows" in record else ("right", "wrong")
    asked = "does it know this target?" if "knows" in record else record.get("text", "")
    return Description(
        title=f"{record['name']}: {asked}",
        topic=str(record["category"]),
        language=str(record["language"]),
        read=f"{answer or 'no answer'}, the table says {truth}",
        result="" if right is None else words[0] if right else words[1],
        bad=right is False and "knows" not in record,
        correct=right,
        facts=[("Outcome", ReadAs().words(str(record["outcome"])))],
    )


# As a chat ----------------------------------------------------------------------------------------


class _Seen:
    """A game to be shown: its entity, language and names. The language is as it is shipped; a run
    with other prompts says so in its manifest."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        code = str(record.get("language") or "en")
        self.language = load_language(code if code in LANGUAGES else "en")
        self.entity = entity_of(record)
        self.names: Names = names_in(entities(), self.language.code)
        self.prompts = self.language.prompts(self.entity.type)

    def asked_of_judge(self, reply: SavedReply) -> str:
        """The question that the judge replied to; "" where it was asked something else, or with
        prompts of the run's own."""
        called = self.entity.name_in(self.language.code) or self.entity.name
        for as_printed in (False, True):
            prompts = self.language.prompts(self.entity.type, as_printed=as_printed)
            if question := prompts.asked_of_judge(reply.question(), called):
                return question
        return ""

    def name_in(self, text: str) -> Span | None:
        """Where a text names the entity."""
        said = said_in(text)
        return next(
            (
                (said[one.first].start, said[one.last - 1].end)
                for one in self.names.sightings(text, self.entity)
                if self.entity.id in one.owners
            ),
            None,
        )


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


def turns(record: Mapping[str, Any], replies: Sequence[SavedReply]) -> list[Turn]:
    seen = _Seen(record)
    gave_up = "gave_up" in (record.get("canonical"), record.get("unlimited"))
    chat: list[Turn] = []
    played = _with_judge(replies)
    for i, (reply, judged) in enumerate(played, start=1):
        turn = _guesser_turn(seen, reply, judged)
        # The final guess of the canonical game stands beside turn 20 of the other one.
        turn.number = 1 + sum(not one.final for one in chat)
        # The record knows too, where the words of the run's own prompts are not ours.
        due = bool(record.get("final_guess")) and turn.number == record.get("canonical_turns")
        told = due or seen.prompts.final_guess in reply.question()
        turn.final = told and not any(one.final for one in chat)
        _add_answer(seen, turn, judged, gave_up=gave_up and i == len(played))
        turn.answered = sum(one.reply is not None for one in [*chat, turn]) if turn.reply else 0
        turn.won = _has_won(record, turn)
        if turn.won:
            turn.marked = turn.marked or (0, len(turn.asked))
        elif turn.marked:
            turn.marks.append(("mention", "names it, and is no guess"))
        chat.append(turn)
    if seen.entity.country in economies():
        _mark(chat, seen)
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


def _has_won(record: Mapping[str, Any], turn: Turn) -> bool:
    """As the record has it: it knew the run's own table and its model's word on doubtful turns."""
    setting = "canonical" if turn.final or not record.get("unlimited") else "unlimited"
    return record.get(setting) == "won" and record.get(f"{setting}_turns") == turn.number


def _guesser_turn(seen: _Seen, reply: SavedReply, judged: Sequence[SavedReply]) -> Turn:
    """The question as the judge was asked it; where it was not, as the game reads it."""
    question = next(filter(None, map(seen.asked_of_judge, judged)), "")
    if not question:
        read = guesser_turn(reply, seen.entity, Rules(seen.language, seen.names))
        question = read.question if read else ""
    shown = unicodedata.normalize("NFC", question or reply.text or f"[{reply.outcome}]")
    return Turn(
        number=0,
        asked=shown,
        marked=seen.name_in(shown),
        raw="" if " ".join(reply.text.split()) == shown else reply.text[:4000],
        question=question,
    )


def _add_answer(seen: _Seen, turn: Turn, judged: Sequence[SavedReply], *, gave_up: bool) -> None:
    """What the judge said to a turn; two replies begin with one about giving up."""
    replies = list(judged)
    if len(replies) > 1 or (replies and gave_up):
        turn.gave_up = replies.pop(0).text[:200]
    if not replies:
        return
    reply = replies[0]
    mentions = partial(seen.names.mentions, target=seen.entity)
    verdict = read_verdict(reply.text, seen.language, mentions)
    turn.answer = verdict.answer if reply.outcome == "ok" else ""
    turn.reply = reply.text or f"[{reply.outcome}]"
    turn.notes = [_NOTES[verdict.kind]] if verdict.kind != "plain" else []
    turn.notes += ["says the name"] if verdict.leak else []


def _mark(chat: Sequence[Turn], seen: _Seen) -> None:
    """What each turn adds to the game's moves: the difference between one turn and the next."""
    code = seen.language.code
    played = [turn for turn in chat if turn.question and turn.answer is not None]
    questions = [turn.question for turn in played]
    answers = [turn.answer or "" for turn in played]
    before = Moves()
    for i, turn in enumerate(played, start=1):
        after = analyse_moves(seen.entity, code, questions[:i], answers[:i])
        turn.marks += [
            mark for name, mark in _MARKS.items() if getattr(after, name) > getattr(before, name)
        ]
        before = after
    for turn in chat:
        turn.places = [place.name for place in parse_question(turn.question, code).places]


# What people check by hand ------------------------------------------------------------------------


def _answered(record: Mapping[str, Any]) -> int:
    if record["probe"] != "geo20q":
        return 0
    return sum(int(record.get(word) or 0) for word in _ANSWERS)


def _ended(record: Mapping[str, Any]) -> int:
    return int(record["probe"] == "geo20q" and bool(describe(record).reading))


_KEYS = (
    Key("1r", "right", "Right"),
    Key("2w", "wrong", "Wrong"),
    Key("3u", "unsure", "Cannot be said"),
)


def _other_ending(record: Mapping[str, Any], typed: str) -> dict[str, Any]:
    """The endings of a game whose last turn was read wrongly. After a win that is none, it would
    have gone on, nobody knows how: it is no evidence."""
    other = {"won": "broken", "lost": "won"}
    return {name: other[record[name]] for name in SETTINGS if record.get(name) in other}


SAMPLES = (
    Sample(
        name="geo20q.judge",
        title="Answers of the judge",
        question="Is the judge's answer right?",
        keys=_KEYS,
        items=_answered,
        shows="answer",
    ),
    Sample(
        name="geo20q.ending",
        title="Wins and misses",
        question="Does the last turn win the game, or not, as it was read?",
        keys=(_KEYS[0], Key("2w", "wrong", "Wrong", corrects=_other_ending), _KEYS[2]),
        items=_ended,
        aside="A turn wins that proposes the answer under whatever name, and nothing else.",
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
    CheckQuestion(
        name="geo20q.ending_right",
        sample="geo20q.ending",
        label="Wins and misses that are read rightly",
        right=lambda word: word == "right",
        sentence="Endings checked on {n} games: {share} read rightly.",
    ),
)
SHOWING = Showing(
    describe,
    counted="games",
    excerpt_by=("type", "language"),
    turns=turns,
    samples=SAMPLES,
    checks=CHECKS,
)
