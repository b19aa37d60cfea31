"""Read and score replies that were made outside of geobias, one JSON object per line."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache, partial
from typing import Annotated

import msgspec

from geobias.atlas.economies import economy
from geobias.atlas.indicators import indicator, indicators
from geobias.atlas.table import digests
from geobias.probes.predictions import PredictionLine, Predictions, Said, Scored, as_reply, told_by
from geobias.probes.questions import read_reply
from geobias.probes.worldbench.choosing import (
    CLASSIFICATIONS,
    choose_rule,
    classified,
    figures_from,
    own_indicators,
)
from geobias.probes.worldbench.settings import WorldBenchScoring
from geobias.probes.worldbench.trials import FigureQuestion, WorldBenchRecord, figures_digest, read
from geobias.reading.again import FIGURE
from geobias.reading.plain import is_about_another


class Prediction(PredictionLine, frozen=True, kw_only=True):
    """One line of a file: a reply, and the question that it answers.

    `indicator` is an id or a World Bank code, and `country` a name or a code. `wording` is 0 for
    the first wording of a question, and 1 and so on for its paraphrases.
    """

    reply: Said
    indicator: str
    country: str
    wording: Annotated[int, msgspec.Meta(ge=0, le=1_000)] = 0


def score_lines(lines: Iterable[bytes], options: WorldBenchScoring) -> Scored:
    """Read and score each line's reply.

    A line with an unknown indicator or country, or one without a figure, is left out.
    """
    own = own_indicators(options.indicator_file)
    figures = figures_from(options.figures, own.values())
    rule = choose_rule(options.ground_truth, options.year, figures)
    known = {**indicators(), **own}

    @lru_cache(maxsize=20_000)
    def question(indicator_name: str, country: str) -> FigureQuestion:
        asked = indicator(indicator_name, known)
        if asked.id not in figures.series:
            raise ValueError(f"there are no figures for {asked.id}")
        place = classified(economy(country), options.classification)
        truth = figures.truth(asked.id, place.iso3, rule)
        if truth is None:
            raise ValueError(f"there is no figure for {asked.id} of {place.name}")
        return FigureQuestion(asked, place, truth, options.year)

    def record(line: Prediction) -> WorldBenchRecord:
        asked = question(line.indicator, line.country)._replace(wording=line.wording)
        place = f"{asked.economy.iso3}/w{line.wording}" if line.wording else asked.economy.iso3
        trial = f"worldbench/{asked.indicator.id}/{place}/{line.repeat}"
        return read_reply(partial(read, trial, line.repeat, asked), as_reply(line.reply))

    told, left_out = told_by(lines, Prediction, record)
    digest = figures_digest(figures)
    named = {one.record.trial.split("/")[1] for one in told}
    asked = [name for name in known if name in named]
    return Scored(
        told,
        left_out,
        settings={
            "indicators": asked,
            "year": options.year,
            "ground_truth": str(rule),
            "classification": options.classification,
            "figures": "shipped" if options.figures is None else digest,
            "indicator_file": [msgspec.to_builtins(own[name]) for name in asked if name in own],
        },
        editions=digests("economies.csv", CLASSIFICATIONS[options.classification])
        | {"figures": digest},
    )


PREDICTIONS = Predictions(
    help="""Score WorldBench replies from a file of JSON lines.

    \b
    geobias score worldbench --predictions replies.jsonl
    geobias score worldbench --predictions replies.jsonl --to theirs.geobias
    geobias table theirs.geobias error --by region

    Each line is one reply, in the model's own words:

    \b
    {"indicator": "population", "country": "Kenya", "reply": "53 million"}
    {"indicator": "SP.POP.TOTL", "country": "KEN", "reply": "…", "model": "m", "repeat": 1}

    A reply may be a number (53000000). "wording" (1, 2 …) tells replies to paraphrases apart.
    """,
    Options=WorldBenchScoring,
    read=score_lines,
    sought=FIGURE,
    fits=lambda record, text: not is_about_another(text, record.country),
    table="error",
)
