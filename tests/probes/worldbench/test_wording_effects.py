"""A wording is a condition: never a further question, and its part of the spread is told."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from geobias import open_run, run
from geobias.probes import worldbench
from geobias.probes.worldbench.comparison import (
    components,
    wording_errors,
    wording_metric,
    wording_spread,
    wording_tables,
)
from geobias.probes.worldbench.countries import consistency
from geobias.probes.worldbench.scores import country_means, frame_of, group_errors


def asked(folder: Path, noise: float, **settings: object) -> pl.DataFrame:
    path = folder / f"{noise}.geobias"
    chosen = {"indicators": ["population", "gdp"], "paraphrases": 3} | settings
    run([worldbench.plan(**chosen)], f"sim/?recall_sd=0.5&wording_noise={noise}", path)
    with open_run(path) as reader:
        return frame_of(reader.records("worldbench"), "m").sort("trial")


@pytest.fixture(scope="module")
def frame(tmp_path_factory: pytest.TempPathFactory) -> pl.DataFrame:
    return asked(tmp_path_factory.mktemp("wording"), 0.3)


def test_a_model_that_does_not_mind_the_wording_has_no_share_of_it(tmp_path: Path) -> None:
    assert components(asked(tmp_path, 0.0)).outside.value == pytest.approx(0, abs=1e-9)


def test_a_model_that_knows_nothing_but_the_wording_has_nothing_else(tmp_path: Path) -> None:
    found = components(asked(tmp_path, 1.0)).outside
    assert found.high is not None
    assert found.high > 0.9


def test_in_between_both_have_their_part(frame: pl.DataFrame) -> None:
    found = components(frame).outside
    assert found.value is not None
    assert 0.2 < found.value < 0.8


def test_wordings_are_no_further_units(frame: pl.DataFrame) -> None:
    one = frame.filter(pl.col("wording") == 0)
    assert country_means(frame).height == country_means(one).height
    assert group_errors(frame, "all")["countries"][0] == group_errors(one, "all")["countries"][0]


def test_the_rows_say_where_the_spread_comes_from(frame: pl.DataFrame) -> None:
    table = wording_spread(frame)
    assert table["source"].to_list() == [
        *("country", "wording", "wording × country"),
        "all of wording",
    ]
    assert table["share"][0] + table["share"][3] == pytest.approx(1)
    assert set(table["wordings"]) == {3}


def test_each_wording_has_its_error_and_what_it_changed(frame: pl.DataFrame) -> None:
    table = wording_errors(frame)
    assert table["wording"].to_list() == [0, 1, 2]
    assert table["changed"][0] is None
    assert table["changed"][1] > 0.5


def test_a_run_in_one_wording_has_none_of_it(frame: pl.DataFrame) -> None:
    one = frame.filter(pl.col("wording") == 0)
    assert (wording_metric(one), wording_tables(one)) == ([], {})


def test_what_wordings_change_is_no_inconsistency_of_draws(frame: pl.DataFrame) -> None:
    assert consistency(frame)["spread"].to_list() == [None, None]


def test_the_report_has_the_share_and_its_sentence(tmp_path: Path) -> None:
    from geobias.report.findings import collect

    asked(tmp_path, 0.3)
    with open_run(tmp_path / "0.3.geobias") as reader:
        found = collect([reader])
    metrics = {one.name: one for one in found.sections[0].metrics}
    assert metrics["worldbench.wording_share"].low is not None
    assert {"wording_spread", "wordings"} <= found.sections[0].tables.keys()
    assert any("Asked in 3 wordings" in one.text for one in found.sentences)
