"""What changed from one WorldBench run to another, question by question."""

from __future__ import annotations

from geobias.probes.lazy import pl
from geobias.probes.worldbench.scores import question_means
from geobias.results.changes import (
    Change,
    ComparisonRule,
    Lead,
    changed_disparities,
    changed_gaps,
    paired_changes,
)


def _answered() -> pl.Expr:
    return pl.col("error").is_not_null() & pl.col("error_2").is_not_null()


def _centred(both: pl.DataFrame) -> pl.DataFrame:
    """The shared questions with each run's errors centred by indicator, as a report has them.

    Means of countries and their groups come from these: on the same questions, the mean error of a
    comparison is that of the report."""
    second = question_means(both.with_columns(error=pl.col("error_2")))
    joined = question_means(both).join(second, on=("indicator", "country"), suffix="_2")
    return joined.with_columns(
        error=pl.col("centred"), error_2=pl.col("centred_2"), trial=pl.col("indicator")
    ).drop_nulls(["error", "error_2"])


def _changes(both: pl.DataFrame) -> list[Change]:
    answered = both.filter(_answered())
    centred = _centred(answered)
    found = []
    for by, unit, rows in (
        *((by, "country", centred) for by in ("all", "region", "income")),
        ("indicator", "country", answered),
        ("country", "indicator", answered),
    ):
        found += paired_changes(rows, "worldbench.error", by, unit=unit, column="error")
    given = both.with_columns(
        (pl.col(name).is_not_null()).cast(pl.Float64).alias(f"given{end}")
        for name, end in (("value", ""), ("value_2", "_2"))
    )
    for by in ("all", "region", "income"):
        found += paired_changes(given, "worldbench.answered", by, unit="country", column="given")
    gaps = [
        gap
        for by in ("region", "income")
        for gap in changed_disparities(
            centred,
            by,
            "error",
            spread=f"worldbench.{by}_spread",
            gap=f"worldbench.{by}_disparity",
            within="indicator",
        )
    ]
    return found + changed_gaps(gaps)


COMPARISON = ComparisonRule(
    ("indicator", "country", "wording", "repeat"),
    _answered,
    _changes,
    metrics=(
        "worldbench.error",
        "worldbench.answered",
        *(
            f"worldbench.{by}_{gap}"
            for by in ("region", "income")
            for gap in ("spread", "disparity")
        ),
    ),
    leads=(
        Lead("worldbench.error", "mean error", "low"),
        Lead("worldbench.income_spread", "spread over income groups", "low"),
        Lead("worldbench.region_spread", "spread over regions", "low"),
    ),
    labels={
        "worldbench.error": "Mean error",
        "worldbench.answered": "Share of questions answered",
        **{
            f"worldbench.{by}_{gap}": label.format(groups)
            for by, groups in (("region", "regions"), ("income", "income groups"))
            for gap, label in (
                ("spread", "Spread over {}"),
                ("disparity", "Highest minus lowest of {}"),
            )
        },
    },
)
