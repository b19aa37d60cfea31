"""All ways to write an entity's name: those of the table, those that follow from them, and how
near what was said is to one of them, as names sound.

A surname alone stands for one person where nobody else who is well known bears it.
`tables/shared_surnames.csv` has the surnames of our people that two or more well-known people bear
(Pantheon 1.0: people with articles in more than 25 languages in 2016). One that is in it counts for
the bearer who has nine tenths of all their page views, and else for nobody: Mozart is Wolfgang
Amadeus, Armstrong is no one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import accumulate

import msgspec

from geobias.atlas.entities import Entity
from geobias.atlas.table import read_rows, shipped_table
from geobias.probes.geo20q.guess_words import GuessWords, guess_words
from geobias.probes.geo20q.tokens import ALONE, DOT, Token, fold, split_tokens


def _as_written_in(words: GuessWords, found: Sequence[Token]) -> Sequence[Token]:
    """Words with a language's abbreviations written out and its numerals in digits."""
    if not words.abbreviations.keys().isdisjoint([one.word for one in found]):
        found = [one._replace(word=words.abbreviations.get(one.word, one.word)) for one in found]
    for one in found:
        if one.word in words.ordinals or one.word.isdigit() or one.raw[0] in "IVX":
            return [*_numbered(found, words)]
    return found


_PREFIXES = re.compile(r"([وف]?)([بلك]?)(?:ال|ل)?")
"""Letters before an Arabic word: "and" or "so"; "in", "for" or "like"; the article."""


@lru_cache(maxsize=20_000)
def prefixes(written: str, name: str) -> str | None:
    """The words that stand as letters before a name in Arabic; none where others do.

    وميسي is "and Messi", كالكوالا "like the koala".
    """
    letters = fold(written)
    before = _PREFIXES.fullmatch(letters.removesuffix(name)) if letters.endswith(name) else None
    return before[1] + before[2] if before else None


@lru_cache(maxsize=20_000)
def words_of(spelling: str, code: str) -> tuple[Token, ...]:
    return tuple(_as_written_in(guess_words(code), _parted_spelling(spelling)))


@lru_cache(maxsize=20_000)
def _parted_spelling(spelling: str) -> tuple[Token, ...]:
    """Names in Latin letters count in every language."""
    return split_tokens(unicodedata.normalize("NFC", spelling))


@lru_cache(maxsize=2_000)
def words_said(text: str, code: str) -> tuple[Token, ...]:
    """The words of a turn (in NFC): games ask the same questions again and again."""
    return tuple(_as_written_in(guess_words(code), split_tokens(text)))


_ROMAN = re.compile(r"(?=[IVX])(X{0,2})(IX|IV|V?I{0,3})(?:er|re|ème|e)?")


def _numbered(found: Sequence[Token], words: GuessWords) -> Iterator[Token]:
    """Numerals in digits; the article before an ordinal and the title before a number are dropped.

    "Louis the Fourteenth" is louis 14, エリザベス女王二世 エリザベス 2 世.
    """
    dropped = _titles_before_number(found, words) if words.before_number else set()
    for place, one in enumerate(found):
        if place in dropped:
            continue
        ordinal = words.ordinals.get(one.word)
        after = None
        if ordinal is not None or one.word == "the":
            after = found[place + 1] if place + 1 < len(found) else None
        if after is not None and after.word in words.ordinals and one.word == "the":
            continue
        if ordinal is not None and after is not None and after.word == words.ten:
            dropped.add(place + 1)  # الرابع عشر, the "four ten"-th
            yield one._replace(word=str(ordinal + 10), number=True, end=after.end)
        elif ordinal is not None and (
            not words.after_number or (after is not None and after.word == words.after_number)
        ):
            yield one._replace(word=str(ordinal), number=True)
        elif one.word.isdigit():
            yield one._replace(number=True)
        elif one.raw[0] in "IVX" and one.raw != "I" and (roman := _ROMAN.fullmatch(one.raw)):
            yield one._replace(word=str(_value(roman)), number=True)
        elif one.raw == "I" and one.gap == " " and _may_be_king(found[place - 1], words):
            yield one._replace(word="1", number=True)
        else:
            yield one


def _may_be_king(before: Token, words: GuessWords) -> bool:
    """Whether an I after this word is a numeral and no pronoun."""
    return before.raw[:1].isupper() and before.word not in words.common | words.openers


