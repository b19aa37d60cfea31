"""Errors of a model that knows the figures of another year or edition perfectly.

Figures change from year to year, and between editions of the World Bank's files, more in some parts
of the world than in others. So a fair model that knows last year's edition perfectly has larger
errors in some groups, and these must not count as bias.

`floors` gives the errors of such a model in each group: one that knows the figures of a single
year, or of the shipped edition if a run was compared with another edition. The column `floor` of
`with_other_figures` combines them in one number for each question, which is shown beside every
group's mean error. The column `nearest` is the error of each answer against whichever is nearest:
the truth, or a figure of another year or edition. A gap in `nearest` cannot be explained by the
year or edition that a model knows. The errors in `nearest` are slightly too small in every group,
since one of several figures may be near by chance.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import polars as pl

from geobias.atlas.figures import Figures, Rule
from geobias.atlas.figures import figures as shipped_figures
from geobias.measures.estimates import group_table
from geobias.probes.worldbench.scores import ERROR
from geobias.probes.worldbench.trials import absolute_relative_error

YEARS = 5
"""The number of years, up to the last one of a table, that are used, as in the paper's Table 3."""
OTHER_EDITION = "other edition"

Known: TypeAlias = Mapping[str, Mapping[tuple[str, str], float]]
"""Year or edition that a model may know → (indicator, economy) → figure."""


def other_figures(figures: Figures, rule: Rule, other: Figures | None = None) -> Known:
    """The figures of each of the last years, and those of another edition under `rule`.

    The other edition is `other`, or else the shipped one if `figures` differ from it.
    """
    found = {str(year): _by_question(figures, year) for year in figures.years[-YEARS:]}
    if other is None and figures.content != shipped_figures().content:
        other = shipped_figures()
    if other is not None:
        found[OTHER_EDITION] = _by_question(other, rule)
    return {name: known for name, known in found.items() if known}


def _by_question(figures: Figures, rule: Rule) -> dict[tuple[str, str], float]:
    return {
        (indicator, iso3): figure
        for indicator in figures.rows
        for iso3, figure in figures.truths(indicator, rule).items()
    }


def floors(frame: pl.DataFrame, known: Known, by: str) -> pl.DataFrame:
    """The mean error of each group for a model that knows one set of figures perfectly.

    There is a column for each year or edition in `known`. The questions are those of the frame.
    """
    asked = frame.unique(["indicator", "country"], maintain_order=True)
    table = pl.DataFrame({"group": []}, schema={"group": pl.String})
    for name, figures in known.items():
        errors = [
            None if (figure := figures.get((indicator, country))) is None
            else absolute_relative_error(truth, figure)
            for indicator, country, truth in asked.select("indicator", "country", "truth").rows()
        ]  # fmt: skip
        perfect = asked.with_columns(pl.Series("error", errors, pl.Float64), repeat=pl.lit(0))
        means = group_table(perfect, ERROR, by).select("group", pl.col("mean").alias(name))
        table = table.join(means, on="group", how="full", coalesce=True)
    return table.sort("group")


def with_other_figures(frame: pl.DataFrame, known: Known) -> pl.DataFrame:
    """The frame with the columns `nearest` and `floor`.

    `nearest` is the error of each answer against the truth or a known figure, whichever is nearest.
    `floor` is the error of a model that knows the figure of another edition perfectly, or without
    another edition the mean of its errors if it knows the figure of one of the last years.
    """
    nearest: list[float | None] = []
    floor: list[float | None] = []
    edition = known.get(OTHER_EDITION, {})
    rows = frame.select("indicator", "country", "truth", "value", "error").rows()
    for indicator, country, truth, value, error in rows:
        key = (indicator, country)
        others = [one[key] for one in known.values() if key in one]
        known_by_heart = [edition[key]] if key in edition else others
        off = [absolute_relative_error(truth, one) for one in known_by_heart]
        floor.append(sum(off) / len(off) if off else None)
        apart = [absolute_relative_error(value, one) for one in others] if error else []
        nearest.append(None if error is None else min([error, *apart]))
    columns = {"nearest": nearest, "floor": floor}
    return frame.with_columns(pl.Series(name, c, pl.Float64) for name, c in columns.items())
