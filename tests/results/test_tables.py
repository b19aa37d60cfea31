"""What a notebook shows of findings, tables and runs.

Figures made of a probe's sections: panels, groups, and the shades of maps.
"""

from __future__ import annotations

from typing import Any

import msgspec
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import geobias
from geobias.results.charts import Intervals, Rows
from geobias.results.figures import (
    Panel,
    among_published,
    even_classes,
    figure_of,
    two_sided_classes,
)
from geobias.results.findings import Section
from geobias.results.verdicts import Answer, sensitivity_table
from tests.report.made import findings as made
from tests.report.made import findings as made_findings
from tests.report.made import metric


def answer(method: str, value: float, p: float | None) -> Answer:
    return Answer("Gap", method, value, value - 0.1, value + 0.1, p, 12, "countries")


@pytest.mark.parametrize(
    ("value", "p", "conclusion"),
    [
        (0.2, 0.01, "holds"),
        (0.05, 0.3, "differs: not significant here"),
        (-0.2, 0.01, "differs: the other direction"),
        (0.2, None, "cannot be told"),
    ],
)
def test_a_clear_conclusion_holds_where_another_method_is_clear_in_the_same_direction(
    value: float, p: float | None, conclusion: str
) -> None:
    table = sensitivity_table([answer("chosen", 0.2, 0.001), answer("other", value, p)])
    assert [row["conclusion"] for row in table.rows] == ["main method", conclusion]


@pytest.mark.parametrize(("p", "conclusion"), [(0.6, "holds"), (0.01, "differs: significant here")])
def test_what_is_not_clear_holds_where_it_is_not_clear_by_another_method(
    p: float, conclusion: str
) -> None:
    table = sensitivity_table([answer("chosen", 0.05, 0.4), answer("other", -0.05, p)])
    assert table.rows[1]["conclusion"] == conclusion


def test_each_question_is_held_against_its_own_primary_method() -> None:
    other = answer("chosen", 0.2, 0.01)._replace(question="Another")
    table = sensitivity_table([answer("chosen", 0.05, 0.4), other])
    assert [row["conclusion"] for row in table.rows] == ["main method", "main method"]


def test_dir_lists_the_public_functions_before_they_are_loaded() -> None:
    assert {"audit", "run", "open_run", "compare", "gate"} <= set(dir(geobias))


def test_a_table_has_a_short_repr_and_a_frame() -> None:
    table = made().sections[0].tables["error_by_region"]
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


WORDS: dict[str, Any] = {"name": "n", "title": "t", "note": "How to read it.", "alt": "a"}


def section(model: str) -> Section:
    return msgspec.structs.replace(made_findings().sections[0], model=model)


def dots(rows: Rows, _: Any) -> Intervals:
    return Intervals(rows=rows, title="share", domain=(0, 1))


def names(panel: Panel) -> list[str]:
    """The rows that a panel draws, in their order."""
    assert isinstance(panel.chart, Intervals)
    return list(dict.fromkeys(row["row"] for row in panel.chart.rows))


def test_models_asked_different_things_stand_beside_different_published_numbers() -> None:
    def rows(one: Section) -> Rows:
        published = 0.1 if one.model == "c" else 0.2
        return [
            {"row": "paper's", "value": published, "here": False},
            {"row": one.model, "value": 0.3, "here": True},
        ]

    made = among_published(
        [section("a"), section("b"), section("c")],
        rows,
        dots,
        order=lambda row: row["value"],
        **WORDS,
    )
    assert made is not None
    assert [panel.label for panel in made.panels] == ["a, b", "c"]
    assert [names(panel) for panel in made.panels] == [["paper's", "a", "b"], ["paper's", "c"]]


def test_the_smallest_groups_are_cut_in_all_panels_alike_and_the_data_have_all() -> None:
    values = {"a": {"x": 0.9, "y": 0.1, "z": 0.5}, "b": {"x": 0.1, "y": 0.9, "z": 0.5}}
    played = {"x": 10, "y": 5, "z": 1}

    def rows(one: Section) -> Rows:
        best_first = sorted(values[one.model].items(), key=lambda each: -each[1])
        return [{"row": g, "value": v, "played": played[g]} for g, v in best_first]

    made = figure_of([section("a"), section("b")], rows, dots, counted="played", most=2, **WORDS)
    assert made is not None
    assert [set(names(panel)) for panel in made.panels] == [{"x (10)", "y (5)"}] * 2
    assert "1 smallest" in made.note
    assert {row["row"] for row in made.data} == {"x", "y", "z"}


def test_counts_stand_behind_a_group_s_name() -> None:
    def rows(_: Section) -> Rows:
        return [{"row": "Asia", "played": 1200}, {"row": "Europe", "played": 3}]

    made = figure_of([section("a")], rows, dots, counted="played", **WORDS)
    assert made is not None
    assert names(made.panels[0]) == ["Asia (1,200)", "Europe (3)"]


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
