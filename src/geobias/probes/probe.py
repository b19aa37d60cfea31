"""A probe: everything that other rooms need of a benchmark, and the only way they reach one.

    plan        what is asked                         engine, cli, integrations
    answers     records, as tables need them          report, cli, view
    screens, findings, tables, figures, comparison    report, cli
    describe    what a trial looks like to a reader   view, report
    skill       how a simulated model answers it      models

A probe is a folder with a subclass of `Probe`, named in the entry points `geobias.probes` of some
package (`registry`), and loaded when it is wanted. Only `plan`, `findings` and
`describe` must be written; the rest has a default that leaves the feature out.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Generic, Literal, NamedTuple, TypeVar

import msgspec
import polars as pl

from geobias.errors import BadRequest
from geobias.measures.frames import PLACES
from geobias.measures.measure import Measure
from geobias.measures.planning import Aim
from geobias.probes.plan import Plan
from geobias.probes.predictions import Predictions
from geobias.probes.settings import Field, Settings, fields_of, settings_from, unusual
from geobias.probes.simulation import SimulatedParameters, Skill
from geobias.probes.tables import TableSpec, fields_of_record, frame_from
from geobias.results.changes import ComparisonRule
from geobias.results.charts import WorldMap
from geobias.results.descriptions import CheckQuestion, Description, ReadAs, Sample, Turn, Versions
from geobias.results.figures import Figure
from geobias.results.findings import (
    Findings,
    Metric,
    ProbeFindings,
    Screen,
    Section,
    SentenceKind,
    Table,
)
from geobias.results.verdicts import Verdict
from geobias.runfile import SavedReply
from geobias.trials import Record


class Citation(NamedTuple):
    """A paper whose benchmark is run, or whose items are used."""

    authors: str
    title: str
    where: str
    link: str
    short: str
    """How a text names it: "Moayeri, Tabassi and Feizi (FAccT 2024)"."""


class RunRecords(NamedTuple):
    """What a probe gets to see of a run: its records, and what they were made with.

    model     the name under which the report shows it; `models` the model of each role
    settings  those of the probe, as the manifest has them
    rows      record's name (the probe's, or one of its `further_records`) → its records
    """

    model: str
    models: Mapping[str, str]
    settings: Mapping[str, Any]
    editions: Mapping[str, str]
    planned: Mapping[str, int]
    notes: Sequence[str]
    rows: Callable[[str], Iterable[Mapping[str, Any]]]
    run: str = ""
    """The id of the run in the findings."""
    prompts: Mapping[str, str] = {}
    """Digests of the prompts' texts."""


class Answers(msgspec.Struct, frozen=True, kw_only=True):
    """The answers of one model, as a probe's tables need them; a probe may add to it.

    frame     a row for each trial, with the column `model`
    """

    model: str
    frame: pl.DataFrame
    records: RunRecords | None = None
    """The run they come from; None where replies were made elsewhere."""


class Headline(NamedTuple):
    """A column of the table that a report opens with.

    metrics   names in the order of preference; the first that the run has is shown
    hint      how to read the number: "0 is even"
    verdict   what a test or an interval says of it in two or three words, and whether that is sure
    done      the records whose progress bears on it, where they are not the probe's own
    optional  left out where no run has it
    """

    label: str
    hint: str
    metrics: tuple[str, ...]
    verdict: Callable[[Metric], tuple[str, bool] | None] = lambda metric: None
    done: str = ""
    optional: bool = False


class CountryMeasure(NamedTuple):
    """A number that the probe has for every economy, and where it is shown.

    label     in words, from the run's settings where it depends on them
    in_table  a column of the table of countries; "alone": only in the report of one model; of the
              probe's "first" ones, the first that the runs have
    """

    metric: str
    label: str | Callable[[Mapping[str, Any]], str]
    in_table: Literal["", "always", "alone", "first"] = ""


class Further(NamedTuple):
    """What a probe shows of a run beside its measures.

    tables     of its section, by name
    sentences  made of the section once its p-values are adjusted: kind, text, and whether it stands
               at the opening of the report
    notes      about what was not asked
    """

    tables: Mapping[str, Table] = {}
    sentences: Callable[[Section], Iterable[tuple[SentenceKind, str, bool]]] = lambda section: ()
    notes: Sequence[str] = ()


class NoReading(msgspec.Struct, frozen=True):
    """A probe whose runs can be read without anything beside them."""


