"""Which games are planned, about whom, and what they cost."""

from __future__ import annotations

import math
import runpy
from collections import Counter
from importlib.resources import files
from pathlib import Path

import pytest

import geobias
from geobias.atlas.economies import economies
from geobias.atlas.entities import LANGUAGES, Entity, EntityType, entities, read_entities
from geobias.errors import BadRequest
from geobias.probes import geo20q
from geobias.probes.geo20q.choosing import PAIRS, best_known, choose_entities
from geobias.probes.geo20q.languages import FOLDER
from tests.defined import defined
from tests.probes.geo20q.made import naive_calls, write_table
from tests.probes.geo20q.scripts import few, planned
from tests.report.made import found_in


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_table(tmp_path_factory.mktemp("made") / "made.csv", 2)


def test_the_designs_limit_each_type_per_place(made: Path) -> None:
    table = read_entities(made)
    by_continent = choose_entities(table, size="paper", each=10)
    cells = Counter((e.type, economies()[e.country].continent) for e in by_continent)
    assert set(cells.values()) == {10}
    by_country = choose_entities(table, size="paper", design="countries", each=1)
    assert set(Counter((e.type, e.country) for e in by_country).values()) == {1}


def test_names_are_found_by_any_spelling_and_wrong_ones_get_a_hint(tmp_path: Path) -> None:
    table = few(tmp_path)
    [tower] = choose_entities(table, size="quick", named="la dame de FER")
    assert tower.id == "eiffel-tower"
    two = choose_entities(table, size="quick", named="Taj Mahal, エッフェル塔")
    assert {e.id for e in two} == {"taj-mahal", "eiffel-tower"}


def test_the_paper_s_protocol_is_one_word(tmp_path: Path) -> None:
    made = planned(tmp_path, protocol="paper")
    wanted = {"temperature": 0.8, "give_up": "every", "rule": "mention"}
    wanted |= {"turns": 20, "most_turns": 150}
    assert wanted.items() <= made.settings.items()


def test_the_plan_says_in_what_games_differ_from_the_published_ones(tmp_path: Path) -> None:
    [ours] = planned(tmp_path).notes
    [paper] = planned(tmp_path, protocol="paper").notes
    assert ours.startswith("Geo20Q+ differs from the paper")
    assert paper.startswith("Protocol paper")


def test_the_plan_says_how_many_things_no_list_ranks() -> None:
    [order, _] = geo20q.plan(size="paper", type="things").notes
    things = choose_entities(entities(), size="paper", type="things")
    unlisted = sum(one.standing == "unlisted" for one in things)
    assert order.startswith(f"{unlisted} of {len(things)} things are in no list")
    assert len(geo20q.plan(size="standard").notes) == 1


def test_turns_for_the_referee_are_counted_in_the_most_calls(tmp_path: Path) -> None:
    assert planned(tmp_path).calls[1] == 4 * (20 + 19 + 20 + 1 + 1)
    plan = planned(tmp_path, protocol="paper", setting="both")
    assert plan.calls[1] == 4 * (151 + 149 + 149 + 1)
    usual = sum(calls for calls, *_ in defined(plan.usual)().values())
    assert plan.calls[0] < usual < plan.calls[1]


def test_edited_prompts_are_another_run(tmp_path: Path) -> None:
    (tmp_path / "en.toml").write_text((FOLDER / "en.toml").read_text("utf-8") + "\n# mine\n")
    ours, theirs = planned(tmp_path), planned(tmp_path, prompts=tmp_path)
    assert ours.prompts != theirs.prompts
    assert ours.settings == theirs.settings


def test_greedy_games_share_calls_within_the_plan_and_cost_a_third_less_than_the_naive_protocol(
    tmp_path: Path, made: Path
) -> None:
    plan = geo20q.plan(
        judge_questions=0, entities=str(made), design="continents", each=2, setting="both"
    )
    spec = f"sim/?play=0.6&judge_error=0.1&entities={made}"
    done = geobias.run([plan], spec, tmp_path / "r.geobias")
    counts = done.counts["geo20q"]
    with geobias.open_run(done.path) as run:
        run_records = list(run.records())
    games = [one for one in run_records if one["probe"] == "geo20q"]
    assert len(games) == plan.parts["geo20q"] == 24
    assert plan.calls[0] <= counts.calls <= plan.calls[1]
    assert all(game["calls"] <= plan.calls[1] / len(games) for game in games)
    known = plan.parts["geo20q_knowledge"]
    assert counts.calls + counts.shared == known + sum(game["calls"] for game in games)
    assert counts.shared > 0
    assert counts.calls - known < sum(map(naive_calls, games)) * 2 / 3


def test_a_plan_can_be_sent_to_another_process() -> None:
    cloudpickle = pytest.importorskip("ray.cloudpickle", reason="the extra [ray] is not installed")
    plan = geo20q.plan(size="quick")
    there = cloudpickle.loads(cloudpickle.dumps(plan))
    assert [trial.name for trial in there.trials()] == [trial.name for trial in plan.trials()]


def test_the_wording_of_the_judges_questions_is_part_of_the_manifest() -> None:
    asked, not_asked = (
        geo20q.plan(judge_questions=count, language="fr").prompts for count in (24, 0)
    )
    assert asked.keys() == {"geo20q.fr", "geo20q_judge.fr"}
    assert not_asked.keys() == {"geo20q.fr"}


def test_a_plan_expects_the_calls_and_tokens_that_a_run_takes_within_a_quarter(
    tmp_path: Path,
) -> None:
    plan = geo20q.plan(size="quick", design="continents", each=2)
    geobias.run([plan], "sim/fair", tmp_path / "r.geobias")
    run = found_in(tmp_path / "r.geobias", brief=True).runs[0]
    usual = defined(plan.usual)().values()
    calls, tokens_in, tokens_out = map(sum, zip(*usual, strict=True))
    assert calls == pytest.approx(run.calls, rel=0.25)
    assert tokens_in == pytest.approx(run.tokens_in, rel=0.25)
    assert tokens_out == pytest.approx(run.tokens_out, rel=0.25)


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
