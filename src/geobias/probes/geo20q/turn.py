"""What the guesser's reply asks: one question, or that it gives up.

A model may think aloud first, greet, number its questions, ask several at once, or answer itself
and go on alone. A turn is its first question; where nothing is asked, the first line that asks in
form, gives up, or names somebody or something. That, and not the rest, goes to the judge and into
the dialogue; otherwise one reply could hold twenty guesses. The final guess is read as a whole:
`proposing` says which of its names counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

import msgspec

from geobias.atlas.languages import Language
from geobias.probes.geo20q.guess_words import guess_words
from geobias.probes.geo20q.naming import NameMatcher, split_words
from geobias.probes.geo20q.verdict import phrase_matcher
from geobias.probes.geo20q.yes_no_questions import QUESTION_MARK, is_yes_no, question_form
from geobias.probes.lazy import regex
from geobias.probes.reading import own_answer

LONGEST = 400
"""Characters of a question that the judge and the dialogue get. 64 tokens are about 250."""

_STOPS = regex(r"(?<=[。．！!])\s*")
_DEBRIS = regex(
    r"<\|[^|<>\n]{1,40}\|>|</?s>|</?(?:think|thinking|answer|question)>|\[/?INST\]|<(?:end|start)_of_turn>"
)
_NUMBERING = regex(
    r"^[\s>*_#\-•\"“'«「]*(?:(?:question|pregunta|pergunta|السؤال|سؤال|soru|सवाल|प्रश्न|问题|問題|質問|q|turn|guesser|assistant)"
    r"\s*(?:n[o°º]\.?\s*)?#?\d{0,3}\s*[:.)：．]|\(?\d{1,3}\s*[.):：．])?[\s*_\"“«「]*",
    re.I,
)

GivesUp = Literal["no", "yes", "doubtful"]


class GuesserTurn(msgspec.Struct, frozen=True):
    """A guesser's turn.

    question  alone, on one line: for the judge
    text      all that was said up to its end: a name there counts too ("It is the Nile. Right?")
    """

    question: str
    text: str


def turn_of(
    reply: str, language: Language, names_entity: Callable[[str], bool] = lambda line: False
) -> GuesserTurn | None:
    """The first question of a reply, or the first line that is one's turn. None: no words.

    `names_entity` tells whether a line does; without it, a reply that asks nothing is its first
    line.
    """
    text = _own_text(reply)
    end = QUESTION_MARK.search(text)
    if end:
        kept = text[: end.end()]
        line = kept[kept.rstrip().rfind("\n") + 1 :]
    else:
        line = kept = _first_meaningful_line(text, language, names_entity)
    question = " ".join(_NUMBERING.sub("", line, count=1).split())[:LONGEST].rstrip(' *_"”»」')
    if not split_words(question).words:
        return None
    return GuesserTurn(question, kept[-4 * LONGEST :])


def final_turn(
    reply: str, language: Language, names_entity: Callable[[str], bool] = lambda line: False
) -> GuesserTurn | None:
    """A turn whose `text` is the whole reply, for the guess that ends a game."""
    turn = turn_of(reply, language, names_entity)
    return GuesserTurn(turn.question, _own_text(reply)[: 4 * LONGEST]) if turn else None


def _own_text(reply: str) -> str:
    own = own_answer(reply)
    return "" if own.unfinished else _DEBRIS.sub(" ", own.text).strip()


def _first_meaningful_line(
    text: str, language: Language, names_entity: Callable[[str], bool]
) -> str:
    """Up to the end of the first line that asks, gives up or names; else the first line.

    A line that only announces the next is read with it.
    """
    lines = [line.strip() for line in text.split("\n", 20) if line.strip()]
    if not lines:
        return ""
    giving_up = _plainly(language)
    for line in lines:
        for sentence in _STOPS.split(line):
            if is_yes_no(sentence, language):
                return line[: line.index(sentence) + len(sentence)]
        if giving_up.any(line) or (len(lines) > 1 and names_entity(line)):
            return line
    if lines[0].rstrip("*_ ").endswith((":", "：")) and len(lines) > 1:
        return f"{lines[0]} {lines[1]}"
    return lines[0]


def gives_up(
    turn: GuesserTurn,
    language: Language,
    names_entity: Callable[[str], bool] = lambda text: True,
) -> GivesUp:
    """Whether a turn gives up; "doubtful" where only a reader could say.

    What asks a yes/no question goes on playing, however sorry it is, and whatever it quotes. Plain
    words of giving up in what is a question by its mark alone are doubtful: "I give up, and you?".
    So is every turn that asks nothing and names nobody: there are more ways to give up than any
    list has.
    """
    form = question_form(turn.question, language)
    if _plainly(language).any(turn.text):
        return {"yes": "no", "mark": "doubtful", "no": "yes"}[form]  # type: ignore[return-value]
    if form != "no":
        return "no"
    if phrase_matcher(language.give_up.doubtful).any(turn.text):
        return "doubtful"
    asks = QUESTION_MARK.search(turn.question) is not None
    return "no" if asks or names_entity(turn.text) else "doubtful"


def _plainly(language: Language) -> NameMatcher:
    return phrase_matcher((*language.give_up.clear, *guess_words(language.code).gives_up))
