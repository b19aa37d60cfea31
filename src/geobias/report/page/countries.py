"""The table of all economies, and the profile that opens for each, with some of the replies.

A page cannot hold a hundred thousand replies. It shows a few for each economy, first of different
kinds, which the probe decides. It says how many there are and how to see all of them: `geobias
replies RUN --country KEN`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import groupby, islice
from typing import Any

import msgspec

from geobias.atlas.economies import INCOMES, aliases
from geobias.probes import derived
from geobias.probes.registry import AnyProbe, all_probes
from geobias.report.page.text import readable
from geobias.report.records import probes_of
from geobias.results.findings import Country, CountryNumber, Findings
from geobias.results.formatting import counted, interval, number, words
from geobias.runfile import RunReader
from geobias.runfile.reading import split_digests

_FACTS = ("name", "region", "income", "continent")


def country_table(findings: Findings) -> dict[str, Any]:
    """The table with a column for each measure of each model, numbered from 0.

    Columns of what cannot be measured say so and cannot be sorted.
    """
    several = len(findings.models) > 1
    present = {
        (measure.metric, measure.model): (measure.probe, measure.model)
        for country in findings.countries
        for measure in country.measures
    }
    fit = _measurable(findings)
    columns = {
        (metric, model): fit.get(present[metric, model], True)
        for metric in _in_table({metric for metric, _ in present})
        for model in findings.models
        if (metric, model) in present
    }
    heads = [
        {"measure": _label(metric), "model": model}
        | {"column": i, "measurable": columns[metric, model]}
        for i, (metric, model) in enumerate(columns, start=1 if several else 3)
    ]
    measures = [
        {"label": label, "span": len(list(own))}
        for label, own in groupby(heads, key=lambda head: head["measure"])
    ]
    rows = [
        _row(country, columns)
        for country in sorted(findings.countries, key=lambda country: _folded(country.name))
    ]
    return {"heads": heads, "measures": measures, "rows": rows}


def _in_table(measured: Collection[str]) -> list[str]:
    """The metrics with a column in the table of countries: the first alternative of a probe that
    the runs have.
    """
    shown = []
    for probe in all_probes().values():
        known = [one for one in derived.country_measures(probe) if one.metric in measured]
        first = next((one for one in known if one.alternative), None)
        shown += [one.metric for one in known if not one.alternative or one is first]
    return shown


@cache
def _labels() -> dict[str, str]:
    """The metrics of countries, in words."""
    every = (one for probe in all_probes().values() for one in derived.country_measures(probe))
    return {one.metric: one.label for one in every}


def _label(metric: str) -> str:
    return _labels().get(metric) or words(metric.partition(".")[2])


def _measurable(findings: Findings) -> dict[tuple[str, str], bool]:
    """Probe and model → whether it can be measured."""
    return {(section.probe, section.model): section.measurable for section in findings.sections}


def _folded(name: str) -> str:
    """A name as dictionaries sort it: Côte d'Ivoire before Czechia."""
    plain = unicodedata.normalize("NFD", name)
    return "".join(c for c in plain if not unicodedata.combining(c)).casefold()


def _row(country: Country, columns: Collection[tuple[str, str]]) -> dict[str, Any]:
    income = country.income or ""
    known = " ".join(aliases().get(country.iso3, ()))
    measures = {(measure.metric, measure.model): measure for measure in country.measures}
    return {
        "country": country,
        "income": income.removesuffix(" income") or "–",
        "rank": str(INCOMES.index(income)) if income in INCOMES else "",
        "search": f"{country.name} {country.iso3} {country.region} {income} {known}",
        "measures": [measures.get(where) for where in columns],
    }


def country_profiles(findings: Findings) -> dict[str, Any]:
    """Each economy's facts and measures, for the profile that opens on a click."""
    place = {model: i for i, model in enumerate(findings.models)}
    fit = _measurable(findings)
    return {
        country.iso3: {name: getattr(country, name) for name in _FACTS}
        | {
            "measures": [
                [
                    _label(measure.metric),
                    place[measure.model],
                    number(measure.value),
                    interval(measure.low, measure.high),
                    _pooled(measure),
                    counted(measure.n, measure.counted),
                    f"{measure.asked:,}",
                    fit.get((measure.probe, measure.model), True),
                ]
                for measure in country.measures
            ],
        }
        for country in findings.countries
    }


def _pooled(measure: CountryNumber) -> str:
    if measure.pooled is None:
        return ""
    bounds = interval(measure.pooled_low, measure.pooled_high)
    return f"{number(measure.pooled)} {bounds}"


LETTERS = 420
"""Maximum characters of a question or a reply; BBQ's longest stories have about 400."""
TURNS = 20
"""Maximum turns of a game."""
WHOLE = 1_500
"""Maximum characters of the question at the beginning of a chapter."""
LOOKED_AT, FEW = 5_000, 20
"""Trials among which a typical one is chosen, and those tried until one has a reply."""


class Excerpt(msgspec.Struct, frozen=True, omit_defaults=True):
    """A reply as the page shows it.

    `turns` are those of a game, or of a question that was asked again: question and answer.
    """

    model: int
    probe: str
    title: str
    verdict: str
    asked: str = ""
    said: str = ""
    turns: list[tuple[str, str]] = []
    more: int = 0
    """Number of turns left out."""


class CountryExcerpts(msgspec.Struct, frozen=True):
    """Some replies about one economy, and how many there are."""

    shown: list[Excerpt]
    counts: list[tuple[int, str, int]]
    """Model, probe, number of trials."""


