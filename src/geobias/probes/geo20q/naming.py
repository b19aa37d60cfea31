"""Does this text name that person or thing? The rule by which a game is won.

A text is taken apart into words without case and accents. A name is found where its words stand
one after another: "Georgia" is not in "Georgian", "Ma" not in "Jamaica", and "Eiffel Tower's" does
name the Eiffel Tower. Characters of scripts that write without spaces (Chinese, Japanese, Thai …)
are words of their own, which makes a match there a match of substrings; only katakana keeps its
words whole, so that インド (India) is not in インドネシア (Indonesia).

Apostrophes, hyphens, dots and the like part words. Since people leave them out as well (Xi'an,
Xian; Al-Hambra, Alhambra), text and name are both read a second time with those signs dropped,
and initials that stand apart (J R R) a third time as one word. Hindi names are the same with and
without the spaces in them (ताज महल, ताजमहल).

Two rules need capitals, and hold where a text has both cases. An article before a single word of
five letters or more may be left out where the word has a capital ("Is it Kremlin?", not "does it
scream?"). And a single word that names a person is no match right before another capitalised word
that is none of the person's own names and no word of origin: "Marta Roure" is not Marta, while
"Marta Vieira" and "Is Marta Brazilian?" name her.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from typing import Any, Literal

import msgspec

from geobias.atlas.economies import economies
from geobias.atlas.entities import Entity
from geobias.atlas.spelling import (
    ARABIC_LETTERS,
    ARABIC_MARKS,
    is_arabic,
    simplified,
    stems,
    without_article,
)

MOST_READ = 2000
"""Characters looked at. A turn has 64 tokens; what is longer is a runaway's."""

_MARKS = "".join(map(chr, range(0x300, 0x370))) + "\u093c\u200c\u200d\u00ad"
_MARKS += ARABIC_MARKS
"""Accents of European scripts, the Hindi nukta, Arabic vowel signs, joiners and soft hyphens:
written or left out.

The dakuten of kana (か, が) and the vowel signs of Hindi are letters and stay.
"""
_LETTERS = {
    "ø": "o", "đ": "d", "ð": "d", "ł": "l", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th", "ħ": "h",
    "\u0901": "\u0902", **ARABIC_LETTERS, **simplified(),
}  # fmt: skip
"""Letters that Unicode does not take apart; two Hindi signs of the same nasal; Arabic letters that
are mixed up, and traditional Chinese characters."""
_JOINERS = "'’‘ʼʻʿʾ`´′＇-‐‑‒–—−"
_PART = str.maketrans(dict.fromkeys(_JOINERS, " "))
_JOIN = str.maketrans(dict.fromkeys(_JOINERS))
_INITIALS = re.compile(r"(?<![^\W\d_])([^\W\d_])\.[ \u00a0]?(?=[^\W\d_]\.)")
"""An initial before another: "A. P. J. Abdul Kalam" is "APJ. Abdul Kalam"."""


class _Folding(dict[int, str]):
    """Character → what it is read as: letters and digits, or a space; filled as they are met."""

    def __missing__(self, code: int) -> str:
        folded = unicodedata.normalize("NFKD", chr(code).casefold()).casefold()
        kept = "".join(_LETTERS.get(c, c) for c in folded if c not in _MARKS)
        whole = unicodedata.normalize("NFC", kept)
        read = "".join(c if unicodedata.category(c)[0] in "LNM" else " " for c in whole)
        if len(self) < 100_000:
            self[code] = read
        return read


_FOLDING = _Folding()


def folded(character: str) -> str:
    """A character as it is compared: without case and accents, a space for what is no letter."""
    return _FOLDING[ord(character)]


