"""Do regions (incomes) differ, asked in other ways than the primary one."""

from __future__ import annotations

from geobias.probes.lazy import pl
from geobias.probes.sections import group_answers
from geobias.probes.worldbench.scores import (
    GROUPINGS,
    Grouping,
    country_means,
    disparities,
    question_means,
)
from geobias.results.findings import Table
from geobias.results.verdicts import Answer, sensitivity_table


def sensitivity(frame: pl.DataFrame, gaps: dict[Grouping, pl.DataFrame] | None = None) -> Table:
    """The table of a run; `gaps` are its `disparities` where they are made already."""
    means = country_means(frame).rename({"error": "value"})
    rows = (
        question_means(frame).drop_nulls("centred").rename({"error": "value", "indicator": "item"})
    )
    answers: list[Answer] = []
    for by in GROUPINGS:
        made = gaps[by] if gaps else disparities(frame, by, per_indicator=False)
        if not made.height:
            continue
        question = f"Spread of mean errors over {by}s"
        answers += group_answers(question, means, rows, by, {"item": "indicator", "group": by}, 1)
        row = made.row(0, named=True)
        method = (
            "the paper’s: largest minus smallest mean, against shuffled groups of the same sizes"
        )
        gap, p, n = row["disparity"], row["permuted_p"], row["countries"]
        answers.append(Answer(question, method, gap, None, None, p, n, "economies"))
    return sensitivity_table(answers)
