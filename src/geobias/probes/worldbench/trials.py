"""WorldBench's trials: one question about one economy, read, and held against the figure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import msgspec

from geobias.atlas.economies import Economy
from geobias.atlas.editions import digests
from geobias.atlas.figures import Figures, Rule
from geobias.atlas.figures import figures as shipped_figures
from geobias.atlas.indicators import Indicator
from geobias.probes.plan import Plan, fingerprint
from geobias.probes.worldbench.choosing import (
    check_positive,
    choose_economies,
    choose_indicators,
    choose_rule,
    find,
    left_out,
    own_figures,
    own_indicators,
)
from geobias.probes.worldbench.error import absolute_relative_error
from geobias.probes.worldbench.questions import (
    example_figures,
    opening,
    prompts_source,
    question,
)
from geobias.probes.worldbench.reading import read_reply
from geobias.probes.worldbench.retrieval import Statements, retriever_version, statements
from geobias.probes.worldbench.settings import WorldBenchSettings
from geobias.trials import Ask, Dialogue, Record, Reply, Steps, Trial

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


class Question(NamedTuple):
    """What is asked and what is true."""

    indicator: Indicator
    economy: Economy
    truth: float
    year: int | None


def plan(
    settings: WorldBenchSettings,
    *,
    figures: Figures | None = None,
    extra_indicators: Mapping[str, Indicator] | None = None,
) -> Plan:
    """WorldBench with these settings. What cannot be asked is a `BadRequest` that says why.

    The user's own `figures` and `extra_indicators` are read from the files that the settings name,
    unless they are given here. Repeats only differ when sampled (temperature above 0).
    """
    figures = figures or own_figures(settings.figures)
    extra = extra_indicators or own_indicators(settings.indicator_file)
    table = shipped_figures() if figures is None else figures
    size, year, retrieve = settings.size, settings.year, settings.retrieve
    rule = choose_rule(settings.ground_truth, year, table)
    example = find(settings.example_country)
    chosen = choose_indicators(settings.indicators, size, table, extra, rule)
    check_positive(table, chosen)
    asked = _questions(
        chosen, settings.countries, settings.regions, size, example, rule, year, table
    )
    examples = example_figures(table, chosen, example, rule, year)
    repeats, temperature, seed = settings.repeats, settings.sampled_at, settings.seed
    editions = digests("economies.csv", "indicators.csv") | {"figures": figures_digest(table)}
    if retrieve:
        editions["bm25s"] = retriever_version()

    def trials() -> Iterator[Trial]:
        found = Statements(statements(table, chosen, year)) if retrieve else None
        begun: dict[str, Dialogue] = {}
        for one in asked:
            name = one.indicator.id
            if name not in begun:
                begun[name] = opening(
                    one.indicator, example, examples[name], year=year, system=settings.system
                )
            near = (
                found.nearest(f"{one.indicator.phrase} {one.economy.name}", retrieve)
                if found
                else ()
            )
            words = question(one.indicator, one.economy, year=year, statements=near)
            dialogue = begun[name].user(words)
            for repeat in range(repeats):
                trial = f"worldbench/{name}/{one.economy.iso3}/{repeat}"
                ask = Ask(
                    dialogue=dialogue,
                    temperature=temperature,
                    max_tokens=MAX_TOKENS,
                    draw=f"{trial} {seed}",
                )
                yield Trial(trial, _starter(trial, one, repeat, ask))

    own = [one for name, one in chosen.items() if name in (extra or {})]
    return Plan(
        probe="worldbench",
        settings=settings.entries(
            indicators=list(chosen),
            countries=sorted({q.economy.iso3 for q in asked}) if settings.countries else None,
            regions=sorted({q.economy.region for q in asked}) if settings.regions else None,
            example_country=example.iso3,
            ground_truth=str(rule),
            figures="shipped" if figures is None else figures_digest(table),
            own_indicators=[msgspec.to_builtins(one) for one in own],
        ),
        count=len(asked) * repeats,
        calls=(len(asked) * repeats, len(asked) * repeats),
        trials=trials,
        editions=editions,
        prompts={"worldbench": fingerprint(prompts_source())},
        notes=() if figures is None else left_out(figures, extra),
    )


def _questions(
    chosen: Mapping[str, Indicator],
    countries: Sequence[str] | None,
    regions: Sequence[str] | None,
    size: str,
    example: Economy,
    rule: Rule,
    year: int | None,
    figures: Figures,
) -> list[Question]:
    """Indicator by indicator, so that dialogues with the same opening stand together."""
    truths = {name: figures.truths(name, rule) for name in chosen}
    having = {iso3 for found in truths.values() for iso3 in found}
    wanted = choose_economies(countries, regions, size, excluded=example, with_figures=having)
    return [
        Question(one, economy, truths[name][economy.iso3], year)
        for name, one in chosen.items()
        for economy in wanted
        if economy.iso3 in truths[name]
    ]


def _starter(trial: str, asked: Question, repeat: int, ask: Ask) -> Callable[[], Steps]:
    def start() -> Steps:
        reply = yield ask
        return read(trial, asked, repeat, reply)

    return start


def read(trial: str, asked: Question, repeat: int, reply: Reply) -> WorldBenchRecord:
    """The record of a question and its reply."""
    facts: dict[str, Any] = {
        "trial": trial,
        "probe": "worldbench",
        "country": asked.economy.iso3,
        "repeat": repeat,
        "indicator": asked.indicator.id,
        "region": asked.economy.region,
        "income": asked.economy.income,
        "truth": asked.truth,
    }
    if reply.outcome != "ok":
        return WorldBenchRecord(**facts, outcome=reply.outcome)
    found = read_reply(
        reply.text,
        unit=_unit(asked.indicator.unit),
        low=asked.indicator.low,
        high=asked.indicator.high,
        asked_year=asked.year,
        country=asked.economy.name,
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


@cache
def _unit(unit: str) -> str:
    """The unit in the words the reader of replies knows: "%" and "% of GDP" are "percent"."""
    return "percent" if unit.startswith("%") else unit


def figures_digest(figures: Figures) -> str:
    """Identity of a table of figures: what it says, wherever the file lies."""
    return fingerprint(msgspec.json.encode(figures, order="sorted", enc_hook=dict).decode())
