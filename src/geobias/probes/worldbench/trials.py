"""WorldBench's trials: ask about one economy, read the reply, and compute the error."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

from geobias.atlas.economies import Economy, economy
from geobias.atlas.figures import Figures, Rule
from geobias.atlas.indicators import Indicator, indicator
from geobias.atlas.table import digests
from geobias.probes.plan import Plan, fingerprint
from geobias.probes.questions import Question, ReadRecord, question_plan
from geobias.probes.readers import Line, Reader, text_of
from geobias.probes.settings import OMITTED
from geobias.probes.worldbench.choosing import (
    CLASSIFICATIONS,
    check_positive,
    choose_economies,
    choose_indicators,
    choose_rule,
    figures_from,
    left_out,
    own_indicators,
)
from geobias.probes.worldbench.cited import cited_source, cited_year
from geobias.probes.worldbench.retrieval import shown, statements
from geobias.probes.worldbench.settings import WorldBenchSettings
from geobias.probes.worldbench.simulated import AskedFigure
from geobias.probes.worldbench.wording import (
    STANDARD,
    Example,
    examples,
    find_wording,
    opening,
    other_examples,
    prompt_digests,
    question,
    with_question,
    wordings_of,
)
from geobias.reading.again import Asker, number_asker
from geobias.reading.answer import Outcome
from geobias.reading.numbers import numbers_in, read_number
from geobias.reading.numerals import Asked as AskedNumber
from geobias.reading.plain import is_about_another
from geobias.stats.arrays import Floats
from geobias.trials import Reply


def absolute_relative_error(a: float, b: float) -> float:
    """|a − b| / max(a, b), a number from 0 (equal) to 1 (WorldBench, section 3.2).

    The error is symmetric and has no unit. Two zeros give 0. Figures are never negative, but
    answers can be. Values of different sign give 1, and two negative values give the error of their
    absolute values. Raises `ValueError` for NaN and infinities.
    """
    if not (math.isfinite(a) and math.isfinite(b)):
        raise ValueError(f"An error needs two finite numbers, not {a} and {b}.")
    if a == b:
        return 0.0
    if (a < 0) != (b < 0):
        return 1.0
    return abs(a - b) / max(abs(a), abs(b))


def absolute_relative_errors(a: Floats, b: Floats) -> Floats:
    """`absolute_relative_error` for two arrays, which are broadcast; NaN where either is NaN."""
    largest = np.maximum(np.abs(a), np.abs(b))
    apart = np.abs(a - b)
    part = np.divide(apart, largest, out=np.zeros_like(apart), where=largest > 0)
    errors: Floats = np.where((a < 0) != (b < 0), 1.0, part)
    return np.where(np.isnan(a) | np.isnan(b), np.nan, errors)


MAX_TOKENS = 48
"""Maximum tokens of a reply: enough for a number and a few words around it."""


class WorldBenchRecord(ReadRecord, frozen=True, kw_only=True):
    """One question and its answer.

    outcome    parsed, abstained, unparsed or cut (see `geobias.reading`), or the outcome of the
               reply if there was no text to read
    truth      the figure that the answer is compared with, in the indicator's unit, as is `value`
    scale      the factor of a scale word ("million") in the reply
    reason     how the number was found, or why no number was found
    converted  units that the number was converted from and to ("kg → tonnes"), or empty
    wording    0 for the wording that the run chose, 1 and so on for its paraphrases
    income     None for economies that the World Bank does not classify
    """

    indicator: str
    region: str
    income: str | None
    truth: float
    value: float | None = None
    error: float | None = None
    scale: float | None = None
    source: str | None = None
    cited_year: int | None = None
    reason: str = ""
    converted: str = ""
    wording: int = 0
    span_start: int | None = None
    span_end: int | None = None


class FigureQuestion(NamedTuple):
    indicator: Indicator
    economy: Economy
    truth: float
    year: int | None
    wording: int = 0
    called: str = ""
    """The name of the country in the question, if it is not the default name."""


def plan(settings: WorldBenchSettings) -> Plan:
    own = own_indicators(settings.indicator_file)
    figures = figures_from(settings.figures, own.values())
    year = settings.year
    rule = choose_rule(settings.ground_truth, year, figures)
    example = economy(settings.example_country)
    chosen = choose_indicators(settings.indicators, settings.size, figures, own, rule)
    check_positive(figures, chosen)
    asked = _questions(settings, figures, rule, chosen, example)
    wordings = wordings_of(find_wording(settings.prompts), settings.paraphrases)
    wordings[0].asks(year)  # raises if it cannot name a year
    worked: Mapping[str, Example] = {}
    if wordings[0].example_answer:
        worked = examples(figures, chosen, example, rule if year is None else year)
    for name, one in worked.items():
        asked[name] = [each for each in asked[name] if each.economy.iso3 != one.economy.iso3]
    digest = figures_digest(figures)
    tables = dict.fromkeys(("economies.csv", CLASSIFICATIONS[settings.classification]))
    editions = digests(*tables, "indicators.csv") | {"figures": digest}

    def questions() -> Iterator[Question[FigureQuestion]]:
        for name, topic in chosen.items():
            facts = statements(figures, topic, year) if settings.retrieve else {}
            for number, wording in enumerate(wordings):
                start = opening(
                    topic, worked.get(name), year=year, system=settings.system, wording=wording
                )
                mark = f"/w{number}" if number else ""
                for one in asked[name]:
                    place = one.economy
                    trial = f"worldbench/{name}/{place.iso3}{mark}"
                    near = shown(facts, place.iso3, settings.retrieve, trial)
                    words = question(topic, place, year=year, statements=near, wording=wording)
                    about = one._replace(wording=number, called=wording.country_name(place))
                    told = None
                    if place.iso3 in facts:
                        told = figures.truth(name, place.iso3, year or "average")
                    asked_figure = AskedFigure(name, place.iso3, year, told, topic.low, topic.high)
                    dialogue = with_question(start, words)
                    yield Question(trial, dialogue, about, asked=asked_figure, form=())

    places = [one.economy for every in asked.values() for one in every]
    entries = settings.entries(
        indicators=list(chosen),
        countries=sorted({one.iso3 for one in places}) if settings.countries else None,
        regions=sorted({one.region for one in places}) if settings.regions else None,
        example_country=example.iso3,
        ground_truth=str(rule),
        figures="shipped" if settings.figures is None else digest,
        indicator_file=[msgspec.to_builtins(chosen[name]) for name in chosen if name in own],
        prompts=OMITTED if settings.prompts == STANDARD else Path(settings.prompts).name,
    )
    return question_plan(
        "worldbench",
        settings,
        count=len(places) * len(wordings),
        questions=questions,
        read=read,
        max_tokens=MAX_TOKENS,
        again=READER,
        settings=entries,
        editions=editions,
        prompts=prompt_digests(settings.prompts, settings.paraphrases),
        notes=(
            *other_examples(worked, example),
            *(() if settings.figures is None else left_out(figures, own)),
        ),
    )


def _questions(
    settings: WorldBenchSettings,
    figures: Figures,
    rule: Rule,
    chosen: Mapping[str, Indicator],
    example: Economy,
) -> dict[str, list[FigureQuestion]]:
    """The questions by indicator, so that dialogues with the same opening stay together."""
    truths = {name: figures.truths(name, rule) for name in chosen}
    places = choose_economies(
        settings.countries,
        settings.regions,
        settings.size,
        excluded=example,
        with_figures={iso3 for found in truths.values() for iso3 in found},
        classification=settings.classification,
    )
    return {
        name: [
            FigureQuestion(one, place, truths[name][place.iso3], settings.year)
            for place in places
            if place.iso3 in truths[name]
        ]
        for name, one in chosen.items()
    }


def read(trial: str, repeat: int, asked: FigureQuestion, reply: Reply) -> WorldBenchRecord:
    indicator, place = asked.indicator, asked.economy
    facts: dict[str, Any] = {
        "trial": trial,
        "probe": "worldbench",
        "country": place.iso3,
        "repeat": repeat,
        "indicator": indicator.id,
        "region": place.region,
        "income": place.income,
        "truth": asked.truth,
        "wording": asked.wording,
    }
    if reply.outcome != "ok":
        return WorldBenchRecord(**facts, outcome=reply.outcome)
    found = read_number(reply.text, asked_of(asked), cut=reply.finish == "length")
    if found.value is None:
        return WorldBenchRecord(**facts, outcome=OUTCOMES[found.outcome], reason=found.reason)
    return WorldBenchRecord(
        **facts,
        outcome="parsed",
        value=found.value,
        error=absolute_relative_error(found.value, asked.truth),
        scale=found.scale,
        source=cited_source(reply.text),
        cited_year=cited_year(reply.text, found.written),
        reason=found.reason,
        converted=found.converted,
        **found.span_in(reply.text),
    )


OUTCOMES: Mapping[Outcome, str] = {
    "read": "parsed", "declined": "abstained", "unread": "unparsed", "cut": "cut"
}  # fmt: skip
"""Outcome of reading a reply → the word for it in records."""


def asked_of(asked: FigureQuestion) -> AskedNumber:
    one = asked.indicator
    return AskedNumber(
        unit=one.unit,
        phrase=one.phrase,
        low=one.low,
        high=one.high,
        country=asked.economy.iso3,
        year=asked.year,
    )


def _of_line(line: Line) -> FigureQuestion:
    figure, place = indicator(text_of(line, "indicator")), economy(text_of(line, "country"))
    year = line.get("year")
    return FigureQuestion(figure, place, math.nan, None if year is None else int(year))


def _asker(asked: FigureQuestion) -> Asker:
    place = asked.called or asked.economy.name
    words = f"What is the {asked.indicator.phrase} for {place}?"
    return number_asker(words, asked.indicator.unit, place)


READER = Reader(
    of=_of_line,
    reads=lambda asked, text: read_number(text, asked_of(asked)),
    asker=_asker,
    names=lambda asked, text: numbers_in(text, asked_of(asked)),
    fits=lambda asked, text: (
        not is_about_another(
            text, asked.economy.iso3, phrase=asked.indicator.phrase, year=asked.year
        )
    ),
    declined="abstained",
)


def figures_digest(figures: Figures) -> str:
    """A digest of the contents of a table of figures."""
    return fingerprint(figures.content)
