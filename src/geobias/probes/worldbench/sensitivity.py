"""Do regions (incomes) differ, asked in other ways than the primary one."""

from __future__ import annotations

from collections.abc import Iterator

from geobias.probes.lazy import pl
from geobias.probes.worldbench.scores import (
    GROUPINGS,
    Grouping,
    country_means,
    disparities,
    question_means,
)
from geobias.results.findings import Table
from geobias.results.sensitivity import Answer, sensitivity_table
from geobias.stats.group_tests import kruskal_p, permuted_f_p
from geobias.stats.nested_model import nested_model


def sensitivity(frame: pl.DataFrame, gaps: dict[Grouping, pl.DataFrame] | None = None) -> Table:
    """The table of a run; `gaps` are its `disparities` where they are made already."""
    answers: list[Answer] = []
    for by in GROUPINGS:
        made = gaps[by] if gaps else disparities(frame, by, per_indicator=False)
        if made.height:
            answers += _answers(frame, by, made.row(0, named=True))
    return sensitivity_table(answers)


def _answers(frame: pl.DataFrame, by: Grouping, row: dict[str, float]) -> Iterator[Answer]:
    question = f"Spread of mean errors over {by}s"
    n, counted = int(row["countries"]), "economies"

    def estimate(name: str) -> tuple[float | None, float | None, float | None]:
        return row[name], row[f"{name}_low"], row[f"{name}_high"]

    yield Answer(
        question, "Welch's F test, spread by Q-profile", *estimate("spread"), row["p"], n, counted
    )
    model = nested_model(
        *(
            question_means(frame).drop_nulls(["centred", by])[name].to_numpy()
            for name in ("error", "indicator", "country", by)
        )
    )
    found = model.spread
    yield Answer(
        question,
        f"mixed model: indicator, country in {by} (REML)",
        found.value, found.low, found.high, model.p, found.n, counted,
    )  # fmt: skip
    means = country_means(frame).drop_nulls(by)
    values, groups = means["error"].to_numpy(), means[by].to_list()
    none = (None, None, None)
    yield Answer(question, "F test by permutation", *none, permuted_f_p(values, groups), n, counted)
    yield Answer(question, "Kruskal–Wallis test of ranks", *none, kruskal_p(values, groups), n, counted)
    yield Answer(
        question,
        "largest minus smallest mean, by Games and Howell",
        *estimate("disparity"), row["disparity_p"], n, counted,
    )  # fmt: skip
    yield Answer(
        question,
        "the paper's: largest minus smallest mean against random deals into the same sizes",
        row["disparity"], None, None, row["permuted_p"], n, counted,
    )  # fmt: skip