def _titles_before_number(found: Sequence[Token], words: GuessWords) -> set[int]:
    """The places of a title that parts a name from its number: エリザベス女王二世."""
    places: set[int] = set()
    for place, one in enumerate(found[:-1]):
        number = one.word in words.ordinals or one.word.isdigit()
        if number and found[place + 1].word == words.after_number:
            for title in words.before_number:
                written = "".join(token.word for token in found[max(0, place - len(title)) : place])
                if written == title:
                    places |= set(range(place - len(title), place))
    return places


_UNITS = ("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX")


def _value(roman: re.Match[str]) -> int:
    return 10 * len(roman[1]) + _UNITS.index(roman[2])


@cache
def _shared_surnames() -> Mapping[str, str]:
    rows = read_rows(shipped_table("shared_surnames.csv"), ("surname", "bearers", "counts_for"))
    return {row["surname"]: row["counts_for"] for _, row in rows}


def surname_counts(surname: str, entity: str) -> bool:
    """Whether a surname (lower case, no accents) alone stands for the entity of this id, as far as
    well-known people outside of the table go."""
    return _shared_surnames().get(surname, entity) == entity


_LATIN, _OTHER, _ANY = (
    [(re.compile(pattern), sound) for pattern, sound in pairs]
    for pairs in (
        (
            (r"ph", "f"), (r"sch|sh|tch|ch|sz|cz|zh|dzh|dj|j(?=[aeiou])", "j"),
            (r"ck|kh|gh|q|x", "k"), (r"c(?=[eiy])", "s"), (r"c", "k"),
            (r"ou|oo|w(?=[aeiou])u?", "u"), (r"w", "v"), (r"y|ee", "i"), (r"(?<=[bdgkprt])h", ""),
            (r"z", "s"), (r"h(?![aeiou])", ""), (r"ae|oe", "e"),
        ),
        (
            ("ヴァ", "バ"), ("ヴィ", "ビ"), ("ヴェ", "ベ"), ("ヴォ", "ボ"), ("ヴ", "ブ"),
            ("ヂ", "ジ"), ("ヅ", "ズ"), ("ー|ッ", ""), ("ァ", "ア"), ("ィ", "イ"), ("ゥ", "ウ"),
            ("ェ", "エ"), ("ォ", "オ"),
            ("ी", "ि"), ("ू", "ु"), ("ै", "े"), ("ौ|ॉ", "ो"), ("्|ं", ""), ("ई", "इ"),
            ("ऊ", "उ"),
        ),
        ((r"(.)\1+", r"\1"),),
    )
)  # fmt: skip


@lru_cache(maxsize=50_000)
def sound_of(letters: str) -> str:
    """Letters with one sign for what is often written in several ways: y and i, k, q and kh …"""
    # Most words are of one script: the rules of the others find nothing in them.
    latin = _LATIN if letters and min(letters) <= "z" else ()
    other = _OTHER if letters and max(letters) >= "\u0900" else ()
    for pattern, sound in (*latin, *other, *_ANY):
        letters = pattern.sub(sound, letters)
    return letters


def slips(sound: str) -> int:
    """How many letters of a name of this length may be wrong."""
    return 0 if len(sound) < 6 else 1 if len(sound) < 10 else 2


@lru_cache(maxsize=50_000)
def letter_bits(sound: str) -> int:
    """Which letters a sound has, as bits; letters far apart in Unicode may share one."""
    bits = 0
    for letter in sound:
        bits |= 1 << (ord(letter) & 63)
    return bits


def may_be_near(one: int, other: int, most: int) -> bool:
    """Whether sounds with these letters may be near: a wrong letter changes two bits at most."""
    return (one ^ other).bit_count() <= 2 * most


