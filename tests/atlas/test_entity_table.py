"""The shipped people and things, and their names in the languages of Geo20Q+."""

from __future__ import annotations

import csv
import re
import runpy
import unicodedata
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from geobias.atlas.economies import economies
from geobias.atlas.entities import LANGUAGES, entities
from geobias.atlas.table import shipped_table

PER_CELL = 10


LOCAL = [code for code in LANGUAGES if code != "en"]
SCRIPTS = {
    "hi": r"[\u0900-\u097f]",
    "zh": r"[\u4e00-\u9fff]",
    "ja": r"[\u3040-\u30ff\u4e00-\u9fff]",
    "ar": r"[\u0621-\u064a]",
}
LATIN_BRANDS = 0.02
"""Of the names in another script, those that keep Latin letters (K-pop, BBC)."""
ENOUGH = 1500
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


@cache
def written() -> dict[str, dict[str, str]]:
    """The rows of the table, with the columns that only tools read."""
    with shipped_table("entities.csv").open(encoding="utf-8") as file:
        return {row["id"]: row for row in csv.DictReader(file)}


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
    for id_, row in written().items():
        assert bool(row["gender"]) == (row["type"] == "person"), id_


def test_a_namesakes_figure_is_not_in_the_table() -> None:
    """These are in Pantheon under a title that was a redirect, or next to a namesake."""
    table = entities()
    assert [table[one].views for one in ("tarkan", "marta-bra", "psy", "mehmed-ii")] == [None] * 4
    born_in_1935_or_1772 = ("luis-suarez-ury", "charles-leclerc")
    assert [written()[one]["hpi"] for one in born_in_1935_or_1772] == ["", ""]


def test_the_ranks_are_those_that_the_tool_makes_of_the_table() -> None:
    tool = Path(__file__).parents[2] / "tools/rank_entities.py"
    rows = list(written().values())
    assert runpy.run_path(str(tool))["ranked"](rows) == rows


@pytest.fixture(scope="module")
def rows() -> list[dict[str, str]]:
    with shipped_table("entity_names.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_whoever_has_a_name_has_it_in_every_language_once(rows: list[dict[str, str]]) -> None:
    named = Counter((row["id"], row["language"]) for row in rows)
    ids = {row["id"] for row in rows}
    assert named == Counter((id_, code) for id_ in ids for code in LOCAL)
    assert len(ids) >= ENOUGH


@pytest.mark.parametrize("language", SCRIPTS)
def test_names_are_written_in_their_language_s_script(
    language: str, rows: list[dict[str, str]]
) -> None:
    own = [row["name"] for row in rows if row["language"] == language]
    others = [name for name in own if not re.search(SCRIPTS[language], name)]
    assert len(others) <= LATIN_BRANDS * len(own)
    assert all(name.isascii() for name in others)


def test_names_have_no_signs_that_only_a_title_needs(rows: list[dict[str, str]]) -> None:
    for row in rows:
        for name in (row["name"], *row["aliases"].split("|")):
            assert name == name.strip()
            assert not re.search(r"[()（）\[\]_;]|\s\s", name), name
