r"""When two spellings are the same name: accents, LaTeX escapes, case, "St." and "&".

Names are for reading and for finding; tables are always joined by code. What is here serves the
one place where a person or a paper types a name.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

# TeX accent commands and the Unicode combining mark each stands for (The TeXbook, chapter 9).
_TEX_ACCENTS = {
    "`": "\u0300",
    "'": "\u0301",
    "^": "\u0302",
    "~": "\u0303",
    "=": "\u0304",
    "u": "\u0306",
    ".": "\u0307",
    '"': "\u0308",
    "r": "\u030a",
    "H": "\u030b",
    "v": "\u030c",
    "c": "\u0327",
    "k": "\u0328",
}
# A command that is a sign takes its letter directly (\'e); one that is a letter needs a brace or a
# space (\c{c}, \c c), or else it is the start of a longer word.
_TEX_ACCENTED = re.compile(
    r"""\\(?:(?P<sign>[`'^~=."])\s*|(?P<letter>[urHvck])(?:\s+|(?=\{)))
        (?:\{\\?(?P<braced>[^\W\d_])\}|\\?(?P<bare>[^\W\d_]))""",
    re.VERBOSE,
)
_TEX_ESCAPED = re.compile(r"\\([&%$#_{} ])")

# Letters that Unicode does not decompose into a base letter and a mark.
_BASE_LETTERS = str.maketrans({"ø": "o", "đ": "d", "ł": "l", "ı": "i", "æ": "ae", "œ": "oe"})
_MORE_LETTERS = str.maketrans({
    "Ø": "O", "Đ": "D", "Ł": "L", "Æ": "Ae", "Œ": "Oe", "ß": "ss", "ẞ": "SS", "þ": "th", "Þ": "Th",
    "ð": "d", "Ð": "D", "ħ": "h", "Ħ": "H", "ŧ": "t", "Ŧ": "T", "ə": "a", "Ə": "A", "ʻ": "'",
    "ʼ": "'", "ʿ": "'", "ʾ": "'",
})  # fmt: skip
_MARKS = re.compile(r"[\u0300-\u036f]+")
_WORD = re.compile(r"[^\W_]+")
_SYNONYMS = {"st": "saint", "ste": "saint"}


def without_tex(text: str) -> str:
    r"""The text with LaTeX escapes written as characters: ``\&`` is &, ``Cura\c{c}ao`` Curaçao."""
    if "\\" not in text:
        return text

    def accented(match: re.Match[str]) -> str:
        mark = _TEX_ACCENTS[match["sign"] or match["letter"]]
        return unicodedata.normalize("NFC", (match["braced"] or match["bare"]) + mark)

    return _TEX_ESCAPED.sub(r"\1", _TEX_ACCENTED.sub(accented, text))


def unaccented(text: str) -> str:
    """The text with its letters' marks taken off, case and all else kept: "Þóra" is "Thora".

    Marks of other scripts that change the letter (Devanagari, kana) stay.
    """
    if text.isascii():
        return text
    bare = _MARKS.sub("", unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFC", bare).translate(_BASE_LETTERS).translate(_MORE_LETTERS)


@lru_cache(maxsize=4_096)
def spelling_key(text: str) -> str:
    """A form in which spellings of one name agree: plain lower-case words with single spaces.

    "Türkiye", "TURKIYE" and "turkiye" agree, as do "St. Lucia" and "Saint Lucia", "U.S." and "US",
    "Bahamas, The" and "The Bahamas" ("the" is dropped wherever it stands). Word order is kept
    otherwise. Text without a letter or digit has the empty key.
    """
    plain = without_tex(text).replace("&", " and ").replace("’", "'")
    decomposed = unicodedata.normalize("NFKD", plain.casefold()).casefold()
    letters = "".join(c for c in decomposed if not unicodedata.combining(c))
    # Apostrophes join (d'Ivoire, People's); full stops join only initials (U.S.), else they part.
    joined = letters.translate(_BASE_LETTERS).replace("'", "")
    joined = re.sub(r"\b(\w)\.(?=\w\b|\W|$)", r"\1", joined)
    words = (_SYNONYMS.get(word, word) for word in _WORD.findall(joined))
    return " ".join(word for word in words if word != "the")
