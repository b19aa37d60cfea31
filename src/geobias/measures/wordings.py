"""The share of a run's variance that is due to the wording of questions.

Every question is asked in each of several wordings, so wording and unit (a country) are crossed
within each item (an indicator):

    value = item + unit + wording + unit × wording + draw

Each item has a fixed mean, and all other terms are random. Variances come from the analysis of
variance (Henderson 1953, method 1; Searle, Casella and McCulloch 1992, chapter 4), which does not
assume normality. A negative variance counts as 0. If a sampled model answers each question once,
the draws' variance is part of unit × wording.

A question that is unanswered in one wording is dropped from all of them, so the table is balanced.

The variance of the share is the jackknife's over units plus that over wordings. With crossed random
terms the interval is a little too wide rather than too narrow, as Owen (2007) shows for the
bootstrap over both. Student's t has Satterthwaite's (1946) degrees of freedom.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from geobias.measures.estimates import group_table
from geobias.measures.frames import once_per_frame, schema_of
from geobias.measures.measure import Measure
from geobias.measures.questions import rows_of
from geobias.results.findings import Metric, Section, Table
from geobias.results.tables import metric_from, metric_of, metric_percents, table_from
from geobias.stats.arrays import ROUNDING, Floats, Names, Numbers
from geobias.stats.estimates import Estimate, around, quantile_95, too_few, undefined, unvaried

SHARE = "wording_share"
_ALL_ALIKE = 1e-3
FEW_WORDINGS = 8
"""Fewer wordings get a caution: their interval covers the truth in 74 to 94% of simulations."""


class Variances(NamedTuple):
    """The variance of each random term: unit, wording, unit × wording, and draw."""

    unit: float
    wording: float
    interaction: float
    draw: float

    @property
    def known(self) -> bool:
        """Whether values differ by more than rounding error."""
        return sum(self) > ROUNDING**2

    @property
    def share(self) -> float:
        """The share of the variance that would vanish with a single wording."""
        return (self.wording + self.interaction) / sum(self)


class Components(NamedTuple):
    """The sources of variance.

    share  the share of wording and unit × wording together; its `n` counts units
    drawn  whether some question was asked twice; if not, the variance of draws is unknown
    """

    variances: Variances | None
    share: Estimate
    drawn: bool
    wordings: int


def crossed_components(values: Numbers, items: Names, units: Names, wordings: Names) -> Components:
    """Return the variance components of values with their items, units and wordings.

    Several values with one item, unit and wording are draws. NaN is left out. The components are
    undefined, with a reason, if there are fewer than two wordings, no item with two complete units,
    or no variation.
    """
    y = np.asarray(values, dtype=float)
    known = np.isfinite(y)
    names = [
        np.unique(np.asarray(side)[known], return_inverse=True) for side in (items, units, wordings)
    ]
    y, index = y[known], tuple(numbers.ravel() for _, numbers in names)
    counts, sums = np.zeros((2, *(len(kinds) for kinds, _ in names)))
    np.add.at(counts, index, 1.0)
    np.add.at(sums, index, y)
    with np.errstate(invalid="ignore"):
        means = sums / counts
    complete: NDArray[Any] = np.asarray((counts > 0).all(axis=2))
    used, width = np.flatnonzero(complete.any(axis=0)), means.shape[2]
    kept, cells = complete[index[0], index[1]], counts[complete]
    freedom = int(kept.sum()) - cells.size
    draw = float(((y - means[index]) ** 2)[kept].sum()) / freedom if freedom else 0.0
    of_mean = draw / float(1 / (1 / cells).mean()) if cells.size else 0.0
    found = _variances(means, complete, draw, of_mean)
    why = ""
    if width < 2:
        why = "one wording alone"
    elif found is None:
        why = "fewer than two units have a value in every wording"
    elif not found.known:
        why = "all values are equal"
    if found is None or why:
        return Components(None, undefined(len(used), why), freedom > 0, width)
    left_out = (
        [
            _variances(np.delete(means, i, 1), np.delete(complete, i, 1), draw, of_mean)
            for i in used
        ],
        [_variances(np.delete(means, i, 2), complete, draw, of_mean) for i in range(width)],
    )
    return Components(found, _share(found.share, *left_out), freedom > 0, width)


def _variances(
    means: Floats, complete: NDArray[Any], draw: float, of_mean: float
) -> Variances | None:
    """Return the variances of the terms, or None if they are undefined.

    `means` are the means of cells (item × unit × wording), and `complete` marks the units that have
    every wording of an item. `draw` is the variance of draws within a cell, `of_mean` that of the
    mean of a cell.
    """
    squares, freedom, sizes = np.zeros(3), np.zeros(3), []
    for table, whole_units in zip(means, complete, strict=True):
        own = table[whole_units]
        rows, columns = own.shape
        if rows < 2 or columns < 2:
            continue
        grand = own.mean()
        of_rows, of_columns = own.mean(axis=1) - grand, own.mean(axis=0) - grand
        rest = own - grand - of_rows[:, None] - of_columns
        squares += columns * (of_rows**2).sum(), rows * (of_columns**2).sum(), (rest**2).sum()
        freedom += rows - 1, columns - 1, (rows - 1) * (columns - 1)
        sizes.append(rows)
    if not sizes:
        return None
    unit, wording, left = map(float, squares / freedom)
    return Variances(
        max(0.0, (unit - left) / means.shape[2]),
        max(0.0, (wording - left) / float(np.mean(sizes))),
        max(0.0, left - of_mean),
        draw,
    )


def _share(
    value: float, without_unit: list[Variances | None], without_wording: list[Variances | None]
) -> Estimate:
    n, parts = len(without_unit), []
    for kind, side in (("unit", without_unit), ("wording", without_wording)):
        shares = [one.share for one in side if one and one.known]
        why = too_few(len(side)).replace("unit", kind)
        if not why and len(shares) < len(side):
            why = f"undefined if one {kind} is left out"
        if why:
            return undefined(n, why, value)
        parts.append(((len(side) - 1) * float(np.var(shares)), len(side) - 1))
    variance, wordings = sum(part for part, _ in parts), len(without_wording)
    few = f"{wordings} wordings: the interval may be too narrow"
    if min(value, 1 - value) < _ALL_ALIKE:
        # The share is 0 (or 1) whichever unit or wording is left out, so the jackknife has no
        # spread. The interval follows from the smaller number: units or wordings.
        alike = unvaried(float(round(value)), min(n, wordings), (0.0, 1.0))
        low, high = alike.low, alike.high
    elif variance <= ROUNDING**2:
        return undefined(n, "no unit differs", value)
    else:
        freedom = variance**2 / sum(part**2 / df for part, df in parts)
        half = quantile_95(freedom) * math.sqrt(variance)
        # The logit scale never reaches 0, and a component may well be 0.
        low, high = max(0.0, value - half), min(1.0, value + half)
        if low > 0 and high < 1:
            low, high = around(value, half, (0.0, 1.0))
    return Estimate(value, low, high, n, caution=few if wordings < FEW_WORDINGS else "")


# Of a measure -------------------------------------------------------------------------------------


def several_wordings(frame: pl.DataFrame, measure: Measure) -> bool:
    return measure.wording in frame.columns and frame[measure.wording].n_unique() > 1


@once_per_frame
def components(frame: pl.DataFrame, measure: Measure) -> Components:
    """Return the variance components of questions that were answered in every wording.

    If units are crossed, the unit is the question: a story about two nationalities.
    """
    known = rows_of(frame, measure).drop_nulls(measure.value)
    unit = pl.concat_str(measure.asked_by, separator=" ", ignore_nulls=True)
    units = known.select(unit if measure.crossed else measure.unit_column).to_series()
    return crossed_components(
        known[measure.value].cast(pl.Float64).to_numpy(),
        known[measure.item].to_numpy() if measure.item else [""] * known.height,
        units.to_numpy(),
        known[measure.wording].to_numpy(),
    )


def _unit_word(measure: Measure) -> str:
    return "question" if measure.crossed else measure.unit_column


def wording_spread(frame: pl.DataFrame, measure: Measure) -> pl.DataFrame:
    """Return a row for each source of variance: its SD, and its share of the variance within items.

    country             countries differ, whatever the wording
    wording             values of an item are larger in one wording than in another
    wording × country   the wording changes which countries have large values. Without repeats,
                        this includes the draws of a sampled model
    draw                repeats of a question in one wording differ
    all of wording      the sum of wording and wording × country, with an interval
    """
    found, unit = components(frame, measure), _unit_word(measure)
    rows: list[dict[str, Any]] = []
    names = (unit, "wording", f"wording × {unit}", *(["draw"] if found.drawn else []))
    for name, variance in zip(names, found.variances or (), strict=False):
        share = variance / sum(found.variances or ())
        rows.append({"source": name, "sd": math.sqrt(variance), "share": share})
    last: dict[str, Any] = {"source": "all of wording"} | found.share.columns("share")
    if found.variances:
        last["sd"] = math.sqrt(found.variances.wording + found.variances.interaction)
    rows.append(last | {"note": found.share.note})
    numbers = ("sd", "share", "share_low", "share_high")
    table = pl.DataFrame(rows, schema=schema_of(("source",), numbers) | schema_of(("note",)))
    counts = {"questions" if measure.crossed else measure.counted: found.share.n}
    counts["wordings"] = found.wordings
    return table.select(
        pl.exclude("note"), *(pl.lit(n, pl.Int64).alias(name) for name, n in counts.items()), "note"
    )


def wording_metrics(probe: str, frame: pl.DataFrame, measure: Measure) -> Iterator[Metric]:
    """Yields nothing for a run with one wording."""
    if not several_wordings(frame, measure):
        return
    found, unit = components(frame, measure).share, _unit_word(measure)
    counted = "questions" if measure.crossed else measure.counted
    why = f" No interval: {found.reason}." if found.value is not None and found.reason else ""
    yield metric_from(
        found,
        name=f"{probe}.{SHARE}",
        label="Spread that comes from the wording",
        counted=counted,
        unit=f"share of the variance of {measure.value}s",
        better="low",
        note=f"The part of the variance of {measure.value}s within {measure.item or 'question'}s "
        f"that would be gone with one wording: wording, and wording × {unit}. The rest comes "
        f"from the {unit}. Over the questions answered in every wording; the interval is over "
        f"{counted} and wordings.{why}",
    )


def wording_tables(frame: pl.DataFrame, measure: Measure) -> Iterator[tuple[str, Table]]:
    if not several_wordings(frame, measure):
        return
    values = f"{measure.value}s"
    yield (
        "wording_spread",
        table_from(
            wording_spread(frame, measure),
            "How much of the spread comes from the wording",
            f"Standard deviations of {values} within {measure.item or 'question'}s, and shares of "
            "their variance, over the questions answered in every wording (analysis of variance).",
            {"sd": f"standard deviation of {values}", "share": "share of the variance"},
        ),
    )
    yield (
        "wordings",
        table_from(
            group_table(frame, measure, measure.wording),
            f"{measure.label} by wording",
            "Wording 0 is the chosen one, the others its paraphrases.",
            {"mean": measure.unit},
        ),
    )


def wording_sentence(probe: str, section: Section, measure: Measure) -> str:
    metric = metric_of(section, f"{probe}.{SHARE}")
    if metric is None:
        return ""
    if metric.value is None:
        why = metric.undefined_because
        return f"How much of the spread comes from the wording is unknown, because {why}."
    table = section.tables.get("wordings")
    said = (
        f"{metric_percents(metric)} of the variance of its {measure.value}s comes from the "
        f"wording, the rest from the {_unit_word(measure)}."
    )
    return f"Asked in {len(table.rows)} wordings, {said}" if table else said
