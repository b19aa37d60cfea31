"""What moving figures explain: the error of a model that knows other figures perfectly.

Figures change from year to year, and between editions of the World Bank's files, more in some parts
of the world than in others. So a fair model that knows last year's edition perfectly has larger
errors in some groups, and that must not count as its bias.

`floors` are the errors of such a model in each group, if it knows the figures of one year, or of
the shipped edition if a run was compared with another one. A question's `floor` combines these in
one number, which is shown beside every group's mean error. `nearest` is each answer's error against
the nearest of all these figures and the truth. The part of a gap that is left does not depend on
which figures a model knows. These errors are slightly too small for every group, since one of
several figures may be near by chance.
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
"""Number of last years of a table that are used, as in the paper's Table 3."""
OTHER_EDITION = "other edition"

Known: TypeAlias = Mapping[str, Mapping[tuple[str, str], float]]
"""What a model may know, in words → (indicator, economy) → its figure."""


def other_figures(figures: Figures, rule: Rule, other: Figures | None = None) -> Known:
    """The figures of each of the last years, and those of another edition by the same rule.

    The other edition is the shipped one, unless `figures` are these.
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
    """The mean error of each group for a model that knows a year's (or edition's) figures
    perfectly.

    It is asked the same questions as in this frame.
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
    """The frame with `nearest` and `floor`.

    `nearest` is each answer's error against the nearest of the truth and the known figures. `floor`
    is the error of a model that knows other figures perfectly: another edition's, or else the
    average over the last years.
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
