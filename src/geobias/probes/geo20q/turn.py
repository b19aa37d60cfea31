"""What the guesser's reply asks: one question, or that it gives up.

A model may think aloud first, greet, number its questions, ask several at once, or answer itself
and go on alone. A turn is its first question; where nothing is asked, the first line that asks in
form, gives up, or names somebody or something. That, and not the rest, goes to the judge and into
the dialogue; otherwise one reply could hold twenty guesses. The final guess is read as a whole:
`Directory.first` says which of its names counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

import msgspec

from geobias.atlas.languages import Language
from geobias.probes.geo20q.asking import ASKED, asks, is_yes_no
from geobias.probes.geo20q.naming import words_of
from geobias.probes.geo20q.verdict import phrase_book
from geobias.probes.turns import own_answer

LONGEST = 400
"""Characters of a question that the judge and the dialogue get. 64 tokens are about 250."""

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


def turn_of(
    reply: str, language: Language, names: Callable[[str], bool] = lambda line: False
) -> Turn | None:
    """The first question of a reply, or the first line that is one's turn. None: no words.

    `names` tells whether a line names an entity; without it, a reply that asks nothing is its first
    line.
    """
    text = _own(reply)
    end = ASKED.search(text)
    if end:
        said = text[: end.end()]
        line = said[said.rstrip().rfind("\n") + 1 :]
    else:
        line = said = _telling_line(text, language, names)
    asked = " ".join(_NUMBERING.sub("", line, count=1).split())[:LONGEST].rstrip(' *_"”»」')
    if not words_of(asked).words:
        return None
    return Turn(asked, said[-4 * LONGEST :])


def final_turn(
    reply: str, language: Language, names: Callable[[str], bool] = lambda line: False
) -> Turn | None:
    """A turn whose `said` is the whole reply, for the guess that ends a game."""
    turn = turn_of(reply, language, names)
    return Turn(turn.asked, _own(reply)[: 4 * LONGEST]) if turn else None


def _own(reply: str) -> str:
    own = own_answer(reply)
    return "" if own.unfinished else _DEBRIS.sub(" ", own.text).strip()


def _telling_line(text: str, language: Language, names: Callable[[str], bool]) -> str:
    """Up to the end of the first line that asks, gives up or names; else the first line.

    A line that only announces the next is read with it.
    """
    lines = [line.strip() for line in text.split("\n", 20) if line.strip()]
    if not lines:
        return ""
    for line in lines:
        for sentence in _STOPS.split(line):
            if is_yes_no(sentence, language):
                return line[: line.index(sentence) + len(sentence)]
        if phrase_book(language.give_up.clear).any(line) or (len(lines) > 1 and names(line)):
            return line
    if lines[0].rstrip("*_ ").endswith((":", "：")) and len(lines) > 1:
        return f"{lines[0]} {lines[1]}"
    return lines[0]


def gives_up(turn: Turn, language: Language) -> GivesUp:
    """Whether a turn gives up; "doubtful" where only a reader could say.

    What asks a yes/no question goes on playing, however sorry it is, and whatever it quotes. Plain
    words of giving up in what is a question by its mark alone are doubtful: "I give up, and you?".
    """
    asking = asks(turn.asked, language)
    if phrase_book(language.give_up.clear).any(turn.said):
        return {"yes": "no", "mark": "doubtful", "no": "yes"}[asking]  # type: ignore[return-value]
    if not phrase_book(language.give_up.doubtful).any(turn.said):
        return "no"
    return "doubtful" if asking == "no" else "no"
