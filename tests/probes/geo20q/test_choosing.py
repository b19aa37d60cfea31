"""Pairs from opposite halves of the world, and who is best known."""

from __future__ import annotations

import math
import runpy
from collections import Counter
from importlib.resources import files
from pathlib import Path

import pytest

from geobias.atlas.economies import economies
from geobias.atlas.entities import LANGUAGES, Entity, EntityType, entities
from geobias.errors import BadRequest
from geobias.probes.geo20q.choosing import PAIRS, best_known, choose_entities

TOOL = str(Path(__file__).parents[3] / "tools/make_pairs.py")


def one(id_: str, country: str, type: EntityType = "person", **fame: object) -> Entity:
    return Entity(id=id_, name=id_, type=type, category="sport", country=country, **fame)  # type: ignore[arg-type]


@pytest.fixture(scope="module", params=["people", "things"])
def chosen(request: pytest.FixtureRequest) -> list[Entity]:
    return choose_entities(entities(), size="standard", type=request.param, design="matched")


def test_matched_halves_are_alike_and_nobody_is_in_two_pairs(chosen: list[Entity]) -> None:
    halves: dict[str | None, list[Entity]] = {}
    for entity in chosen:
        halves.setdefault(economies()[entity.country].north_south, []).append(entity)
    north, south = halves["Global North"], halves["Global South"]
    assert len({entity.id for entity in chosen}) == len(north) + len(south) == 2 * PAIRS
    kinds = [Counter((one.category, one.standing) for one in half) for half in (north, south)]
    assert kinds[0] == kinds[1]
    west = [economies()[one.country].west_east == "Global West" for one in chosen]
    assert sum(west) == PAIRS
    counts = Counter(entity.country for entity in chosen)
    assert sum(count == 1 for count in counts.values()) <= len(counts) / 10
    if chosen[0].type == "person":
        logs = [sum(math.log2(one.views or 0) for one in half) / PAIRS for half in (north, south)]
        assert abs(logs[0] - logs[1]) < 0.5


def test_the_pairs_are_those_that_the_tool_makes_of_the_table() -> None:
    made = [("sample", "type", "north", "south"), *runpy.run_path(TOOL)["rows"]()]
    text = files("geobias.probes.geo20q").joinpath("matched.csv").read_text("utf-8")
    assert [tuple(line.split(",")) for line in text.splitlines()] == made


def test_a_table_without_the_shipped_entities_has_no_pairs() -> None:
    table = {"a": one("a", "FRA", views=10.0), "b": one("b", "KEN", views=9.0)}
    with pytest.raises(BadRequest, match="--design continents"):
        choose_entities(table, size="standard")


@pytest.mark.parametrize(
    ("size", "type"), [("standard", "people"), ("standard", "things"), ("paper", "both")]
)
def test_populous_countries_are_in_every_size(size: str, type: str) -> None:
    here = {entity.country for entity in choose_entities(entities(), size=size, type=type)}
    assert {"USA", "IND", "CHN", "IDN", "PAK", "BRA", "NGA", "RUS", "MEX", "JPN"} <= here


def test_the_best_known_come_first_and_in_a_users_table_the_most_viewed() -> None:
    table = [
        one("a", "FRA", views=10.0),
        one("b", "FRA"),
        one("c", "FRA", views=1000.0),
        one("d", "FRA", rank=7),
    ]
    assert [e.id for e in best_known(table, "countries", 4)] == ["d", "c", "a", "b"]


def test_no_design_chooses_a_generic_thing_and_a_name_does() -> None:
    for size in ("standard", "paper"):
        assert not [e.id for e in choose_entities(entities(), size=size) if e.generic]
    assert [e.id for e in choose_entities(entities(), size="quick", named="Jazz")] == ["jazz"]


def test_generic_things_are_marked_and_no_book_is_an_artefact() -> None:
    generic = {one.id for one in entities().values() if one.generic}
    assert {"amazon-river-dolphin", "baseball", "google", "jazz", "jeans", "tofu"} <= generic
    works = {one.id for one in entities().values() if one.category == "work"}
    assert {"don-quixote", "war-and-peace", "the-tale-of-genji"} <= works


def test_no_thing_of_a_continent_ranks_last_for_want_of_a_figure() -> None:
    things = choose_entities(entities(), size="paper", type="things")
    africa = {e.id for e in things if economies()[e.country].continent == "Africa"}
    assert {"kruger-national-park", "maasai-mara", "kente-cloth", "benin-bronzes"} <= africa
    assert "nuevo-estadio-de-malabo" not in africa
    chosen = choose_entities(entities(), size="paper")
    assert not [e.id for e in chosen if not all(map(e.name_in, LANGUAGES))]
