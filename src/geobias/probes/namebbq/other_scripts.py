"""Names that a reply writes in another script: Светлана, スヴェトラーナ, 斯维特拉娜 are Svetlana.

A word is read by its sounds, which languages write differently: vowels hardly count, sounds that
are mixed up (p and b, l and r, s and sh) are one, and the few left must agree with one of the two
people's names and not with the other's. What is near to both, or to neither, is left as it is.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path

from geobias.atlas.spelling import PLAIN_ARABIC, simplified, unaccented
from geobias.atlas.table import read_rows
from geobias.probes.lazy import regex

_HAN = r"\u3400-\u9fff"
_WORD = regex(
    rf"[{_HAN}]+|[\u3041-\u3096]+|[\u30a1-\u30fa\u30fc]+|[\uac00-\ud7a3]+"
    r"|[\u0900-\u0963\u0971-\u097f]+|[\u0370-\u03ff]+|[\u0400-\u04ff]+|[\u0590-\u05ff]+"
    r"|[\u0621-\u06d3]+"
)
"""A word in one of the scripts that are read here."""
_HAN_WORD = regex(rf"[{_HAN}]")
_SPACED_KANA = regex(r"(?<=[\u30a1-\u30fc])[・=＝](?=[\u30a1-\u30fc])")
_INFLECTED = regex(r"[\uac00-\ud7a3\u0370-\u03ff\u0400-\u04ff]{3}")
"""Of scripts that join particles or cases to a name."""
_MOST_ENDING = 3
_MOST_HAN, _LONGEST = 8, 30
"""Characters and letters of the longest name: what is longer is something else."""

_CLASSES = (
    (regex(r"([a-z])\1+"), r"\1"),
    (regex(r"tsch|tch|sch|cz|sz|rz|sh|zh|tz|ts|dz|dj"), "S"),
    (regex(r"(?<=[aeiou])x"), "KS"),
    (regex(r"ch|x|q|c(?=[eiy])|g(?=[eiy])"), "C"),
    (regex(r"ng(?![aeiouy])"), "N"),
    (regex(r"kh|gh|ck|[kgc]"), "K"),
    (regex(r"th|dh|[td]"), "T"),
    (regex(r"ph|[pbfv]"), "P"),
    (regex(r"n"), "N"),
    (regex(r"[sz]"), "S"),
    (regex(r"[lr]"), "L"),
    (regex(r"j"), "J"),
    (regex(r"h"), "H"),
    (regex(r"m"), "M"),
    (regex(r"w"), "W"),
    (regex(r"[aeiouy]+"), "a"),
    (regex(r"[^A-Za]"), ""),
)
"""What sounds alike, or is written by letters that are read in two ways: C is S or K."""
_NEAR = {
    frozenset(pair): cost
    for pairs, cost in {
        "CS CK WP Wa JS": 0.2, "Ja JH HK CH JC": 0.3, "HP MN": 0.5, "TS": 0.7, "JL": 0.7,
    }.items()
    for pair in pairs.split()
}  # fmt: skip
_ALONE = {"a": 0.12, "H": 0.3, "W": 0.3, "J": 0.5, "L": 0.6}
"""What a sound costs that one of the two has and the other has not; 1 where nothing is said."""
_ENDING = 0.15
"""What it costs to leave the ending of a word away: a particle, a case."""
_FEWEST_CONSONANTS = 2
_FAR, _NEARER = 0.34, 0.2
"""The most that two names may be apart, for each consonant: where a word stands nearly alone or has
a capital, and where it is one of many or a part of one."""
_FEW_WORDS = 3
_MARGIN, _SAME, _LESS_MARGIN = 0.5, 0.15, 0.3
"""By how much the other person's name must be further away; and where the one is the same."""


@cache
def _spelling() -> dict[int, str]:
    return {**{ord(one): other for one, other in simplified().items()}, **PLAIN_ARABIC}


def one_spelling(text: str) -> str:
    """The text without accents, in simplified characters, in Arabic letters without their signs."""
    return text if text.isascii() else unaccented(text).translate(_spelling())


def latinized(text: str, names: Mapping[int, str]) -> str:
    """The text with each of the names (by person) that it has in another script written as given.

    The text is in `one_spelling`.
    """
    text = _SPACED_KANA.sub("", text)
    words = [word.span() for word in _WORD.finditer(text)]
    if not words:
        return text
    few = len(words) + len(re.findall(r"[A-Za-z]+", text)) <= _FEW_WORDS
    # A name may be written in two: عبد الرحمن.
    pairs = [(one[0], two[1]) for one, two in pairwise(words) if two[0] == one[1] + 1]
    for spans in (words, pairs):
        found = [
            (start + part[0], start + part[1], part[2])
            for start, end in spans
            if (part := _found(text[start:end], names, few=few)) is not None
        ]
        if found:
            return _written(text, found, names)
    return text


def _found(word: str, names: Mapping[int, str], *, few: bool) -> tuple[int, int, int] | None:
    far = _FAR if few or word[0].isupper() else _NEARER
    return _whose(word, tuple(names.items()), far)


def _written(text: str, found: list[tuple[int, int, int]], names: Mapping[int, str]) -> str:
    for start, end, person in reversed(found):
        text = f"{text[:start]} {names[person]} {text[end:]}"
    return re.sub(" {2,}", " ", text).strip()


