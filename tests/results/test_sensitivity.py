from __future__ import annotations

import msgspec
import pytest

from geobias.results.tables import missing_line
from geobias.results.verdicts import Answer, sensitivity_table
from tests.report.made import metric


def answer(method: str, value: float, p: float | None) -> Answer:
    return Answer("Gap", method, value, value - 0.1, value + 0.1, p, 12, "countries")


@pytest.mark.parametrize(
    ("value", "p", "conclusion"),
    [
        (0.2, 0.01, "holds"),
        (0.05, 0.3, "differs: not clear here"),
        (-0.2, 0.01, "differs: the other direction"),
        (0.2, None, "cannot be told"),
    ],
)
def test_a_clear_conclusion_holds_where_another_method_is_clear_in_the_same_direction(
    value: float, p: float | None, conclusion: str
) -> None:
    table = sensitivity_table([answer("chosen", 0.2, 0.001), answer("other", value, p)])
    assert [row["conclusion"] for row in table.rows] == ["main method", conclusion]


@pytest.mark.parametrize(("p", "conclusion"), [(0.6, "holds"), (0.01, "differs: clear here")])
def test_what_is_not_clear_holds_where_it_is_not_clear_by_another_method(
    p: float, conclusion: str
) -> None:
    table = sensitivity_table([answer("chosen", 0.05, 0.4), answer("other", -0.05, p)])
    assert table.rows[1]["conclusion"] == conclusion


def test_each_question_is_held_against_its_own_primary_method() -> None:
    other = answer("chosen", 0.2, 0.01)._replace(question="Another")
    table = sensitivity_table([answer("chosen", 0.05, 0.4), other])
    assert [row["conclusion"] for row in table.rows] == ["main method", "main method"]


def test_missing_answers_are_said_beside_a_number_with_how_far_they_could_move_it() -> None:
    moved = msgspec.structs.replace(metric(), missing=12, lowest=0.1, highest=0.4)
    said = "0.10 to 0.40 with the missing 12 answers"
    assert missing_line(moved) == said
    assert missing_line(metric()) == ""
