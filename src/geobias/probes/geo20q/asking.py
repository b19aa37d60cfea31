"""Does this text ask for a yes or a no? The one place that says so.

How a language asks is in its file (`atlas/languages`): words that begin, end or stand in a yes/no
question, and words that ask for more. Where neither is there, a question mark makes one.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from geobias.atlas.languages import Language
from geobias.probes.geo20q.naming import words_of
from geobias.probes.geo20q.verdict import phrase_book

ASKED = re.compile(r"[?？؟]+[\"'”’»」』)\]*_]*")
_SENTENCES = re.compile(r"(?<=[.!。．！…;；])\s*")
_TOKEN = re.compile(r"[^\W_]+")
_EARLY = 4
"""Words within which an open question shows itself: "In what country …?", "Okay, where …?"."""

Asks = Literal["no", "mark", "yes"]


def is_yes_no(text: str, language: Language) -> bool:
    """Whether one of its sentences can be answered with yes or no."""
    return asks(text, language) != "no"


def asks(text: str, language: Language) -> Asks:
    """Whether a text asks a yes/no question: in so many words, or by a question mark alone."""
    found = {_sentence(one, language) for one in _SENTENCES.split(text) if one.strip()}
    return "yes" if "yes" in found else "mark" if "mark" in found else "no"


def _sentence(text: str, language: Language) -> Asks:
    how = language.questions
    found = _words(text)
    if not found or any(_begins(found, one) for one in how.begging):
        return "no"
    if any(_ends(found, one) for one in how.settle):
        return "yes"
    begins = any(_begins(found, one) for one in how.begin)
    if _is_open(text, language, found, begins=begins):
        return "no"
    if begins or any(_ends(found, one) for one in how.end) or phrase_book(how.hold).any(text):
        return "yes"
    return "mark" if ASKED.search(text) else "no"


def _is_open(text: str, language: Language, found: list[str], *, begins: bool) -> bool:
    """Whether it asks what, where or who.

    After its first words an open word makes no open question ("Is it known for what it did?"), nor
    after the beginning of a yes/no question. Accents count there: French "où" asks, "ou" does not.
    """
    how = language.questions
    if any(_begins(found, one) for one in how.open):
        return True
    plain = text.casefold()
    for unlike in how.unlike:
        plain = plain.replace(unlike, " ")
    if phrase_book(how.open_within).any(plain):
        return True
    tokens = _TOKEN.findall(plain)
    single = {one.casefold() for one in how.open if " " not in one}
    return not begins and any(token in single for token in tokens[:_EARLY])


@lru_cache(maxsize=4096)
def _words(text: str) -> list[str]:
    return words_of(text).words


def _begins(found: list[str], phrase: str) -> bool:
    wanted = _words(phrase)
    return found[: len(wanted)] == wanted


def _ends(found: list[str], phrase: str) -> bool:
    wanted = _words(phrase)
    return found[-len(wanted) :] == wanted
