"""By which words a person may be meant: a people in several languages, a name in several scripts.

A name in another script is read by its sounds (Светлана, スヴェトラーナ, 斯维特拉娜 are Svetlana),
which languages write differently: vowels hardly count, sounds that are mixed up (p and b, l and r,
s and sh) are one, and the few left must agree with one of the two people's names and not with the
other's. What is near to both, or to neither, is left as it is.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path

import msgspec

from geobias.atlas.economies import economies
from geobias.atlas.places import CAPITAL_ONLY, country_spellings, english_spellings, names_in
from geobias.atlas.spelling import PLAIN_ARABIC, simplified, unaccented
from geobias.atlas.table import read_rows
from geobias.probes.namebbq.names import countries_of
from geobias.probes.namebbq.names import names as shipped_names

# -- names in other scripts ------------------------------------------------------------------------

_HAN = r"\u3400-\u9fff"
_WORD = re.compile(
    rf"[{_HAN}]+|[\u3041-\u3096]+|[\u30a1-\u30fa\u30fc]+|[\uac00-\ud7a3]+"
    r"|[\u0900-\u0963\u0971-\u097f]+|[\u0370-\u03ff]+|[\u0400-\u04ff]+|[\u0590-\u05ff]+"
    r"|[\u0621-\u06d3]+"
)
"""A word in one of the scripts that are read here."""
_HAN_WORD = re.compile(rf"[{_HAN}]")
_SPACED_KANA = re.compile(r"(?<=[\u30a1-\u30fc])[・=＝](?=[\u30a1-\u30fc])")
_INFLECTED = re.compile(r"[\uac00-\ud7a3\u0370-\u03ff\u0400-\u04ff]{3}")
"""Of scripts that join particles or cases to a name."""
_MOST_ENDING = 3
_MOST_HAN, _LONGEST = 8, 30
"""Characters and letters of the longest name: what is longer is something else."""

_CLASSES = (
    (re.compile(r"([a-z])\1+"), r"\1"),
    (re.compile(r"tsch|tch|sch|cz|sz|rz|sh|zh|tz|ts|dz|dj"), "S"),
    (re.compile(r"(?<=[aeiou])x"), "KS"),
    (re.compile(r"ch|x|q|c(?=[eiy])|g(?=[eiy])"), "C"),
    (re.compile(r"ng(?![aeiouy])"), "N"),
    (re.compile(r"kh|gh|ck|[kgc]"), "K"),
    (re.compile(r"th|dh|[td]"), "T"),
    (re.compile(r"ph|[pbfv]"), "P"),
    (re.compile(r"n"), "N"),
    (re.compile(r"[sz]"), "S"),
    (re.compile(r"[lr]"), "L"),
    (re.compile(r"j"), "J"),
    (re.compile(r"h"), "H"),
    (re.compile(r"m"), "M"),
    (re.compile(r"w"), "W"),
    (re.compile(r"[aeiouy]+"), "a"),
    (re.compile(r"[^A-Za]"), ""),
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


# -- peoples ---------------------------------------------------------------------------------------

_MORE_WORDS = {
    "American": ("America", "USA", "Yankee"),
    "British": ("Brit", "Briton"),
    "Dominican": ("Dominican",),
    "Icelandic": ("Icelander",),
    "Korean": ("Korea",),
    "Polish": ("Pole",),
    "Slovak": ("Slovakian",),
}
"""Words for a people that the tables of places lack, since no country is asked for by them."""
_CAPITAL_WORDS = CAPITAL_ONLY | {"pole", "polen"}
_SHORT = 3
"""Latin words up to this length are a country only with a capital: Çin is China, cin is not."""
_LATIN = re.compile(r"[\x00-\u024f]+")
_HINT = 5
_SPACED_LANGUAGES = ("en", "es", "fr", "pt", "tr", "hi", "ar")
"""Those of the tables in which a country's name is a word apart."""
_SPACED = re.compile(r"[\u0400-\u04ff -]+|[\u0900-\u097f ]+")
_ARABIC = re.compile(r"[\u0600-\u06ff ]+")
_HANGUL = re.compile(r"[\uac00-\ud7a3]+")


def country_of(nationality: str) -> str:
    """ISO-3 of a nationality: by the table of names, then by demonym; "" where neither is sure."""
    return _countries().get(nationality, "")


@cache
def _countries() -> dict[str, str]:
    countries: dict[str, str] = {}
    for one in economies().values():
        # Two economies are Congolese: a word for both is a word for neither.
        countries[one.demonym] = "" if one.demonym in countries else one.iso3
    return countries | countries_of(shipped_names())


