"""Where a text names the target of a game, in any spelling that counts.

A text is taken apart into words without case and accents, and each word keeps its place. A name is
found where its letters stand one after another from the beginning of a word to the end of one, so
that hyphens, apostrophes, dots and the spaces of a name may be there or not (Xi'an, Xian; ताज महल,
ताजमहल). Words of scripts without spaces are single characters; katakana keeps its words whole.

What counts beside the spellings of the table, for everybody alike:

    first and last name, initials and last name      where nobody else of the table has them
    the surname alone                                 where it is nobody else's who is well known
    a number in digits, in Roman figures or in words  Louis 14, Louis the Fourteenth
    traditional, simplified and Japanese characters   毛澤東, 毛沢東, 毛泽东
    Cyrillic letters; endings of cases and plurals    Лев Толстой, Messi'yi, koalas
    a small slip of the pen                           where it makes it nobody else's name

What does not: a name within a longer one of the table, or beside words that make it another's
("Winnie Mandela", "Napoleon III", 哈莉·贝利).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from typing import Any, NamedTuple

import msgspec

from geobias.atlas.economies import economies
from geobias.atlas.entities import Entity
from geobias.atlas.surnames import han_variants, surname_counts
from geobias.probes.geo20q.guess_words import GuessWords, guess_words
from geobias.probes.geo20q.naming import MOST_READ, EntityMatcher, folded

# -- words with their places -----------------------------------------------------------------------


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
_ALONE = re.compile(rf"[{_UNSPACED}]")
_HINDI = re.compile(r"[\u0900-\u097f]")
_JOINING = re.compile(r"['’‘ʼʻʿʾ`´′＇\-‐‑‒–—−.·・･‧•=＝゠]?")
"""What may stand between the parts of one name that is also written in one word."""
_DOT = re.compile(r"[·・･‧•=＝゠]")
"""What parts a foreign name in Chinese and Japanese."""
_CYRILLIC = str.maketrans(
    dict(zip("абвгґдезиіїйклмнопрстуфыэё", "abvggdeziiijklmnoprstufyeo", strict=True))
    | {"ж": "zh", "х": "kh", "ц": "ts", "ч": "ch", "ш": "sh", "щ": "shch", "ю": "yu", "я": "ya"}
    | {"ъ": "", "ь": "", "є": "ye"}
)


def tokens(text: str, words: GuessWords) -> list[Token]:
    """The words of a text (in NFC), numerals in digits."""
    found: list[Token] = []
    last = 0
    for match in _WORD.finditer(text):
        start, end = match.span()
        if word := _compared(match[0]):
            found.append(Token(word, match[0], start, end, text[last:start]))
            last = end
    return list(_numbered(found, words))


@lru_cache(maxsize=50_000)
def _compared(written: str) -> str:
    letters = "".join(map(folded, written)).replace(" ", "").translate(_CYRILLIC)
    return han_variants().get(letters, letters) if len(letters) == 1 else letters


@lru_cache(maxsize=20_000)
def _words_of(spelling: str, code: str) -> tuple[Token, ...]:
    return tuple(tokens(unicodedata.normalize("NFC", spelling), guess_words(code)))


_ROMAN = re.compile(r"(?=[IVX])(X{0,2})(IX|IV|V?I{0,3})(?:er|re|ème|e)?")


def _numbered(found: list[Token], words: GuessWords) -> Iterator[Token]:
    """Numerals in digits; the article before an ordinal and the title before a number are dropped.

    "Louis the Fourteenth" is louis 14, エリザベス女王二世 エリザベス 2 世.
    """
    dropped = _titles_before_number(found, words) if words.before_number else ()
    for place, one in enumerate(found):
        if place in dropped:
            continue
        after = found[place + 1] if place + 1 < len(found) else None
        ordinal = words.ordinals.get(one.word)
        if after is not None and after.word in words.ordinals and one.word == "the":
            continue
        if ordinal is not None and (not words.after_number or _holds(after, words.after_number)):
            yield one._replace(word=str(ordinal), number=True)
        elif one.word.isdigit():
            yield one._replace(number=True)
        elif (roman := _ROMAN.fullmatch(one.raw)) and one.raw != "I":
            yield one._replace(word=str(_value(roman)), number=True)
        elif one.raw == "I" and place and _may_be_king(found[place - 1], words):
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
    units = {"": 0, "I": 1, "II": 2, "III": 3, "IV": 4, "V": 5, "VI": 6, "VII": 7, "VIII": 8, "IX": 9}
    return 10 * len(roman[1]) + units[roman[2]]


# -- ways to write a name --------------------------------------------------------------------------


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
_SURNAME_FIRST = ("CHN", "TWN", "HKG", "MAC", "KOR", "PRK", "VNM", "KHM", "MMR", "IDN", "ISL", "MNG")
"""Where the last word of a name, as the table has it, is no surname."""
_PARTICLES = ("van", "von", "de", "da", "di", "del", "della", "du", "la", "le", "al", "el", "bin", "ben", "der", "dos", "do", "y")


def spellings_of(entity: Entity, language: str, words: GuessWords) -> list[Spelling]:
    """All ways to write an entity's name, those of the table first."""
    found: dict[str, Spelling] = {}

    def add(
        parts: Sequence[str], *, derived: bool = False, number: bool = False, initials: bool = False
    ) -> None:
        letters = "".join(parts)
        if not letters or letters in found:
            return
        ends, so_far = set(), 0
        for part in parts:
            so_far += len(part)
            ends.add(so_far)
        lone = len([part for part in parts if not part.isdigit()]) == 1 or (
            bool(_ALONE.match(letters)) and len(letters) <= 4
        )
        found[letters] = Spelling(letters, frozenset(ends), entity.id, lone, derived, number, initials, tuple(parts))

    for spelling in entity.spellings(language):
        parts = _words_of(spelling, words.code)
        written = [one.word for one in parts]
        number = any(one.number for one in parts)
        add(written, number=number)
        if number and len(parts) == 2:
            add(written[::-1], number=number)  # II. Mehmed, Mehmed II
        if written[:1] and written[0] in words.articles and len(written) > 2:
            add(written[1:], number=number)
    if entity.type == "person":
        for spelling in dict.fromkeys((entity.name_in(language) or entity.name, entity.name)):
            for parts in _shortened(spelling, entity, words):
                add(parts, derived=True, initials=len(parts) > 1 and len(parts[0]) == 1)
    return list(found.values())


