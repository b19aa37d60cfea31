"""The words of a text with their places, as names are compared with them.

Words are without case and accents. Words of scripts without spaces are single characters, in their
simplified form; katakana keeps its words whole. Cyrillic letters are read as Latin ones, numerals
in Roman figures or in words as digits.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from geobias.atlas.spelling import simplified, without_article
from geobias.probes.geo20q.guess_words import GuessWords, guess_words
from geobias.probes.geo20q.naming import folded


class Token(NamedTuple):
    """A word of a text: as it is compared, as it is written, and where.

    `gap` is what stands between it and the word before; `number` says that it is a numeral, which
    `word` then has in digits.
    """

    word: str
    raw: str
    start: int
    end: int
    gap: str
    number: bool = False


_KATAKANA = r"\u30a1-\u30fa\u30fc-\u30fe\u31f0-\u31ff"
_UNSPACED = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u309f\u3400-\u4dbf"
    r"\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_SIGNS = (
    r"\u0300-\u036f\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0903\u093a-\u094f\u0951-\u0957"
    r"\u0962\u0963\u0981-\u0983\u09bc-\u09d7\u200c\u200d\u00ad\u0640"
)
"""Accents, vowel signs and joiners, which belong to the letter before."""
_WORD = re.compile(
    rf"[{_KATAKANA}]+|[{_UNSPACED}]|\d+|[^\W\d_{_KATAKANA}{_UNSPACED}](?:[^\W\d_{_KATAKANA}{_UNSPACED}]|[{_SIGNS}])*"
)
ALONE = re.compile(rf"[{_UNSPACED}]")
HINDI = re.compile(r"[\u0900-\u097f]")
JOINING = re.compile(r"['’‘ʼʻʿʾ`´′＇\-‐‑‒–—−.·・･‧•=＝゠]?")
"""What may stand between the parts of one name that is also written in one word."""
DOT = re.compile(r"[·・･‧•=＝゠]")
"""What parts a foreign name in Chinese and Japanese."""
_CYRILLIC = str.maketrans(
    dict(zip("абвгґдезиіїйклмнопрстуфыэё", "abvggdeziiijklmnoprstufyeo", strict=True))
    | {"ж": "zh", "х": "kh", "ц": "ts", "ч": "ch", "ш": "sh", "щ": "shch", "ю": "yu", "я": "ya"}
    | {"ъ": "", "ь": "", "є": "ye"}
)


def tokens(text: str, words: GuessWords) -> Sequence[Token]:
    """The words of a text (in NFC), numerals in digits."""
    return _as_written_in(words, _parted(text))


def _parted(text: str) -> tuple[Token, ...]:
    found: list[Token] = []
    last = 0
    for match in _WORD.finditer(text):
        start, end = match.span()
        if word := _compared(match[0]):
            found.append(Token(word, match[0], start, end, text[last:start]))
            last = end
    return tuple(found)


def _as_written_in(words: GuessWords, found: Sequence[Token]) -> Sequence[Token]:
    """Words with a language's abbreviations written out and its numerals in digits."""
    if not words.abbreviations.keys().isdisjoint([one.word for one in found]):
        found = [one._replace(word=words.abbreviations.get(one.word, one.word)) for one in found]
    for one in found:
        if one.word in words.ordinals or one.word.isdigit() or one.raw[0] in "IVX":
            return [*_numbered(found, words)]
    return found


@lru_cache(maxsize=50_000)
def _compared(written: str) -> str:
    letters = "".join(map(folded, written)).replace(" ", "").translate(_CYRILLIC)
    if len(letters) == 1:
        return simplified().get(letters, letters)
    return without_article(letters)


_PREFIXES = re.compile(r"([وف]?)([بلك]?)(?:ال|ل)?")
"""Letters before an Arabic word: "and" or "so"; "in", "for" or "like"; the article."""


@lru_cache(maxsize=20_000)
def prefixes(written: str, name: str) -> str | None:
    """The words that stand as letters before a name in Arabic; none where others do.

    وميسي is "and Messi", كالكوالا "like the koala".
    """
    letters = "".join(map(folded, written))
    before = _PREFIXES.fullmatch(letters.removesuffix(name)) if letters.endswith(name) else None
    return before[1] + before[2] if before else None


@lru_cache(maxsize=20_000)
def words_of(spelling: str, code: str) -> tuple[Token, ...]:
    return tuple(_as_written_in(guess_words(code), _parted_spelling(spelling)))


@lru_cache(maxsize=20_000)
def _parted_spelling(spelling: str) -> tuple[Token, ...]:
    """Names in Latin letters count in every language."""
    return _parted(unicodedata.normalize("NFC", spelling))


@lru_cache(maxsize=2_000)
def words_said(text: str, code: str) -> tuple[Token, ...]:
    """The words of a turn (in NFC): games ask the same questions again and again."""
    return tuple(tokens(text, guess_words(code)))


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
        elif ordinal is not None and (not words.after_number or _holds(after, words.after_number)):
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


def _holds(one: Token | None, wanted: str) -> bool:
    return one is not None and one.word == wanted


def _value(roman: re.Match[str]) -> int:
    units = {
        "": 0,
        "I": 1,
        "II": 2,
        "III": 3,
        "IV": 4,
        "V": 5,
        "VI": 6,
        "VII": 7,
        "VIII": 8,
        "IX": 9,
    }
    return 10 * len(roman[1]) + units[roman[2]]
