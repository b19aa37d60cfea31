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
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from geobias.atlas.entities import Entity
from geobias.probes.geo20q.guess_words import guess_words
from geobias.probes.geo20q.neighbours import (
    Sighting,
    follows_first_name,
    is_anothers,
    places_and_peoples,
    side_by_side,
)
from geobias.probes.geo20q.spellings import (
    Spelling,
    distance,
    letter_bits,
    may_be_near,
    prefixes,
    slips,
    sound_of,
    spellings_of,
    words_of,
    words_said,
)
from geobias.probes.geo20q.tokens import HINDI, JOINING, MOST_READ, Token

_FEWEST_LETTERS = 4
"""Of a single word that is looked for behind a prefix: كريم is no ريم."""
_SHORTEST_SOUND = 5
"""Letters of a name, as it sounds, that a slip may be looked for in."""
_FIGURES = re.compile(r"\d+")


class Names:
    """The names of a table in one language, and of one target in it."""

    def __init__(self, table: Mapping[str, Entity], language: str) -> None:
        self._table = table
        self.language = language
        self.words = guess_words(language)
        self._targets: dict[tuple[str, str], _Target] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return names_in, (self._table, self.language)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Names)
            and self._table is other._table
            and self.language == other.language
        )

    def __hash__(self) -> int:
        return hash((id(self._table), self.language))

    @cached_property
    def _spellings(self) -> dict[str, list[Spelling]]:
        return {
            one.id: spellings_of(one, self.language, self.words) for one in self._table.values()
        }

    @cached_property
    def _first_names(self) -> frozenset[str]:
        """The first words of people's names."""
        return frozenset(
            words_of(name, self.language)[0].word
            for one in self._table.values()
            if one.type == "person"
            and len((name := one.name_in(self.language) or one.name).split()) > 1
        )

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

    def _target(self, entity: Entity) -> _Target:
        key = entity.id, entity.name  # a table of the user's own may use our ids
        if key not in self._targets:
            own = self._spellings.get(entity.id) if self._table.get(entity.id) is entity else None
            self._targets[key] = _Target(
                one
                for one in own or spellings_of(entity, self.language, self.words)
                if not one.derived or self._owners.get(one.letters, {entity.id}) == {entity.id}
            )
        return self._targets[key]

    def own_words(self, entity: Entity) -> set[str]:
        return {
            one.word
            for spelling in entity.spellings(self.language)
            for one in words_of(spelling, self.language)
        }

    def mentions(self, text: str, target: Entity) -> bool:
        return bool(self.read(text, target)[1])

    def any(self, text: str, target: Entity) -> bool:
        """Whether a text names the target, or another entity as the table spells it."""
        return self.mentions(text, target) or bool(self._named(text))

    def best_match(self, text: str, target: Entity) -> Entity | None:
        """The entity that a text names; None where it names none, or the target.

        Of several the one with the longest name, of equally long ones one of the target's type,
        and of these the last that is said.
        """
        named = self._named(text)
        if any(one.owner == target.id for one in named):
            return None

        def rank(one: Sighting) -> tuple[int, bool, int]:
            return one.last - one.first, self._table[one.owner].type == target.type, one.first

        best = max(named, key=rank, default=None)
        return self._table[best.owner] if best else None

    def first_match(self, text: str, target: Entity) -> Entity | None:
        """The first entity of the target's type that a text names: of several, it guesses that.

        Where names begin at the same place, the longest; of equally long ones, the target.
        """
        fitting = [one for one in self._named(text) if self._table[one.owner].type == target.type]
        first = min(
            fitting, key=lambda one: (one.first, -one.last, one.owner != target.id), default=None
        )
        return self._table[first.owner] if first else None

    def _named(self, text: str) -> list[Sighting]:
        """Where a text names entities of the table, as the table spells them; none within a longer
        name."""
        text = unicodedata.normalize("NFC", text[:MOST_READ])
        said = words_said(text, self.language)
        cased = not (text.islower() or text.isupper())
        named = [
            one
            for one in self._others(said)
            if not one.spelling.derived and self._is_own(one, said, self._table[one.owner], cased)
        ]
        return _within_none(named, named)

    def _is_own(self, one: Sighting, said: Sequence[Token], owner: Entity, cased: bool) -> bool:
        """Whether no word beside a name makes it somebody else's."""
        own = self.own_words(owner)
        if is_anothers(one, said, owner, own, self.words, cased=cased):
            return False
        known = own | self.words.beside
        return owner.type != "person" or not follows_first_name(one, said, known, self._first_names)

    def read(self, text: str, target: Entity) -> tuple[Sequence[Token], list[Sighting]]:
        """The words of a text; the target's names in it, and with them those of others, none
        without the target's.

        Where a longer name of another holds the target's, it is the other's.
        """
        text = unicodedata.normalize("NFC", text[:MOST_READ])
        said = words_said(text, self.language)
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
        small = text.islower() or text.isupper()
        found = [one for one in found if self._is_own(one, said, target, not small)]
        if not found:
            return said, []
        others = [
            one
            for one in self._others(said)
            if one.owner != target.id
            and (small or not one.spelling.lone or not said[one.first].raw[:1].islower())
        ]
        found = _within_none(found, others)
        if not found:
            return said, []
        longest = _longest(found)
        beside = [
            one
            for one in _longest(others)
            if not any(one.first < mine.last and mine.first < one.last for mine in longest)
        ]
        return said, sorted([*longest, *beside], key=lambda one: one.first)

    def _found(self, way: Sequence[int], own: _Target, said: Sequence[Token]) -> Iterator[Sighting]:
        prefixed = self.language == "ar"
        for place in range(len(way)):
            first = said[way[place]].word[0]
            for one in own.spellings if prefixed else own.by_letter.get(first, ()):
                seen = self._at(way, place, one, said)
                seen = seen or self._prefixed(way, place, one, said)
                if seen is not None:
                    yield seen

    def _prefixed(
        self, way: Sequence[int], place: int, one: Spelling, said: Sequence[Token]
    ) -> Sighting | None:
        """A spelling after letters that are words of their own, as Arabic writes them."""
        token = said[way[place]]
        if self.language != "ar" or token.word in self.words.beside:
            return None
        if one.lone and len(one.letters) < _FEWEST_LETTERS:
            return None
        before = prefixes(token.raw, one.parts[0])
        if not before or token.word == one.parts[0]:
            return None
        bare = [*said]
        bare[way[place]] = token._replace(word=one.parts[0])
        return self._at(way, place, one, bare)

    def _others(self, said: Sequence[Token]) -> Iterator[Sighting]:
        way = range(len(said))
        for place in way:
            for one in self._by_beginning.get(said[place].word, ()):
                if (seen := self._at(way, place, one, said)) is not None:
                    yield seen
            if self.language == "ar":
                for bare in {said[place].word[1:], said[place].word[2:]}:
                    for one in self._by_beginning.get(bare, ()):
                        if (seen := self._prefixed(way, place, one, said)) is not None:
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
                if rest and word.startswith(rest) and self._is_ending(ending, one):
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

    def _is_ending(self, ending: str, one: Spelling) -> bool:
        return len(one.letters) > 3 and bool(self.words.endings.fullmatch(ending))

    def _misspelt(self, said: Sequence[Token], own: _Target, target: Entity) -> list[Sighting]:
        found: list[Sighting] = []
        heard_there = _heard(said, own)
        for one in own.sounds:
            sound, most, spelling = one.sound, one.most, one.spelling
            near: list[tuple[int, int, int, Sighting]] = []
            for length in range(len(sound) - most, len(sound) + most + 1):
                for place, last, heard, bits in heard_there.get(length, ()):
                    if (
                        not may_be_near(bits, one.bits, most)
                        or last - place > len(spelling.ends)
                        or (spelling.lone and heard[0] != sound[0])
                    ):
                        continue
                    wrong = distance(heard, sound, most)
                    if (
                        wrong <= most
                        and _FIGURES.findall(heard) == one.figures
                        and self._could_be(said[place : last + 1], spelling, said)
                        and self._nobody_elses(heard, wrong, target)
                    ):
                        ending = self._ending_after(said, last + 1)
                        end = last + 1 + bool(ending)
                        seen = Sighting(target.id, place, end, ending, spelling)
                        near.append((wrong, place, last, seen))
            near.sort(key=lambda one: one[:3])  # a word too many is a slip more
            found += _apart(one[3] for one in near)
        return found

    def _could_be(self, window: Sequence[Token], one: Spelling, said: Sequence[Token]) -> bool:
        """Whether these words may be a name with a slip: not across a stop, and no common word."""
        if any(
            not side_by_side(token.gap.replace(".", "") if before.number else token.gap)
            for before, token in pairwise(window)
        ):
            return False
        if any(token.number for token in window) != one.number:
            return False
        if len(window) > 1:
            return not any(token.word in self.words.common for token in window)
        raw = window[0].raw
        written_small = not any(token.raw[:1].isupper() for token in said[1:])
        script_has_case = raw[:1].lower() != raw[:1].upper()
        if window[0].word in self.words.common or window[0].word in places_and_peoples():
            return False
        return not script_has_case or raw[:1].isupper() or written_small or len(raw) > 6

    def _nobody_elses(self, heard: str, wrong: int, target: Entity) -> bool:
        """Whether no other entity's name is as near to what was said."""
        if not wrong:
            same = self._sounds.get(len(heard), {}).get(heard)
            return same is None or target.id in same[1]
        bits, most = letter_bits(heard), 2 * wrong
        return not any(
            (bits ^ own).bit_count() <= most  # `may_be_near`, of thousands
            and target.id not in owners
            and distance(heard, letters, wrong) <= wrong
            for length in range(len(heard) - wrong, len(heard) + wrong + 1)
            for letters, (own, owners) in self._sounds.get(length, {}).items()
        )

    @cached_property
    def _sounds(self) -> dict[int, dict[str, tuple[int, set[str]]]]:
        """How many letters a name has as it sounds → the names → which letters, and whose."""
        found: dict[int, dict[str, tuple[int, set[str]]]] = {}
        for spellings in self._spellings.values():
            for one in spellings:
                sound = one.sound
                alike = found.setdefault(len(sound), {})
                alike.setdefault(sound, (letter_bits(sound), set()))[1].add(one.owner)
        return found


