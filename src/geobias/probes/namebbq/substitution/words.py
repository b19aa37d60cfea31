"""The English the rules know, from words.csv: one word, what it is, the gender it states.

Articles, possessives, determiners, pronouns and function words are closed classes and stand there
whole, with the commonest verbs. Nouns are an open class: one that is not in the table is a person
if it ends as words for people do ("designer", "pianist"), and something that belongs to a person
("bakery") if it does not.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal, cast

import msgspec

from geobias.atlas.table import read_rows
from geobias.probes.lazy import regex
from geobias.probes.namebbq.items import Gender

NounKind = Literal["person", "belonging", "anaphor", "bare"]
"""What a nationality stands before: a word for the person, for something of theirs (a family, a
team, a father), "one", or nothing at all."""

_remembered = lru_cache(maxsize=1 << 13)
"""The items of a set share their words, and each word is looked at many times."""

_PEOPLE_END = regex(r"(?:er|or|ist|ian|ant|(?<!m)ent|eer|ee|man|woman|person|mate)$")


class _Lexicon(msgspec.Struct, frozen=True):
    genders: Mapping[tuple[str, str], Gender]
    """(class, word) → the gender it states."""
    plurals: Mapping[str, str]
    singulars: Mapping[str, str]


@cache
def _lexicon() -> _Lexicon:
    """The table, read when the first item is looked at."""
    genders: dict[tuple[str, str], Gender] = {}
    plurals: dict[str, str] = {}
    path = Path(__file__).with_name("words.csv")
    for _, row in read_rows(path, ("class", "word", "gender", "plural")):
        genders[row["class"], row["word"]] = cast("Gender", row["gender"])
        if row["plural"]:
            plurals[row["word"]] = row["plural"]
    return _Lexicon(genders, plurals, {plural: noun for noun, plural in plurals.items()})


@_remembered
def is_a(word: str, *classes: str) -> bool:
    """Whether the table has the word in one of the classes, in any capitals."""
    low = word.lower().replace("’", "'")
    return any((each, low) in _lexicon().genders for each in classes)


def is_determiner(word: str) -> bool:
    return is_a(word, "article", "possessive", "determiner", "number")


def kind_of(noun: str, known: Mapping[str, NounKind] | None = None) -> NounKind:
    """What this noun is to the person: by the table, as is `known` of it, or by its ending.

    Many people are somebody's: "the Danish students" are not one person who could have a name.
    """
    word = noun.lower()
    if is_a(_one(word), "anaphor"):
        return "anaphor"
    if word in _lexicon().singulars or is_a(word, "belonging", "kin"):
        return "belonging"
    if is_a(word, "person"):
        return "person"
    return (known or {}).get(word, "person" if _PEOPLE_END.search(word) else "belonging")


@_remembered
def is_noun(word: str) -> bool:
    """Whether the table has it as a noun; what has only the ending of one does not count."""
    return is_a(_one(word), "person", "kin", "belonging", "anaphor")


@_remembered
def is_closed(word: str) -> bool:
    classes = ("function", "verb", "be", "be many", "pronoun")
    return is_determiner(word) or is_a(word, *classes)


def ends_phrase(word: str) -> bool:
    """Whether no noun phrase goes on with this word: of a closed class, a verb, an adverb.

    Verbs that are not in the table are known by -ed and adverbs by -ly, so "the Irish drank" and
    "the Irish quickly left" have no noun. Before the nationality that does not hold: "an elderly
    Irish man", "a retired Irish man".
    """
    return is_closed(word) or (word.lower().endswith(("ed", "ly")) and not is_noun(word))


@_remembered
def gender_of(noun: str) -> Gender:
    return _lexicon().genders.get(("person", _one(noun)), "") or kin_gender(noun)


def kin_gender(word: str) -> Gender:
    """The gender of a relative; "" for a word that is none."""
    return _lexicon().genders.get(("kin", _one(word)), "")


@_remembered
def pronoun_gender(word: str) -> Gender:
    """The gender of "he", "hers", "she's"; "" for a word that is no such pronoun."""
    return _lexicon().genders.get(("pronoun", word.lower().replace("’", "'")), "")


def plural_of(noun: str) -> str:
    return _lexicon().plurals.get(noun.lower(), f"{noun}s")


def one_person(noun: str) -> str | None:
    """The singular of a plural for people; None for any other word."""
    one = _lexicon().singulars.get(noun.lower())
    return one if one is not None and is_a(one, "person") else None


def is_word(name: str) -> bool:
    """Whether a reader takes a name for an English word: "An" and "My" are names in Vietnam."""
    # By the table alone: Ahmed and Emily end like a verb and an adverb.
    return is_closed(name) or is_noun(name)


def _one(noun: str) -> str:
    return _lexicon().singulars.get(noun.lower(), noun.lower())
