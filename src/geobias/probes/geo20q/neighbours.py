"""Whether the words beside a name make it somebody else's.

"Winnie Mandela" is not Mandela, "Petra Kvitová" not Petra, "Napoleon III" not Napoleon, 马云飞 not
马云. A single word is at risk of this; a name of two words and more only of a number. Titles, words
of origin and the target's own other names leave it whose it is.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from functools import cache
from typing import NamedTuple

from geobias.atlas.economies import economies
from geobias.atlas.entities import Entity
from geobias.probes.geo20q.guess_words import GuessWords
from geobias.probes.geo20q.spellings import Spelling, words_of
from geobias.probes.geo20q.tokens import ALONE, DOT, HINDI, Token


class Sighting(NamedTuple):
    """A name in a text: whose, from which word to which, and the ending of its last word."""

    owner: str
    first: int
    last: int
    """Behind its last word."""
    ending: str
    spelling: Spelling


def is_anothers(
    one: Sighting,
    said: Sequence[Token],
    target: Entity,
    own: set[str],
    words: GuessWords,
    *,
    cased: bool,
) -> bool:
    """Whether a sighting of the target, whose `own` words are these, is another's name.

    `cased`: the text has capitals and small letters, so that capitals mean something.
    """
    other_number = not one.spelling.number and _other_number(one, said, words)
    if other_number or not one.spelling.lone:
        return other_number
    before = said[one.first - 1] if one.first else None
    after = said[one.last] if one.last < len(said) else None
    if _dotted(before, said[one.first], own) or _dotted(after, after, own):
        return True
    if ALONE.match(one.spelling.letters):
        return target.type == "person" and _runs_on(one, said, words)
    if HINDI.match(one.spelling.letters):  # no capitals tell a first name from other words
        known = own | words.beside
        surname = one.spelling.derived and said[one.first].gap == " "
        return surname and before is not None and before.word not in known
    if target.type == "person" and said[one.first].raw.islower():
        return _common_noun(one, said, words, cased=cased) or _after_a_first_name(
            one, said, own, words
        )
    return cased and _beside_a_name(one, said, target, own, words)


def follows_first_name(
    one: Sighting, said: Sequence[Token], known: set[str], first_names: Container[str]
) -> bool:
    """Whether another's first name is before a single word of a script without capitals, where
    nothing else tells it: ميشيل أوباما. `known` words are none."""
    letter = one.spelling.letters[0]
    if not one.first or not one.spelling.lone or letter.upper() != letter.lower():
        return False
    before = said[one.first - 1].word
    return side_by_side(said[one.first].gap) and before in first_names and before not in known


def _common_noun(one: Sighting, said: Sequence[Token], words: GuessWords, *, cased: bool) -> bool:
    """Whether a surname in small letters is a word like any other: "é um coelho?".

    Not where nothing is written large, or only what begins a sentence and no article is before it.
    """
    if not cased:
        return False
    names = (place for place, token in enumerate(said) if token.raw[:1].isupper())
    careful = any(not begins_sentence(said, place) for place in names if said[place].raw != "I")
    before = {token.word for token in said[max(0, one.first - 2) : one.first]}
    return careful or bool(before & words.indefinite) or said[one.first].word in words.beside


def _after_a_first_name(
    one: Sighting, said: Sequence[Token], own: set[str], words: GuessWords
) -> bool:
    """Whether a word that is none of the language's common ones is before: "winnie mandela"."""
    if not one.first or said[one.first].gap != " " or said[one.first - 1].number:
        return False
    before = said[one.first - 1].word
    return not (before in own or before in words.beside or before in places_and_peoples())


def begins_sentence(said: Sequence[Token], place: int) -> bool:
    return place == 0 or re.search(r"[.!?…:¿¡\n]", said[place].gap) is not None


def _dotted(neighbour: Token | None, later: Token | None, own: set[str]) -> bool:
    """Whether a dot, as in foreign names in Chinese and Japanese, joins it to another's name."""
    if neighbour is None or later is None or not later.gap:
        return False
    return DOT.fullmatch(later.gap) is not None and neighbour.word not in own


def _beside_a_name(
    one: Sighting, said: Sequence[Token], target: Entity, own: set[str], words: GuessWords
) -> bool:
    after = said[one.last] if one.last < len(said) else None
    if after is not None and _is_name(after, own, after.gap, words):
        return not one.ending and after.word not in words.named_after
    before = said[one.first - 1] if one.first else None
    if before is None or not _is_name(before, own, said[one.first].gap, words):
        return False
    if target.type == "thing":
        written_large = said[one.first].raw[:1].isupper()
        return written_large and before.word not in words.generic | words.openers
    if words.noun_first and before.word in words.named_after:  # Institut Pasteur
        return False
    return not (begins_sentence(said, one.first - 1) and before.word in words.openers)


def _is_name(word: Token, own: set[str], gap: str, words: GuessWords) -> bool:
    """Whether a neighbour is a name: written large, and none of the target's own words."""
    known = word.word in own or word.word in words.titles or word.word in words.common
    return (
        bool(gap)
        and not gap.strip(" \u00a0-")
        and word.raw[:1].isupper()
        and word.raw != "I"
        and not word.number
        and not known
        and word.word not in places_and_peoples()
    )


def _other_number(one: Sighting, said: Sequence[Token], words: GuessWords) -> bool:
    """Whether a numeral makes it another: "Napoleon III"; the first is he himself."""
    after = said[one.last] if one.last < len(said) else None
    if after is not None and after.number and side_by_side(after.gap) and after.word != "1":
        return not after.raw.isdigit() or len(after.raw) < 3
    before = said[one.first - 1] if one.first else None
    return (
        words.code == "tr"
        and before is not None
        and before.number
        and not before.raw.isdigit()
        and not said[one.first].gap.strip(" .")
        and before.word != "1"
    )


def _runs_on(one: Sighting, said: Sequence[Token], words: GuessWords) -> bool:
    """Whether one further character makes a longer name: 马云飞 is not 马云."""
    after = said[one.last : one.last + 2]
    if not after or after[0].gap or len(one.spelling.letters) > _SHORT:
        return False
    if not ALONE.match(after[0].word) or after[0].word in words.after_name:
        return False
    return len(after) == 1 or bool(after[1].gap) or after[1].word in words.after_name


_SHORT = 3
"""Characters of a name that a further one may go on with."""


def side_by_side(gap: str) -> bool:
    return not gap.strip(" \u00a0'’-‐·・=＝")


@cache
def places_and_peoples() -> frozenset[str]:
    """Single words for countries, continents and their people."""
    named = [
        name for one in economies().values() for name in (one.demonym, one.name, one.continent)
    ]
    return frozenset(
        token.word for name in named for token in words_of(name, "en") if len(token.word) > 3
    )