_KATAKANA = "\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
_UNSPACED = (
    f"{_KATAKANA}\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u309f"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_WORD = re.compile(rf"[{_UNSPACED}]|[^\s{_UNSPACED}]+")
_ANY_UNSPACED = re.compile(rf"[{_UNSPACED}]")
_RUNS_ON = re.compile(rf"(?<=[{_KATAKANA}])[{_KATAKANA}]")


class Words(msgspec.Struct, frozen=True, gc=False):
    """A text as words; `runs_on` are the places of katakana that continue a katakana word."""

    words: list[str]
    runs_on: frozenset[int] = frozenset()

    def holds(self, name: Sequence[str], start: int) -> bool:
        """Whether a name stands here. Its first word does, perhaps behind an Arabic prefix."""
        end = start + len(name)
        return (
            self.words[start + 1 : end] == name[1:]
            and start not in self.runs_on
            and end not in self.runs_on
        )


@lru_cache(maxsize=4_000)
def split_words(text: str, *, joined: bool = False) -> Words:
    """A text as words, with what hyphens and apostrophes part in two, or `joined` in one."""
    plain = unicodedata.normalize("NFC", text[:MOST_READ])
    if "." in plain:
        plain = _INITIALS.sub(r"\1", plain)
    folded = plain.translate(_JOIN if joined else _PART).translate(_FOLDING)
    if _ANY_UNSPACED.search(folded) is None:
        words = folded.split()
        return Words([*map(without_article, words)] if is_arabic(text) else words)
    matches = list(_WORD.finditer(folded))
    runs = frozenset(i for i, word in enumerate(matches) if _RUNS_ON.match(folded, word.start()))
    return Words([word[0] for word in matches], runs)


@lru_cache(maxsize=2_000)
def readings(text: str) -> tuple[Words, ...]:
    """A text as words; once more joined where it has hyphens or apostrophes, or initials apart."""
    apart = split_words(text)
    ways = [apart]
    if any(sign in text for sign in _JOINERS):
        ways.append(split_words(text, joined=True))
    if not apart.runs_on and (close := _initials_joined(apart.words)) != apart.words:
        ways.append(Words(close))
    return tuple(ways)


def _initials_joined(words: list[str]) -> list[str]:
    """Single letters one after another as one word: j r r tolkien → jrr tolkien."""
    joined: list[str] = []
    running = False
    for word in words:
        initial = len(word) == 1 and word.isalpha() and not _ANY_UNSPACED.match(word)
        if initial and running:
            joined[-1] += word
        else:
            joined.append(word)
        running = initial
    return joined


def phrases(spellings: Iterable[str]) -> list[list[str]]:
    """The word sequences that count as one of these spellings."""
    sequences: dict[tuple[str, ...], None] = {}
    for spelling in spellings:
        for reading in readings(spelling):
            sequences[tuple(reading.words)] = None
            if reading.words[:1] == ["the"] and len(reading.words) > 2:
                sequences[tuple(reading.words[1:])] = (
                    None  # "the Great Wall": a question may say "a"
                )
    return [list(one) for one in sequences if one]


_SHAPE = re.compile(r"[^\W_]+")
_HINDI = re.compile(r"[\u0900-\u097f]")
_FEWEST_LETTERS = 5
"""Of a single word that may go without its article: "Who?" does not ask for The Who."""
_MOST_PARTS = 4
"""Words that a Hindi name may be written apart in."""


class _Spelling(msgspec.Struct, frozen=True, gc=False):
    """A way to write a name, and where it counts: everywhere, with a capital, or not before one."""

    words: list[str]
    owner: str
    rule: Literal["", "capital", "person"] = ""


class NameMatcher:
    """Finds names in a text. They are kept by their first word, so that looking for thousands costs
    what looking for one does."""

    def __init__(
        self, spelled: Iterable[tuple[str, Iterable[str]]], people: Container[str] = ()
    ) -> None:
        """`spelled` pairs each id with its spellings; `people` are the ids of persons."""
        self._by_first: dict[str, list[_Spelling]] = {}
        self._hindi: dict[str, list[_Spelling]] = {}
        self._own: dict[str, set[str]] = {}
        for owner, spellings in spelled:
            known = phrases(spellings)
            if owner in people:
                self._own[owner] = {word for phrase in known for word in phrase}
            for phrase in known:
                lone = len(phrase) == 1 and owner in people
                self._add(_Spelling(phrase, owner, "person" if lone else ""))
                if phrase[0] == "the" and len(phrase) == 2 and len(phrase[1]) >= _FEWEST_LETTERS:
                    self._add(_Spelling(phrase[1:], owner, "capital"))

    def _add(self, one: _Spelling) -> None:
        if _HINDI.match(one.words[0]):
            self._hindi.setdefault("".join(one.words), []).append(one)
        else:
            self._by_first.setdefault(one.words[0], []).append(one)

    def matches(self, text: str) -> Iterator[tuple[int, str]]:
        """The length in words and the id of every name in a text, from left to right."""
        for reading in self.matches_by_reading(text):
            for _, length, owner in reading:
                yield length, owner

    def matches_by_reading(self, text: str) -> Iterator[Iterator[tuple[int, int, str]]]:
        """For each reading of a text: place, length in words and id of every name in it."""
        for reading in readings(text):
            yield self._matches_in(reading, text)

    def _matches_in(self, reading: Words, text: str) -> Iterator[tuple[int, int, str]]:
        words = reading.words
        for place, word in enumerate(words):
            for stem in stems(word):
                for one in self._by_first.get(stem, ()):
                    if reading.holds(one.words, place) and self._counts_here(one, text):
                        yield place, len(one.words), one.owner
            if self._hindi and _HINDI.match(word):
                for length in range(1, _MOST_PARTS + 1):
                    for one in self._hindi.get("".join(words[place : place + length]), ()):
                        if place + length <= len(words):
                            yield place, length, one.owner

    def _counts_here(self, one: _Spelling, text: str) -> bool:
        """Whether a single word counts here, by what is written large in the text."""
        if not one.rule or text.isupper() or text.islower():
            return one.rule != "capital"
        text = unicodedata.normalize("NFC", text[:MOST_READ])
        shapes = list(_SHAPE.finditer(text))
        here = [i for i, shape in enumerate(shapes) if split_words(shape[0]).words == one.words]
        if one.rule == "capital":
            return any(shapes[i][0][0].isupper() for i in here)
        return not here or any(
            not self._followed_by_surname(one, shapes[i : i + 2], text) for i in here
        )

    def _followed_by_surname(self, one: _Spelling, pair: list[re.Match[str]], text: str) -> bool:
        """Whether a first name is followed by the surname of somebody else."""
        if len(pair) < 2 or text[pair[0].end() : pair[1].start()].strip():
            return False
        after = pair[1][0]
        own = set(split_words(after).words) <= self._own[one.owner]
        return after[0].isupper() and after != "I" and not own and after not in _demonyms()

    def prefix_length(self, words: list[str]) -> int:
        """The length in words of the longest name that these words begin with; 0 if none."""
        begun = self._by_first.get(words[0], ()) if words else ()
        lengths = (len(one.words) for one in begun if words[: len(one.words)] == one.words)
        hindi = (n for n in range(1, len(words) + 1) if "".join(words[:n]) in self._hindi)
        return max((*lengths, *hindi), default=0)

    def any(self, text: str) -> bool:
        return next(self.matches(text), None) is not None


@cache
def _demonyms() -> frozenset[str]:
    return frozenset(one.demonym for one in economies().values())


@lru_cache(maxsize=256)
def _names_of(entity_id: str, spellings: tuple[str, ...], person: bool) -> NameMatcher:
    return NameMatcher([(entity_id, spellings)], {entity_id} if person else ())


def name_matcher(entity: Entity, language: str = "en") -> NameMatcher:
    return _names_of(entity.id, entity.spellings(language), entity.type == "person")


class EntityMatcher:
    """Which entity of a whole table a text names, in a game in one language.

    Names are made ready when first wanted: not every game needs them, and another process makes its
    own. Matchers of the same table and language are equal and share them.
    """

    def __init__(self, table: Mapping[str, Entity], language: str) -> None:
        self.table = table
        self.language = language

    def __reduce__(self) -> tuple[Any, ...]:
        return EntityMatcher, (self.table, self.language)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, EntityMatcher)
            and self.table is other.table
            and self.language == other.language
        )

    def __hash__(self) -> int:
        return hash((id(self.table), self.language))

    @cached_property
    def _matcher(self) -> NameMatcher:
        return _names_in(self)

    def any(self, text: str) -> bool:
        return self._matcher.any(text)

    def best_match(self, text: str, target: Entity) -> Entity | None:
        """The entity that a text names; None where it names none, or the target.

        Of several the one with the longest name, of equally long ones one of the target's type,
        and of these the last that is said.
        """
        best: Entity | None = None
        rank = (0, False)
        for length, owner in self._matcher.matches(text):
            if owner == target.id:
                return None
            one = self.table[owner]
            here = (length, one.type == target.type)
            if here >= rank:
                best, rank = one, here
        return best

    def first_match(self, text: str, target: Entity) -> Entity | None:
        """The first entity of the target's type that a text names: of several, it guesses that.

        Where names begin at the same place, the longest; of equally long ones, the target.
        """
        first: Entity | None = None
        for reading in self._matcher.matches_by_reading(text):
            fitting = ((p, -n, o) for p, n, o in reading if self.table[o].type == target.type)
            best = min(fitting, key=lambda one: (*one[:2], one[2] != target.id), default=None)
            if best is not None and best[2] == target.id:
                return self.table[best[2]]
            first = first or (self.table[best[2]] if best else None)
        return first


@lru_cache(maxsize=32)
def _names_in(matcher: EntityMatcher) -> NameMatcher:
    known = matcher.table.values()
    people = {one.id for one in known if one.type == "person"}
    return NameMatcher(((one.id, one.spellings(matcher.language)) for one in known), people)
