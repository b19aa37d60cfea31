"""The spellings of a name that count: case, accents and signs, as patterns to search for.

A spelling of the table counts in these forms:

    as it is written, and all in capitals            Fado, FADO
    in small letters, and with a capital at every    fado; komodo dragon, Komodo Dragon
    word, if it is a common noun
    with its accents, and without any                Atitlán, Atitlan; composed or decomposed
    with ' for ’ and ’ for '                         Xi'an, Xi’an
    with "the" small, if it begins with "The"        the Kalevala

A form that begins with a small letter counts only after a space: "the fado", not "(fado". Nothing
else counts: neither "EIFFEL Tower" nor a name with two spaces in it.

Counting is fast because the text is searched unchanged, and because forms in small letters are
searched for only after a space. Most letters of a text are small, so searching for these forms
after any character would take a third longer.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping

import msgspec

from geobias.atlas.entities import Entity

RULES = 1
"""Version of the counting rules. Counts of two versions are not added up."""

COMMON_NOUNS = frozenset({"food", "drink", "animal", "plant", "clothing", "music"})
"""Categories of things that may be common nouns, which are written small within a sentence.

A name of such a category is a common noun if it has at least four letters and, in the table, no
capital after its first letter: Komodo dragon is one, Absolut Vodka is not.
"""
_SHORTEST_NOUN = 4

_PLAIN_LETTERS = str.maketrans(
    {"ø": "o", "Ø": "O", "đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "ł": "l", "Ł": "L", "ı": "i"}
    | {"æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "þ": "th", "Þ": "Th", "ħ": "h", "Ħ": "H"}
)
"""Letters with a stroke and similar, which Unicode does not decompose."""


class Spelling(msgspec.Struct, frozen=True):
    """One spelling of one entity in the table; `entity` is its number among the entities."""

    entity: int
    text: str


class Names(msgspec.Struct, frozen=True):
    """All names to search for.

    `patterns` are unique and in UTF-8. A pattern that begins with a space counts only after one.
    `owners` gives, for each pattern, the numbers of its spellings in `spellings`. A pattern of two
    entities is ambiguous and counts for both.
    """

    entities: tuple[str, ...]
    spellings: tuple[Spelling, ...]
    patterns: tuple[bytes, ...]
    owners: tuple[tuple[int, ...], ...]
    digest: str
    """Digest of all names and the rules."""


def names_of(table: Mapping[str, Entity], languages: Iterable[str] | None = None) -> Names:
    """The names of the entities in `languages`, or in all languages of the table if None."""
    wanted = None if languages is None else set(languages)
    spellings: list[Spelling] = []
    owners: dict[bytes, list[int]] = {}
    for place, entity in enumerate(table.values()):
        common = entity.type == "thing" and entity.category in COMMON_NOUNS
        texts = (" ".join(text.split()) for text in _texts(entity, wanted))
        for text in filter(None, dict.fromkeys(texts)):
            spellings.append(Spelling(place, text))
            for needed in patterns_of(text, common=common):
                owners.setdefault(needed.encode(), []).append(len(spellings) - 1)
    digest = hashlib.sha256(msgspec.json.encode([RULES, list(table), spellings]))
    for pattern, whose in owners.items():
        digest.update(b"\0" + pattern + repr(whose).encode())
    return Names(
        entities=tuple(table),
        spellings=tuple(spellings),
        patterns=tuple(owners),
        # Two spellings of one entity may share a form (Sao Paulo, São Paulo): the first has it.
        owners=tuple(_one_each(whose, spellings) for whose in owners.values()),
        digest=digest.hexdigest()[:16],
    )


def _texts(entity: Entity, languages: set[str] | None) -> Iterator[str]:
    if languages is None or "en" in languages:
        yield from (entity.name, *entity.aliases)
    for language, local in entity.names.items():
        if languages is None or language in languages:
            yield from (local.name, *local.aliases)


def _one_each(whose: Iterable[int], spellings: list[Spelling]) -> tuple[int, ...]:
    first: dict[int, int] = {}
    for each in whose:
        first.setdefault(spellings[each].entity, each)
    return tuple(first.values())


def patterns_of(text: str, *, common: bool) -> list[str]:
    """The patterns to search for a spelling: its forms, with a space before small letters."""
    every_form = [*forms(text), *(noun_forms(text) if common else ())]
    return list(dict.fromkeys(f" {form}" if "a" <= form[0] <= "z" else form for form in every_form))


def forms(text: str) -> list[str]:
    """Every form in which a spelling counts, the one of the table first.

    A form is never empty: a text that consists of accents keeps them.
    """
    cased = [text]
    if text.startswith("The "):
        cased.append("the " + text[4:])
    return _variants([*cased, *(form.upper() for form in cased)])


def noun_forms(text: str) -> list[str]:
    """The further forms of a common noun, in small letters and with capitals; none for a name."""
    small = text.lower()
    if len(text) < _SHORTEST_NOUN or text[1:] != small[1:]:
        return []
    return _variants([small, small[:1].upper() + small[1:], _titled(small)])


def _variants(cased: Iterable[str]) -> list[str]:
    """The forms with either apostrophe, with and without accents, composed and decomposed."""
    variants: dict[str, None] = {}
    for form in cased:
        for signed in (form, form.replace("’", "'"), form.replace("'", "’")):
            for letters in (signed, without_accents(signed)):
                variants[unicodedata.normalize("NFC", letters)] = None
                variants[unicodedata.normalize("NFD", letters)] = None
    return [form for form in variants if form]


def without_accents(text: str) -> str:
    """The text without the marks of European scripts. Vowel signs of other scripts are letters."""
    apart = unicodedata.normalize("NFD", text)
    plain = "".join(c for c in apart if not "\u0300" <= c <= "\u036f")
    return unicodedata.normalize("NFC", plain.translate(_PLAIN_LETTERS))


def _titled(text: str) -> str:
    """The text with a capital at every word. `str.title` would write Xi'An."""
    return " ".join(word[:1].upper() + word[1:] for word in text.split(" "))
