"""The English the rules know, from words.csv: one word, what it is, the gender it states.

Articles, possessives, determiners, pronouns and function words are closed classes and stand there
whole, with the commonest verbs. Nouns are an open class: one that is not in the table is a person
if it ends as words for people do ("designer", "pianist"), and something that belongs to a person
("bakery") if it does not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, cast

from geobias.atlas.table import read_rows
from geobias.probes.namebbq.items import Gender

Kind = Literal["person", "belonging", "anaphor", "bare"]
"""What a nationality stands before: a word for the person, for something of theirs (a family, a
team, a father), "one", or nothing at all."""

_GENDERS: dict[tuple[str, str], Gender] = {}
_PLURALS: dict[str, str] = {}
for _, _row in read_rows(
    Path(__file__).with_name("words.csv"), ("class", "word", "gender", "plural")
):
    _GENDERS[_row["class"], _row["word"]] = cast("Gender", _row["gender"])
    if _row["plural"]:
        _PLURALS[_row["word"]] = _row["plural"]
_SINGULARS = {plural: noun for noun, plural in _PLURALS.items()}


def _words(*classes: str) -> frozenset[str]:
    return frozenset(word for each, word in _GENDERS if each in classes)


ARTICLES = _words("article")
POSSESSIVES = _words("possessive")
DETERMINERS = _words("article", "possessive", "determiner")
ORDERING = _words("ordering")
"""Adjectives that tell two of a kind apart; a name does that by itself."""
PRONOUNS = {word: gender for (each, word), gender in _GENDERS.items() if each == "pronoun"}
BE = _words("be", "be many")
BE_MANY = _words("be many")
"""The forms of "be" that have many for their subject."""

_PEOPLE = _words("person")
_KIN = _words("kin")
_BELONGINGS = _words("belonging")
_ANAPHORS = _words("anaphor")
_NOUNS = _PEOPLE | _KIN | _BELONGINGS | _ANAPHORS
_ENDINGS = DETERMINERS | BE | _words("function", "verb")
_PEOPLE_END = re.compile(r"(?:er|or|ist|ian|ant|(?<!m)ent|eer|ee|man|woman|person|mate)$")


def kind_of(noun: str, known: Mapping[str, Kind] | None = None) -> Kind:
    """What this noun is to the person: by the table, as is `known` of it, or by its ending.

    Many people are somebody's: "the Danish students" are not one person who could have a name.
    """
    word = noun.lower()
    one = _SINGULARS.get(word, word)
    if one in _ANAPHORS:
        return "anaphor"
    if word in _SINGULARS or word in _BELONGINGS or word in _KIN:
        return "belonging"
    if word in _PEOPLE:
        return "person"
    return (known or {}).get(word, "person" if _PEOPLE_END.search(word) else "belonging")


def is_noun(word: str) -> bool:
    """Whether the table has it as a noun; what has only the ending of one does not count."""
    return _SINGULARS.get(word.lower(), word.lower()) in _NOUNS


def ends_phrase(word: str) -> bool:
    """Whether no noun phrase goes on with this word: a function word, a verb, an adverb.

    Verbs that are not in the table are known by -ed and adverbs by -ly, so "the Irish drank" and
    "the Irish quickly left" have no noun.
    """
    low = word.lower().replace("’", "'")
    return low in _ENDINGS or (low.endswith(("ed", "ly")) and not is_noun(low))


def gender_of(noun: str) -> Gender:
    """The gender a noun states: of the person, or of the relative ("father")."""
    word = _SINGULARS.get(noun.lower(), noun.lower())
    return _GENDERS.get(("person", word), "") or kin_gender(word)


def kin_gender(word: str) -> Gender:
    """The gender of a relative; "" for a word that is none."""
    low = word.lower()
    return _GENDERS.get(("kin", _SINGULARS.get(low, low)), "")


def plural_of(noun: str) -> str:
    """The plural, by the table or with an s."""
    return _PLURALS.get(noun.lower(), f"{noun}s")


def one_person(noun: str) -> str | None:
    """The singular of a plural for people; None for any other word."""
    one = _SINGULARS.get(noun.lower())
    return one if one in _PEOPLE else None


def is_word(name: str) -> bool:
    """Whether a reader takes a name for an English word: "An" and "My" are names in Vietnam."""
    return name.lower() in _ENDINGS or is_noun(name)
