"""What a notebook shows of findings, tables and runs."""

from __future__ import annotations

import polars as pl
import pytest

import geobias
from tests.report.made import findings as made
from tests.report.made import metric


def test_dir_lists_the_public_functions_before_they_are_loaded() -> None:
    assert {"audit", "run", "open_run", "compare", "gate"} <= set(dir(geobias))


def test_findings_have_a_short_repr() -> None:
    assert repr(made()) == "<Findings: 1 models (m); worldbench>"


def test_a_table_has_a_short_repr_and_a_frame() -> None:
    table = made().sections[0].tables["regions"]
    assert len(repr(table)) < 80
    assert table.frame()["x"].to_list() == [-0.5]


def test_findings_become_a_frame_with_a_row_for_each_metric() -> None:
    frame = made(metric(), metric(name="worldbench.other", value=None, low=None, high=None)).frame()
    assert isinstance(frame, pl.DataFrame)
    assert frame["name"].to_list() == ["worldbench.error", "worldbench.other"]
    assert frame["value"].to_list() == [0.2, None]
    assert frame["n"].to_list() == [30, 30]


def test_a_frame_says_of_a_number_that_it_means_nothing() -> None:
    assert made(why=("it is noise",)).frame()["measurable"].to_list() == [False]


def test_findings_become_a_frame_of_pandas() -> None:
    pytest.importorskip("pandas", reason="pandas is not installed")
    assert made().frame("pandas")["value"].tolist() == [0.2]


def test_hostile_text_is_no_markup_in_a_notebook() -> None:
    found = made(text="<script>alert(1)</script>")
    for shown in (found._repr_html_(), found.sections[0].tables["regions"]._repr_html_()):
        assert "<script" not in shown
        assert "&lt;script&gt;" in shown
