"""Reading the judge's replies (yes, no or maybe) and the guesser's (its question, or its guess).

A judge's reply is read if it names one answer, as a clause or at its beginning: "It is not. No.",
"No, it is not a food." The guesser is told this word alone, so other words reveal nothing.

A guesser's turn is the line that ends with its first question mark, or else the whole reply. Only
the turn goes to the judge and into the dialogue.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Set
from functools import lru_cache
from typing import Literal

import msgspec

from geobias.atlas.words import has_phrase, spaced, split_words
from geobias.probes.geo20q.languages import AnswerWords, Language, Questions
from geobias.reading.answer import own_answer
from geobias.reading.refusals import refuses
from geobias.runfile import SavedReply
from geobias.trials import Reply

Answer = Literal["yes", "no", "maybe", ""]

_CLAUSES = re.compile(r"[\n.,;:!?…。，、；：！？।،؛؟|()（）\[\]<>«»“”\"*—–/／]+")
_READ_WITHIN = 6
"""Clauses of a reply in which an answer is searched."""
_KNOW = re.compile(r"\bsé\b", re.I)
"""Spanish "sé" means "I know", but "se" means "itself": this accent must not be removed."""


def read_answer(reply: str, language: Language) -> Answer:
    """Return the answer in a judge's reply; "" if it has none, or several."""
    return _read(own_answer(reply).text, language.answers)


@lru_cache(maxsize=2_000)
def _read(text: str, words: AnswerWords) -> Answer:
    if refuses(text):
        return ""  # "Lo siento, no puedo responder" begins a clause with "no"
    meaning, alone = _vocabulary(words)
    clauses = [one for one in map(_spaced, _CLAUSES.split(text)) if one.strip()][:_READ_WITHIN]
    found: set[Answer] = set()
    for clause in clauses:
        begun = next((one for one in meaning if clause.startswith(one)), "")
        if begun not in alone:
            rest = clause[len(begun) - 1 :]
            found |= {meaning[one] for one in meaning if one in rest and one not in alone}
            found.add(meaning[begun])
    if not found and len(clauses) == 1:
        return meaning.get(clauses[0], "")
    return found.pop() if len(found) == 1 else ""


@lru_cache(maxsize=64)
def _vocabulary(words: AnswerWords) -> tuple[Mapping[str, Answer], Set[str]]:
    """Each phrase with its answer, the longest first, and those that count only alone."""
    answers: tuple[Answer, ...] = ("maybe", "no", "yes")
    meaning = {_spaced(one): answer for answer in answers for one in getattr(words, answer)}
    longest = sorted(meaning.items(), key=lambda one: -len(one[0]))
    return dict(longest), {"", *map(_spaced, words.alone)}


def _spaced(text: str) -> str:
    return spaced(_KNOW.sub("seknow", unicodedata.normalize("NFC", text)))


QUESTION_MARK = re.compile(r"[?？؟]+[\"'”’»」』)\]*_]*")
_SENTENCES = re.compile(r"(?<=[.!。．！…;；؛])\s*")


def is_yes_no(text: str, language: Language) -> bool:
    return any(_asks(one, language.questions) for one in _SENTENCES.split(text) if one.strip())


@lru_cache(maxsize=4_000)
def _asks(text: str, forms: Questions) -> bool:
    said = spaced(text)
    if said.endswith(tuple(map(spaced, forms.end))):
        return True
    has = said.__contains__ if forms.anywhere else said.startswith
    if any(has(spaced(one)) for one in forms.open):
        return False
    return bool(QUESTION_MARK.search(text)) or any(has(spaced(one)) for one in forms.asks)


LONGEST = 400
"""Maximum characters of a question that the judge and the dialogue get. 64 tokens are about 250."""
GivesUp = Literal["no", "yes", "doubtful"]


class GuesserTurn(msgspec.Struct, frozen=True):
    """A guesser's turn: its question on one line, and the text up to there, since a name before the
    question counts too ("It is the Nile. Right?").
    """

    question: str
    text: str


def turn_of(reply: Reply | SavedReply, *, final: bool = False) -> GuesserTurn | None:
    """Return the turn in a reply, or None without words; a `final` guess is the whole reply."""
    text = own_answer(reply.text).text if reply.outcome == "ok" else ""
    end = QUESTION_MARK.search(text)
    kept = text[: end.end()] if end else text
    lines = [line for line in kept.split("\n") if split_words(line)]
    if not lines:
        return None
    asked = lines[-1] if end else " ".join(lines)
    question = " ".join(asked.split())[:LONGEST].strip(' *_"“”«»「」')
    return GuesserTurn(question, text[: 4 * LONGEST] if final else kept[-4 * LONGEST :])


def gives_up(turn: GuesserTurn, language: Language, *, names_one: bool = False) -> GivesUp:
    """Whether a turn gives up. One that asks nothing is doubtful unless it names an entity."""
    if is_yes_no(turn.question, language):
        return "no"
    if has_phrase(turn.text, language.give_up.clear):
        return "yes"
    return "no" if names_one or QUESTION_MARK.search(turn.question) else "doubtful"
