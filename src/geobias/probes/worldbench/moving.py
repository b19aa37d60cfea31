"""What moving figures explain: how far off a model would be that knows other figures perfectly.

Figures change from year to year, and from one edition of the World Bank's files to the next; by how
much, differs from one part of the world to another. A fair model that knows last year's edition by
heart is therefore off by more in some groups, and that must not pass for its bias.

`floors` are the errors of such a model, group by group: of one that knows the figures of a year, or
those of the shipped edition where a run was compared with another one. A question's `floor` is the
same in one number, which stands beside every group's mean error. `nearest` takes each answer's
error against the nearest of all these figures and the truth. What is left of a gap then is not due
to which figures a model knows; errors are then a little too small for every group, since of several
figures one may be near by chance.
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
OTHER_EDITION = "other edition"

Known: TypeAlias = Mapping[str, Mapping[tuple[str, str], float]]
"""In words what a model may know → (indicator, economy) → its figure."""


def other_figures(figures: Figures, rule: Rule, other: Figures | None = None) -> Known:
    """The figures of each of the last years, and those of another edition by the same rule: the
    shipped one, unless `figures` are these."""
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


def with_other_figures(frame: pl.DataFrame, known: Known) -> pl.DataFrame:
    """The frame with each answer's error against the nearest of the truth and the figures that are
    known (`nearest`), and with what a model that knows others perfectly would be off by (`floor`):
    other edition's, or else those of the last years, on average."""
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