class People(msgspec.Struct, frozen=True):
    """The words for a country and its people, without accents, and where a text has one; `abroad`
    are those that are not English, `places` those for the country and its capital.

    A text without any of the `hints` has none of them; one in plain letters needs to be looked
    through for the `plain_hints` alone.
    """

    words: tuple[str, ...]
    hints: tuple[str, ...]
    plain_hints: tuple[str, ...]
    abroad: frozenset[str]
    places: frozenset[str]
    pattern: re.Pattern[str]
    plain_pattern: re.Pattern[str]

    def pattern_for(self, low: str) -> re.Pattern[str] | None:
        """What finds the words in a text, given in small letters; None where it has none."""
        plain = low.isascii()
        for hint in self.plain_hints if plain else self.hints:
            if hint in low:
                return self.plain_pattern if plain else self.pattern
        return None


@cache
def people_of(nationality: str) -> People | None:
    """None where it is no country's."""
    if not (iso3 := country_of(nationality)):
        return None
    more = _MORE_WORDS.get(nationality, ())
    languages = tuple(_rows().get(nationality, ()))[1:]
    abroad = {one_spelling(word) for word in country_spellings()[iso3]}
    abroad |= _spelled_of(nationality, *languages)
    english = {one_spelling(word) for word in (*english_spellings()[iso3], *more)}
    spellings = english | abroad
    words = sorted(spellings, key=lambda one: (-len(one), one))
    plain = tuple(filter(str.isascii, words))
    lower = tuple({word.lower() for word in words})
    # Beginnings will do: forms in several languages share them, and few are looked for quickly.
    begun = {word[:_HINT] for word in lower}
    hints = tuple(one for one in begun if not any(o in one for o in begun if o != one))
    plain_hints = tuple(filter(str.isascii, hints))
    own = {word.lower() for word in english} | _capitals_in_small_letters()
    only_abroad = frozenset(word.lower() for word in abroad) - own
    places = _spelled_of(nationality, "capital", "indonesian", "russian")
    places |= {one_spelling(names_in(language, iso3)) for language in _SPACED_LANGUAGES}
    in_small = frozenset(place.lower() for place in places)
    patterns = _pattern(words), _pattern(plain)
    return People(lower, hints, plain_hints, only_abroad, in_small, *patterns)


@cache
def _rows() -> dict[str, dict[str, str]]:
    """By nationality, words for its people in other languages, with their cases: the man and the
    woman, or what both begin with, or the country; and the capital, which stands for its country.
    """
    rows = read_rows(Path(__file__).with_name("peoples.csv"), ("nationality",))
    return {row["nationality"]: row for _, row in rows}


def _spelled_of(nationality: str, *columns: str) -> set[str]:
    row = _rows().get(nationality, {})
    cells = (row.get(column, "").split("|") for column in columns)
    return {one_spelling(word) for words in cells for word in words if word}


@cache
def _spelled(*columns: str) -> frozenset[str]:
    return frozenset[str]().union(*(_spelled_of(nationality, *columns) for nationality in _rows()))


def _capitals() -> frozenset[str]:
    return _spelled("capital")


@cache
def _with_capital() -> frozenset[str]:
    """Words that mean a people only with a capital: in small letters some are words of another
    language. Those of English are as they are."""
    own = {one_spelling(word) for words in country_spellings().values() for word in words}
    return _spelled("capital", "indonesian", "dutch", "turkish") - (own - _capitals())


def _capitals_in_small_letters() -> set[str]:
    return {capital.lower() for capital in _capitals()}


@cache
def demonyms() -> frozenset[str]:
    """All of them, in lower case: Nigerien is another people, and no slip for Nigerian."""
    return frozenset(one.demonym.lower() for one in economies().values())


def _pattern(spellings: Iterable[str]) -> re.Pattern[str]:
    """Finds any of them. Those that end alike stand together, so that a search tries them at the
    beginnings of words alone."""
    groups: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for spelling in spellings:
        words = re.escape(spelling)
        short = len(spelling) <= _SHORT
        if short or spelling.lower() in _CAPITAL_WORDS or spelling in _with_capital():
            words = f"(?-i:{words})" if _LATIN.fullmatch(spelling) else words
        groups[_around(spelling)].append(words)
    parts = (f"{before}(?:{'|'.join(words)}){after}" for (before, after), words in groups.items())
    return re.compile("|".join(parts), re.IGNORECASE)


_STARTS, _ENDS = r"(?<![^\W_])", r"(?![^\W_])"


def _around(spelling: str) -> tuple[str, str]:
    """What must stand before and after a word for a people, by its script."""
    if _SPACED.fullmatch(spelling):
        return _STARTS, _ENDS
    if _ARABIC.fullmatch(spelling):
        # "And", "in", "for" and "the" are joined to the word before, its gender and number behind.
        return rf"{_STARTS}[وف]?(?:[بك]?ال|لل|[بلك])?", rf"(?:ه|ات|ين|ون|ان|تين|تان)?{_ENDS}"
    if _HANGUL.fullmatch(spelling):
        return _STARTS, ""  # Particles are joined to the word.
    if not _LATIN.fullmatch(spelling):
        return "", ""  # Scripts without spaces.
    return _STARTS, "" if spelling.endswith(".") else rf"(?:'?s|s'|man|woman|men|women)?{_ENDS}"
