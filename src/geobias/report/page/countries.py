"""The table of all economies, and for each a profile with a few replies about it.

A page cannot hold a hundred thousand replies. For each economy it shows some, of different kinds
first (the probe says which), and the number of all.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterator, Sequence
from functools import cache, partial
from itertools import groupby
from typing import NamedTuple

import msgspec

from geobias.atlas.economies import INCOMES, aliases
from geobias.probes import derived
from geobias.probes.questions import OUTCOMES
from geobias.probes.registry import AnyProbe, all_probes
from geobias.report.page.text import readable
from geobias.report.records import probes_of
from geobias.results.findings import Country, CountryNumber, Findings
from geobias.results.formatting import counted, interval, number, with_true_minus, words
from geobias.runfile import RunReader
from geobias.runfile.reading import split_digests
from geobias.trials import StoredRecord

LETTERS = 420
"""Maximum characters of a question or a reply; BBQ's longest stories have about 400."""
TURNS = 20
"""Maximum turns of a game."""
WHOLE = 1_500
"""Maximum characters of the question that begins a chapter."""
FEW = 20
"""Maximum trials tried until one has a reply."""
MOST_REPLIES = 6
"""Maximum replies shown about a country in one probe, of all models. From seven models on, none are
shown; `geobias replies` prints them.
"""


class Head(NamedTuple):
    """The heading of a column of numbers, which can be sorted only if it is `measurable`."""

    measure: str
    model: str
    column: int
    measurable: bool


class CountryRow(NamedTuple):
    """An economy with its number in each column. `rank` orders income groups from poor to rich."""

    country: Country
    income: str
    rank: str
    search: str
    measures: list[CountryNumber | None]


class CountryTable(NamedTuple):
    """The table of countries. `spans` has each measure with the number of its columns."""

    heads: list[Head]
    spans: list[tuple[str, int]]
    rows: list[CountryRow]


def country_table(findings: Findings) -> CountryTable:
    """Make the table of countries: facts of the economy, then a column per measure and model."""
    fit = _measurable(findings)
    present = {
        (one.metric, one.model): fit.get((one.probe, one.model), True)
        for country in findings.countries
        for one in country.measures
    }
    columns = [
        (metric, model)
        for metric in _in_table({metric for metric, _ in present})
        for model in findings.models
        if (metric, model) in present
    ]
    first = 1 if len(findings.models) > 1 else 3
    heads = [
        Head(_label(metric), model, i, present[metric, model])
        for i, (metric, model) in enumerate(columns, start=first)
    ]
    spans = [(label, len(list(own))) for label, own in groupby(one.measure for one in heads)]
    ordered = sorted(findings.countries, key=lambda country: folded(country.name))
    return CountryTable(heads, spans, [_row(country, columns) for country in ordered])


def _in_table(measured: Collection[str]) -> list[str]:
    """The metrics with a column: of a probe's alternative metrics, only the first measured one."""
    shown = []
    for probe in all_probes().values():
        known = [one for one in derived.country_measures(probe) if one.metric in measured]
        first = next((one for one in known if one.alternative), None)
        shown += [one.metric for one in known if not one.alternative or one is first]
    return shown


@cache
def _labels() -> dict[str, str]:
    every = (one for probe in all_probes().values() for one in derived.country_measures(probe))
    return {one.metric: one.label for one in every}


def _label(metric: str) -> str:
    return _labels().get(metric) or words(metric.partition(".")[2])


def _measurable(findings: Findings) -> dict[tuple[str, str], bool]:
    return {(section.probe, section.model): section.measurable for section in findings.sections}


def folded(name: str) -> str:
    """A name's key for sorting, which ignores accents and case: Côte d'Ivoire before Czechia."""
    plain = unicodedata.normalize("NFD", name)
    return "".join(c for c in plain if not unicodedata.combining(c)).casefold()


def _row(country: Country, columns: Sequence[tuple[str, str]]) -> CountryRow:
    income = country.income or ""
    known = " ".join(aliases().get(country.iso3, ()))
    measures = {(measure.metric, measure.model): measure for measure in country.measures}
    return CountryRow(
        country,
        income=income.removesuffix(" income") or "–",
        rank=str(INCOMES.index(income)) if income in INCOMES else "",
        search=f"{country.name} {country.iso3} {country.region} {income} {known}",
        measures=[measures.get(where) for where in columns],
    )


