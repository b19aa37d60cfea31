"""Finding the noun phrases of a text that contain a nationality, and so refer to one of two people.

A phrase is found from the nationality outwards. To the left are adjectives, then a determiner ("the
other new …"). To the right is the noun, which may have a word before it ("exchange student"), and
its possessive 's.

     two of the Danish student's dogs
            └┬┘ └─┬──┘ └──┬──┘└┤
      determiner  │      noun  possessive
             nationality

The English words needed for this are in noun_words.csv: a word, its class, the gender it states.
Articles, possessives, determiners, pronouns and function words are closed classes and listed
completely, with the commonest verbs. Nouns are an open class: one that is not in the table is a
person if it ends like a word for people ("designer", "pianist"), and otherwise something that
belongs to a person ("bakery").
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal, TypeAlias, cast

import msgspec

from geobias.atlas.table import read_rows
from geobias.probes.namebbq.items import Gender

NounKind = Literal["person", "belonging", "anaphor", "bare"]
"""The kind of word after a nationality: a person, something that belongs to the person (a family, a
team, a father), the word "one", or nothing.
"""

_remembered = lru_cache(maxsize=1 << 13)
"""A cache, since the items of a set share their words."""

_PEOPLE_END = re.compile(r"(?:er|or|ist|ian|ant|(?<!m)ent|eer|ee|man|woman|person|mate)$")


@cache
def _genders() -> Mapping[tuple[str, str], Gender]:
    """(class, word) → the gender it states."""
    return {(row["class"], row["word"]): cast("Gender", row["gender"]) for row in _rows()}


@cache
def _plurals() -> Mapping[str, str]:
    return {row["word"]: row["plural"] for row in _rows() if row["plural"]}


@cache
def _singulars() -> Mapping[str, str]:
    return {plural: noun for noun, plural in _plurals().items()}


def _rows() -> Iterator[dict[str, str]]:
    path = Path(__file__).with_name("noun_words.csv")
    return (row for _, row in read_rows(path, ("class", "word", "gender", "plural")))


@_remembered
def is_a(word: str, *classes: str) -> bool:
    """Whether noun_words.csv has the word in one of the classes, ignoring case."""
    low = word.lower().replace("’", "'")
    return any((each, low) in _genders() for each in classes)


def is_determiner(word: str) -> bool:
    return is_a(word, "article", "possessive", "determiner", "number")


def kind_of(noun: str, known: Mapping[str, NounKind]) -> NounKind:
    """The kind of a noun: as in `known`, by the table, or by its ending.

    Plurals of people count as belongings: "the Danish students" are not one person with a name.
    """
    word = noun.lower()
    if is_a(_one(word), "anaphor"):
        return "anaphor"
    if word in _singulars() or is_a(word, "belonging", "kin"):
        return "belonging"
    if is_a(word, "person"):
        return "person"
    return known.get(word, "person" if _PEOPLE_END.search(word) else "belonging")


@_remembered
def is_noun(word: str) -> bool:
    """Whether the table has the word as a noun; a noun's ending alone does not count."""
    return is_a(_one(word), "person", "kin", "belonging", "anaphor")


@_remembered
def is_closed(word: str) -> bool:
    classes = ("function", "verb", "be", "be many", "pronoun")
    return is_determiner(word) or is_a(word, *classes)


def ends_phrase(word: str) -> bool:
    """Whether this word ends a noun phrase: a word of a closed class, a verb, an adverb.

    Verbs that are not in the table are recognised by -ed and adverbs by -ly, so "the Irish drank"
    and "the Irish quickly left" have no noun. This rule does not apply before the nationality: "an
    elderly Irish man", "a retired Irish man".
    """
    return is_closed(word) or (word.lower().endswith(("ed", "ly")) and not is_noun(word))


@_remembered
def gender_of(noun: str) -> Gender:
    return _genders().get(("person", _one(noun)), "") or kin_gender(noun)


def kin_gender(word: str) -> Gender:
    """The gender of a relative; "" for another word."""
    return _genders().get(("kin", _one(word)), "")


@_remembered
def pronoun_gender(word: str) -> Gender:
    """The gender of "he", "hers", "she's"; "" for another word."""
    return _genders().get(("pronoun", word.lower().replace("’", "'")), "")


def plural_of(noun: str) -> str:
    return _plurals().get(noun.lower(), f"{noun}s")


def one_person(noun: str) -> str | None:
    """The singular of a plural for people; None for another word."""
    one = _singulars().get(noun.lower())
    return one if one is not None and is_a(one, "person") else None


def is_word(name: str) -> bool:
    """Whether a reader would take a name for an English word: "An" and "My" are names in
    Vietnam.
    """
    # By the table only, since Ahmed and Emily end like a verb and an adverb.
    return is_closed(name) or is_noun(name)


def _one(noun: str) -> str:
    return _singulars().get(noun.lower(), noun.lower())


ALSO_ENGLISH = frozenset({"polish"})
"""Nationalities that mean something else when written small, as in "to polish"."""
MOST_WORDS = 3
"""Maximum words of a noun with the words before it: "soccer team captain"."""

