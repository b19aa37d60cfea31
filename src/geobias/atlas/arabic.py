"""Arabic words in one spelling: without vowel signs, article and letters that stand for each other.

Vowel signs and hamzas are written or left out, final ي and ى, ه and ة are mixed up, and the article
comes and goes (الكوالا, كوالا). Texts and names are brought to the same form, so that it does not
matter which of them a writer prefers. "And", "in", "for" and "like" are letters before a word
(وفرنسا, بفرنسا, لفرنسا, كفرنسا). Only a list of words tells them from a word's own letters: لبنان
is Lebanon, and not "for بنان".
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence

MARKS = "".join(map(chr, (*range(0x64B, 0x660), 0x670, 0x640, *range(0x6D6, 0x6DD))))
"""Vowel signs, hamzas above and below a letter, and the stroke that stretches a word."""
LETTERS = {
    "أ": "ا", "إ": "ا", "آ": "ا", "ٱ": "ا", "ؤ": "و", "ئ": "ي", "ى": "ي", "ی": "ي", "ة": "ه",
    "ۀ": "ه", "ک": "ك",
    **{chr(start + digit): str(digit) for start in (0x660, 0x6F0) for digit in range(10)},
}  # fmt: skip
"""Letters and digits that are read as others."""
PLAIN = str.maketrans({**LETTERS, **dict.fromkeys(MARKS, "")})

_ARABIC = re.compile(r"[\u0600-\u06ff]")
_ARTICLE = re.compile(r"^(?:[وف]?(?:[بك]?ال|لل))(?=[^\W\d_]{3})")
_PREFIX = re.compile(r"^[وف]?[بلك]?")
FEWEST_LETTERS = 3
"""Of a word that may have lost a prefix."""


def is_arabic(text: str) -> bool:
    return _ARABIC.search(text) is not None


def without_article(word: str) -> str:
    """A word of plain letters without "the", and without what stands before it: بالهند → هند."""
    return _ARTICLE.sub("", word) if _ARABIC.match(word) else word


def stems(word: str) -> Sequence[str]:
    """What a word may be without the prefixes of one letter; first the word itself."""
    if word.isascii() or not _ARABIC.match(word):
        return (word,)
    most = min(len(word) - FEWEST_LETTERS, _PREFIX.match(word).end())  # type: ignore[union-attr]
    return [word, *(word[length:] for length in range(1, most + 1))]


def detached(words: list[str], known: Container[str]) -> list[str]:
    """Words with prefixes as words of their own, where only the rest is known: ب فرنسا."""
    parts: list[str] = []
    for word in words:
        stem = next((one for one in stems(word) if one in known), word)
        parts += [*word[: len(word) - len(stem)], stem]
    return parts
