"""Names of people and things in the languages of Geo20Q+."""

from __future__ import annotations

import csv
import re
from collections import Counter

import pytest

from geobias.atlas.entities import LANGUAGES
from geobias.atlas.table import shipped_table

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
