"""Games as a report shows them (a line, facts, a chat), and samples to check by hand.

The chat is read again from the replies, and shown with the counts in the record.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import pairwise

from geobias.atlas.economies import economies, economy_name
from geobias.atlas.entities import LANGUAGES, Entity, entities
from geobias.probes.checking import is_right
from geobias.probes.geo20q.game import SETTINGS
from geobias.probes.geo20q.languages import Language, load_language
from geobias.probes.geo20q.naming import said_in, shipped_names
from geobias.probes.geo20q.questions import moves_by_turn, parse_question
from geobias.probes.geo20q.replies import read_answer, turn_of
from geobias.probes.geo20q.scores import ENDINGS
from geobias.probes.probe import Showing
from geobias.probes.questions import outcome_words
from geobias.results.descriptions import CheckQuestion, Description, Key, Sample, Turn
from geobias.results.formatting import counted
from geobias.runfile import SavedReply
from geobias.trials import StoredRecord

_MARKS = {
    "repeated": ("repeated", "asked before"),
    "contradicted": ("contradicts", "against an earlier answer"),
    "not_yes_no": ("open", "not a yes/no question"),
}
"""Count of turns (a field of `Moves`) → the mark of a turn that increases the count."""


# In a line ----------------------------------------------------------------------------------------


def describe(record: StoredRecord) -> Description:
    if record["probe"] != "geo20q":
        return _question(record)
    endings: dict[str, str] = {}
    ending, turn = "", 0  # of the longest setting
    for setting in SETTINGS:
        if record.get(setting):
            ending, turn = record[setting], record.get(f"{setting}_turns") or 0
            endings[setting] = f"{ending.replace('_', ' ')} after {counted(turn, 'turns')}"
    result = ending.replace("_", " ")
    ended = ending in ENDINGS
    country = economy_name(str(record["country"]))
    marks = [f"{record[key]} {words}" for key, (_, words) in _MARKS.items() if record.get(key)]
    place = record.get("first_place")
    facts = {
        "Answer": f"{record['name']} ({record['category']})",
        "Country": country,
        "Language": str(record["language"]),
        **{setting.capitalize(): ending for setting, ending in endings.items()},
        "Guessed instead": _guessed(record),
        "Marks": ", ".join(marks) or "none",
        "First place asked": f"{place}, turn {record.get('first_place_turn')}" if place else "",
    }
    return Description(
        title=f"{record['name']} ({country})",
        topic=str(record["category"]),
        language=str(record["language"]),
        read=", ".join(dict.fromkeys(endings.values())),
        result=result,
        reading=result if ended else "",
        reading_label="The game was",
        correct=ending == "won" if ended else None,
        facts=[(name, fact) for name, fact in facts.items() if fact],
        turns=turn,
    )


def _guessed(record: StoredRecord) -> str:
    names, places = (str(record.get(name) or "") for name in ("guessed", "guessed_country"))
    called = {one.id: one.name for one in entities().values()} | {"?": record.get("final_guess")}
    return "; ".join(
        f"{called.get(name, name)}, {economy_name(country) or 'of unknown origin'}"
        for name, country in zip(names.split(";"), places.split(";"), strict=True)
        if name
    )


def _question(record: StoredRecord) -> Description:
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
        facts=[("Outcome", outcome_words(str(record["outcome"])))],
    )


# As a chat ----------------------------------------------------------------------------------------


def turns(record: StoredRecord, replies: Sequence[SavedReply]) -> list[Turn]:
    """Return the game as a chat, read with the shipped prompts and names."""
    entity, code = _entity_of(record), str(record.get("language"))
    language = load_language(code if code in LANGUAGES else "en")
    gave_up = "gave_up" in (record.get("canonical"), record.get("unlimited"))
    rounds: list[tuple[SavedReply, list[SavedReply]]] = []
    for reply in replies:
        if reply.role == "guesser":
            rounds.append((reply, []))
        elif rounds and reply.role == "judge":
            rounds[-1][1].append(reply)
    chat: list[Turn] = []
    for i, (reply, judged) in enumerate(rounds, start=1):
        turn = _guesser_turn(language.code, entity, reply)
        # The final guess of the canonical game is shown beside turn 20 of the other one.
        turn.number = 1 + sum(not one.final for one in chat)
        due = bool(record.get("final_guess")) and turn.number == record.get("canonical_turns")
        turn.final = due and not any(one.final for one in chat)
        if len(judged) > 1 or (judged and gave_up and i == len(rounds)):
            turn.gave_up = judged.pop(0).text[:200]
        if judged:
            said = judged[0]
            turn.answer = read_answer(said.text, language) if said.outcome == "ok" else ""
            turn.reply = said.text or f"[{said.outcome}]"
        # From the record, which knew the run's own table and the referee's reply.
        setting = "canonical" if turn.final or not record.get("unlimited") else "unlimited"
        turn.won = (record.get(setting), record.get(f"{setting}_turns")) == ("won", turn.number)
        if turn.won:
            turn.marked = turn.marked or (0, len(turn.asked))
        elif turn.marked:
            turn.marks.append(("mention", "names it, but is not a guess"))
        chat.append(turn)
    if entity.country in economies():
        _mark(chat, entity, language)
    return chat


def _entity_of(record: StoredRecord) -> Entity:
    known = entities().get(record["entity"])
    if known is not None and known.name == record["name"]:
        return known
    facts = {name: record[name] for name in ("name", "type", "category", "country")}
    return Entity(id=record["entity"], **facts)


def _guesser_turn(code: str, entity: Entity, reply: SavedReply) -> Turn:
    read = turn_of(reply)
    question = read.question if read else ""
    shown = unicodedata.normalize("NFC", question or reply.text or f"[{reply.outcome}]")
    said = said_in(shown)
    named = [one for one in shipped_names(code).sightings(shown, entity)
             if entity.id in one.owners]  # fmt: skip
    return Turn(
        number=0,
        asked=shown,
        marked=(said[named[0].first].start, said[named[0].last - 1].end) if named else None,
        raw="" if " ".join(reply.text.split()) == shown else reply.text[:4000],
        question=question,
    )


def _mark(chat: Sequence[Turn], entity: Entity, language: Language) -> None:
    """Mark each turn that repeats a question, contradicts an answer, or asks no yes/no question."""
    played = [turn for turn in chat if turn.question and turn.answer is not None]
    moves = moves_by_turn(
        entity, language, [turn.question for turn in played], [turn.answer or "" for turn in played]
    )
    for turn, (before, after) in zip(played, pairwise(moves), strict=True):
        turn.marks += [mark for name, mark in _MARKS.items() if after[name] > before[name]]
    for turn in chat:
        turn.places = [place.name for place in parse_question(turn.question, language.code).places]


# What people check by hand ------------------------------------------------------------------------


_KEYS = (
    Key("1r", "right", "Right"),
    Key("2w", "wrong", "Wrong"),
    Key("3u", "unsure", "Cannot be said"),
)


def _other_ending(record: StoredRecord, typed: str) -> dict[str, object]:
    """Return the endings of a game after a reviewer says that its last turn was read wrongly.

    A lost game becomes won. A won game becomes broken, since nobody knows how it would have
    continued.
    """
    other = {"won": "broken", "lost": "won"}
    return {name: other[record[name]] for name in SETTINGS if record.get(name) in other}


SAMPLES = (
    Sample(
        name="geo20q.ending",
        title="Wins and misses",
        question="Was it read rightly whether the last turn wins the game?",
        keys=(_KEYS[0], Key("2w", "wrong", "Wrong", corrects=_other_ending), _KEYS[2]),
        includes=lambda record: describe(record).reading != "",
        aside="A turn wins only if it proposes the answer, under any of its names.",
    ),
)
CHECKS = (
    CheckQuestion(
        name="geo20q.ending_right",
        sample="geo20q.ending",
        label="Wins and misses that are read rightly",
        right=is_right,
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
