"""What was found, as plain data. Every format of the report says what stands here, and no more.

    collect(runs) ──▶ Findings
                      ├── runs        what was asked of which model, with what, at what cost
                      ├── sections    one for each probe of each model
                      │   ├── screens     is it measurable at all?
                      │   ├── metrics     the numbers that have names
                      │   └── tables      the numbers that have rows
                      ├── countries   every economy across the probes
                      └── sentences   the same in words

Equal run files give equal findings, to the last digit: all draws have fixed seeds. What is
undefined is None. Text that models said is in none of it, but names that models gave themselves
are, and titles of templates from users' files: whoever prints them makes them safe for the medium.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import msgspec

from geobias.errors import BadRequest
from geobias.probes.audited import AUDITED
from geobias.probes.screens import Screen
from geobias.report.checks import Check, checks
from geobias.runfile.manifest import sum_known

if TYPE_CHECKING:
    from geobias.atlas.figures import Figures
    from geobias.runfile import RunReader

SCHEMA = 1
"""Version of the structs below; goes up when a field changes its meaning or goes away."""

Cell: TypeAlias = str | int | float | bool | None
Kind = Literal["text", "country", "number", "share", "count", "year", "p", "flag"]
Better = Literal["low", "high", "zero"]
SentenceKind = Literal["unmeasurable", "caution", "finding", "limit"]


class Metric(msgspec.Struct, frozen=True, kw_only=True):
    """A number with a name that stays: "worldbench.region_disparity".

    label              the same for people
    value, low, high   the estimate and its 95% interval; all None where undefined
    n, counted         what it rests on: 62 "economies"
    unit               what the numbers are: "error, 0 to 1"
    observed           the plain number, where `value` is freed of what noise adds to it
    chance             what is to be expected where there is no difference, or nothing is known; to
                       be held against `observed` where there is one
    p, p_adjusted      of the test against chance; adjusted (Holm) over this section's metrics, but
                       for gaps between halves of the world (`geo20q.north_south_gap_…`), which are
                       a family of their own
    better             which way is better
    note               how to read it, in a sentence
    undefined_because  why there is no value
    screened           whether the section's screens bear on it; how often a model answered is
                       known of any model
    """

    name: str
    label: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    counted: str
    unit: str
    observed: float | None = None
    chance: float | None = None
    p: float | None = None
    p_adjusted: float | None = None
    better: Better
    note: str = ""
    undefined_because: str = ""
    screened: bool = True


class Column(msgspec.Struct, frozen=True, kw_only=True):
    """A column of a table. Beside `x` may stand `x_low` and `x_high`, its 95% interval."""

    name: str
    label: str
    kind: Kind
    unit: str = ""


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """Rows by column name, each with every column; an undefined cell is None."""

    title: str
    note: str
    columns: list[Column]
    rows: list[dict[str, Cell]]


class Replies(msgspec.Struct, frozen=True, kw_only=True):
    """What became of the replies; the last four add up to what is in no score.

    declined  the model said that it would not or could not answer
    unread    there was text, and no answer in it
    no_text   filtered, empty, too long, broken
    missing   planned and not yet asked: the run is not complete
    """

    planned: int
    asked: int
    read: int
    declined: int
    unread: int
    no_text: int
    missing: int


class Section(msgspec.Struct, frozen=True, kw_only=True):
    """One probe of one model. `run` is the id of its run in `Findings.runs`."""

    probe: str
    title: str
    model: str
    run: str
    measurable: bool
    why_not: list[str]
    screens: list[Screen]
    replies: Replies
    metrics: list[Metric]
    tables: dict[str, Table]
    notes: list[str]
    checks: list[Check] = []
    """What people found who checked the readings by hand (`geobias view`)."""


class Measure(msgspec.Struct, frozen=True, kw_only=True):
    """One economy's number in one probe of one model: "worldbench.error".

    n of `counted` units answered, of `asked` questions; p_adjusted over the economies of the table.
    `pooled` is the value leaning on all economies, the more the fewer units this one has: rankings
    go by it, so that luck does not top them.
    """

    model: str
    probe: str
    metric: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    counted: str
    asked: int
    pooled: float | None = None
    pooled_low: float | None = None
    pooled_high: float | None = None
    p: float | None = None
    p_adjusted: float | None = None


class Country(msgspec.Struct, frozen=True, kw_only=True):
    """The profile of an economy across probes and models. All 218 are there, asked about or not."""

    iso3: str
    name: str
    region: str
    income: str | None
    continent: str
    measures: list[Measure]


class Sentence(msgspec.Struct, frozen=True, kw_only=True):
    """A sentence of the report, in the order in which they are read.

    unmeasurable  there is no result, and why
    caution       what is missing or left out
    finding       a result
    limit         what the results do not show

    `opening` is False for details, which stand in the probe's own section.
    """

    kind: SentenceKind
    probe: str
    model: str
    text: str
    opening: bool = True


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """The facts of a run file. `file` is its name without the folder; `cost` in US$ or None.

    `not_sent` names parameters of `probes` that the provider did not take ("temperature").
    """

    id: str
    file: str
    model: str
    models: dict[str, str]
    answered_as: dict[str, list[str]]
    probes: dict[str, dict[str, Any]]
    editions: dict[str, str]
    prompts: dict[str, str]
    planned: dict[str, int]
    done: dict[str, int]
    outcomes: dict[str, dict[str, int]]
    calls: int
    tokens_in: int | None
    tokens_out: int | None
    cost: float | None
    created: str
    started: float | None
    ended: float | None
    sessions: int
    not_sent: list[str] = []
    geobias: str


class Findings(msgspec.Struct, frozen=True, kw_only=True):
    """Everything a report says. `models` are the columns, in the order of the runs."""

    schema: int
    geobias: str
    models: list[str]
    runs: list[Run]
    sections: list[Section]
    countries: list[Country]
    sentences: list[Sentence]

    def section(self, probe: str, model: str) -> Section | None:
        """The section of a probe and model, if there is one."""
        return next((s for s in self.sections if (s.probe, s.model) == (probe, model)), None)

    def details(self, section: Section) -> list[str]:
        """The sentences of a section that the opening leaves to it."""
        where = (section.probe, section.model)
        return [
            one.text
            for one in self.sentences
            if not one.opening and (one.probe, one.model) == where
        ]


class Part(NamedTuple):
    """What one probe has to say about one run: its section, its economies, its sentences."""

    section: Section
    measures: dict[str, list[Measure]]
    sentences: list[Sentence]


SECTIONS = {name: f"geobias.report.{name}" for name in AUDITED}
"""Probe → the module whose `part(run, model, id, figures)` makes its section, in reading order."""


def collect(runs: Sequence[RunReader], *, figures: Figures | None = None) -> Findings:
    """The findings of one or more runs.

    Runs of one model with different probes form one column. A second run of the same probe and
    model gets a column of its own, named for its file. `figures` is the user's own table, where
    WorldBench runs were made with one. Runs without any probe that has a report (a pilot, questions
    to a judge alone) are a `BadRequest`.
    """
    from geobias import __version__
    from geobias.atlas.economies import economies

    named = labels(runs)
    facts = [_facts(run, f"run{i}", label) for i, (run, label) in enumerate(named, start=1)]
    checked = {
        fact.id: checks(run, label, fact.id)
        for (run, label), fact in zip(named, facts, strict=True)
    }
    parts = [
        _with_checks(
            import_module(SECTIONS[probe]).part(run, label, fact.id, figures), checked[fact.id]
        )
        for probe in SECTIONS
        for (run, label), fact in zip(named, facts, strict=True)
        if probe in fact.probes
    ]
    if not parts:
        raise BadRequest(_nothing_to_report(runs))
    measured: dict[str, list[Measure]] = {}
    for part in parts:
        for iso3, found in part.measures.items():
            measured.setdefault(iso3, []).extend(found)
    countries = [
        Country(
            iso3=one.iso3,
            name=one.name,
            region=one.region,
            income=one.income,
            continent=one.continent,
            measures=measured.get(one.iso3, []),
        )
        for one in economies().values()
    ]
    return Findings(
        schema=SCHEMA,
        geobias=__version__,
        models=list(dict.fromkeys(label for _, label in named)),
        runs=facts,
        sections=[part.section for part in parts],
        countries=countries,
        sentences=[sentence for part in parts for sentence in part.sentences],
    )


def _nothing_to_report(runs: Sequence[RunReader]) -> str:
    held = sorted({name for run in runs for name in run.manifest().probes})
    if not runs:
        return "name at least one run to report on"
    names = ", ".join(run.path.name for run in runs)
    return (
        f"{names} holds {', '.join(held) or 'no probe'}, which has no report; "
        f"geobias show {runs[0].path} says what is in it"
    )


def _with_checks(part: Part, checked: Sequence[Check]) -> Part:
    own = [one for one in checked if one.probe == part.section.probe]
    return part._replace(section=msgspec.structs.replace(part.section, checks=own))


def labels(runs: Sequence[RunReader]) -> list[tuple[RunReader, str]]:
    """Each run with the name of its column."""
    taken: dict[str, set[str]] = {}
    labelled = []
    for number, run in enumerate(runs, start=1):
        manifest = run.manifest()
        model = manifest.models["model"]
        for label in (model, f"{model} ({run.path.name})", f"{model} (run {number})"):
            if not taken.get(label, set()) & manifest.probes.keys():
                break
        taken.setdefault(label, set()).update(manifest.probes)
        labelled.append((run, label))
    return labelled


def _facts(run: RunReader, id_: str, label: str) -> Run:
    manifest = run.manifest()
    done, spent, sessions = run.done(), run.spent(), run.sessions()
    costs = [manifest.cost(role, one.tokens_in, one.tokens_out) for role, one in spent.items()]
    return Run(
        id=id_,
        file=run.path.name.encode(errors="replace").decode(),
        model=label,
        models=manifest.models,
        answered_as=run.models_answered(),
        probes=manifest.probes,
        editions=manifest.editions,
        prompts=manifest.prompts,
        planned=manifest.planned,
        done=manifest.done(done),
        outcomes=done,
        calls=sum(one.calls for one in spent.values()),
        tokens_in=sum_known(one.tokens_in for one in spent.values()),
        tokens_out=sum_known(one.tokens_out for one in spent.values()),
        cost=sum_known(costs),
        created=manifest.created,
        started=sessions[0].started if sessions else None,
        ended=sessions[-1].ended if sessions else None,
        sessions=len(sessions),
        not_sent=run.not_sent(),
        geobias=manifest.geobias,
    )
