"""Replies made elsewhere, one JSON object a line, read and scored as a run's own are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

import msgspec

from geobias.atlas.economies import Economy, UnknownEconomyError, economy
from geobias.atlas.figures import Figures, Rule
from geobias.atlas.figures import figures as shipped_figures
from geobias.atlas.indicators import Indicator, UnknownIndicatorError, indicator, indicators
from geobias.probes.worldbench.choosing import choose_rule
from geobias.probes.worldbench.scores import frame_of
from geobias.probes.worldbench.trials import Question, WorldBenchRecord, read
from geobias.trials import Reply


class Prediction(msgspec.Struct, frozen=True):
    """One line. `indicator` is an id or World Bank code, `country` a name or code."""

    indicator: str
    country: str
    reply: str
    model: str = ""
    repeat: int = 0


class Scored(msgspec.Struct, frozen=True):
    """The scored replies as a frame (`scores.frame_of`), and the lines that could not be used."""

    frame: Any
    left_out: list[tuple[int, str]]
    """Line number, from 1, and the reason in words."""
    figures: Figures
    rule: Rule


def score_lines(
    lines: Iterable[bytes],
    *,
    year: int | None = None,
    ground_truth: str | None = None,
    figures: Figures | None = None,
    extra_indicators: Mapping[str, Indicator] | None = None,
) -> Scored:
    """Read and score each line's reply; blank lines are passed over.

    A line is left out, with its reason, when it is no JSON object with these fields, names an
    indicator or country nobody knows or one without a figure, or asks a question again without
    another `repeat`. An empty reply counts as a question without an answer.
    """
    table = shipped_figures() if figures is None else figures
    rule = choose_rule(ground_truth, year, table)
    asking = _Asking(table, rule, year, dict(indicators()) | dict(extra_indicators or {}))
    decoder = msgspec.json.Decoder(Prediction)
    rows: list[dict[str, Any]] = []
    left_out: list[tuple[int, str]] = []
    seen: dict[tuple[str, str, str, int], int] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            said = decoder.decode(line)
            asked = asking.question(said.indicator, said.country)
            key = (said.model, asked.indicator.id, asked.economy.iso3, said.repeat)
            if (first := seen.setdefault(key, number)) != number:
                raise ValueError(
                    f'the same question as in line {first}; give each draw a "repeat" of its own'
                )
        except (ValueError, UnicodeDecodeError) as error:
            left_out.append((number, str(error)))
            continue
        record = _record(said, asked)
        rows.append(msgspec.structs.asdict(record) | {"model": said.model})
    return Scored(frame_of(rows), left_out, table, rule)


def _record(said: Prediction, asked: Question) -> WorldBenchRecord:
    trial = f"worldbench/{asked.indicator.id}/{asked.economy.iso3}/{said.repeat}"
    outcome = "ok" if said.reply.strip() else "empty"
    return read(trial, asked, said.repeat, Reply(said.reply, outcome))  # type: ignore[arg-type]


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
