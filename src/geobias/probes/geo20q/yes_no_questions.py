"""Does this text ask for a yes or a no? The one place that says so.

How a language asks is in its file (`atlas/languages`): words that begin, end or stand in a yes/no
question, and words that ask for more. Where neither is there, a question mark makes one.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from functools import lru_cache
from typing import Literal

from geobias.atlas.languages import Language, Questions
from geobias.probes.geo20q.naming import split_words
from geobias.probes.geo20q.verdict import phrase_matcher
from geobias.probes.lazy import regex

QUESTION_MARK = regex(r"[?？؟]+[\"'”’»」』)\]*_]*")
_SENTENCES = regex(r"(?<=[.!。．！…;；؛])\s*")
_TOKEN = regex(r"[^\W_]+")
_EARLY = 4
"""Words within which an open question shows itself: "In what country …?", "Okay, where …?"."""

QuestionForm = Literal["no", "mark", "yes"]


def is_yes_no(text: str, language: Language) -> bool:
    """Whether one of its sentences can be answered with yes or no."""
    return question_form(text, language) != "no"


def question_form(text: str, language: Language) -> QuestionForm:
    """Whether a text asks a yes/no question: in so many words, or by a question mark alone."""
    asked = language.questions
    forms = {_sentence_form(one, asked) for one in _SENTENCES.split(text) if one.strip()}
    return "yes" if "yes" in forms else "mark" if "mark" in forms else "no"


@lru_cache(maxsize=4_000)
def _sentence_form(text: str, forms: Questions) -> QuestionForm:
    words = split_words(text).words
    if not words or _begins(words, forms.begging):
        return "no"
    if _ends(words, forms.settle):
        return "yes"
    begins = _begins(words, forms.begin)
    if _is_open(text, forms, words, begins=begins):
        return "no"
    if begins or _ends(words, forms.end) or phrase_matcher(forms.hold).any(text):
        return "yes"
    return "mark" if QUESTION_MARK.search(text) else "no"


def _is_open(text: str, forms: Questions, words: list[str], *, begins: bool) -> bool:
    """Whether it asks what, where or who.

    After its first words an open word makes no open question ("Is it known for what it did?"), nor
    after the beginning of a yes/no question. Accents count there: French "où" asks, "ou" does not.
    """
    if _begins(words, forms.open):
        return True
    plain = text.casefold()
    for unlike in forms.unlike:
        plain = plain.replace(unlike, " ")
    if phrase_matcher(forms.open_within).any(plain):
        return True
    tokens = _TOKEN.findall(plain)
    single = {one.casefold() for one in forms.open if " " not in one}
    return not begins and any(token in single for token in tokens[:_EARLY])


def _begins(words: list[str], phrases: tuple[str, ...]) -> bool:
    return any(tuple(words[:length]) in alike for length, alike in _by_length(phrases).items())


def _ends(words: list[str], phrases: tuple[str, ...]) -> bool:
    return any(tuple(words[-length:]) in alike for length, alike in _by_length(phrases).items())


@lru_cache(maxsize=256)
def _by_length(phrases: tuple[str, ...]) -> Mapping[int, Set[tuple[str, ...]]]:
    """How many words phrases have → the phrases."""
    found: dict[int, set[tuple[str, ...]]] = {}
    for phrase in phrases:
        words = tuple(split_words(phrase).words)
        found.setdefault(len(words), set()).add(words)
    return found
