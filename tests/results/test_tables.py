"""What a notebook shows of findings, tables and runs, and the shades of maps."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import geobias
from geobias.results.figures import even_classes, two_sided_classes
from tests.report.made import findings as made
from tests.report.made import metric


def test_dir_lists_the_public_functions_before_they_are_loaded() -> None:
    assert {"audit", "run", "open_run", "compare", "gate"} <= set(dir(geobias))


def test_a_table_has_a_frame() -> None:
    table = made().sections[0].tables["error_by_region"]
    assert table.frame()["x"].to_list() == [-0.5]


def test_findings_become_a_frame_with_a_row_for_each_metric() -> None:
    frame = made(metric(), metric(name="worldbench.other", value=None, low=None, high=None)).frame()
    assert isinstance(frame, pl.DataFrame)
    assert frame["name"].to_list() == ["worldbench.error", "worldbench.other"]
    assert frame["value"].to_list() == [0.2, None]
    assert frame["n"].to_list() == [30, 30]


def test_a_frame_says_of_a_number_that_it_means_nothing() -> None:
    assert made(why=("it is noise",)).frame()["measurable"].to_list() == [False]


def test_shades_have_round_limits_that_hold_nearly_all_values() -> None:
    assert even_classes(list(range(70))) == pytest.approx([10, 20, 30, 40, 50, 60])
    assert len(even_classes([30])) == 6


@pytest.mark.parametrize("values", [[], [0.3], [0.48, 0.52], [0.0, 1.0]])
def test_all_maps_of_numbers_from_0_to_1_have_the_same_shades(values: list[float]) -> None:
    assert even_classes(values) == [0.15, 0.3, 0.45, 0.6, 0.75, 0.9]


@given(st.lists(st.floats(0.01, 2), min_size=1))
def test_steps_of_two_sided_shades_can_be_halved(values: list[float]) -> None:
    step = (limits := two_sided_classes(values))[1] - limits[0]
    assert f"{step:.0e}"[0] in "124"


def test_two_sided_shades_have_zero_in_the_middle_one() -> None:
    limits = two_sided_classes([-0.1, 0.4, 0.7])
    assert limits[2] == -limits[3] < 0 < limits[3]
