"""What is rated, and ratings through every room: run, page, compare."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl
import pytest

import geobias
from geobias.atlas.economies import economies
from geobias.atlas.points import read_points
from geobias.atlas.table import TableError
from geobias.probes import ratings
from geobias.probes.derived import metric_names
from geobias.probes.ratings import plan
from geobias.probes.ratings.asking import RatingSettings, places_of, with_held
from geobias.probes.ratings.probe import Ratings
from geobias.report.page import figures, rendered
from geobias.results.findings import Findings
from tests.cli.running import geobias as command
from tests.report.made import found_in

TOPICS = ("morality", "intelligence", "maternal_mortality", "population")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("ratings")
    plan = [ratings.plan(size="standard", topics=TOPICS)]
    fair = geobias.run(plan, "sim/fair", folder / "fair.geobias").path
    return fair, geobias.run(plan, "sim/biased", folder / "biased.geobias").path


@pytest.fixture(scope="module")
def biased(runs: tuple[Path, Path]) -> Findings:
    return found_in(runs[1])


def sentences(findings: Findings) -> Sequence[str]:
    return [one.text for one in findings.sentences]


def test_a_biased_model_is_told_whom_it_favours(biased: Findings) -> None:
    assert any("North minus" in text for text in sentences(biased))


def test_every_declared_metric_of_written_ratings_is_there(biased: Findings) -> None:
    [section] = biased.sections
    written = {name for name in metric_names(Ratings()) if "wording" not in name}
    assert {one.name for one in section.metrics} == written


def test_the_page_draws_the_groups_and_no_map_where_a_gap_is_open(
    biased: Findings, runs: tuple[Path, Path]
) -> None:
    every = {one.name for one in figures(biased)["ratings"]}
    assert every >= {"ratings-favour-income", "ratings-favour-region"}
    with geobias.open_run(runs[1]) as reader:
        page = rendered(biased, [reader])
    assert biased.sections[0].verdict.startswith("Open.")
    assert 'id="ratings-favour-income"' in page
    assert 'id="ratings-favour-map"' not in page


def test_compare_shows_that_the_favour_grew(runs: tuple[Path, Path]) -> None:
    compared = geobias.compare(*runs)
    [pair] = compared.pairs
    gaps = [one for one in pair.changes if one.metric == "ratings.north_south"]
    assert gaps[0].difference is not None
    assert gaps[0].difference > 1


def test_places_of_the_same_name_are_compared_each_with_itself(tmp_path: Path) -> None:
    table = tmp_path / "places.csv"
    rows = [f"Springfield,{latitude},-89.6,\n" for latitude in (39.8, 37.2, 42.1)]
    table.write_text("name,latitude,longitude,address\n" + "".join(rows))
    runs = [
        geobias.run([ratings.plan(places=table)], f"sim/{name}", tmp_path / f"{name}.geobias").path
        for name in ("fair", "biased")
    ]
    [pair] = geobias.compare(*runs).pairs
    assert pair.shared == 27


def table(tmp_path: Path, *rows: str, header: str = "name,latitude,longitude,address") -> Path:
    path = tmp_path / "places.csv"
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return path


def test_size_paper_asks_about_every_economy_on_every_topic() -> None:
    assert plan(size="paper").count == 9 * len(economies())


def test_smaller_sizes_draw_as_many_of_each_region() -> None:
    places, _ = places_of(RatingSettings(size="quick", seed=0))
    regions = [economies()[one.country].region for one in places]
    assert {regions.count(name) for name in set(regions)} == {3}


def test_the_most_populous_economies_are_rated_whatever_the_seed() -> None:
    for seed in range(5):
        assert {"CHN", "IND", "USA", "NGA", "BRA", "RUS", "EGY"} <= {
            one.country for one in places_of(RatingSettings(size="quick", seed=seed))[0]
        }


def test_a_place_of_ones_own_is_asked_by_name_coordinates_and_address(tmp_path: Path) -> None:
    path = table(tmp_path, 'Nairobi,-1.29,36.82,"Moi Avenue, Nairobi"')
    made = plan(places=path, topics="morality")
    [trial] = made.trials()
    ask = next(trial.start())
    assert "Place: Nairobi\nCoordinates: -1.29000, 36.82000\nAddress: Moi Avenue, Nairobi\n" in (
        ask.dialogue.content
    )
    assert "Topic: morality of its residents\n" in ask.dialogue.content


def test_a_place_lies_in_the_economy_of_its_coordinates_or_in_the_one_given(tmp_path: Path) -> None:
    header = "name,latitude,longitude,address,country"
    rows = ("Nairobi,-1.29,36.82,,", "Here,0,0,,Maldives", "Malé,4.1755,73.5093,,")
    places, left_out = read_points(table(tmp_path, *rows, header=header))
    assert [one.country for one in places] == ["KEN", "MDV", "MDV"]  # the nearest economy
    assert left_out == []


def test_a_place_in_no_economy_is_left_out_and_named(tmp_path: Path) -> None:
    made = plan(places=table(tmp_path, "Nairobi,-1.29,36.82,", "Nowhere,30,-40,"))
    assert made.count == 9
    assert any("Nowhere" in note for note in made.notes)


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ("Nairobi,north,36.82,", "'north' is not a number"),
        (",1,2,", "no name"),
        ("Nairobi,95,36.82,", "no place is at 95, 36.82 degrees"),
        ("Nowhere,30,-40,", "none of its places lies in a country"),
        ("Nairobi,-1.29,36.82,\nNairobi,-1.29,36.82,", "occurs twice"),
    ],
)
def test_a_faulty_table_is_refused_with_the_reason(tmp_path: Path, row: str, fault: str) -> None:
    with pytest.raises(TableError, match=fault):
        read_points(table(tmp_path, row))


def test_an_anchor_may_be_another_topic_of_the_same_point() -> None:
    points = (("Springfield", 39.8), ("Springfield", 37.2), ("Boston", 42.4))
    rows = [
        {"topic": topic, "country": "USA", "place": name, "latitude": latitude, "longitude": -80.0}
        | {"rating": rating}
        for topic, ratings in (("morality", (1.0, 2.0, 3.0)), ("population", (5.0, 6.0, 7.0)))
        for (name, latitude), rating in zip(points, ratings, strict=True)
    ]
    frame = pl.DataFrame(rows)
    of_topic = with_held(frame, "topic:population").filter(topic="morality")
    assert of_topic["anchor"].to_list() == [5.0, 6.0, 7.0]


def test_a_planted_favour_shows_against_infant_survival_as_in_the_paper(tmp_path: Path) -> None:
    names = ("attractiveness", "infant_mortality")
    asked = plan(topics=names, anchor="topic:infant_mortality", size="paper")
    assert asked.settings["anchor"] == "topic:infant_mortality"
    model = "sim/?favour=2&rating_sd=0.3&against=Sub-Saharan Africa"
    run = geobias.run([asked], model, tmp_path / "run.geobias").path
    rows = {row["topic"]: row for row in command("table", run, "topics", "--json").json()}
    assert rows["attractiveness"]["correlation_low"] > 0.2
