"""Does the lean hold when it is estimated another way?"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl

from geobias.measures.frames import schema_of
from geobias.probes.namebbq.scores import (
    DATASETS,
    EXPECTED,
    SCORES,
    estimate,
    score_of,
    template_leans,
)
from geobias.results.changes import COUNTED
from geobias.results.findings import Table
from geobias.results.verdicts import Answer, sensitivity_table
from geobias.stats.crossed import crossed_ratio, sign_flip_p
from geobias.stats.estimates import Estimate

CROSSED = "templates × nationalities × the other person’s nationality"


def sensitivity(frame: pl.DataFrame) -> Table:
    """The ambiguous bias with nationalities, and with names, by four methods.

    Over templates, nationalities and the other person's nationality, which is the one that is used:
    it speaks of items like these. Over templates alone and over nationalities alone, which take the
    other as given. By the signs of templates, which speaks of these very items.
    """
    answers: list[Answer] = []
    for dataset, word in DATASETS.items():
        part = frame.filter(condition="ambig", dataset=dataset)
        if part.height:
            answers += _answers(part, word)
    return sensitivity_table(answers)


def _answers(part: pl.DataFrame, word: str) -> Iterator[Answer]:
    score = score_of(part)
    read = part.filter(**{score.rests_on: 1})
    if not read.height:
        return
    question = f"{score.metric.replace('_', ' ').capitalize()}, ambiguous with {word}"
    leans = read[score.numerator].cast(float).to_numpy()
    primary = estimate(read, score)
    n = min(primary.units)
    fewer = "templates" if n == primary.units[0] else "nationalities"
    found = [(f"items like these ({CROSSED}, crossed)", primary, n, fewer)]
    for side in ("template", "nationality"):
        names = read[side].to_numpy()
        alone = crossed_ratio(leans, np.ones(len(leans)), names, bounds=score.bounds)
        found.append((f"{COUNTED[side]} alone", alone, alone.units[0], COUNTED[side]))
    for method, (one, p, _, _), count, counted in found:
        yield Answer(question, method, one.value, one.low, one.high, p, count, counted)
    totals = template_leans(read, score)
    yield Answer(
        question,
        "these very items (signs of templates flipped)",
        primary.estimate.value,
        None,
        None,
        sign_flip_p(totals.to_numpy()),
        int((totals != 0).sum()),
        "templates",
    )


# -- precision -------------------------------------------------------------------------------------
# How much more the probabilities of three letters say than one letter.
#
# A letter is +1, −1 or 0, whatever else the model was about to say. Its probabilities have the same
# mean as letters that are drawn from them, without the luck of the draw: what is left in the
# interval is how templates and nationalities differ. So the same interval takes fewer items. How
# many fewer depends on the model, and is worked out from its own run: letters are drawn from the
# probabilities that it gave, and both are put through the same interval.

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
    for dataset in DATASETS:
        part = frame.filter(condition="ambig", dataset=dataset, weighed=1)
        if part.height:
            drawn = _drawn(part)
            for method, found in (
                ("letters drawn", drawn),
                ("expected", estimate(part, EXPECTED["expected_bias_ambiguous"]).estimate),
                ("likeliest", estimate(part, SCORES["bias_ambiguous"]).estimate),
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


def _drawn(part: pl.DataFrame) -> Estimate:
    """The mean of what sets of drawn letters give."""
    dice = np.random.default_rng(0)
    target, other = (part[name].to_numpy() for name in ("p_target", "p_other"))
    found = []
    for _ in range(DRAWS):
        lot = dice.random(part.height)
        lean = np.where(lot < target, 1, np.where(lot < target + other, -1, 0))
        one = estimate(part.with_columns(lean=pl.Series(lean)), SCORES["bias_ambiguous"]).estimate
        found.append((one.value, one.low, one.high))
    if any(None in one for one in found):
        return Estimate(None, None, None, part.height, "too few templates for an interval")
    value, low, high = np.array(found, dtype=float).mean(axis=0).tolist()
    return Estimate(value, low, high, part.height)
