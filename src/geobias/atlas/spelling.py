r"""Compare spellings of names, ignoring accents, case, "St." and "&", Arabic and Chinese variants.

Names are for reading and searching; tables are always joined by code.

Arabic writers may leave out vowel signs and hamzas, interchange ي with ى and ه with ة at the end of
a word, and add or drop the article (الكوالا, كوالا). Texts and names are brought to the same form,
so that these variants agree. "And", "in", "for" and "like" are letters before a word (وفرنسا,
بفرنسا, لفرنسا, كفرنسا). Only a list of words tells them from the word's own letters: لبنان is
Lebanon, and not "for بنان".

Traditional and Japanese characters are read as their simplified counterparts: 毛澤東 is 毛泽东.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Mapping, Sequence
from functools import cache, lru_cache

from geobias.atlas.table import read_rows, shipped_table

# Letters that Unicode does not decompose into a base letter and a mark.
_BASE_LETTERS = str.maketrans({"ø": "o", "đ": "d", "ł": "l", "ı": "i", "æ": "ae", "œ": "oe"})
_WORD = re.compile(r"[^\W_]+")
_SYNONYMS = {"st": "saint", "ste": "saint"}


@lru_cache(maxsize=4_096)
def spelling_key(text: str) -> str:
    """A normal form in which all spellings of one name agree: plain lower-case words, single
    spaces.

    "Türkiye", "TURKIYE" and "turkiye" agree, as do "St. Lucia" and "Saint Lucia", "U.S." and "US",
    "Bahamas, The" and "The Bahamas" ("the" is dropped everywhere). Otherwise word order is kept.
    Text without a letter or digit has the empty key.
    """
    plain = text.replace("&", " and ").replace("’", "'")
    decomposed = unicodedata.normalize("NFKD", plain.casefold()).casefold()
    letters = "".join(c for c in decomposed if not unicodedata.combining(c))
    # Apostrophes join (d'Ivoire, People's). Full stops join initials only (U.S.).
    joined = letters.translate(_BASE_LETTERS).replace("'", "")
    joined = re.sub(r"\b(\w)\.(?=\w\b|\W|$)", r"\1", joined)
    words = (_SYNONYMS.get(word, word) for word in _WORD.findall(joined))
    return " ".join(word for word in words if word != "the")


ARABIC_MARKS = "".join(map(chr, (*range(0x64B, 0x660), 0x670, 0x640, *range(0x6D6, 0x6DD))))
"""Vowel signs, hamzas above and below a letter, and the stroke that stretches a word."""

_ARABIC = re.compile(r"[\u0600-\u06ff]")
_ARABIC_ARTICLE = re.compile(r"^(?:[وف]?(?:[بك]?ال|لل))(?=[^\W\d_]{3})")
_ARABIC_PREFIX = re.compile(r"^[وف]?[بلك]?")
FEWEST_LETTERS = 3
"""Minimum letters of a word that may have lost a prefix."""


def without_article(word: str) -> str:
    """Remove the article, and the prefix before it, from a word of plain letters: بالهند → هند."""
    return _ARABIC_ARTICLE.sub("", word) if _ARABIC.match(word) else word


def stems(word: str) -> Sequence[str]:
    """Return the word itself, and the word without each prefix of one letter that it may have."""
    if word.isascii() or not _ARABIC.match(word):
        return (word,)
    most = min(len(word) - FEWEST_LETTERS, _ARABIC_PREFIX.match(word).end())  # type: ignore[union-attr]
    return [word, *(word[length:] for length in range(1, most + 1))]


def detached(words: list[str], known: Container[str]) -> list[str]:
    """Split one-letter prefixes off words if the rest is a known word: ب فرنسا."""
    parts: list[str] = []
    for word in words:
        stem = next((one for one in stems(word) if one in known), word)
        parts += [*word[: len(word) - len(stem)], stem]
    return parts


@cache
def letter_variants() -> Mapping[str, str]:
    """Chinese character or Arabic letter or digit → the one that it is read as."""
    rows = read_rows(shipped_table("letter_variants.csv"), ("letter", "variants"))
    return {one: row["letter"] for _, row in rows for one in row["variants"]}
