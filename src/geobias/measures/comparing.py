"""Changes of a measure from one run to another, on the questions that both answered.

Each run's values are adjusted for the difficulty of items, as estimated from the questions that
both runs answered. If both answered all questions, the mean of a comparison is that of the report.
A contrast is linear, so its change is the contrast of the changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import msgspec
import polars as pl

from geobias.measures.crossed import kinds_within
from geobias.measures.estimates import trend_of
from geobias.measures.measure import Contrast, Contrasted, Measure
from geobias.measures.questions import questions, rows_of, unit_means
from geobias.results.changes import (
    Change,
    ComparisonRule,
    Lead,
    change_of,
    changed_gaps,
    paired_changes,
)
from geobias.stats.arrays import ROUNDING
from geobias.stats.contrasts import MIN_UNITS, welch_f
from geobias.stats.paired import unchanged

SECOND = "_2"
"""The suffix of the second run's columns."""


def comparison_of(probe: str, measures: Sequence[Measure]) -> ComparisonRule:
    lead = measures[0]
    measures = [one for one in measures if one.is_mean and not one.per and one.frame == lead.frame]
    means = [one for one in measures if one.main and not one.relative and one.screened]
    tested = [one.primary_contrast for one in measures if one.primary_contrast]
    return ComparisonRule(
        (*(lead.compared_by or lead.asked_by), *filter(None, (lead.wording,)), "repeat"),
        partial(_both_known, lead),
        partial(_changes, probe, measures),
        metrics=tuple(f"{probe}.{name}" for one in measures for name in one.metric_names()),
        leads=(
            *(Lead(f"{probe}.{one.name}", _lowered(one.label), one.better) for one in means),
            *(
                Lead(f"{probe}.{contrast.name}", _lowered(contrast.label), "zero")
                for contrast in tested
            ),
        ),
    )


def _lowered(label: str) -> str:
    return label[:1].lower() + label[1:]


def _values(measure: Measure) -> tuple[str, str]:
    return measure.value, f"{measure.value}{SECOND}"


def _both_known(measure: Measure) -> pl.Expr:
    return pl.all_horizontal(pl.col(name).is_not_null() for name in _values(measure))


def _changes(probe: str, measures: Sequence[Measure], both: pl.DataFrame) -> list[Change]:
    found, gaps = [], []
    for measure in measures:
        name = f"{probe}.{measure.name}"
        if measure.value not in both.columns:
            continue
        asked = rows_of(both, measure)
        answered = asked.filter(_both_known(measure))
        if not answered.height:
            continue
        rows = paired_levels(answered, measure)
        length = measure.length
        # Values that are adjusted for an item are neither right nor wrong.
        shares = not measure.item and all(both.schema[x] == pl.Boolean for x in _values(measure))
        groups = [by for by in measure.groups if by in rows.columns and by != measure.units[0]]
        groups = ["all", *groups]
        items = [measure.item] if measure.item else []
        if measure.relative:  # the mean of everything is 0 in both runs
            groups, items = groups[1:], []
        for by in (*groups, *items):
            found += paired_changes(
                rows, name, by, unit=measure.unit_column, column=measure.value,
                across=kinds_within(measure.units, by)[1:], bounds=(-length, length),
                right_or_wrong=shares,
            )  # fmt: skip
        if measure.item or measure.within:
            found += paired_changes(
                rows, name, measure.unit_column, unit=measure.inner_column, column=measure.value,
                bounds=(-length, length),
                right_or_wrong=shares,
            )  # fmt: skip
        if measure.unit_column == "country" and measure.main:
            tested = [by for by in groups if by == "region" or _regrouped(rows, by)]
            found += [changed_alike(rows, name, measure, by) for by in tested]
        gaps += [
            changed_gap(rows, f"{probe}.{one.name}", measure, one) for one in measure.contrasts
        ]
    return found + changed_gaps(gaps)


def _moved(rows: pl.DataFrame, measure: Measure) -> tuple[pl.DataFrame, Measure]:
    """The rows with the change of each value, and the measure of these changes.

    The values are already adjusted for the item, and the rows are only those of the measure.
    """
    before, after = (pl.col(one).cast(pl.Float64) for one in _values(measure))
    range_ = (-measure.length, measure.length)
    change = replace(measure, value="moved", bounds=range_, item="", of={})
    return rows.with_columns(moved=after - before), change


def changed_gap(rows: pl.DataFrame, name: str, measure: Measure, contrast: Contrast) -> Change:
    """Return the change of a contrast: the contrast of the changes, since it is linear."""
    both, change = _moved(rows, measure)

    def of(one: Measure) -> Contrasted:
        if contrast.estimate:
            return contrast.estimate(both, one.value, one.length)
        return Contrasted(trend_of(unit_means(both, one), one, contrast))

    first, second = (
        of(replace(change, value=one, bounds=measure.bounds)) for one in _values(measure)
    )
    found = of(change).found
    if first.found.value is not None and not _any_moved(both):
        found = unchanged(first.found.n)
    between, items = " minus ".join(contrast.order), both.drop_nulls(contrast.by).height
    if len(contrast.order) > 2:
        sizes = Counter(unit_means(both, change)[contrast.by])
        there = [one for one in contrast.order if sizes[one] >= MIN_UNITS] or contrast.order
        between = f"{there[0].lower()} minus {there[-1].lower()}, by the trend"
    items = items if first.rows is None else first.rows
    return change_of(name, "gap", between, first.found.value, second.found.value, found, items)


def _regrouped(rows: pl.DataFrame, by: str) -> bool:
    """Whether the runs group items differently, as by whether their language is official there."""
    other = f"{by}{SECOND}"
    return other in rows.columns and bool((rows[by] != rows[other]).any())


def changed_alike(rows: pl.DataFrame, name: str, measure: Measure, by: str) -> Change:
    """Test by Welch's F whether units of all groups changed by the same amount.

    If they did, the groups (regions) play no part in the change.
    """
    both, change = _moved(rows, measure)
    means = unit_means(both, change, by)
    test = welch_f(means["value"].to_numpy(), means[by].to_list())
    p = test.p if _any_moved(both) else 1.0
    test = msgspec.structs.replace(test, p=p)
    found = change_of(name, "alike", by, None, None, test, both.drop_nulls(by).height)
    return msgspec.structs.replace(found, p_adjusted=p)


def _any_moved(both: pl.DataFrame) -> bool:
    return bool((both["moved"].abs() > ROUNDING).any())


def paired_levels(answered: pl.DataFrame, measure: Measure) -> pl.DataFrame:
    """Return a row for each question that both runs answered, with both adjusted values."""
    if not measure.item:
        return answered
    second = f"{measure.value}{SECOND}"
    # Questions without coordinates have nulls there, which also match.
    after = answered.with_columns(pl.col(second).alias(measure.value))
    keys = list(measure.asked_by)
    joined = questions(answered, measure).join(
        questions(after, measure).select(*keys, pl.col("level").alias(second)),
        on=keys,
        nulls_equal=True,
    )
    named = joined.with_columns(
        pl.col("level").alias(measure.value), trial=pl.concat_str(keys, separator="/")
    )
    return named.drop_nulls([measure.value, second])
