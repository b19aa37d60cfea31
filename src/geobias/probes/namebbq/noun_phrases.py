"""Finding the noun phrases of a text that contain a nationality, and so refer to one of two people.

In a `marked` text, a sign stands for each nationality. To the left of a sign are adjectives after a
determiner ("the other new …"), to the right the noun, which may have a word before it ("exchange
student"), and its possessive 's.

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
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias, cast

from geobias.atlas.table import read_rows
from geobias.probes.namebbq.items import Gender

NounKind = Literal["person", "belonging", "anaphor", "bare"]
"""The kind of word after a nationality: a person, something that belongs to the person (a family, a
team, a father), the word "one", or nothing.
"""
Nouns: TypeAlias = tuple[tuple[str, NounKind], ...]
"""Further nouns with their kinds, from the answers."""
SIGNS = "\ue000\ue001"
"""The signs that stand for the two nationalities, from Unicode's private area."""
NOUNS = ("person", "kin", "belonging", "anaphor")
DETERMINERS = ("article", "possessive", "determiner", "number")
CLOSED = (*DETERMINERS, "function", "verb", "be", "be many", "pronoun")
_PEOPLE_END = re.compile(r"(?:er|or|ist|ian|ant|(?<!m)ent|eer|ee|man|woman|person|mate)$")


class Word(NamedTuple):
    """A row of noun_words.csv."""

    kind: str
    word: str
    gender: Gender
    plural: str


@cache
def words() -> Mapping[str, tuple[Word, ...]]:
    """Word in lower case → its rows; a plural has the rows of its singular."""
    found: dict[str, tuple[Word, ...]] = {}
    path = Path(__file__).with_name("noun_words.csv")
    for _, row in read_rows(path, ("class", "word", "gender", "plural")):
        one = Word(row["class"], row["word"], cast("Gender", row["gender"]), row["plural"])
        for form in filter(None, (one.word, one.plural)):
            found[form] = (*found.get(form, ()), one)
    return found


@lru_cache(maxsize=1 << 13)  # The items of a set share their words.
def rows_of(word: str, *kinds: str) -> tuple[Word, ...]:
    """The rows of a word in one of these classes, ignoring case."""
    rows = words().get(word.lower().replace("’", "'"), ())
    return tuple(one for one in rows if one.kind in kinds)


def is_a(word: str, *kinds: str) -> bool:
    return bool(rows_of(word, *kinds))


def gender_of(word: str, *kinds: str) -> Gender:
    return next((one.gender for one in rows_of(word, *kinds or ("person", "kin"))), "")


def plural_of(noun: str) -> str:
    rows = rows_of(noun, *NOUNS)
    return next((one.plural for one in rows if one.word == noun.lower()), f"{noun}s")


def one_person(noun: str) -> str | None:
    """The singular of a plural for people; None for another word."""
    return next((one.word for one in rows_of(noun, "person") if one.plural == noun.lower()), None)


def is_word(name: str) -> bool:
    """Whether a name seems an English word, as "An" and "My", which are names in Vietnam."""
    # By the table only, since Ahmed and Emily end like a verb and an adverb.
    return is_a(name, *NOUNS, *CLOSED)


def kind_of(noun: str, known: Mapping[str, NounKind]) -> NounKind:
    """The kind of a noun: by the table, as in `known`, or by its ending.

    Plurals of people are belongings: "the Danish students" are not one person with a name.
    """
    word = noun.lower()
    for one in rows_of(word, *NOUNS):
        if one.kind == "anaphor":
            return "anaphor"
        return "person" if one.kind == "person" and one.word == word else "belonging"
    return known.get(word, "person" if _PEOPLE_END.search(word) else "belonging")


class Phrase(NamedTuple):
    """A noun phrase about one of the two people.

    person      0 or 1
    determiner  as in the text, with its capital; "" for none
    noun        with the words before it ("exchange student"); "" for a nationality by itself
    """

    start: int
    end: int
    person: int
    determiner: str
    adjectives: tuple[str, ...]
    noun: str
    kind: NounKind
    possessive: bool

    @property
    def head(self) -> str:
        return self.noun.rpartition(" ")[2]

    @property
    def sign(self) -> str:
        return SIGNS[self.person]

    @property
    def own(self) -> str:
        return "'s" if self.possessive else ""

    @property
    def the(self) -> str:
        return "The" if self.determiner[:1].isupper() else "the"

    @property
    def described(self) -> tuple[str, ...]:
        """The adjectives without those like "other" and "new"."""
        return tuple(word for word in self.adjectives if not is_a(word, "ordering"))


