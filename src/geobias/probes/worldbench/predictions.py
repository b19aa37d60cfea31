"""Replies made elsewhere, one JSON object a line, read and scored as a run's own are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

import msgspec

from geobias.atlas.economies import Economy, UnknownEconomyError, economy
from geobias.atlas.figures import Figures, Rule
from geobias.atlas.figures import figures as shipped_figures
from geobias.atlas.indicators import Indicator, UnknownIndicatorError, indicator, indicators
from geobias.probes.predictions import Predictions, Scored, as_reply, records_of
from geobias.probes.worldbench.answers import FigureAnswers
from geobias.probes.worldbench.choosing import choose_rule, own_figures, own_indicators
from geobias.probes.worldbench.scores import frame_of
from geobias.probes.worldbench.settings import WorldBenchScoring
from geobias.probes.worldbench.tables import TABLES
from geobias.probes.worldbench.trials import Question, WorldBenchRecord, read


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
    table = own_figures(options.figures) or shipped_figures()
    rule = choose_rule(options.ground_truth, options.year, table)
    known = dict(indicators()) | (own_indicators(options.indicator_file) or {})
    asking = _Asking(table, rule, options.year, known)

    def record(said: Prediction) -> WorldBenchRecord:
        asked = asking.question(said.indicator, said.country)
        trial = f"worldbench/{asked.indicator.id}/{asked.economy.iso3}/{said.repeat}"
        return read(trial, asked, said.repeat, as_reply(said.reply))

    rows, left_out = records_of(lines, Prediction, record)
    answers = [
        FigureAnswers(model=str(model), frame=own, figures=table, rule=rule)
        for (model,), own in frame_of(rows).group_by("model", maintain_order=True)
    ]
    return Scored(answers, left_out)


class _Asking:
    """From the words of a line to the question it answers; the same words are looked up once."""

    def __init__(
        self, figures: Figures, rule: Rule, year: int | None, known: Mapping[str, Indicator]
    ) -> None:
        self._figures, self._rule, self._year = figures, rule, year
        self._known = known
        self.question = lru_cache(maxsize=20_000)(self._question)

    def _question(self, asked: str, about: str) -> Question:
        one = self._indicator(asked)
        place = self._economy(about)
        truth = self._figures.truth(one.id, place.iso3, self._rule)
        if truth is None:
            raise ValueError(f"there is no figure for {one.id} of {place.name}")
        return Question(one, place, truth, self._year)

    def _indicator(self, text: str) -> Indicator:
        try:
            one = indicator(text, self._known)
        except UnknownIndicatorError as error:
            raise ValueError(str(error)) from None
        if one.id not in self._figures.rows:
            raise ValueError(f"there are no figures for {one.id}")
        return one

    def _economy(self, text: str) -> Economy:
        try:
            return economy(text)
        except UnknownEconomyError as error:
            raise ValueError(str(error)) from None


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
