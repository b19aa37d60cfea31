"""Whether a noun beside a name says what the target is, or makes the name another thing's.

"The temple of Angkor Wat" is Angkor Wat, 长城汽车 is no wall, "musée Toyota" no carmaker. So a noun
of the target's own kind is read as part of its name, and a noun of another kind makes it another's.
"""

from __future__ import annotations

import re
from functools import cache

from geobias.atlas.entities import Entity
from geobias.probes.geo20q.guess_words import GuessWords, guess_words

TARGET, OTHER, LARGE = "§", "¤", "¬"
"""Signs for the target's name, for another's of the table, and for a word written large that is in
no name of the table."""
PLACES = ("site", "nature", "park", "river", "mountain", "lake", "island", "museum", "university")
_WORKS = ("work", "garment", "performance")
OWN = {
    "landmark": ("site", "nature", "museum"),
    "building": ("site", "museum"),
    "museum": ("museum", "site"),
    "university": ("university",),
    "park": ("park", "nature"),
    "nature": ("nature", "mountain", "park"),
    "river": ("river",),
    "mountain": ("mountain",),
    "lake": ("lake",),
    "island": ("island",),
}
"""What may be said "of" a place: "the island of Bali", and not "the island of Lake Titicaca"."""
_FITTING = {
    **dict.fromkeys(OWN, (*PLACES, "work")),
    "artefact": (*PLACES, *_WORKS),
    "music": _WORKS,
    "festival": ("performance",),
    "sport": (*PLACES, "performance", "company"),
    "clothing": _WORKS,
    "food": ("food", "company", "creature"),
    "drink": ("food", "company", "creature"),
    "plant": ("food", "creature", *PLACES),
    "animal": ("creature",),
    "brand": ("company", "food", "garment"),
}
"""Categories of things → the nouns that may stand beside their names."""
_TITLED = ("work", "performance", "company")
"""Nouns that stand before a name in English too: "the novel §"; "cheese §" is a kind of it."""


def own_kind_only(marked: str, target: Entity, words: GuessWords) -> str:
    """The text with "temple of §" read as §, and with ¤ for a name beside an unfitting noun."""
    of_it, another = _patterns(words.code, target.category, target.type == "person")
    return another.sub(lambda found: found[0].replace(TARGET, OTHER), of_it.sub(TARGET, marked))


@cache
def _patterns(code: str, category: str, person: bool) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Patterns: a noun of the target's kind "of" its name; one of another kind beside it."""
    words = guess_words(code)
    fitting = set() if person else _nouns(words, _FITTING.get(category, tuple(words.nouns)))
    unfitting = _nouns(words, tuple(words.nouns)) - fitting
    own = set() if person else _nouns(words, OWN.get(category, ()))
    of_it = rf"\b{_any_of(own)} (?:[\w-]+ ){{0,2}}?(?:{words.of}){TARGET}" if words.of else "(?!)"
    if words.of and not person:
        beside = fitting if words.noun_first else fitting & _nouns(words, _TITLED)
        subject = (
            "" if words.noun_first else r"(?<!is the )(?<!was the )(?<!is this )(?<!was this )"
        )
        of_it = rf"{of_it}|{subject}\b{_any_of(beside)} {TARGET}"
    if not words.spaces:
        long = {noun for noun in unfitting if len(noun) > 1}
        another = f"{TARGET}(?!{_any_of(fitting)}){_any_of(long)}"
    elif words.noun_first:
        another = rf"\b{_any_of(unfitting)} {TARGET}" if not person else "(?!)"
    else:
        another = rf"{TARGET} {_any_of(unfitting)}\b(?!-)"
    return re.compile(of_it), re.compile(another)


def _nouns(words: GuessWords, kinds: tuple[str, ...]) -> set[str]:
    return {noun for kind in kinds for noun in words.nouns.get(kind, ())}


def _any_of(nouns: set[str]) -> str:
    longest_first = sorted(map(re.escape, nouns), key=len, reverse=True)
    return f"(?:{'|'.join(longest_first) or '(?!)'})"