def _shortened(spelling: str, entity: Entity, words: GuessWords) -> Iterator[list[str]]:
    """First and last name, initials and last name, the surname."""
    parts = _words_of(spelling, words.code)
    written = [one.word for one in parts]
    if len(written) < 2 or any(one.number or one.word in _TITLE_BETWEEN for one in parts):
        return
    if any(_ALONE.match(one.word) for one in parts):
        places = [place for place, one in enumerate(parts) if _DOT.search(one.gap)]
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


def _last_word(entity: Entity) -> str:
    return _words_of(entity.name, "en")[-1].word


def _western(entity: Entity) -> bool:
    return entity.country not in _SURNAME_FIRST


# -- names as they sound ---------------------------------------------------------------------------

_SOUNDS = [
    (re.compile(pattern), sound)
    for pattern, sound in (
        (r"ph", "f"), (r"sch|sh|tch|ch|sz|cz|zh|dzh|dj|j(?=[aeiou])", "j"), (r"ck|kh|gh|q|x", "k"),
        (r"c(?=[eiy])", "s"), (r"c", "k"), (r"ou|oo|w(?=[aeiou])u?", "u"), (r"w", "v"), (r"y|ee", "i"),
        (r"(?<=[bdgkprt])h", ""), (r"z", "s"), (r"h(?![aeiou])", ""), (r"ae|oe", "e"),
        ("ヴァ", "バ"), ("ヴィ", "ビ"), ("ヴェ", "ベ"), ("ヴォ", "ボ"), ("ヴ", "ブ"), ("ヂ", "ジ"), ("ヅ", "ズ"),
        ("ー|ッ", ""), ("ァ", "ア"), ("ィ", "イ"), ("ゥ", "ウ"), ("ェ", "エ"), ("ォ", "オ"),
        ("ी", "ि"), ("ू", "ु"), ("ै", "े"), ("ौ|ॉ", "ो"), ("्|ं", ""), ("ई", "इ"), ("ऊ", "उ"),
        (r"(.)\1+", r"\1"),
    )
]  # fmt: skip


@lru_cache(maxsize=20_000)
def sound_of(letters: str) -> str:
    """Letters with one sign for what is often written in several ways: y and i, k, q and kh …"""
    for pattern, sound in _SOUNDS:
        letters = pattern.sub(sound, letters)
    return letters


def slips(sound: str) -> int:
    """How many letters of a name of this length may be wrong."""
    return 0 if len(sound) < 6 else 1 if len(sound) < 10 else 2


def distance(one: str, other: str, most: int) -> int:
    """Letters that are wrong, missing, too many or swapped with the next; `most + 1` if more."""
    if one == other:
        return 0
    if abs(len(one) - len(other)) > most or len(set(one) ^ set(other)) > 2 * most:
        return most + 1
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


