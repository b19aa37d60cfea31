"""Ratings through every room: run, audit, page, compare, gate, viewer, tables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

import geobias
from geobias.probes import ratings
from geobias.probes.derived import metric_names
from geobias.probes.ratings.probe import Ratings
from geobias.report.page import figures, rendered
from geobias.results.findings import Findings
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
