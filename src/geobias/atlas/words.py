"""The words of a text with their positions, in the form in which names and phrases are compared.

Words are without case and accents. Words of scripts without spaces are single characters, in their
simplified form. Katakana keeps its words whole, so that インド (India) is not in インドネシア
(Indonesia). Apostrophes, hyphens and dots separate words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from geobias.atlas.spelling import ARABIC_MARKS, letter_variants, without_article

MOST_READ = 2000
"""Maximum characters that are read. A turn has 64 tokens, so a longer text is runaway output."""

_MARKS = "".join(map(chr, range(0x300, 0x370))) + "\u093c\u200c\u200d\u00ad"
_MARKS += ARABIC_MARKS
"""Signs that writers may leave out: accents of European scripts, the Hindi nukta, Arabic vowel
signs, joiners and soft hyphens.

The dakuten of kana (か, が) and the vowel signs of Hindi are letters and stay.
"""
_LETTERS = {
    "ø": "o", "đ": "d", "ð": "d", "ł": "l", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th", "ħ": "h",
    "\u0901": "\u0902", **letter_variants(),
}  # fmt: skip
"""Letter → the letter that replaces it: letters that Unicode does not decompose, two Hindi signs of
one nasal, Arabic letters that are confused, and traditional Chinese characters.
"""


class _Folding(dict[int, str]):
    """A cache: character → the letters and digits, or the space, that replace it for comparing."""

    def __missing__(self, code: int) -> str:
        folded = unicodedata.normalize("NFKD", chr(code).casefold()).casefold()
        kept = "".join(_LETTERS.get(c, c) for c in folded if c not in _MARKS)
        whole = unicodedata.normalize("NFC", kept)
        read = "".join(c if unicodedata.category(c)[0] in "LNM" else " " for c in whole)
        if len(self) < 100_000:
            self[code] = read
        return read


_FOLDING = _Folding()


def fold(text: str) -> str:
    """A text without case and accents, and with letters, digits and spaces only."""
    return text.translate(_FOLDING)


class Token(NamedTuple):
    """A word of a text: as compared, as written, and its position."""

    word: str
    raw: str
    start: int
    end: int


KATAKANA = r"\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"
UNSPACED = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u309f\u3400-\u4dbf"
    r"\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Thai, Lao, Burmese, Khmer, hiragana and Chinese characters, whose words are not apart."""
SIGNS = (
    r"\u0300-\u036f\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0903\u093a-\u094f\u0951-\u0957"
    r"\u0962\u0963\u0981-\u0983\u09bc-\u09d7\u200c\u200d\u00ad\u0640"
)
"""Accents, vowel signs and joiners, which belong to the letter before them."""
_WORD = re.compile(
    rf"[{KATAKANA}]+|[{UNSPACED}]|\d+|[^\W\d_{KATAKANA}{UNSPACED}](?:[^\W\d_{KATAKANA}{UNSPACED}]|[{SIGNS}])*"
)
Words: TypeAlias = tuple[str, ...]


@lru_cache(maxsize=50_000)
def _compared(written: str) -> str:
    return without_article(fold(written).replace(" ", ""))


def split_tokens(text: str) -> tuple[Token, ...]:
    """The words of a text (in NFC)."""
    return tuple(
        Token(word, match[0], *match.span())
        for match in _WORD.finditer(text)
        if (word := _compared(match[0]))
    )


@lru_cache(maxsize=4_000)
def split_words(text: str) -> Words:
    plain = unicodedata.normalize("NFC", text[:MOST_READ])
    return tuple(one.word for one in split_tokens(plain))


def spaced(text: str) -> str:
    """The words of a text with a space before and after each, to search it for phrases."""
    return f" {' '.join(split_words(text))} "


def has_phrase(text: str, phrases: Iterable[str]) -> bool:
    """Whether a text has the words of one of the phrases in sequence."""
    said = spaced(text)
    return any(spaced(one) in said for one in phrases)