def country_profiles(findings: Findings) -> dict[str, dict[str, object]]:
    """ISO-3 code → what the page's script shows of the economy on a click.

    Each row of `measures` has the measure, the model's number, value, interval, pooled value, n,
    number of questions asked, and whether the model could be measured.
    """
    place = {model: i for i, model in enumerate(findings.models)}
    fit = _measurable(findings)
    return {
        country.iso3: {name: getattr(country, name) for name in _OF_COUNTRY}
        | {
            "measures": [
                (
                    _label(one.metric),
                    place[one.model],
                    with_true_minus(number(one.value)),
                    with_true_minus(interval(one.low, one.high)),
                    with_true_minus(_pooled(one)),
                    counted(one.n, one.counted),
                    f"{one.asked:,}",
                    fit.get((one.probe, one.model), True),
                )
                for one in country.measures
            ]
        }
        for country in findings.countries
    }


_OF_COUNTRY = ("name", "region", "income", "continent")


def _pooled(measure: CountryNumber) -> str:
    if measure.pooled is None:
        return ""
    bounds = interval(measure.pooled_low, measure.pooled_high)
    return f"{number(measure.pooled)} {bounds}"


class Excerpt(msgspec.Struct, frozen=True, omit_defaults=True):
    """A trial's question and reply, or several in `turns`: a game, or a question asked again."""

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
    """Some replies about an economy. `counts` has (model, probe, number of trials)."""

    shown: list[Excerpt] = []
    counts: list[tuple[int, str, int]] = []


def country_excerpts(
    runs: Sequence[tuple[RunReader, int]], most: int
) -> dict[str, CountryExcerpts]:
    """ISO-3 code → examples of replies about the economy, at most `most` of each run and probe.

    Each run comes with the place of its model in the report.
    """
    found: dict[str, CountryExcerpts] = {}
    for run, model in runs:
        for probe in probes_of(run):
            for country, n in run.query(_COUNTS, (probe.name,)):
                one = found.setdefault(country, CountryExcerpts([], []))
                one.counts.append((model, probe.name, n))
            for country, excerpt in _examples(run, probe, most):
                found[country].shown.append(msgspec.structs.replace(excerpt, model=model))
    return found


_COUNTS = "SELECT country, count(*) FROM records WHERE probe = ? AND country <> '' GROUP BY country"


def _examples(run: RunReader, probe: AnyProbe, most: int) -> Iterator[tuple[str, Excerpt]]:
    """Yield (country, excerpt), for each country the first trial of every kind, then the second."""
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
        (probe.name, min(most, probe.showing.excerpts)),
    )
    for country, text, replies in rows:
        excerpt = _excerpt(run, probe, run.decoded(text, StoredRecord), replies)
        if excerpt is not None:
            yield country, excerpt


def _excerpt(
    run: RunReader,
    probe: AnyProbe,
    record: StoredRecord,
    replies: bytes,
    letters: int = LETTERS,
) -> Excerpt | None:
    """A trial with its question and reply, or None if it has no reply. Its model is set to 0."""
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


def first_excerpt(run: RunReader, probe: AnyProbe) -> Excerpt | None:
    """The first trial whose reply could be read. If there is none, the first with a reply."""
    read = [name for name, how in OUTCOMES.items() if how == "read"]
    rows = run.query(
        "SELECT record, replies FROM records WHERE probe = ? "
        "ORDER BY outcome NOT IN (SELECT value FROM json_each(?)), trial LIMIT ?",
        (probe.name, msgspec.json.encode(read).decode(), FEW),
    )
    found = (
        _excerpt(run, probe, run.decoded(text, StoredRecord), replies, letters=WHOLE)
        for text, replies in rows
    )
    return next((one for one in found if one is not None), None)


def _turns(run: RunReader, digests: list[bytes]) -> list[tuple[str, str]]:
    """The first turns of a conversation: each question with the other side's final answer to it."""
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