LONGEST = 60
"""Maximum letters of a word that is looked up, since a text may contain anything."""
Nouns: TypeAlias = tuple[tuple[str, NounKind], ...]

_WORD = re.compile(r"[ \t]+([A-Za-z][A-Za-z-]*)")
_POSSESSIVE = re.compile(r"['’]s\b|(?<=s)['’](?!\w)")
_LEFT = re.compile(r"(?:^|(?<=[^\w-]))([A-Za-z'’-]+)[ \t]+$")


class Phrase(msgspec.Struct, frozen=True, kw_only=True):
    """A noun phrase about one of the two people."""

    start: int
    end: int
    person: int
    """Which of the two people the phrase is about, 0 or 1."""
    determiner: str
    """The determiner as in the text, with its capital; "" for none."""
    adjectives: tuple[str, ...]
    noun: str
    """The noun and the words before it ("exchange student"); "" for a nationality by itself."""
    kind: NounKind
    possessive: bool

    @property
    def head(self) -> str:
        return self.noun.rpartition(" ")[2]


@cache
def nationality_pattern(nationality: str) -> re.Pattern[str]:
    """The pattern of the whole word, in any case."""
    flags = 0 if nationality.lower() in ALSO_ENGLISH else re.IGNORECASE
    words = r"\s+".join(re.escape(word) for word in nationality.split())
    # One of BBQ's items has a brace beside the nationality; it is replaced too.
    return re.compile(rf"(?<![\w-])\{{*{words}(?![\w-])\}}*", flags)


@lru_cache(maxsize=1 << 14)
def find_phrases(text: str, people: tuple[str, str], nouns: Nouns = ()) -> tuple[Phrase, ...]:
    """Every phrase about either nationality, from left to right.

    `nouns` are further nouns with their kinds, from the answers. Cached, since a text is searched
    for genders and again for the names of each seed.
    """
    mentions = _mentions(text, people)
    limits = [*(match.start() for _, match in mentions[1:]), len(text)]
    phrases: list[Phrase] = []
    for (person, match), until in zip(mentions, limits, strict=False):
        since = phrases[-1].end if phrases else 0
        determiner, adjectives, start = _before(text, since, match.start())
        noun, end = _after(text, match.end(), until, dict(nouns))
        possessive = _POSSESSIVE.match(text, end, until)
        phrases.append(
            Phrase(
                start=start,
                end=possessive.end() if possessive else end,
                person=person,
                determiner=determiner,
                adjectives=adjectives,
                noun=noun,
                kind=kind_of(noun.rpartition(" ")[2], dict(nouns)) if noun else "bare",
                possessive=possessive is not None,
            )
        )
    return tuple(phrases)


def _mentions(text: str, people: tuple[str, str]) -> list[tuple[int, re.Match[str]]]:
    """The positions of the nationalities, from left to right, with their person."""
    every = [
        (person, match)
        for person, nationality in enumerate(people)
        for match in nationality_pattern(nationality).finditer(text)
    ]
    mentions: list[tuple[int, re.Match[str]]] = []
    for person, match in sorted(every, key=lambda one: one[1].start()):
        # Not the "Korean" of "North Korean".
        if not mentions or match.start() >= mentions[-1][1].end():
            mentions.append((person, match))
    return mentions


def _before(text: str, since: int, end: int) -> tuple[str, tuple[str, ...], int]:
    """The determiner and the adjectives before the position `end`, and where they begin.

    Adjectives count only after a determiner: in "met British people", "met" is not one.
    """
    words: list[str] = []
    at = end
    while len(words) < MOST_WORDS and (match := _left_of(at, text, since)):
        word = match[1]
        if is_determiner(word):
            begins = match.start(1)
            while (again := _left_of(begins, text, since)) and again[1].lower() == word.lower():
                begins = again.start(1)  # "the the", by a slip
            return word, tuple(reversed(words)), begins
        if is_closed(word) or is_noun(word):
            break
        words.append(word)
        at = match.start(1)
    return "", (), end


def _left_of(at: int, text: str, since: int) -> re.Match[str] | None:
    """The word that ends at the position `at`, if it does not begin before `since`."""
    return _LEFT.search(text, max(since, at - LONGEST), at)


def _after(text: str, start: int, until: int, nouns: Mapping[str, NounKind]) -> tuple[str, int]:
    """The noun after a nationality and where it ends; ("", `start`) if there is no noun."""
    words: list[str] = []
    ends: list[int] = []
    at = start
    while len(words) < MOST_WORDS and (match := _WORD.match(text, at, until)):
        word = match[1]
        if ends_phrase(word) and word.lower() not in nouns and not _is_one(word, words):
            break
        words.append(word)
        ends.append(match.end())
        at = match.end()
        if is_noun(word) or word.lower() in nouns or _POSSESSIVE.match(text, at, until):
            return " ".join(words), at
    if not words:
        return "", start
    # No known word, so the first is taken for the noun.
    return words[0], ends[0]


def _is_one(word: str, before: Sequence[str]) -> bool:
    """Whether "one" is the noun: in "the Danish one", but not in "the Danish guest one day"."""
    return word.lower() == "one" and not before