# -- names in a text -------------------------------------------------------------------------------


_FIGURES = re.compile(r"\d+")


class Sighting(NamedTuple):
    """A name in a text: whose, from which word to which, and the ending of its last word."""

    owner: str
    first: int
    last: int
    """Behind its last word."""
    ending: str
    spelling: Spelling


class Names:
    """The names of a table in one language, and of one target in it."""

    def __init__(self, table: Mapping[str, Entity], language: str) -> None:
        self._table = table
        self.language = language
        self.words = guess_words(language)
        self._targets: dict[str, list[Spelling]] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return Names, (self._table, self.language)

    @cached_property
    def _spellings(self) -> dict[str, list[Spelling]]:
        return {
            one.id: spellings_of(one, self.language, self.words) for one in self._table.values()
        }

    @cached_property
    def _owners(self) -> dict[str, set[str]]:
        owners: dict[str, set[str]] = {}
        for id_, spellings in self._spellings.items():
            for one in spellings:
                owners.setdefault(one.letters, set()).add(id_)
        return owners

    @cached_property
    def _by_beginning(self) -> dict[str, list[Spelling]]:
        found: dict[str, list[Spelling]] = {}
        for spellings in self._spellings.values():
            for one in spellings:
                if not one.derived or len(self._owners[one.letters]) == 1:
                    for beginning in {one.parts[0], one.letters}:
                        found.setdefault(beginning, []).append(one)
        return found

    def _target(self, entity: Entity) -> list[Spelling]:
        if entity.id not in self._targets:
            own = self._spellings.get(entity.id) if self._table.get(entity.id) is entity else None
            self._targets[entity.id] = [
                one
                for one in own or spellings_of(entity, self.language, self.words)
                if not one.derived or self._owners.get(one.letters, {entity.id}) == {entity.id}
            ]
        return self._targets[entity.id]

    def own_words(self, entity: Entity) -> set[str]:
        return {
            one.word
            for spelling in entity.spellings(self.language)
            for one in _words_of(spelling, self.language)
        }

    def sightings(self, text: str, target: Entity) -> list[Sighting]:
        """The target's names in a text, and with them those of others; none without the target's.

        Where a longer name of another holds the target's, it is the other's.
        """
        return self.read(text, target)[1]

    def read(self, text: str, target: Entity) -> tuple[list[Token], list[Sighting]]:
        text = unicodedata.normalize("NFC", text[:MOST_READ])
        said = tokens(text, self.words)
        own = self._target(target)
        found = [one for way in _ways(text, said) for one in self._found(way, own, said)]
        if all(one.spelling.lone for one in found):
            found += [
                one
                for one in self._misspelt(said, own, target)
                if not any(_holds_little_more(one, exact, said) for exact in found)
            ]
        if not found:
            return said, []
        found = [one for one in found if not self._of_another(one, said, text, target)]
        if not found:
            return said, []
        small = text.islower() or text.isupper()
        others = [
            one
            for one in self._others(said)
            if one.owner != target.id
            and (small or not one.spelling.lone or not said[one.first].raw[:1].islower())
        ]
        found = [
            one
            for one in found
            if not any(
                other.first <= one.first
                and one.last <= other.last
                and other.last - other.first > one.last - one.first
                for other in others
            )
        ]
        if not found:
            return said, []
        longest = _longest(found)
        beside = [
            one for one in _longest(others)
            if not any(one.first < mine.last and mine.first < one.last for mine in longest)
        ]
        return said, sorted([*longest, *beside], key=lambda one: one.first)

    def _found(
        self, way: Sequence[int], spellings: Iterable[Spelling], said: Sequence[Token]
    ) -> Iterator[Sighting]:
        for place in range(len(way)):
            for one in spellings:
                if (seen := self._at(way, place, one, said)) is not None:
                    yield seen

    def _others(self, said: Sequence[Token]) -> Iterator[Sighting]:
        way = range(len(said))
        for place in way:
            for one in self._by_beginning.get(said[place].word, ()):
                if (seen := self._at(way, place, one, said)) is not None:
                    yield seen

    def _at(
        self, way: Sequence[int], place: int, one: Spelling, said: Sequence[Token]
    ) -> Sighting | None:
        """A spelling from this word on, if it stands there."""
        letters, covered, here = one.letters, 0, place
        while covered < len(letters):
            if here >= len(way):
                return None
            token = said[way[here]]
            if covered and covered not in one.ends and not _may_part(token, said[way[here - 1]]):
                return None
            word = token.word
            if not letters.startswith(word, covered):
                rest = letters[covered:]
                ending = word[len(rest) :]
                if rest and word.startswith(rest) and self._is_ending(ending, one, token):
                    return Sighting(one.owner, way[place], way[here] + 1, ending, one)
                return None
            covered += len(word)
            here += 1
        if here < len(way) and not one.number and _is_first(said[way[here]]):
            here += 1  # Napoleon I is Napoleon
        ending = self._ending_after(said, way[here - 1] + 1)
        return Sighting(one.owner, way[place], way[here - 1] + 1 + bool(ending), ending, one)

    def _ending_after(self, said: Sequence[Token], place: int) -> str:
        """The ending that an apostrophe joins to a name: Messi'yi."""
        if self.words.cases and place < len(said) and said[place].gap in ("'", "’", "ʼ", "`"):
            return said[place].word if self.words.endings.fullmatch(said[place].word) else ""
        return ""

    def _is_ending(self, ending: str, one: Spelling, token: Token) -> bool:
        return len(one.letters) > 3 and bool(self.words.endings.fullmatch(ending))

    def _misspelt(
        self, said: Sequence[Token], own: Sequence[Spelling], target: Entity
    ) -> list[Sighting]:
        found = []
        sounds = [sound_of(one.word) for one in said]
        for one in own:
            sound = one.sound
            most = slips(sound)
            if len(sound) < 5 or one.initials:
                continue
            figures = _FIGURES.findall(sound)
            shortest, longest = len(sound) - most, len(sound) + most
            for place in range(len(said)):
                heard = ""
                for last in range(place, min(len(said), place + len(one.ends) + 1)):
                    heard += sounds[last]
                    if len(heard) > longest:
                        break
                    if len(heard) < shortest or (one.lone and heard[0] != sound[0]):
                        continue
                    wrong = distance(heard, sound, most)
                    if (
                        wrong <= most
                        and _FIGURES.findall(heard) == figures
                        and self._could_be(said[place : last + 1], one, said)
                        and self._nobody_elses(heard, wrong, target)
                    ):
                        ending = self._ending_after(said, last + 1)
                        found.append(
                            Sighting(target.id, place, last + 1 + bool(ending), ending, one)
                        )
        return found

    def _could_be(
        self, window: Sequence[Token], one: Spelling, said: Sequence[Token]
    ) -> bool:
        """Whether these words may be a name with a slip: not across a stop, and no common word."""
        if any(
            not _side_by_side(token.gap.replace(".", "") if before.number else token.gap)
            for before, token in zip(window, window[1:], strict=False)
        ):
            return False
        if any(token.number for token in window) != one.number:
            return False
        if len(window) > 1:
            return not any(token.word in self.words.common for token in window)
        raw = window[0].raw
        written_small = not any(token.raw[:1].isupper() for token in said[1:])
        script_has_case = raw[:1].lower() != raw[:1].upper()
        if window[0].word in self.words.common or window[0].word in _places_and_peoples():
            return False
        return not script_has_case or raw[:1].isupper() or written_small or len(raw) > 6

    def _nobody_elses(self, heard: str, wrong: int, target: Entity) -> bool:
        """Whether no other entity's name is as near to what was said."""
        for letters, owners in self._sounds.items():
            if target.id in owners or abs(len(letters) - len(heard)) > wrong:
                continue
            if distance(heard, letters, wrong) <= wrong:
                return False
        return True

    @cached_property
    def _sounds(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for spellings in self._spellings.values():
            for one in spellings:
                found.setdefault(one.sound, set()).add(one.owner)
        return found

    def _of_another(
        self, one: Sighting, said: Sequence[Token], text: str, target: Entity
    ) -> bool:
        """Whether words beside a name make it somebody else's."""
        before = said[one.first - 1] if one.first else None
        after = said[one.last] if one.last < len(said) else None
        own = self.own_words(target)
        if not one.spelling.number and self._other_number(one, said):
            return True
        if not one.spelling.lone:
            return False
        if before is not None and _DOT.search(said[one.first].gap) and before.word not in own:
            return True
        if after is not None and _DOT.search(after.gap) and not after.gap.strip("·・･‧•=＝゠"):
            if after.word not in own:
                return True
        if _ALONE.match(one.spelling.letters):
            return target.type == "person" and self._runs_on(one, said)
        if _HINDI.match(one.spelling.letters):  # no capitals tell a first name from other words
            return (
                one.spelling.derived
                and before is not None
                and said[one.first].gap == " "
                and before.word not in own | self.words.beside
            )
        if text.isupper() or text.islower():
            return False
        if after is not None and self._other_name(after, own, after.gap):
            return not one.ending and after.word not in self.words.named_after
        if before is None or not self._other_name(before, own, said[one.first].gap):
            return False
        if target.type == "thing" and not said[one.first].raw[:1].isupper():
            return False
        first = one.first == 1 or re.search(r"[.!?…:¿¡\n]", before.gap) is not None
        if first and before.word in self.words.openers:
            return False
        return one.spelling.derived or target.type == "person" or not _knows_titles(before, self)

    def _other_number(self, one: Sighting, said: Sequence[Token]) -> bool:
        """Whether a numeral makes it another: "Napoleon III"; the first is he himself."""
        after = said[one.last] if one.last < len(said) else None
        if after is not None and after.number and _side_by_side(after.gap) and after.word != "1":
            return not after.raw.isdigit() or len(after.raw) < 3
        before = said[one.first - 1] if one.first else None
        return (
            before is not None
            and before.number
            and not before.raw.isdigit()
            and said[one.first].gap.strip(" .") == ""
            and self.language == "tr"
            and before.word != "1"
        )

    def _other_name(self, word: Token, own: set[str], gap: str) -> bool:
        """Whether a neighbour is a name: written large, and none of the target's own words."""
        return (
            not gap.strip(" \u00a0-")
            and bool(gap)
            and word.raw[:1].isupper()
            and word.raw != "I"
            and not word.number
            and word.word not in own
            and word.word not in self.words.titles
            and word.word not in self.words.common
            and word.word not in _places_and_peoples()
        )

    def _runs_on(self, one: Sighting, said: Sequence[Token]) -> bool:
        """Whether one further character makes a longer name: 马云飞 is not 马云."""
        after = said[one.last : one.last + 2]
        if not after or after[0].gap or len(one.spelling.letters) > 3:
            return False
        if not _ALONE.match(after[0].word) or after[0].word in self.words.after_name:
            return False
        return len(after) < 2 or bool(after[1].gap) or after[1].word in self.words.after_name


@lru_cache(maxsize=32)
def names_of(matcher: EntityMatcher) -> Names:
    """The names of the table that a game's guesses are looked up in."""
    return Names(matcher.table, matcher.language)


def _knows_titles(before: Token, names: Names) -> bool:
    return before.word in names.words.generic


def _is_first(token: Token) -> bool:
    return token.number and token.word == "1" and not token.raw.isdigit() and token.gap == " "


def _holds_little_more(one: Sighting, exact: Sighting, said: Sequence[Token]) -> bool:
    """Whether a sighting is an exact one and a particle or so beside it."""
    further = [*said[one.first : exact.first], *said[exact.last : one.last]]
    inside = one.first <= exact.first and exact.last <= one.last
    return inside and sum(len(token.word) for token in further) < 3


def _ways(text: str, said: Sequence[Token]) -> Iterator[Sequence[int]]:
    """The words of a text in order; and once more without what stands in quotation marks or
    brackets in the middle of a name: Dwayne "The Rock" Johnson."""
    yield range(len(said))
    inside = [
        (quoted.start(), quoted.end())
        for quoted in re.finditer(r"[\"“«'‘(][^\"”»'’()]{1,30}[\"”»'’)]", text)
    ]
    if inside:
        kept = [
            place
            for place, one in enumerate(said)
            if not any(start <= one.start and one.end <= end for start, end in inside)
        ]
        if len(kept) < len(said):
            yield kept


def _may_part(token: Token, before: Token) -> bool:
    """Whether a name that is one word may be parted here."""
    if _JOINING.fullmatch(token.gap):
        return True
    return token.gap.strip(" .") == "" and (
        len(before.word) == 1 or _HINDI.match(token.word) is not None
    )


def _side_by_side(gap: str) -> bool:
    return not gap.strip(" \u00a0'’-‐·・=＝")


def _longest(found: Iterable[Sighting]) -> list[Sighting]:
    """Sightings that no longer one holds, each place once."""
    kept: list[Sighting] = []
    for one in sorted(found, key=lambda one: (one.first - one.last, bool(one.ending), one.first)):
        if not any(one.first < other.last and other.first < one.last for other in kept):
            kept.append(one)
    return kept


@cache
def _places_and_peoples() -> frozenset[str]:
    """Single words for countries, continents and their people."""
    words = guess_words("en")
    named = [name for one in economies().values() for name in (one.demonym, one.name, one.continent)]
    return frozenset(
        token.word for name in named for token in tokens(name, words) if len(token.word) > 3
    )
