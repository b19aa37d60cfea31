"""Errors of a model that knows the figures of another year or edition perfectly.

Figures change from year to year, and between editions of the World Bank's files, more in some parts
of the world than in others. So a fair model that knows last year's edition perfectly has larger
errors in some groups, and these must not count as bias.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
import polars as pl

from geobias.atlas.figures import Figures, Rule
from geobias.atlas.figures import figures as shipped_figures
from geobias.measures.estimates import group_table
from geobias.probes.worldbench.scores import ERROR
from geobias.probes.worldbench.trials import absolute_relative_errors
from geobias.stats.arrays import Floats

YEARS = 5
"""The number of a table's last years that are used, as in the paper's Table 3."""
OTHER_EDITION = "other edition"

Known: TypeAlias = Mapping[str, Mapping[tuple[str, str], float]]
"""Year or edition that a model may know → (indicator, economy) → figure."""


def other_figures(figures: Figures, rule: Rule, other: Figures | None = None) -> Known:
    """The figures of each of the last years, and those of another edition under `rule`.

    Without `other`, the other edition is the shipped one, if `figures` differ from it.
    """
    found = {str(year): by_question(figures, year) for year in figures.years[-YEARS:]}
    if other is None and figures.content != shipped_figures().content:
        other = shipped_figures()
    if other is not None:
        found[OTHER_EDITION] = by_question(other, rule)
    return {name: known for name, known in found.items() if known}


def by_question(figures: Figures, rule: Rule) -> dict[tuple[str, str], float]:
    return {
        (indicator, iso3): figure
        for indicator in figures.series
        for iso3, figure in figures.truths(indicator, rule).items()
    }


def figures_asked(asked: pl.DataFrame, known: Known) -> Floats:
    """The figure of each question (row) in each of the `known` sets, NaN if there is none."""
    questions = asked.select("indicator", "country").rows()
    columns = [[one.get(question, np.nan) for question in questions] for one in known.values()]
    return np.array(columns, dtype=float).reshape(len(known), -1).T


def floors(frame: pl.DataFrame, known: Known, by: str) -> pl.DataFrame:
    """The mean error of each group for a model that knows one of the `known` sets perfectly."""
    asked = frame.unique(["indicator", "country"], maintain_order=True)
    errors = _errors(asked["truth"], figures_asked(asked, known))
    table = pl.DataFrame({"group": []}, schema={"group": pl.String})
    for name, column in zip(known, errors.T, strict=True):
        perfect = asked.with_columns(pl.Series("error", column).fill_nan(None), repeat=pl.lit(0))
        means = group_table(perfect, ERROR, by).select("group", pl.col("mean").alias(name))
        table = table.join(means, on="group", how="full", coalesce=True)
    return table.sort("group")


def with_other_figures(frame: pl.DataFrame, known: Known) -> pl.DataFrame:
    """The frame with the columns `nearest` and `floor`.

    `nearest` is the error against the truth or a known figure, whichever is nearest. A gap in these
    errors cannot come from the year or edition that a model knows. They are slightly too small in
    every group, since one of several figures may be near by chance.

    `floor` is the error of a model that knows the figure of another edition perfectly. Without
    another edition, it is the mean error of models that each know the figure of one of the last
    years.
    """
    others = figures_asked(frame, known)
    off, near = _errors(frame["truth"], others), _errors(frame["value"], others)
    by_heart = pl.DataFrame(off, [*known]).fill_nan(None)
    floor = by_heart.select(pl.mean_horizontal(pl.all())).to_series()
    if OTHER_EDITION in known:
        floor = by_heart.select(pl.coalesce(OTHER_EDITION, floor)).to_series()
    nearest = pl.DataFrame(near, [*known]).fill_nan(None).with_columns(frame["error"])
    return frame.with_columns(
        nearest.select(pl.min_horizontal(pl.all())).to_series().alias("nearest"),
        floor.alias("floor"),
    )


def _errors(answers: pl.Series, figures: Floats) -> Floats:
    return absolute_relative_errors(answers.to_numpy()[:, None], figures)
