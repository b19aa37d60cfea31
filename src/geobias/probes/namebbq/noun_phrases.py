"""Where a text speaks of the two people: every noun phrase that holds a nationality.

A phrase is found from the nationality outwards. To the left: adjectives, then a determiner ("the
other new …"). To the right: the noun it stands before, which may have a word before it ("exchange
student"), and the noun's 's.

     two of the Danish student's dogs
            └┬┘ └─┬──┘ └──┬──┘└┤
      determiner  │      noun  possessive
             nationality

The English that is needed for this is in noun_words.csv: one word, what it is, the gender it
states. Articles, possessives, determiners, pronouns and function words are closed classes and stand
there whole, with the commonest verbs. Nouns are an open class: one that is not in the table is a
person if it ends as words for people do ("designer", "pianist"), and something that belongs to a
person ("bakery") if it does not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal, cast

import msgspec

from geobias.atlas.table import read_rows
from geobias.probes.namebbq.items import Gender

NounKind = Literal["person", "belonging", "anaphor", "bare"]
"""What a nationality stands before: a word for the person, for something of theirs (a family, a
team, a father), "one", or nothing at all."""

_remembered = lru_cache(maxsize=1 << 13)
"""The items of a set share their words, and each word is looked at many times."""

_PEOPLE_END = re.compile(r"(?:er|or|ist|ian|ant|(?<!m)ent|eer|ee|man|woman|person|mate)$")


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
    path = Path(__file__).with_name("noun_words.csv")
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


ALSO_ENGLISH = frozenset({"polish"})
"""Nationalities that are other words in small letters: to polish is not to be Polish."""
MOST_WORDS = 3
"""Of a noun with the words before it: "soccer team captain"."""

LONGEST = 60
"""Letters of a word that is looked at: a text may be anything."""
NO_NOUNS: Mapping[str, NounKind] = {}

_WORD = re.compile(r"[ \t]+([A-Za-z][A-Za-z-]*)")
_POSSESSIVE = re.compile(r"['’]s\b|(?<=s)['’](?!\w)")
_LEFT = re.compile(r"(?:^|(?<=[^\w-]))([A-Za-z'’-]+)[ \t]+$")


class Phrase(msgspec.Struct, frozen=True, kw_only=True):
    """A noun phrase that is about one of the two people."""

    start: int
    end: int
    person: int
    """0 or 1."""
    determiner: str
    """As it stands in the text, capital and all; "" without one."""
    adjectives: tuple[str, ...]
    noun: str
    """"" for a nationality by itself. With the words before it: "exchange student"."""
    kind: NounKind
    possessive: bool

    @property
    def head(self) -> str:
        return self.noun.rpartition(" ")[2]


@cache
def nationality_pattern(nationality: str) -> re.Pattern[str]:
    """The word by itself, in any capitals."""
    flags = 0 if nationality.lower() in ALSO_ENGLISH else re.IGNORECASE
    words = r"\s+".join(re.escape(word) for word in nationality.split())
    # A brace is what BBQ's own templates left beside a nationality once; it goes with it.
    return re.compile(rf"(?<![\w-])\{{*{words}(?![\w-])\}}*", flags)


def find_phrases(
    text: str, people: tuple[str, str], nouns: Mapping[str, NounKind] = NO_NOUNS
) -> tuple[Phrase, ...]:
    """Every phrase about either nationality, from left to right.

    `nouns` are further nouns to know, with what they are: those of the answers.
    """
    return _found(text, people, tuple(nouns.items()))


@lru_cache(maxsize=1 << 14)
def _found(
    text: str, people: tuple[str, str], known: tuple[tuple[str, NounKind], ...]
) -> tuple[Phrase, ...]:
    """Remembered: a text is looked at for the genders, and again for the names of each seed."""
    nouns = dict(known)
    mentions = _mentions(text, people)
    limits = [*(match.start() for _, match in mentions[1:]), len(text)]
    phrases: list[Phrase] = []
    for (person, match), until in zip(mentions, limits, strict=False):
        since = phrases[-1].end if phrases else 0
        phrases.append(_phrase(text, match, person, nouns, since, until))
    return tuple(phrases)


def _mentions(text: str, people: tuple[str, str]) -> list[tuple[int, re.Match[str]]]:
    """Where the nationalities stand, from left to right, and whose each is."""
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


def _phrase(
    text: str,
    match: re.Match[str],
    person: int,
    nouns: Mapping[str, NounKind],
    since: int,
    until: int,
) -> Phrase:
    determiner, adjectives, start = _before(text, since, match.start())
    noun, end = _after(text, match.end(), until, nouns)
    possessive = _POSSESSIVE.match(text, end, until)
    return Phrase(
        start=start,
        end=possessive.end() if possessive else end,
        person=person,
        determiner=determiner,
        adjectives=adjectives,
        noun=noun,
        kind=kind_of(noun.rpartition(" ")[2], nouns) if noun else "bare",
        possessive=possessive is not None,
    )


def _before(text: str, since: int, end: int) -> tuple[str, tuple[str, ...], int]:
    """Determiner, adjectives, and where they begin.

    Adjectives count only behind a determiner: in "met British people", met is none.
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
    """The word that ends here."""
    return _LEFT.search(text, max(since, at - LONGEST), at)


def _after(text: str, start: int, until: int, nouns: Mapping[str, NounKind]) -> tuple[str, int]:
    """The noun and where it ends; ("", start) if the nationality stands by itself."""
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
    # No word the tables know: the first is taken for the noun.
    return words[0], ends[0]


def _is_one(word: str, before: Sequence[str]) -> bool:
    """ "The Danish one" has a noun; "the Danish guest one day" has another."""
    return word.lower() == "one" and not before
