"""Does this text name that person or thing? The rule by which a game is won.

A text is taken apart into words without case and accents. A name is found where its words stand
one after another: "Georgia" is not in "Georgian", "Ma" not in "Jamaica", and "Eiffel Tower's" does
name the Eiffel Tower. Characters of scripts that write without spaces (Chinese, Japanese, Thai …)
are words of their own, which makes a match there a match of substrings; only katakana keeps its
words whole, so that インド (India) is not in インドネシア (Indonesia).

Apostrophes, hyphens, dots and the like part words. Since people leave them out as well (Xi'an,
Xian; Al-Hambra, Alhambra), text and name are both read a second time with those signs dropped.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

import msgspec

from geobias.atlas.entities import Entity

MOST_READ = 2000
"""Characters looked at. A turn has 64 tokens; what is longer is a runaway's."""

_MARKS = "".join(map(chr, range(0x300, 0x370))) + "\u093c\u0640\u200c\u200d\u00ad"
"""Accents of European scripts, the Hindi nukta, joiners and soft hyphens: written or left out.

The dakuten of kana (か, が) and the vowel signs of Hindi are letters and stay.
"""
_LETTERS = {
    "ø": "o", "đ": "d", "ð": "d", "ł": "l", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th", "ħ": "h",
    "\u0901": "\u0902",
}  # fmt: skip
"""Letters that Unicode does not take apart; and two Hindi signs of the same nasal."""
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
        """Whether this name stands here as a whole."""
        end = start + len(name)
        return (
            self.words[start:end] == name and start not in self.runs_on and end not in self.runs_on
        )


def words_of(text: str, *, joined: bool = False) -> Words:
    """A text as words, with what hyphens and apostrophes part in two, or `joined` in one."""
    plain = unicodedata.normalize("NFC", text[:MOST_READ])
    if "." in plain:
        plain = _INITIALS.sub(r"\1", plain)
    folded = plain.translate(_JOIN if joined else _PART).translate(_FOLDING)
    if _ANY_UNSPACED.search(folded) is None:
        return Words(folded.split())
    found = list(_WORD.finditer(folded))
    runs = frozenset(i for i, word in enumerate(found) if _RUNS_ON.match(folded, word.start()))
    return Words([word[0] for word in found], runs)


def readings(text: str) -> list[Words]:
    """A text as words, and once more joined where it has hyphens or apostrophes."""
    apart = words_of(text)
    if not any(sign in text for sign in _JOINERS):
        return [apart]
    return [apart, words_of(text, joined=True)]


def phrases(spellings: Iterable[str]) -> list[list[str]]:
    """The word sequences that count as one of these spellings."""
    found: dict[tuple[str, ...], None] = {}
    for spelling in spellings:
        for reading in readings(spelling):
            found[tuple(reading.words)] = None
            if reading.words[:1] == ["the"] and len(reading.words) > 2:
                found[tuple(reading.words[1:])] = None  # "the Great Wall": a question may say "a"
    return [list(one) for one in found if one]


class Names:
    """Names by their first word, so that looking for thousands costs what looking for one does."""

    def __init__(self, spelled: Iterable[tuple[str, Iterable[str]]]) -> None:
        """`spelled` pairs each id with its spellings."""
        self._by_first: dict[str, list[tuple[list[str], str]]] = {}
        for owner, spellings in spelled:
            for phrase in phrases(spellings):
                self._by_first.setdefault(phrase[0], []).append((phrase, owner))

    def found(self, text: str) -> Iterator[tuple[int, str]]:
        """The length in words and the id of every name in a text, from left to right."""
        for reading in readings(text):
            for place, word in enumerate(reading.words):
                for phrase, owner in self._by_first.get(word, ()):
                    if reading.holds(phrase, place):
                        yield len(phrase), owner

    def any(self, text: str) -> bool:
        """Whether a text holds one of the names."""
        return next(self.found(text), None) is not None


@lru_cache(maxsize=256)
def names_of(entity_id: str, spellings: tuple[str, ...]) -> Names:
    """One entity's names."""
    return Names([(entity_id, spellings)])


def names_entity(text: str, entity: Entity, language: str = "en") -> bool:
    """Whether a text names this entity in a game in this language."""
    return names_of(entity.id, entity.spellings(language)).any(text)


class Directory:
    """Which entity of a whole table a text names, in a game in one language."""

    def __init__(self, table: Mapping[str, Entity], language: str) -> None:
        self._table = table
        self._names = Names((one.id, one.spellings(language)) for one in table.values())

    def named(self, text: str, besides: Entity) -> Entity | None:
        """The entity that a text names; None where it names none, or the target.

        Of several the one with the longest name, of equally long ones one of the target's type,
        and of these the last that is said.
        """
        best: Entity | None = None
        rank = (0, False)
        for length, owner in self._names.found(text):
            if owner == besides.id:
                return None
            one = self._table[owner]
            here = (length, one.type == besides.type)
            if here >= rank:
                best, rank = one, here
        return best
