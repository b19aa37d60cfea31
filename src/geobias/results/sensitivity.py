"""Does the conclusion hold when the same question is answered another way?

Beside a probe's result stands what other sound methods say of it, a mixed model among them. The
result stays that of the method that was chosen beforehand, whatever the others say.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from geobias.results.findings import Column, Table
from geobias.stats.pooling import SIGNIFICANCE


class Answer(NamedTuple):
    """One method's answer to one question.

    question   the metric it is about, by its label
    method     in a few words; the first of a question is the one that is used
    value …    the estimate, its 95% interval and the p-value that belongs to it
    n, counted the units it rests on
    """

    question: str
    method: str
    value: float | None
    low: float | None
    high: float | None
    p: float | None
    n: int
    counted: str


def sensitivity_table(answers: Sequence[Answer]) -> Table:
    """A row for each method, with what it says about the conclusion of the primary one."""
    first: dict[str, Answer] = {}
    rows = []
    for one in answers:
        primary = first.setdefault(one.question, one)
        rows.append(one._asdict() | {"conclusion": _conclusion(primary, one)})
    columns = [
        Column(name="question", label="Question", kind="text"),
        Column(name="method", label="Method", kind="text"),
        Column(name="value", label="Estimate", kind="number"),
        Column(name="low", label="low", kind="number"),
        Column(name="high", label="high", kind="number"),
        Column(name="p", label="p", kind="p"),
        Column(name="n", label="n", kind="count"),
        Column(name="counted", label="of", kind="text"),
        Column(name="conclusion", label="Conclusion", kind="text"),
    ]
    note = (
        "The first method of each question is the one that is used; the others check it. A "
        "conclusion holds where both find a clear difference (p under 0.05) in the same direction, "
        "or neither does."
    )
    return Table(title="Does the conclusion hold?", note=note, columns=columns, rows=rows)


def _conclusion(primary: Answer, other: Answer) -> str:
    if other is primary:
        return "main method"
    if primary.p is None or other.p is None:
        return "cannot be told"
    clear = primary.p < SIGNIFICANCE, other.p < SIGNIFICANCE
    if clear[0] != clear[1]:
        return "differs: clear here" if clear[1] else "differs: not clear here"
    same = (primary.value or 0) * (other.value or 0) >= 0
    return "holds" if same or not clear[0] else "differs: the other direction"
