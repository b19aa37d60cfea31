from __future__ import annotations

import polars as pl

from geobias.measures.measure import Measure
from geobias.probes.worldbench import paper
from geobias.probes.worldbench.scores import (
    ERROR,
    FURTHER,
    GROUPINGS,
    MEDIAN,
    gap_measure,
    nearest_trend,
)
from geobias.stats.estimates import Estimate


def _trend_nearest(rows: pl.DataFrame, value: str, by: str) -> Estimate:
    return nearest_trend(rows)


MEASURES = (
    ERROR,
    Measure(
        name="income_trend_nearest",
        label="Error, poor minus rich countries, against the nearest figure",
        value="nearest",
        unit="difference of mean errors",
        better="zero",
        bounds=(-1.0, 1.0),
        groups=(),
        estimate=_trend_nearest,
        note="As the trend over income groups, with each answer compared with the nearest of the "
        "truth and the figures of other years or editions. What is less than the trend may be due "
        "to moving figures: `floor` in tables of the error is how far off a model would be that "
        "knows other figures.",
        on_map=False,
        main=False,
    ),
    MEDIAN,
    *FURTHER,
    *map(gap_measure, GROUPINGS),
    paper.PLAIN,
    *map(paper.measure_of, GROUPINGS),
)
