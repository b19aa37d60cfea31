"""What the simulated judge makes of a question in plain words.

The questions with which games hold a judge against the entity table (`atlas.fact_questions`) it
knows by heart, in every language. Other questions it understands by their words: continents in the
language of the game, the rest in English.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache

from geobias.atlas.economies import economies
from geobias.atlas.entities import Entity
from geobias.atlas.places import names_in
from geobias.probes.geo20q.languages import CONTINENTS, load_language, phrasing
from geobias.probes.geo20q.questions import kinds


def fact_is_true(entity: Entity, question: str, language: str) -> bool | None:
    """Whether it is so; None where the question is not understood or the table does not say."""
    fact, value = _fact_asked(question, language)
    if fact == "kind":
        kind = kinds()[value]
        if kind.professions:
            return entity.type == "person" and entity.category in kind.professions
        return kind.truth(entity)
    if fact == "gender":
        return entity.gender == value if entity.gender else None
    home = economies()[entity.country]
    true = {
        "continent": home.continent,
        "country": home.iso3,
        "category": entity.category,
        "type": entity.type,
    }
    return true[fact] == value if fact else None


@lru_cache(maxsize=4096)
def _fact_asked(question: str, language: str) -> tuple[str, str]:
    """The kind of fact that a question is about, and the value it asks for; "" for neither."""
    if known := _known_questions(language).get(question.strip()):
        return known
    low = question.casefold()
    for fact, value, word in _fact_words(language):
        if word.search(low):
            return fact, value
    return "", ""


@cache
def _known_questions(language: str) -> Mapping[str, tuple[str, str]]:
    """Every question for a fact in a language → the kind of fact, and the value it asks for."""
    ask = phrasing(language)
    places = [("continent", name) for name in CONTINENTS]
    places += [("country", iso3) for iso3 in economies()]
    facts = {
        sentence.replace("{place}", name): (fact, key)
        for sentence in (ask.origin, ask.position, ask.provenance)
        for fact, key in places
        if (name := names_in(language, key))
    }
    facts |= {question: ("kind", kind) for kind, question in ask.kinds.items()}
    return facts | {ask.thing: ("type", "thing")}


@lru_cache(maxsize=8)
def _fact_words(code: str) -> list[tuple[str, str, re.Pattern[str]]]:
    """Continents before countries, and longer names first: one may be part of another."""

    def worded(fact: str, spelled: list[tuple[str, str]]) -> list[tuple[str, str, re.Pattern[str]]]:
        spelled.sort(key=lambda pair: -len(pair[1]))
        return [
            (fact, value, re.compile(rf"(?<![a-z]){re.escape(word.casefold())}(?![a-z])"))
            for value, word in spelled
        ]

    spoken = [load_language(code), load_language("en")]
    continents = [(c, w) for one in spoken for c in CONTINENTS for w in one.continents[c]]
    countries = [(one.iso3, one.name) for one in economies().values()]
    other = [(fact, value, re.compile(rf"\b(?:{words})\b")) for fact, value, words in _WORDS]
    return [*worded("continent", continents), *worded("country", countries), *other]


_CATEGORY_WORDS = {
    "politics": "politician|politics|political leader",
    "royalty": "royal|royalty|king|queen|monarch", "military": "military|soldier|general",
    "activism": "activist", "law": "lawyer|judge|jurist",
    "religion": "religious (?:figure|leader)|religion", "science": "scientist|science",
    "medicine": "doctor|physician|medicine", "exploration": "explorer|astronaut",
    "business": "businessperson|entrepreneur|business",
    "literature": "writer|author|poet|literature", "journalism": "journalist|journalism",
    "art": "painter|visual artist|sculptor", "architecture": "architect",
    "fashion": "fashion|designer|model", "music": "musician|singer|music|musical instrument",
    "film": "actor|actress|film", "media": "media|television",
    "sport": "athlete|sportsperson|sport|footballer", "education": "teacher|educator|education",
    "philosophy": "philosopher|thinker|philosophy",
    "landmark": "landmark|monument", "building": "building", "museum": "museum",
    "university": "university", "mountain": "mountain|volcano", "river": "river", "lake": "lake",
    "island": "island", "park": "park", "nature": "natural (?:place|feature|site)",
    "food": "food|dish|eaten", "drink": "drink|beverage", "animal": "animal", "plant": "plant",
    "artefact": "artefact|artifact", "clothing": "clothing|garment|worn", "festival": "festival",
    "brand": "brand|company",
}  # fmt: skip
_WORDS = (
    *(("category", category, words) for category, words in _CATEGORY_WORDS.items()),
    ("type", "thing", "other than a person"),
    ("type", "fiction", "fictional"),
    ("gender", "F", "woman|female"),
    ("gender", "M", "man|male"),
    ("type", "person", "person|human|celebrity"),
)
