"""What the guesser's reply asks: one question, or that it gives up.

A model may think aloud first, greet, number its questions, ask several at once, or answer itself
and go on alone. A turn is its first question. That, and not the rest, goes to the judge and into
the dialogue; otherwise one reply could hold twenty guesses.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

import msgspec

from geobias.atlas.languages import Language
from geobias.probes.geo20q.naming import words_of
from geobias.probes.geo20q.verdict import phrase_book
from geobias.probes.turns import own_answer

LONGEST = 400
"""Characters of a question that the judge and the dialogue get. 64 tokens are about 250."""

_ASKED = re.compile(r"[?？؟]+[\"'”’»」』)\]*_]*")
_STOPS = re.compile(r"(?<=[。．！!])\s*")
_DEBRIS = re.compile(
    r"<\|[^|<>\n]{1,40}\|>|</?s>|</?(?:think|thinking|answer|question)>|\[/?INST\]|<(?:end|start)_of_turn>"
)
_NUMBERING = re.compile(
    r"^[\s>*_#\-•\"“'«「]*(?:(?:question|pregunta|soru|सवाल|प्रश्न|问题|問題|質問|q|turn|guesser|assistant)"
    r"\s*(?:n[o°º]\.?\s*)?#?\d{0,3}\s*[:.)：．]|\(?\d{1,3}\s*[.):：．])?[\s*_\"“«「]*",
    re.I,
)

GivesUp = Literal["no", "yes", "doubtful"]


class Turn(msgspec.Struct, frozen=True):
    """A guesser's turn.

    asked  the question alone, on one line: for the judge
    said   all that was said up to its end: a name there counts too ("It is the Nile. Right?")
    """

    asked: str
    said: str


def turn_of(reply: str, language: Language) -> Turn | None:
    """The first question of a reply; where nothing is asked, its first line. None: no words."""
    own = own_answer(reply)
    if own.unfinished:
        return None
    text = _DEBRIS.sub(" ", own.text).strip()
    end = _ASKED.search(text)
    if end:
        said = text[: end.end()]
        line = said[said.rstrip().rfind("\n") + 1 :]
    else:
        line = said = _first_line(text, language)
    asked = " ".join(_NUMBERING.sub("", line, count=1).split())[:LONGEST].rstrip(' *_"”»」')
    if not words_of(asked).words:
        return None
    return Turn(asked, said[-4 * LONGEST :])


def _first_line(text: str, language: Language) -> str:
    """Up to the first line break; a line that only announces the next is read with it."""
    lines = [line.strip() for line in text.split("\n", 20) if line.strip()]
    if not lines:
        return ""
    line = lines[0]
    if line.rstrip("*_ ").endswith((":", "：")) and len(lines) > 1:
        line = f"{line} {lines[1]}"
    for sentence in _STOPS.split(line):
        if is_yes_no(sentence, language):
            return line[: line.index(sentence) + len(sentence)]
    return line


def is_yes_no(question: str, language: Language) -> bool:
    """Whether a turn asks for a yes or a no, by how the language asks.

    Words of an open question (what, where) rule it out, words of a yes/no question (is it, 吗) say
    so; without either, a question mark does.
    """
    found = _words(question)
    how = language.questions
    if not found or any(found[: len(w)] == w for w in map(_words, how.open)):
        return False
    if phrase_book(how.open_within).any(question):
        return False
    begins = any(found[: len(w)] == w for w in map(_words, how.begin))
    ends = any(found[-len(w) :] == w for w in map(_words, how.end))
    return begins or ends or phrase_book(how.hold).any(question) or bool(_ASKED.search(question))


@lru_cache(maxsize=4096)
def _words(text: str) -> list[str]:
    return words_of(text).words


def gives_up(turn: Turn, language: Language) -> GivesUp:
    """Whether a turn gives up; "doubtful" where only a reader could say.

    What asks a yes/no question goes on playing, however sorry it is.
    """
    if phrase_book(language.give_up.clear).any(turn.said):
        return "yes"
    if not phrase_book(language.give_up.doubtful).any(turn.said):
        return "no"
    return "no" if is_yes_no(turn.asked, language) else "doubtful"
