"""The shipped people and things: complete, tied to one country, told apart by their names."""

from __future__ import annotations

import csv
import re
import unicodedata
from collections import Counter

import pytest

from geobias.atlas.economies import economies
from geobias.atlas.entities import LANGUAGES, entities
from geobias.atlas.table import shipped_table

PER_CELL = 10
STANDARD = 20
MOST_OF_ONE_KIND = 4


def plain(text: str) -> str:
    """Without case, punctuation and Latin accents; vowel signs of other scripts are letters."""
    kept = re.sub("[\u0300-\u036f]", "", unicodedata.normalize("NFKD", text)).casefold()
    return "".join(c for c in kept if unicodedata.category(c)[0] in "LMN")


def cells() -> Counter[tuple[str, str]]:
    return Counter((one.country, one.type) for one in entities().values())


def test_every_cell_has_ten_or_a_reason_why_not() -> None:
    with shipped_table("entity_gaps.csv").open(encoding="utf-8") as file:
        gaps = {(row["country"], row["type"]): row for row in csv.DictReader(file)}
    short = {cell: count for cell, count in cells().items() if count < PER_CELL}
    assert short == {cell: int(row["count"]) for cell, row in gaps.items()}
    assert all(len(row["reason"]) > 40 for row in gaps.values())


def test_no_country_has_ten_politicians() -> None:
    """Among the ten of a country that were chosen to be of many kinds; those after them are there
    for their fame alone."""
    ten: Counter[tuple[str, str]] = Counter()
    kinds: Counter[tuple[str, str, str]] = Counter()
    for one in entities().values():
        ten[one.country, one.type] += 1
        kinds[one.country, one.type, one.category] += ten[one.country, one.type] <= PER_CELL
    # A first lady is in politics: with her North Korea has five.
    assert kinds.pop(("PRK", "person", "politics")) == MOST_OF_ONE_KIND + 1
    assert max(kinds.values()) <= MOST_OF_ONE_KIND


@pytest.mark.parametrize("kind", ["person", "thing"])
def test_each_continent_has_its_standard_set(kind: str) -> None:
    found = Counter(
        economies()[one.country].continent
        for one in entities().values()
        if one.standard and one.type == kind
    )
    assert len(found) == 6
    assert min(found.values()) >= STANDARD


def test_standard_entities_have_names_in_all_seven_languages() -> None:
    standard = [entity for entity in entities().values() if entity.standard]
    assert standard
    for entity in standard:
        assert all(entity.name_in(code) for code in LANGUAGES), entity.id


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_spelling_stands_for_two_entities(language: str) -> None:
    owners: dict[str, str] = {}
    for one in entities().values():
        for spelling in one.spellings(language):
            assert owners.setdefault(plain(spelling), one.id) == one.id, spelling


def test_no_entity_is_called_like_a_country_or_a_demonym() -> None:
    taken = {plain(word) for e in economies().values() for word in (e.name, e.demonym)}
    for one in entities().values():
        assert not taken & {plain(spelling) for spelling in one.spellings("en")}, one.id


def test_people_have_a_gender_and_things_have_none() -> None:
    for one in entities().values():
        assert bool(one.gender) == (one.type == "person"), one.id


def test_a_namesakes_figure_is_not_in_the_table() -> None:
    """These are in Pantheon under a title that was a redirect, or next to a namesake."""
    table = entities()
    assert [table[one].views for one in ("tarkan", "marta-bra", "psy", "mehmed-ii")] == [None] * 4
    born_in_1935_or_1772 = ("luis-suarez-ury", "charles-leclerc")
    assert [table[one].hpi for one in born_in_1935_or_1772] == [None] * 2
