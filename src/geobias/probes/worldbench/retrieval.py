"""Statements that a model is shown before it answers, as if it had retrieved them.

The paper compares Cohere's model with and without retrieval. With retrieval, the error is half as
large and almost no disparity over income groups is left (section 5.3). The paper searches the web.
Here the right statement always stands among the shown ones, and the others are about the same
indicator of other economies. So a run measures the disparity that remains if the model is shown the
right figures.
"""

from __future__ import annotations

import random
from bisect import bisect_left
from collections.abc import Mapping

from geobias.atlas.economies import economies
from geobias.atlas.figures import AVERAGED_YEARS, Figures
from geobias.atlas.indicators import Indicator


def statements(figures: Figures, topic: Indicator, year: int | None = None) -> dict[str, str]:
    """Code of each economy with figures in `year`, or in the last three years → a statement of
    these figures, in the order of the codes.
    """
    series = figures.of(topic.id)
    years = range(series.last_year - AVERAGED_YEARS + 1, series.last_year + 1)
    found = {}
    for iso3, own in sorted(series.figures.items()):
        asked = [one for one in (years if year is None else (year,)) if one in own]
        if asked:
            dated = ", ".join(f"{topic.write(own[one])} in {one}" for one in asked)
            found[iso3] = f"{economies()[iso3].name}, {topic.phrase}: {dated}."
    return found


def shown(found: Mapping[str, str], iso3: str, count: int, trial: str) -> list[str]:
    """The statement on an economy, and those on the `count` − 1 that follow it in order of codes.

    They are shuffled by the name of the trial. If there is no statement on the economy, all are
    about others.
    """
    codes = [*found]
    start = bisect_left(codes, iso3)
    chosen = [*codes[start:], *codes[:start]][:count]
    random.Random(trial).shuffle(chosen)
    return [found[code] for code in chosen]