def distance(one: str, other: str, most: int) -> int:
    """Letters that are wrong, missing, too many or swapped with the next; `most + 1` if more."""
    if one == other:
        return 0
    if abs(len(one) - len(other)) > most:
        return most + 1
    while one and other and one[0] == other[0]:
        one, other = one[1:], other[1:]
    while one and other and one[-1] == other[-1]:
        one, other = one[:-1], other[:-1]
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, left in enumerate(one, start=1):
        further, before, row = before, row, [i]
        for j, right in enumerate(other, start=1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (left != right))
            if i > 1 and j > 1 and left == other[j - 2] and one[i - 2] == right:
                cost = min(cost, further[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return row[-1]


class Spelling(msgspec.Struct, frozen=True, gc=False):
    """A way to write a name: its letters, where its words end in them, and whose it is.

    `lone` is a single word, which neighbours can make another's name; `derived` is no spelling of
    the table and counts where it is nobody else's.
    """

    letters: str
    ends: frozenset[int]
    owner: str
    lone: bool
    derived: bool = False
    number: bool = False
    """Whether a numeral is part of it."""
    initials: bool = False
    parts: tuple[str, ...] = ()

    @property
    def sound(self) -> str:
        return "".join(map(sound_of, self.parts))


_TITLE_BETWEEN = ("of", "the", "bin", "ibn", "al", "de la", "ii", "iii")
_SURNAME_FIRST = (
    "CHN",
    "TWN",
    "HKG",
    "MAC",
    "KOR",
    "PRK",
    "VNM",
    "KHM",
    "MMR",
    "IDN",
    "ISL",
    "MNG",
)
"""Where the last word of a name, as the table has it, is no surname."""
_PARTICLES = (
    "van", "von", "de", "da", "di", "del", "della", "du", "la", "le", "al", "el", "bin", "ben",
    "der", "dos", "do", "y",
)  # fmt: skip


def spellings_of(entity: Entity, language: str, words: GuessWords) -> list[Spelling]:
    """All ways to write an entity's name, those of the table first."""
    found: dict[str, Spelling] = {}

    def add(
        parts: Sequence[str], *, derived: bool = False, number: bool = False, initials: bool = False
    ) -> None:
        letters = "".join(parts)
        if not letters or letters in found:
            return
        ends = frozenset(accumulate(map(len, parts)))
        lone = len([part for part in parts if not part.isdigit()]) == 1 or (
            len(letters) <= 4 and bool(ALONE.match(letters))
        )
        found[letters] = Spelling(
            letters, ends, entity.id, lone, derived, number, initials, tuple(parts)
        )

    surnames = _uncounted_surnames(entity, language, words)
    for spelling in entity.spellings(language):
        parts = words_of(spelling, words.code)
        written = [one.word for one in parts]
        if written in surnames:
            continue
        number = any(one.number for one in parts)
        add(written, number=number)
        if number and len(parts) == 2:
            add(written[::-1], number=number)  # II. Mehmed, Mehmed II
        if written[:1] and written[0] in words.articles and len(written) > 2:
            add(written[1:], number=number)
        for place, part in enumerate(parts[1:-1], start=1):
            if part.number:  # Isabel I de Inglaterra
                add(written[: place + 1], derived=True, number=True)
            if part.word in words.links:  # Isabel I da Inglaterra
                for link in words.links - {part.word}:
                    add([*written[:place], link, *written[place + 1 :]], number=number)
    if entity.type == "person":
        for spelling in dict.fromkeys((entity.name_in(language) or entity.name, entity.name)):
            for short in _shortened(spelling, entity, words):
                add(short, derived=True, initials=len(short) > 1 and len(short[0]) == 1)
    return list(found.values())


def _uncounted_surnames(entity: Entity, language: str, words: GuessWords) -> list[list[str]]:
    """The surname alone where it is others' too: the table may list it, and it does not count."""
    if entity.type != "person" or surname_counts(_last_word(entity), entity.id):
        return []
    found = []
    for name in {entity.name, entity.name_in(language) or entity.name}:
        parts = words_of(name, words.code)
        dots = [place for place, one in enumerate(parts) if DOT.search(one.gap)]
        last = dots[-1] if dots else len(parts) - 1
        if last:
            found.append([one.word for one in parts[last:]])
    return found


def _shortened(spelling: str, entity: Entity, words: GuessWords) -> Iterator[list[str]]:
    """First and last name, initials and last name, the surname."""
    parts = words_of(spelling, words.code)
    written = [one.word for one in parts]
    if len(written) < 2 or any(one.number or one.word in _TITLE_BETWEEN for one in parts):
        return
    if any(ALONE.match(one.word) for one in parts):
        places = [place for place, one in enumerate(parts) if DOT.search(one.gap)]
        if places and surname_counts(_last_word(entity), entity.id) and _western(entity):
            yield written[places[-1] :]
        return
    if len(written) > 2:
        yield [written[0], written[-1]]
    if parts[0].raw[:1].isupper() and len(written[-1]) > 2:
        yield [*(word[0] for word in written[:-1]), written[-1]]
        yield [written[0][0], written[-1]]
    if not _western(entity):
        return
    if surname_counts(_last_word(entity), entity.id) and len(written[-1]) > 2:
        yield written[-1:]
    first = next((i for i, word in enumerate(written) if i and word in _PARTICLES), None)
    if first is not None and first < len(written) - 1:
        yield written[first:]
        if first < len(written) - 2:
            yield written[first + 1 :]  # San Martín, of José de San Martín


def _last_word(entity: Entity) -> str:
    return words_of(entity.name, "en")[-1].word


def _western(entity: Entity) -> bool:
    return entity.country not in _SURNAME_FIRST
