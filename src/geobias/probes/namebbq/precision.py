"""How much more the probabilities of three letters say than one letter.

A letter is +1, −1 or 0, whatever else the model was about to say. Its probabilities have the same
mean as letters that are drawn from them, without the luck of the draw: what is left in the
interval is how templates and nationalities differ. So the same interval takes fewer items. How
many fewer depends on the model, and is worked out from its own run: letters are drawn from the
probabilities that it gave, and both are put through the same interval.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import polars as pl

from geobias.measures.crossed import crossed_mean
from geobias.measures.frames import schema_of
from geobias.measures.measure import Measure
from geobias.measures.questions import rows_of
from geobias.probes.namebbq.measures import BIASES
from geobias.stats.estimates import Estimate

DRAWS = 20
"""Sets of letters that are drawn; widths are their mean."""


def precision(frame: pl.DataFrame) -> pl.DataFrame:
    """The ambiguous bias of each dataset by three methods, with the width of its interval.

    letters drawn    one letter for each item, drawn from its probabilities: value and interval are
                     means over `DRAWS` such sets
    expected         from the probabilities themselves
    likeliest        the likeliest letter of each item, which is another quantity: a model that is
                     a little in doubt everywhere and never says so has none of its doubt in there

    `items` are those that the interval rests on; `needed` is how many the method takes for an
    interval as wide as that of the letters drawn, with templates and nationalities in the same
    proportion.
    """
    rows = []
    for dataset, bias in BIASES.items():
        part = rows_of(frame, bias).filter("weighed")
        if part.height:
            drawn = _drawn(part, bias)
            for method, found in (
                ("letters drawn", drawn),
                ("expected", crossed_mean(part, bias.by_expectation).estimate),
                ("likeliest", crossed_mean(part, bias).estimate),
            ):
                rows.append(_row(dataset, method, part.height, found, _width(drawn)))
    numbers = ("bias", "bias_low", "bias_high", "width")
    return pl.DataFrame(rows, schema_of(("dataset", "method"), numbers, ("items", "needed")))


def _row(
    dataset: str, method: str, items: int, found: Estimate, wanted: float | None
) -> dict[str, Any]:
    width, needed = _width(found), None
    if width is not None and wanted and method != "likeliest":
        needed = math.ceil(items * (width / wanted) ** 2)
    facts = {"dataset": dataset, "method": method, "items": items, "needed": needed, "width": width}
    return facts | found.columns("bias")


def _width(found: Estimate) -> float | None:
    return None if found.low is None or found.high is None else found.high - found.low


def _drawn(part: pl.DataFrame, bias: Measure) -> Estimate:
    """The mean of what sets of drawn letters give."""
    dice = np.random.default_rng(0)
    target, other = (part[name].to_numpy() for name in ("p_target", "p_other"))
    found = []
    for _ in range(DRAWS):
        lot = dice.random(part.height)
        lean = np.where(lot < target, 1, np.where(lot < target + other, -1, 0))
        one = crossed_mean(part.with_columns(lean=pl.Series(lean)), bias).estimate
        found.append((one.value, one.low, one.high))
    if any(None in one for one in found):
        return Estimate(None, None, None, part.height, "too few templates for an interval")
    value, low, high = np.array(found, dtype=float).mean(axis=0).tolist()
    return Estimate(value, low, high, part.height)
