"""Replies made elsewhere, one JSON object a line, read and scored as a run's own are."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import msgspec

from geobias.atlas.economies import economy
from geobias.atlas.indicators import indicator, indicators
from geobias.probes.predictions import Predictions, Scored, as_reply, records_of
from geobias.probes.worldbench.answers import FigureAnswers
from geobias.probes.worldbench.choosing import choose_rule, figures_from, own_indicators
from geobias.probes.worldbench.scores import frame_of
from geobias.probes.worldbench.settings import WorldBenchScoring
from geobias.probes.worldbench.tables import TABLES
from geobias.probes.worldbench.trials import FigureQuestion, WorldBenchRecord, read


class Prediction(msgspec.Struct, frozen=True):
    """One line. `indicator` is an id or World Bank code, `country` a name or code."""

    indicator: str
    country: str
    reply: str
    model: str = ""
    repeat: int = 0


def score_lines(lines: Iterable[bytes], options: WorldBenchScoring) -> Scored[FigureAnswers]:
    """Read and score each line's reply.

    A line that names an indicator or country nobody knows, or one without a figure, is left out.
    """
    figures = figures_from(options.figures)
    rule = choose_rule(options.ground_truth, options.year, figures)
    known = {**indicators(), **own_indicators(options.indicator_file)}

    @lru_cache(maxsize=20_000)
    def question(indicator_name: str, country: str) -> FigureQuestion:
        asked = indicator(indicator_name, known)
        if asked.id not in figures.rows:
            raise ValueError(f"there are no figures for {asked.id}")
        place = economy(country)
        truth = figures.truth(asked.id, place.iso3, rule)
        if truth is None:
            raise ValueError(f"there is no figure for {asked.id} of {place.name}")
        return FigureQuestion(asked, place, truth, options.year)

    def record(line: Prediction) -> WorldBenchRecord:
        asked = question(line.indicator, line.country)
        trial = f"worldbench/{asked.indicator.id}/{asked.economy.iso3}/{line.repeat}"
        return read(trial, line.repeat, asked, as_reply(line.reply))

    rows, left_out = records_of(lines, Prediction, record)
    answers = [
        FigureAnswers(model=str(model), frame=own, figures=figures, rule=rule)
        for (model,), own in frame_of(rows).group_by("model", maintain_order=True)
    ]
    return Scored(answers, left_out)


PREDICTIONS = Predictions[FigureAnswers](
    help="""Score WorldBench replies from a file of JSON lines.

    \b
    geobias score worldbench --predictions replies.jsonl
    geobias score worldbench --predictions replies.jsonl --table disparity --json

    Each line is one reply, in the model's own words:

    \b
    {"indicator": "population", "country": "Kenya", "reply": "53 million"}
    {"indicator": "SP.POP.TOTL", "country": "KEN", "reply": "…", "model": "m", "repeat": 1}

    Lines that cannot be used are named on standard error with the reason; the rest is scored.
    """,
    Options=WorldBenchScoring,
    read=score_lines,
    tables=tuple(TABLES),
)
