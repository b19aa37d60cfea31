"""Economies, and the places that consist of them."""

from __future__ import annotations

import csv
import re
from collections import Counter
from itertools import takewhile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.atlas.economies import aliases, economies, economy, find_economy
from geobias.atlas.places import bit, names_in, places
from geobias.atlas.spelling import spelling_key
from geobias.atlas.table import read_rows, shipped_table
from tests.labelled import table_beside
from tests.shared_data import shared_data


def test_codes_names_and_other_spellings_mean_one_economy_each() -> None:
    owners: dict[str, str] = {}
    for iso3, one in economies().items():
        for text in (iso3, one.iso2, one.name, one.worldbank_name, *aliases().get(iso3, ())):
            assert owners.setdefault(spelling_key(text), iso3) == iso3, text
    assert len(economies()) == 218 == len([*read_rows(shipped_table("economies.csv"), ())])


@pytest.mark.parametrize(("iso3", "iso2"), [("XKX", "XK"), ("CHI", "JG")])
def test_kosovo_and_the_channel_islands_have_the_world_banks_own_codes(
    iso3: str, iso2: str
) -> None:
    assert economies()[iso3].iso2 == iso2


# Geo20Q+, appendix A.10, as printed there.
GLOBAL_NORTH = (
    "United States, Canada, United Kingdom, France, Germany, Italy, Spain, Portugal, Netherlands, "
    "Belgium, Sweden, Norway, Finland, Denmark, Iceland, Austria, Switzerland, Luxembourg, "
    "Ireland, Australia, New Zealand, Japan, South Korea"
)
GLOBAL_WEST = GLOBAL_NORTH.removesuffix(", Japan, South Korea") + (
    ", Estonia, Latvia, Lithuania, Poland, Czech Republic, Slovakia, Hungary, Slovenia, Malta, "
    "Greece, Croatia"
)


@pytest.mark.parametrize(
    ("half", "printed", "count"), [("North", GLOBAL_NORTH, 23), ("West", GLOBAL_WEST, 32)]
)
def test_the_halves_of_the_world_are_the_papers_lists(half: str, printed: str, count: int) -> None:
    named = {economy(name).iso3 for name in printed.split(", ")}
    halves = {one.iso3: (one.north_south, one.west_east) for one in economies().values()}
    assert {iso3 for iso3, own in halves.items() if f"Global {half}" in own} == named
    assert len(named) == count


def test_territories_are_neither_north_nor_south_nor_west_nor_east() -> None:
    outside = [one for one in economies().values() if one.north_south is None]
    assert len(outside) == 25
    assert all(one.west_east is None for one in outside)
    assert {"PRI", "HKG", "TWN", "PSE", "XKX", "GRL"} <= {one.iso3 for one in outside}


def test_no_name_carries_an_escape_an_inversion_or_stray_space() -> None:
    for one in economies().values():
        assert one.name == one.name.strip()
        assert not re.search(r"[\\{},]", one.name)


@pytest.mark.parametrize("row", table_beside(__file__, "spellings.csv"))
def test_an_economy_is_found_under_its_usual_spellings_and_none_is_guessed(
    row: dict[str, str],
) -> None:
    found = find_economy(row["spelling"])
    assert (found.iso3 if found else "") == row["iso3"]


@given(st.text())
def test_any_text_finds_an_economy_or_nothing(text: str) -> None:
    found = find_economy(text)
    assert found is None or found == economies()[found.iso3]


@given(st.text(), st.text())
def test_spaces_and_punctuation_around_a_name_do_not_matter(a: str, b: str) -> None:
    assert spelling_key(f" {a}, {b}! ") == spelling_key(f"{a} , {b}")


def listed() -> dict[str, dict[str, str]]:
    """The World Bank's list: the economies by code, up to the empty row before the aggregates."""
    text = shared_data("worldbank/region_and_income.csv").read_text("utf-8-sig")
    rows = csv.DictReader(text.replace("\\&", "&").splitlines(), skipinitialspace=True)
    return {row["Code"]: row for row in takewhile(lambda row: row["Code"], rows)}


def test_region_and_income_are_the_world_banks() -> None:
    ours = {code: (one.region, one.income or "") for code, one in economies().items()}
    assert ours == {code: (row["Region"], row["Income group"]) for code, row in listed().items()}


def test_every_name_of_the_world_banks_list_finds_its_code() -> None:
    assert {code: economy(row["Economy"]).iso3 for code, row in listed().items()} == {
        code: code for code in listed()
    }


ROWS = [row for _, row in read_rows(shipped_table("places.csv"), ("place", "kind", "members"))]


def test_every_economy_is_a_place_under_all_of_its_names() -> None:
    demonyms = Counter(one.demonym for one in economies().values())
    countries = {row["place"]: row for row in ROWS if row["kind"] == "country"}
    assert list(countries) == list(economies())
    for iso3, one in economies().items():
        names = {one.name, *aliases().get(iso3, ())}
        names |= {one.demonym} if demonyms[one.demonym] == 1 else set()
        assert names <= {*countries[iso3]["spellings"].split("|")}, iso3
        assert places()[iso3].sure == bit(iso3)


def test_places_have_known_kinds_and_consist_of_economies() -> None:
    kinds = {row["kind"] for row in ROWS}
    assert kinds == {"continent", "region", "country", "part", "none", "capital"}
    for row in ROWS:
        assert {*row["members"].split(), *row["open"].split()} <= economies().keys()


def test_names_in_other_languages_are_those_of_places() -> None:
    for _, row in read_rows(shipped_table("place_names.csv"), ("place", "language", "names")):
        assert row["place"] in places()
    assert (names_in("en", "GMB"), names_in("en", "FRA")) == ("the Gambia", "France")
    assert (names_in("fr", "FRA"), names_in("de", "FRA")) == ("France", "")