def _any(*kinds: str) -> str:
    forms = [form for form, rows in words().items() if any(one.kind in kinds for one in rows)]
    return "|".join(map(re.escape, sorted(forms, key=len, reverse=True)))


@cache
def _begins() -> re.Pattern[str]:
    """The pattern of a sign with the determiner and the adjectives before it.

    Adjectives count only after a determiner: in "met British people", "met" is not one.
    """
    other = rf"(?!(?i:{_any(*CLOSED, *NOUNS)})(?![\w-]))[A-Za-z'’-]+[ \t]+"
    return re.compile(
        rf"(?:(?<![\w-])(?P<determiner>(?i:{_any(*DETERMINERS)}))"
        r"(?:[ \t]+(?i:(?P=determiner)))*[ \t]+"  # "the the", by a slip
        rf"(?P<adjectives>(?:{other}){{0,3}}))?(?P<person>[{SIGNS}])"
    )


_WORD = re.compile(r"[ \t]+([A-Za-z][A-Za-z-]*)")
_POSSESSIVE = re.compile(r"['’]s\b|(?<=s)['’](?!\w)")
MOST_WORDS = 3
"""Maximum words of a noun with the words before it: "soccer team captain"."""


def _noun_ends(text: str, at: int, known: Mapping[str, NounKind]) -> int:
    """Where the noun after a nationality ends: at a known noun, before a possessive, or else after
    the next word. Words of a closed class, in -ed and in -ly are not nouns: "the Irish drank" and
    "the Irish quickly left" have none.
    """
    ends = [at]
    while len(ends) <= MOST_WORDS and (match := _WORD.match(text, ends[-1])):
        word = match[1].lower()
        # "One" is a noun in "the Danish one", but not in "the Danish guest one day".
        noun = word in known or is_a(word, *NOUNS[: 4 if ends == [at] else 3])
        if not noun and (is_a(word, *CLOSED) or word.endswith(("ed", "ly"))):
            break
        ends.append(match.end())
        if noun or _POSSESSIVE.match(text, ends[-1]):
            return ends[-1]
    return ends[:2][-1]


ALSO_ENGLISH = frozenset({"polish"})
"""Nationalities that mean something else when written small, as in "to polish"."""


@cache
def _nationality(nationality: str) -> re.Pattern[str]:
    """The pattern of the whole word, in any case."""
    flags = 0 if nationality.lower() in ALSO_ENGLISH else re.IGNORECASE
    words = r"\s+".join(re.escape(word) for word in nationality.split())
    # One of BBQ's items has a brace beside the nationality; it is replaced too.
    return re.compile(rf"(?<![\w-])\{{*{words}(?![\w-])\}}*", flags)


@lru_cache(maxsize=1 << 13)
def marked(text: str, people: tuple[str, str]) -> str:
    """The text with a sign for each nationality."""
    # The longer one first, since "North Korean" is not "Korean".
    for nationality, sign in sorted(zip(people, SIGNS, strict=True), key=lambda one: -len(one[0])):
        text = _nationality(nationality).sub(sign, text)
    return text


@lru_cache(maxsize=1 << 13)
def find_phrases(text: str, nouns: Nouns = ()) -> tuple[Phrase, ...]:
    """Every phrase about either nationality in a marked text, from left to right."""
    found = []
    for match in _begins().finditer(text):
        end = _noun_ends(text, match.end(), dict(nouns))
        noun, possessive = " ".join(text[match.end() : end].split()), _POSSESSIVE.match(text, end)
        phrase = Phrase(
            start=match.start(),
            end=possessive.end() if possessive else end,
            person=SIGNS.index(match["person"]),
            determiner=match["determiner"] or "",
            adjectives=tuple((match["adjectives"] or "").split()),
            noun=noun,
            kind=kind_of(noun.rpartition(" ")[2], dict(nouns)) if noun else "bare",
            possessive=possessive is not None,
        )
        found.append(phrase)
    return tuple(found)