S = TypeVar("S", bound=Settings)
A = TypeVar("A", bound=Answers)


class Probe(ABC, Generic[S, A]):
    """One benchmark. The class attributes say what it is; methods do the work."""

    name: ClassVar[str]
    """Of its records, metrics and commands: "worldbench"."""
    title: ClassVar[str]
    """As people call it: "WorldBench"."""
    verb: ClassVar[str]
    """Its chapter of the report: what the model "knows"."""
    about: ClassVar[str]
    """A sentence for lists of commands."""
    standfirst: ClassVar[str] = ""
    """A short paragraph that opens its chapter, where `about` is not enough."""
    question: ClassVar[str] = ""
    """The one question that its primary metric answers, in a sentence."""
    primary: ClassVar[str] = ""
    """The name of the metric that answers it."""
    scale: ClassVar[float] = 1.0
    """The length of that metric's scale, of which the smallest gap of interest is a share."""
    methods: ClassVar[str] = ""
    """How its intervals and tests are made, for the report's part on methods."""
    counted: ClassVar[str] = "questions"
    """What it asks or plays, several of them."""
    place: ClassVar[int] = 100
    """Among the other probes: the smallest first. Equal ones stand by name."""
    papers: ClassVar[tuple[Citation, ...]] = ()
    Settings: type[S]
    """What it can be asked with."""
    Record: ClassVar[type[Record]] = Record
    """The row that a trial leaves behind."""
    Reading: type[msgspec.Struct] = NoReading
    """Files that are given again when a run is read, declared as settings are."""
    roles: ClassVar[Mapping[str, str]] = {}
    """Models beside the one that is tested: role → help of the option that names it."""
    further_records: ClassVar[Mapping[str, str]] = {}
    """Records that its trials leave under another name than its own → their title."""
    record_kinds: ClassVar[Mapping[str, type]] = {}
    """The same names → their rows, by which a damaged file is told."""
    read_as: ClassVar[ReadAs] = ReadAs()
    in_turns: ClassVar[bool] = False
    """Whether a trial is a conversation rather than a question and its reply."""
    editions: ClassVar[Mapping[str, str]] = {}
    """Data that its plans put into a manifest → what people call it."""
    chosen_editions: ClassVar[frozenset[str]] = frozenset()
    """Those of `editions` that are of the items chosen, not of the table they come from."""
    metric_names: ClassVar[tuple[str, ...]] = ()
    """Every metric that a run can have."""
    headlines: ClassVar[tuple[Headline, ...]] = ()
    country_measures: ClassVar[tuple[CountryMeasure, ...]] = ()
    size_metric: ClassVar[tuple[str, str]] = ("", "")
    """The beginning of the metric whose n tells the size of a run, and what it counts."""
    excerpt_by: ClassVar[tuple[str, ...]] = ()
    """Fields of a record: a few trials with different values are shown for each economy."""
    excerpts: ClassVar[int] = 3
    """How many of them."""
    printed_tables: ClassVar[tuple[str, ...]] = ()
    """Tables of its section that a paper prints; those of published numbers are added."""
    minor_columns: ClassVar[frozenset[str]] = frozenset()
    """Columns that a paper does not print."""
    column_heads: ClassVar[Mapping[str, str]] = {}
    """Columns of its tables in words, where their names alone are not English."""

    measures: ClassVar[tuple[Measure, ...]] = ()
    """What is averaged over what. All that is shown of it follows (`probes.derived`)."""
    compared_by: ClassVar[tuple[str, ...]] = ()
    """Columns that tell that an item of two runs is the same, where its questions' do not."""

    # -- asking ------------------------------------------------------------------------------------

    @abstractmethod
    def plan(self, settings: S) -> Plan:
        """The trials with these settings. What cannot be asked is a `BadRequest` that says why."""

    def make_plan(self, /, **given: Any) -> Plan:
        """`plan` with settings as keyword arguments; text is taken too, as from a command line."""
        settings = settings_from(self.Settings, given, self.name)
        return msgspec.structs.replace(self.plan(settings), given=unusual(settings))

    def setting_fields(self) -> tuple[Field, ...]:
        """The settings that it declares."""
        return fields_of(self.Settings)

    def aim(self, plan: Plan, spread: tuple[float, ...] | None) -> Aim:
        """The test that a run of this plan is made for; `spread` as `spread` finds it in a run."""
        raise BadRequest(f"{self.name} has no test to plan for: leave out --gap and --power")

    def spread(self, answers: A) -> tuple[float, ...] | None:
        """How much answers vary between units and within them (and across other units, where they
        are crossed); None where there are too few."""
        return None

    # -- reading -----------------------------------------------------------------------------------

    def answers(self, run: RunRecords, reading: Any) -> A:
        """The run's records as tables need them; `reading` is a `Reading`.

        By default a frame with a column for each field of `Record`, and the groups of the country.
        """
        fields = fields_of_record(self.Record)
        groups = [name for name in PLACES if name not in fields]
        # Trials end in whatever order; sums of floats must not depend on it.
        frame = frame_from(run.rows(self.name), fields, run.model, groups).sort("trial")
        return Answers(model=run.model, frame=frame, records=run)  # type: ignore[return-value]

    def screens(self, answers: A) -> list[Screen]:
        """What must hold for any number to mean something."""
        return []

    def further(self, answers: A, *, brief: bool) -> Further:
        """What is shown beside the measures. Where it is `brief`, only sentences and what they are
        made of."""
        return Further()

    def findings(self, answers: A) -> ProbeFindings:
        """What the answers of one run show."""
        raise NotImplementedError

    def in_brief(self, answers: A) -> ProbeFindings:
        """What the end of a run and a gate need of `findings`: the metrics, the tables that
        `summary` and `verdict` read, and the sentences, of which limits may be left out."""
        return self.findings(answers)

    def over_models(
        self, answers: Sequence[A], sections: Sequence[Section]
    ) -> ProbeFindings | None:
        """What the answers of several runs show together; None where they are not pooled.

        `sections` are what was found in each. The section has its own name in place of a model's.
        """
        return None

    tables: Mapping[str, TableSpec[A]] = {}
    """`geobias NAME TABLE RUN…`."""

    def figures(self, findings: Findings, sections: Sequence[Section]) -> list[Figure]:
        """Its figures, in reading order; `sections` are its own, one for each model."""
        return []

    def verdict(self, section: Section) -> Verdict | None:
        """What is said first of a section, in plain words; None: its first sentence."""
        return None

    def summary(self, section: Section) -> Table | None:
        """What a terminal shows of a section, beside its sentences; None: its metrics."""
        return None

    comparison: ClassVar[ComparisonRule | None] = None
    """How two runs are compared; None where they cannot be."""

    def number(self, record: Mapping[str, Any]) -> float | None:
        """A trial as one number, for programs that want one; None where there is none."""
        return None

    predictions: Predictions[A] | None = None
    """How replies made elsewhere are read (`geobias score`); None where their lines name trials of
    the plan, as they can for every probe (`probes.replay`)."""

    # -- showing -----------------------------------------------------------------------------------

    @abstractmethod
    def describe(self, record: Mapping[str, Any]) -> Description:
        """What a trial is about and what came of it."""

    def versions(self, record: Mapping[str, Any]) -> Versions | None:
        """Where an item has several versions, how to find those of this trial's."""
        return None

    def turns(self, record: Mapping[str, Any], replies: Sequence[SavedReply]) -> list[Turn]:
        """The turns of a conversation; only asked for where trials are `in_turns`."""
        return []

    def turns_map(self, record: Mapping[str, Any], turns: Sequence[Turn]) -> WorldMap | None:
        """Where in the world a conversation went."""
        return None

    samples: ClassVar[Sequence[Sample]] = ()
    """What people can check by hand."""
    checks: ClassVar[Sequence[CheckQuestion]] = ()
    """What their verdicts answer."""

    def edition(self, name: str, digest: str, settings: Mapping[str, Any]) -> str:
        """The edition of one of its `editions` in words; "" where there is nothing to say."""
        return ""

    def data_source(self, settings: Mapping[str, Any]) -> str:
        """Whose data a run rests on, for the line below a figure."""
        return ""

    # -- for programs that come with it ------------------------------------------------------------

    Simulated: ClassVar[type[SimulatedParameters] | None] = None
    """What a simulated model can be like, where it can answer this probe at all."""

    def skill(self, chosen: Any) -> Skill:
        """How a simulated model with these parameters (a `Simulated`) answers."""
        raise BadRequest(f"no simulated model answers {self.name}")