class _Sound(NamedTuple):
    """How a spelling of the target sounds, and how many of its letters may be wrong."""

    spelling: Spelling
    sound: str
    bits: int
    most: int
    figures: list[str]


class _Target:
    """The spellings of a target; by their first letter; and as they sound, where a slip counts."""

    def __init__(self, spellings: Iterable[Spelling]) -> None:
        self.spellings = [*spellings]
        self.by_letter: dict[str, list[Spelling]] = {}
        for one in self.spellings:
            self.by_letter.setdefault(one.letters[0], []).append(one)

    @cached_property
    def sounds(self) -> list[_Sound]:
        return [
            _Sound(one, sound, letter_bits(sound), slips(sound), _FIGURES.findall(sound))
            for one in self.spellings
            if len(sound := one.sound) >= _SHORTEST_SOUND and not one.initials
        ]

    @cached_property
    def longest(self) -> tuple[int, int]:
        """The most words and letters that a name with slips may have."""
        words = max((len(one.spelling.ends) + 1 for one in self.sounds), default=0)
        return words, max((len(one.sound) + one.most for one in self.sounds), default=0)


def _heard(said: Sequence[Token], own: _Target) -> dict[int, list[tuple[int, int, str, int]]]:
    """Words one after another as they sound, by length: first and last place, sound, letters."""
    most_words, most_letters = own.longest
    sounds = [sound_of(one.word) for one in said]
    found: dict[int, list[tuple[int, int, str, int]]] = {}
    for place in range(len(said)):
        heard, bits = "", 0
        for last in range(place, min(len(said), place + most_words)):
            heard += sounds[last]
            if len(heard) > most_letters:
                break
            bits |= letter_bits(sounds[last])
            found.setdefault(len(heard), []).append((place, last, heard, bits))
    return found


