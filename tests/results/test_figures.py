"""Figures made of a probe's sections: panels, groups, and the shades of maps."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from geobias.results.charts import Intervals, Rows
from geobias.results.figures import (
    Panel,
    among_published,
    even_classes,
    figure_of,
    two_sided_classes,
)
from geobias.results.findings import Section
from tests.report.made import findings as made_findings

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
    assert "1 smallest group not drawn" in made.note
    assert {row["row"] for row in made.data} == {"x", "y", "z"}


def test_counts_stand_behind_a_group_s_name_in_the_order_of_the_legend() -> None:
    def rows(_: Section) -> Rows:
        return [
            {"row": "Asia", "series": "things", "played": 7},
            {"row": "Asia", "series": "people", "played": 1200},
            {"row": "Europe", "series": "things", "played": 3},
            {"row": "Europe", "series": "people", "played": 3},
            {"row": "Oceania", "series": "things", "played": 2},
        ]

    series = ("people", "things")
    made = figure_of([section("a")], rows, dots, counted="played", series=series, **WORDS)
    assert made is not None
    assert names(made.panels[0]) == ["Asia (1,200, 7)", "Europe (3)", "Oceania (–, 2)"]


def test_shades_have_round_limits_that_hold_nearly_all_values() -> None:
    assert even_classes([i / 100 for i in range(101)]) == pytest.approx(
        [0.15, 0.3, 0.45, 0.6, 0.75, 0.9]
    )
    assert even_classes([]) == pytest.approx([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    assert len(even_classes([0.3])) == 6


def test_two_sided_shades_have_zero_in_the_middle_one() -> None:
    limits = two_sided_classes([-0.1, 0.4, 0.7])
    assert limits[2] == -limits[3] < 0 < limits[3]
