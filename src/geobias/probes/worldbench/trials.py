"""WorldBench's trials: one question about one economy, read, and held against the figure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from geobias.atlas.economies import Economy, economy
from geobias.atlas.editions import digests
from geobias.atlas.figures import Figures, Rule
from geobias.atlas.indicators import Indicator
from geobias.probes.plan import Plan, fingerprint
from geobias.probes.questions import Question, question_plan
from geobias.probes.worldbench.choosing import (
    check_positive,
    choose_economies,
    choose_indicators,
    choose_rule,
    figures_from,
    left_out,
    own_indicators,
)
from geobias.probes.worldbench.error import absolute_relative_error
from geobias.probes.worldbench.questions import example_figures, opening, prompts_source, question
from geobias.probes.worldbench.reading import read_reply
from geobias.probes.worldbench.retrieval import Statements, retriever_version, statements
from geobias.probes.worldbench.settings import WorldBenchSettings
from geobias.trials import Record, Reply

MAX_TOKENS = 48
"""Room for a number and the words a model puts around it, not for an essay."""


class WorldBenchRecord(Record, frozen=True, kw_only=True):
    """One question and its answer.

    outcome       parsed, abstained or unparsed (see `reading`), or the reply's own outcome where
                  there was no text to read
    truth         the figure the answer is held against, in the indicator's unit
    value         the answer in the same unit; None unless parsed
    error         |value − truth| / max, from 0 to 1; None unless parsed
    scale         what a scale word ("million") multiplied the written number by
    source        whom the reply cites, and `cited_year` the year it gives for the value
    reason        how the number was found, or why none was
    span_start    where the number stands in the reply, up to `span_end`
    income        None for economies the World Bank does not classify
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
    span_start: int | None = None
    span_end: int | None = None


class FigureQuestion(NamedTuple):
    indicator: Indicator
    economy: Economy
    truth: float
    year: int | None


def plan(settings: WorldBenchSettings) -> Plan:
    """WorldBench with these settings. What cannot be asked is a `BadRequest` that says why.

    Repeats only differ when sampled (temperature above 0).
    """
    figures = figures_from(settings.figures)
    own = own_indicators(settings.indicator_file)
    year = settings.year
    rule = choose_rule(settings.ground_truth, year, figures)
    example = economy(settings.example_country)
    chosen = choose_indicators(settings.indicators, settings.size, figures, own, rule)
    check_positive(figures, chosen)
    asked = _questions(settings, figures, rule, chosen, example)
    examples = example_figures(figures, chosen, example, rule, year)
    digest = figures_digest(figures)
    editions = digests("economies.csv", "indicators.csv") | {"figures": digest}
    if settings.retrieve:
        editions["bm25s"] = retriever_version()

    def questions() -> Iterator[Question[FigureQuestion]]:
        found = Statements(statements(figures, chosen, year)) if settings.retrieve else None
        openings = {
            name: opening(one, example, examples[name], year=year, system=settings.system)
            for name, one in chosen.items()
        }
        for one in asked:
            topic, place = one.indicator, one.economy
            near = found.nearest(f"{topic.phrase} {place.name}", settings.retrieve) if found else ()
            words = question(topic, place, year=year, statements=near)
            dialogue = openings[topic.id].user(words)
            yield Question(f"worldbench/{topic.id}/{place.iso3}", dialogue, one)

    return question_plan(
        "worldbench",
        settings,
        count=len(asked),
        questions=questions,
        read=read,
        max_tokens=MAX_TOKENS,
        settings=settings.entries(
            indicators=list(chosen),
            countries=sorted({q.economy.iso3 for q in asked}) if settings.countries else None,
            regions=sorted({q.economy.region for q in asked}) if settings.regions else None,
            example_country=example.iso3,
            ground_truth=str(rule),
            figures="shipped" if settings.figures is None else digest,
            own_indicators=[msgspec.to_builtins(chosen[name]) for name in chosen if name in own],
        ),
        editions=editions,
        prompts={"worldbench": fingerprint(prompts_source())},
        notes=() if settings.figures is None else left_out(figures, own),
    )


def _questions(
    settings: WorldBenchSettings,
    figures: Figures,
    rule: Rule,
    chosen: Mapping[str, Indicator],
    example: Economy,
) -> list[FigureQuestion]:
    """Indicator by indicator, so that dialogues with the same opening stand together."""
    truths = {name: figures.truths(name, rule) for name in chosen}
    places = choose_economies(
        settings.countries,
        settings.regions,
        settings.size,
        excluded=example,
        with_figures={iso3 for found in truths.values() for iso3 in found},
    )
    return [
        FigureQuestion(one, place, truths[name][place.iso3], settings.year)
        for name, one in chosen.items()
        for place in places
        if place.iso3 in truths[name]
    ]


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
    }
    if reply.outcome != "ok":
        return WorldBenchRecord(**facts, outcome=reply.outcome)
    found = read_reply(
        reply.text,
        # "%" and "% of GDP" are the same to a reader.
        unit="percent" if indicator.unit.startswith("%") else indicator.unit,
        low=indicator.low,
        high=indicator.high,
        asked_year=asked.year,
        country=place.name,
    )
    if found.value is None:
        return WorldBenchRecord(**facts, outcome=found.outcome, reason=found.reason)
    start, end = found.span or (None, None)
    return WorldBenchRecord(
        **facts,
        outcome=found.outcome,
        value=found.value,
        error=absolute_relative_error(found.value, asked.truth),
        scale=found.scale,
        source=found.source,
        cited_year=found.year,
        reason=found.reason,
        span_start=start,
        span_end=end,
    )


def figures_digest(figures: Figures) -> str:
    """Identity of a table of figures: what it says, wherever the file lies."""
    return fingerprint(msgspec.json.encode(figures, order="sorted", enc_hook=dict).decode())