@lru_cache(maxsize=1 << 14)
def _whose(
    word: str, names: tuple[tuple[int, str], ...], far: float
) -> tuple[int, int, int] | None:
    """Where in a word a name stands, and whose."""
    for person, name in names:
        for writing in _japanese().get(name, ()):
            start = word.find(writing)
            # 武 is Takeshi, and 武器 is a weapon.
            if start >= 0 and (len(writing) > 1 or word == writing):
                return start, start + len(writing), person
    best: tuple[float, int, int, int] | None = None
    for start, end, sounds in _parts(word) if names else ():
        distances = sorted((_distance(sound_classes(name), sounds), p) for p, name in names)
        distance, person = distances[0]
        consonants = len(sound_classes(dict(names)[person]).replace("a", ""))
        left_away = _ENDING if end < len(word) else 0
        cut = _HAN_WORD.match(word) and end < len(word) and word[end] in _sounds()
        most = far if end - start == len(word) or (left_away and not cut) else min(far, _NEARER)
        if consonants < _FEWEST_CONSONANTS or distance + left_away > most * consonants:
            continue
        margin = _MARGIN if distance > _SAME else _LESS_MARGIN
        if len(distances) > 1 and distances[1][0] < distance + margin:
            continue
        found = (distance + left_away, -end, start, person)
        best = min(best or found, found)
    return None if best is None else (best[2], -best[1], best[3])


def _parts(word: str) -> Iterator[tuple[int, int, str]]:
    """The parts of a word that may be a name, with their sounds: the word, without its ending, and
    each run of Chinese characters that names are written with."""
    if _HAN_WORD.match(word):
        known = "".join("x" if one in _sounds() else " " for one in word)
        for run in re.finditer(rf"(?<!x)x{{1,{_MOST_HAN}}}(?!x)", known):
            # What follows a name at the start may be written with characters of names too.
            ends = range(2, run.end()) if run.start() == 0 else ()
            for end in (*ends, run.end()):
                sounds = "".join(_sounds()[one] for one in word[run.start() : end])
                yield run.start(), end, sound_classes(sounds)
        return
    if len(word) > _LONGEST:
        return
    romanized = [_romanized(letter) for letter in word]
    least = max(2, len(word) - _MOST_ENDING) if _INFLECTED.match(word) else len(word)
    starts = (0, 1) if word[0] in "وبلفك" and len(word) > _MOST_ENDING else (0,)
    for start in starts:
        for end in range(least, len(word) + 1):
            yield start, end, sound_classes("".join(romanized[start:end]))


@cache
def _sounds() -> dict[str, str]:
    """Letter or character → how it is read; Chinese ones are those that names are written with."""
    rows = read_rows(Path(__file__).with_name("sounds.csv"), ("sound", "characters"))
    return {
        one: row["sound"].replace("x", "ch").replace("q", "ch")
        for _, row in rows
        for one in row["characters"]
    }


@cache
def _japanese() -> dict[str, tuple[str, ...]]:
    """Names whose characters do not tell how they are read."""
    rows = read_rows(Path(__file__).with_name("japanese_names.csv"), ("name", "writings"))
    return {row["name"]: tuple(one_spelling(row["writings"]).split("|")) for _, row in rows}


@lru_cache(maxsize=4096)
def _romanized(letter: str) -> str:
    """By Unicode's name where that has the sound: HANGUL SYLLABLE KI, KATAKANA LETTER SMALL YA."""
    if (sound := _sounds().get(letter.lower())) is not None:
        return sound
    name = unicodedata.name(letter, "")
    if name.startswith("DEVANAGARI"):
        if "ANUSVARA" in name or "CANDRABINDU" in name:
            return "n"
        sound = name.split()[-1].lower() if " LETTER " in name or "VOWEL SIGN" in name else ""
        # The vowel after a consonant is written, or weak.
        sound = sound.rstrip("a") or sound
        return f"ch{sound[1:]}" if sound.startswith("c") else sound
    # Japan's small TU doubles the next consonant.
    if name.endswith("SMALL TU"):
        return ""
    sound = name.split()[-1].lower() if name.startswith(_NAMED_BY_SOUND) else ""
    return sound if name.startswith("HANGUL") else _KANA.get(sound, sound)


_NAMED_BY_SOUND = ("HANGUL", "HIRAGANA LETTER", "KATAKANA LETTER")
_KANA = {"ti": "chi", "si": "shi", "tu": "tsu", "hu": "fu"}


@lru_cache(maxsize=4096)
def sound_classes(romanized: str) -> str:
    """The sounds of a word in Latin letters, those that sound alike as one: SPaTLaNa."""
    sounds = unaccented(romanized).lower()
    for pattern, written in _CLASSES:
        sounds = pattern.sub(written, sounds)
    return sounds


def sound_alike(one: str, other: str) -> bool:
    """Whether two spellings in Latin letters have the same sounds, and enough of them to tell:
    Margarita, Margherita."""
    sounds = sound_classes(one)
    return sounds == sound_classes(other) and len(sounds.replace("a", "")) > _FEWEST_CONSONANTS


@lru_cache(maxsize=1 << 14)
def _distance(one: str, other: str) -> float:
    """The least cost of turning the one's sounds into the other's."""
    row = [0.0]
    for sound in other:
        row.append(row[-1] + _ALONE.get(sound, 1))
    for mine in one:
        alone = _ALONE.get(mine, 1)
        above, row = row, [row[0] + alone]
        for place, theirs in enumerate(other):
            swap = 0 if mine == theirs else _NEAR.get(frozenset((mine, theirs)), 1.2)
            row.append(min(
                above[place] + swap, above[place + 1] + alone, row[-1] + _ALONE.get(theirs, 1)
            ))  # fmt: skip
    return row[-1]
