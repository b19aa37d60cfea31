"""The tables of places agree with those of economies."""

from __future__ import annotations

from collections import Counter

from geobias.atlas.economies import aliases, economies
from geobias.atlas.places import bit, names_in, places
from geobias.atlas.table import read_rows, shipped_table

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
