"""Pairs from opposite halves of the world, and who is best known."""

from __future__ import annotations

import math
from collections import Counter

import pytest

from geobias.atlas.economies import economies
from geobias.atlas.entities import Entity, EntityType, entities
from geobias.errors import BadRequest
from geobias.probes.geo20q.choosing import (
    CALLIPER,
    PAIRS,
    Pair,
    best_known,
    choose_entities,
    likely_views,
    matched_pairs,
)

KINDS: tuple[EntityType, ...] = ("person", "thing")


@pytest.fixture(scope="module", params=KINDS)
def pairs(request: pytest.FixtureRequest) -> list[Pair]:
    return matched_pairs(list(entities().values()), [request.param], PAIRS)


def one(id_: str, country: str, type: EntityType = "person", **fame: object) -> Entity:
    return Entity(id=id_, name=id_, type=type, category="sport", country=country, **fame)  # type: ignore[arg-type]


def test_a_pair_is_alike_but_for_its_halves(pairs: list[Pair]) -> None:
    for north, south in pairs:
        homes = economies()[north.country], economies()[south.country]
        assert (north.type, north.category) == (south.type, south.category)
        assert north.standing == south.standing
        assert [home.north_south for home in homes] == ["Global North", "Global South"]
        assert {home.west_east for home in homes} == {"Global West", "Global East"}


def test_no_entity_is_in_two_pairs_and_few_countries_have_one(pairs: list[Pair]) -> None:
    chosen = [entity for pair in pairs for entity in pair]
    assert len({entity.id for entity in chosen}) == len(chosen) == 2 * PAIRS
    counts = Counter(entity.country for entity in chosen)
    assert sum(count == 1 for count in counts.values()) <= len(counts) / 10


def test_paired_people_are_looked_up_about_as_often() -> None:
    pairs = matched_pairs(list(entities().values()), ["person"], PAIRS)
    doublings = [math.log2((north.views or 0) / (south.views or 1)) for north, south in pairs]
    assert max(map(abs, doublings)) <= CALLIPER
    assert abs(sum(doublings) / len(doublings)) < 0.5


@pytest.mark.parametrize(
    ("size", "type"), [("standard", "people"), ("standard", "things"), ("paper", "both")]
)
def test_populous_countries_are_in_every_size(size: str, type: str) -> None:
    here = {entity.country for entity in choose_entities(entities(), size=size, type=type)}
    assert {"USA", "IND", "CHN", "IDN", "PAK", "BRA", "NGA", "RUS", "MEX", "JPN"} <= here


def test_the_choice_does_not_hang_on_the_order_of_the_table() -> None:
    table = list(entities().values())
    assert matched_pairs(table, KINDS, 20) == matched_pairs(table[::-1], KINDS, 20)


def test_people_without_views_stand_where_their_index_puts_them() -> None:
    table = [
        one("a", "FRA", views=10.0, hpi=50.0),
        one("b", "FRA", views=1000.0, hpi=90.0),
        one("c", "FRA", hpi=80.0),
        one("d", "FRA"),
    ]
    assert likely_views(table) == {"a": 10.0, "b": 1000.0, "c": 1000.0}
    assert [e.id for e in best_known(table, "countries", 3)] == ["b", "c", "a"]


def test_no_design_chooses_a_generic_thing_and_a_name_does() -> None:
    for size in ("standard", "paper"):
        assert not [e.id for e in choose_entities(entities(), size=size) if e.generic]
    assert [e.id for e in choose_entities(entities(), size="quick", named="Jazz")] == ["jazz"]


def test_a_figure_that_few_things_have_puts_none_before_the_others() -> None:
    table = [
        one("unlisted", "FRA", "thing", standing="unlisted", editions=200.0),
        one("five", "FRA", "thing", standing="5"),
        one("five-counted", "FRA", "thing", standing="5", editions=90.0),
        one("four", "FRA", "thing", standing="4"),
    ]
    order = [e.id for e in best_known(table, "countries", 4)]
    assert order == ["four", "five", "five-counted", "unlisted"]


def test_unlisted_things_of_a_continent_are_drawn_whether_or_not_they_were_counted() -> None:
    things = choose_entities(entities(), size="paper", type="things")
    pool = [e for e in entities().values() if e.type == "thing" and e.standing == "unlisted"]
    africa = [e for e in pool if economies()[e.country].continent == "Africa"]
    drawn = [e for e in africa if e in things]
    assert drawn
    counted = sum(e.editions is not None for e in africa) / len(africa)
    assert abs(sum(e.editions is not None for e in drawn) / len(drawn) - counted) < 0.2


def test_where_nothing_can_be_paired_it_is_said() -> None:
    table = {"a": one("a", "FRA", views=10.0), "b": one("b", "KEN")}
    with pytest.raises(BadRequest, match="paired with"):
        choose_entities(table, size="standard")
    near = table | {"b": one("b", "KEN", views=9.0)}
    assert {e.id for e in choose_entities(near, size="standard")} == {"a", "b"}


def test_people_too_far_apart_in_fame_are_no_pair() -> None:
    far = [one("a", "FRA", views=100.0), one("b", "KEN", views=10.0)]
    assert matched_pairs(far, KINDS) == []
