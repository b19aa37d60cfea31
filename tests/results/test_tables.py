"""What a notebook shows of findings, tables and runs, and the shades of maps."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import geobias
from geobias.results.figures import even_classes, two_sided_classes
from geobias.results.verdicts import Answer, sensitivity_table
from geobias.stats.estimates import Estimate
from tests.report.made import findings as made
from tests.report.made import metric


def answer(method: str, value: float, p: float | None) -> Answer:
    return Answer("Gap", method, Estimate(value, value - 0.1, value + 0.1, 12, p=p))


CLEAR, UNCLEAR = answer("chosen", 0.2, 0.001), answer("chosen", 0.05, 0.4)


@pytest.mark.parametrize(
    ("chosen", "value", "p", "conclusion"),
    [
        (CLEAR, 0.2, 0.01, "holds"),
        (CLEAR, 0.05, 0.3, "differs: not significant here"),
        (CLEAR, -0.2, 0.01, "differs: the other direction"),
        (CLEAR, 0.2, None, "cannot be told"),
        (UNCLEAR, -0.05, 0.6, "holds"),
        (UNCLEAR, -0.05, 0.01, "differs: significant here"),
    ],
)
def test_a_conclusion_holds_where_another_method_is_as_clear_and_in_the_same_direction(
    chosen: Answer, value: float, p: float | None, conclusion: str
) -> None:
    table = sensitivity_table([chosen, answer("other", value, p)])
    assert [row["conclusion"] for row in table.rows] == ["main method", conclusion]


def test_each_question_is_held_against_its_own_primary_method() -> None:
    other = answer("chosen", 0.2, 0.01)._replace(question="Another")
    table = sensitivity_table([UNCLEAR, other])
    assert [row["conclusion"] for row in table.rows] == ["main method", "main method"]


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
