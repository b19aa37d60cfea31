"""What moving figures explain: how far off a model would be that knows other figures perfectly.

Figures change from year to year, and from one edition of the World Bank's files to the next; by how
much, differs from one part of the world to another. A fair model that knows last year's edition by
heart is therefore off by more in some groups, and that must not pass for its bias.

`floors` are the errors of such a model, group by group: of one that knows the figures of a year, or
those of the shipped edition where a run was compared with another one. `nearest` takes each
answer's error against the nearest of all these figures and the truth. What is left of a gap then
is not due to which figures a model knows; errors are then a little too small for every group, since
of several figures one may be near by chance.
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
"""So many last years of a table are looked at, as in the paper's Table 3."""

Known: TypeAlias = Mapping[str, Mapping[tuple[str, str], float]]
"""In words what a model may know → (indicator, economy) → its figure."""


def other_figures(figures: Figures, rule: Rule, other: Figures | None = None) -> Known:
    """The figures of each of the last years, and those of another edition by the same rule: the
    shipped one, unless `figures` are these."""
    found: dict[str, dict[tuple[str, str], float]] = {}
    for year in figures.years[-YEARS:]:
        found[str(year)] = _by_question(figures, year)
    edition = other
    if edition is None and figures.content != shipped_figures().content:
        edition = shipped_figures()
    if edition is not None:
        found["other edition"] = _by_question(edition, rule)
    return {name: known for name, known in found.items() if known}


def _by_question(figures: Figures, rule: Rule) -> dict[tuple[str, str], float]:
    return {
        (indicator, iso3): figure
        for indicator in figures.rows
        for iso3, figure in figures.truths(indicator, rule).items()
    }


def floors(frame: pl.DataFrame, known: Known, by: str) -> pl.DataFrame:
    """The mean error of each group, as in tables of the error, of a model that knows a year's (or
    another edition's) figures perfectly, asked what this frame was asked."""
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


def nearest(frame: pl.DataFrame, known: Known) -> pl.DataFrame:
    """The frame with each error against the nearest of the truth and the figures that are known."""
    rows = frame.select("indicator", "country", "value", "error").rows()
    errors = []
    for indicator, country, value, error in rows:
        others = [known_.get((indicator, country)) for known_ in known.values()]
        apart = [absolute_relative_error(value, one) for one in others if one is not None and error]
        errors.append(None if error is None else min([error, *apart]))
    return frame.with_columns(pl.Series("error", errors, pl.Float64))