def country_excerpts(runs: Sequence[tuple[RunReader, int]]) -> dict[str, CountryExcerpts]:
    """Examples for each economy; runs come with the number of their model in the report."""
    shown: dict[str, list[Excerpt]] = {}
    counts: dict[str, list[tuple[int, str, int]]] = {}
    # A run that stands for several models is read once.
    found = {
        run: [(probe.name, *_told(run, probe)) for probe in probes_of(run)]
        for run in dict.fromkeys(run for run, _ in runs)
    }
    for run, model in runs:
        for probe, trials, excerpts in found[run]:
            for country, n in trials:
                counts.setdefault(country, []).append((model, probe, n))
            for country, excerpt in excerpts:
                of_model = msgspec.structs.replace(excerpt, model=model)
                shown.setdefault(country, []).append(of_model)
    return {iso3: CountryExcerpts(shown.get(iso3, []), counts[iso3]) for iso3 in counts}


def _told(run: RunReader, probe: AnyProbe) -> tuple[list[Any], list[tuple[str, Excerpt]]]:
    """The number of trials about each economy, and some of them."""
    trials = run.query(
        "SELECT country, count(*) FROM records WHERE probe = ? AND country <> '' GROUP BY country",
        (probe.name,),
    )
    return list(trials), list(_examples(run, probe))


def _examples(run: RunReader, probe: AnyProbe) -> Iterator[tuple[str, Excerpt]]:
    """Yield the first trial of each kind about each economy, then the second, up to the limit."""
    kind = (
        " || ".join(f"json_extract(record, '$.{name}')" for name in probe.showing.excerpt_by)
        or "''"
    )
    rows = run.query(
        "SELECT country, record, replies FROM ("  # noqa: S608
        "  SELECT country, record, replies, row_number() OVER (PARTITION BY country"
        "    ORDER BY k, id) AS place FROM ("
        f"    SELECT id, country, record, replies, row_number() OVER (PARTITION BY country, "
        f"      {kind} ORDER BY json_extract(record, '$.repeat'), id) AS k"
        "    FROM records WHERE probe = ? AND country <> ''))"
        " WHERE place <= ? ORDER BY country, place",
        (probe.name, probe.showing.excerpts),
    )
    for country, text, replies in rows:
        excerpt = _excerpt(run, probe, run.decoded(text, dict[str, Any]), replies)
        if excerpt is not None:
            yield country, excerpt


def _excerpt(
    run: RunReader,
    probe: AnyProbe,
    record: dict[str, Any],
    replies: bytes,
    letters: int = LETTERS,
) -> Excerpt | None:
    """A trial with its question and reply, by the first model; None without a reply."""
    about, digests = probe.showing.describe(record), split_digests(replies)
    verdict = readable(about.read or str(record["outcome"]), 200)
    excerpt = partial(Excerpt, 0, probe.name, readable(about.title, 120), verdict)
    if probe.showing.in_turns:
        turns = _turns(run, digests)
        return excerpt(turns=turns, more=max(0, about.turns - len(turns)))
    told = [
        (readable(one.question(), letters), readable(one.text, letters) or f"[{one.outcome}]")
        for digest in digests
        if (one := run.reply(digest)) is not None
    ]
    if len(told) > 1:  # The model was asked again about a reply that could not be read.
        return excerpt(turns=told)
    return excerpt(*told[0]) if told else None


def typical_excerpt(run: RunReader, probe: AnyProbe) -> Excerpt | None:
    """A typical trial: the one whose number is nearest to the median of the first trials.

    It is the first trial if trials have no numbers.
    """
    rows = [
        (run.decoded(text, dict[str, Any]), replies)
        for text, replies in run.query(
            "SELECT record, replies FROM records WHERE probe = ? ORDER BY trial LIMIT ?",
            (probe.name, LOOKED_AT),
        )
    ]
    numbers = {id(record): derived.number(probe, record) for record, _ in rows}
    known = sorted(number for number in numbers.values() if number is not None)
    if known:
        middle = known[len(known) // 2]
        rows = [row for row in rows if numbers[id(row[0])] is not None]
        rows.sort(key=lambda row: abs((numbers[id(row[0])] or 0.0) - middle))
    found = (_excerpt(run, probe, *row, letters=WHOLE) for row in rows[:FEW])
    return next((one for one in found if one is not None), None)


def _turns(run: RunReader, digests: list[bytes]) -> list[tuple[str, str]]:
    """The first turns of a conversation: the question, and the other side's final answer to it."""
    turns: list[tuple[str, str]] = []
    asking = ""
    for digest in digests:
        reply = run.reply(digest)
        if reply is None:
            continue
        asking = asking or reply.role
        if reply.role != asking:
            turns[-1] = (turns[-1][0], readable(reply.text, 60))
        elif len(turns) == TURNS:
            break
        else:
            turns.append((readable(reply.text, 160), ""))
    return turns


def at_most(excerpts: Mapping[str, CountryExcerpts], most: int) -> dict[str, CountryExcerpts]:
    """At most this many replies about each economy from each model and probe."""
    return {
        iso3: CountryExcerpts(
            [
                shown
                for _, own in groupby(one.shown, key=lambda one: (one.model, one.probe))
                for shown in islice(own, most)
            ],
            one.counts,
        )
        for iso3, one in excerpts.items()
    }
