"""What the judge's reply says: yes, no or maybe; and whether it is fit to be passed on.

::

    plain      the reply is an answer word, and nothing else
    ramble     an answer word among other words: "No, it is not a food."
    refusal    "I'm sorry, I cannot …"
    unread     anything else

A guesser that hears a ramble would be told more than yes or no, and one that hears nothing could
not go on. So it is always told the language's own word: the answer that was read, and the word
for maybe where none was.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

import msgspec

from geobias.atlas.languages import Answers, Language
from geobias.probes.geo20q.naming import Names, phrases, words_of
from geobias.probes.turns import own_answer

Kind = Literal["plain", "ramble", "refusal", "unread"]
Answer = Literal["yes", "no", "maybe", ""]

_CLAUSES = re.compile(r"[\n.,;:!?…。，、；：！？।|()（）\[\]<>«»“”\"*]+")
_MOST_CLAUSES = 40


class Verdict(msgspec.Struct, frozen=True):
    """A judge's reply as read. `answer` is "" where nothing was; `leak`: it holds the name."""

    answer: Answer
    kind: Kind
    leak: bool = False


def verdict(reply: str, language: Language, name: Names) -> Verdict:
    """Read a judge's reply in a game about the entity of this name."""
    text = own_answer(reply).text
    leak = name.any(text)
    found, alone = _answer(text, language)
    if found and alone:
        return Verdict(found, "plain", leak)
    if found:
        return Verdict(found, "ramble", leak)
    refuses = _refusals(language).any(text)
    return Verdict("", "refusal" if refuses else "unread", leak)


def _answer(text: str, language: Language) -> tuple[Answer, bool]:
    """The answer in a reply, and whether the reply says nothing else.

    A clause that is an answer word counts before one that begins with it, and that before one that
    ends with it ("The answer is no"): "Is it in Asia? No" repeats the question first.
    """
    clauses = [
        found
        for clause in _CLAUSES.split(text, maxsplit=_MOST_CLAUSES)
        if (found := words_of(clause).words)
    ]
    known = _answer_words(language)
    whole = [known[key] for clause in clauses if (key := tuple(clause)) in known]
    if whole:
        return whole[0], len(set(whole)) == 1 and len(whole) == len(clauses)
    for clause in clauses[:3]:
        if begins := _longest(clause, known, from_start=True):
            return begins, False
    for clause in clauses[:3]:
        if ends := _longest(clause, known, from_start=False):
            return ends, False
    # In the middle of a sentence a single word is too little: 是 (yes) is in every second one.
    for length, answer in _answer_names(language).found(text):
        if length > 1:
            return answer, False  # type: ignore[return-value]
    return "", False


def _longest(
    clause: Sequence[str], known: dict[tuple[str, ...], Answer], *, from_start: bool
) -> Answer:
    for length in range(min(len(clause), 12), 0, -1):
        part = clause[:length] if from_start else clause[len(clause) - length :]
        if answer := known.get(tuple(part)):
            return answer
    return ""


def _answer_words(language: Language) -> dict[tuple[str, ...], Answer]:
    return _read_answers(language.answers)[0]


def _answer_names(language: Language) -> Names:
    return _read_answers(language.answers)[1]


@lru_cache(maxsize=64)
def _read_answers(answers: Answers) -> tuple[dict[tuple[str, ...], Answer], Names]:
    found: dict[tuple[str, ...], Answer] = {}
    meanings: tuple[Answer, ...] = ("yes", "no", "maybe")
    for answer in meanings:
        for phrase in phrases(getattr(answers, answer)):
            found.setdefault(tuple(phrase), answer)
    return found, Names((answer, getattr(answers, answer)) for answer in meanings)


@lru_cache(maxsize=64)
def phrase_book(sayings: tuple[str, ...]) -> Names:
    """Phrases of a language, to be looked for in a text."""
    return Names([("", sayings)])


def _refusals(language: Language) -> Names:
    return phrase_book(language.refusals)