@lru_cache(maxsize=32)
def _shared(names: Names) -> Names:
    return names


def names_in(table: Mapping[str, Entity], language: str) -> Names:
    """The names of a table in one language; the same ones for the same table, since they take long
    to make."""
    return _shared(Names(table, language))


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
        for quoted in re.finditer(r"(?<!\w)[\"“«'‘(][^\"”»'’()]{1,30}[\"”»'’)]", text)
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
    if JOINING.fullmatch(token.gap):
        return True
    return token.gap.strip(" .") == "" and (
        len(before.word) == 1 or HINDI.match(token.word) is not None
    )


def _within_none(found: Iterable[Sighting], others: Sequence[Sighting]) -> list[Sighting]:
    """Sightings that are not part of a longer one of the others."""
    return [
        one
        for one in found
        if not any(
            other.first <= one.first
            and one.last <= other.last
            and other.last - other.first > one.last - one.first
            for other in others
        )
    ]


def _longest(found: Iterable[Sighting]) -> list[Sighting]:
    """Sightings that no longer one holds, each place once."""
    return _apart(
        sorted(found, key=lambda one: (one.first - one.last, bool(one.ending), one.first))
    )


def _apart(found: Iterable[Sighting]) -> list[Sighting]:
    """Of sightings that overlap, the first one."""
    kept: list[Sighting] = []
    for one in found:
        if not any(one.first < other.last and other.first < one.last for other in kept):
            kept.append(one)
    return kept
