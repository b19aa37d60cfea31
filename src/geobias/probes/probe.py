"""The interface of a probe, the only way in which other packages use a benchmark.

A probe is a folder, or a package of a user, with a subclass of `Probe` that is named in the entry
points `geobias.probes` (`registry`). It declares what is asked and what is measured;
`probes.derived` computes what follows for every probe alike.

    name, title, verb, about, papers     what it is
    Settings, plan, roles                what is asked
    records, answers, editions, Reading  what it records, and how records are read again
    measures, screens                    what is measured, and when it means something
    further, tables, figures             what follows from no measure
    showing                              what a trial looks like to a reader
    elsewhere                            how replies from elsewhere are read
    Simulated                            how a simulated model answers

`probes.items` has a probe that asks about items, whose plan and showing follow as well.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

import msgspec
import polars as pl

from geobias.measures.frames import PLACES
from geobias.measures.measure import Measure
from geobias.probes.plan import Plan
from geobias.probes.predictions import Predictions
from geobias.probes.readers import ReplyReader
from geobias.probes.settings import Settings
from geobias.probes.simulation import SimulatedParameters
from geobias.probes.tables import TableSpec, fields_of_record, frame_from
from geobias.results.descriptions import CheckQuestion, Description, ReadAs, Sample, Turn, Versions
from geobias.results.figures import Figure
from geobias.results.findings import (
    Findings,
    Screen,
    Section,
    SentenceKind,
    Table,
)
from geobias.runfile import SavedReply
from geobias.trials import Record


class Citation(NamedTuple):
    """A paper whose benchmark is run, or whose items are used."""

    authors: str
    title: str
    where: str
    link: str
    short: str
    """How a text cites it: "Moayeri, Tabassi and Feizi (FAccT 2024)"."""


class RunRecords(NamedTuple):
    """What a probe may see of a run: its records, and what they were made with.

    model     the name under which the report shows it; `models` the model of each role
    settings  those of the probe, from the manifest
    rows      name of records (the probe's, or one of its `further_records`) → its records
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
    """The answers of one model in the form that tables need; a probe may add fields.

    frame     a row for each trial, with the column `model`
    """

    model: str
    frame: pl.DataFrame
    records: RunRecords | None = None
    """The run they come from; None if replies were made elsewhere."""


def run_of(answers: Answers) -> RunRecords:
    """The run that answers come from; findings are of runs."""
    if answers.records is None:
        raise ValueError("these answers come from no run")
    return answers.records


class CountryMeasure(NamedTuple):
    """A number of every country. The table of countries shows the first alternative that the runs
    have.
    """

    metric: str
    label: str
    alternative: bool


class FromElsewhere(NamedTuple):
    """How replies that were made elsewhere are read.

    predictions  in a file (`geobias score`); None if lines name trials of the plan, as they can for
                 every probe (`probes.replay`)
    replies      single ones, outside of a run (`geobias read`)
    """

    predictions: Predictions | None = None
    replies: ReplyReader | None = None


class Further(NamedTuple):
    """What a probe shows of a run beside its measures.

    tables     of its section, by name
    sentences  made from the section after its p-values are adjusted: kind, text, and whether it
               belongs to the opening of the report
    notes      about what was not asked
    first      sentences that come before those of the measures
    """

    tables: Mapping[str, Table] = {}
    sentences: Callable[[Section], Iterable[tuple[SentenceKind, str, bool]]] = lambda section: ()
    notes: Sequence[str] = ()
    first: Callable[[Section], Iterable[tuple[SentenceKind, str, bool]]] = lambda section: ()


class Edition(NamedTuple):
    """Data that a probe's plans record in a manifest.

    title   the name for people
    chosen  whether it is of the chosen items, not of the table they come from
    words   the edition in words, from its digest and the run's settings
    source  whose data a run uses, for the line below a figure, from the run's settings
    """

    title: str
    chosen: bool = False
    words: Callable[[str, Mapping[str, Any]], str] = lambda digest, settings: ""
    source: Callable[[Mapping[str, Any]], str] = lambda settings: ""


class Showing(NamedTuple):
    """What the trials of a probe look like to a reader.

    describe    what a trial is about, and its result
    counted     what is asked or played, in the plural
    read_as     the probe's words for outcomes
    excerpt_by  fields of a record; for each economy a few trials with different values are shown
    excerpts    how many of them
    versions    where an item has several versions, how to find those of this trial's
    turns       the turns of a conversation; None where a trial is a question and its reply
    samples     what people can check by hand, and `checks` what their verdicts answer
    """

    describe: Callable[[Mapping[str, Any]], Description]
    counted: str = "questions"
    read_as: ReadAs = ReadAs()
    excerpt_by: tuple[str, ...] = ()
    excerpts: int = 3
    versions: Callable[[Mapping[str, Any]], Versions | None] = lambda record: None
    turns: Callable[[Mapping[str, Any], Sequence[SavedReply]], list[Turn]] | None = None
    samples: Sequence[Sample] = ()
    checks: Sequence[CheckQuestion] = ()

    def turns_of(self, record: Mapping[str, Any], replies: Sequence[SavedReply]) -> list[Turn]:
        """The turns of a conversation; empty if a trial is not a conversation."""
        return self.turns(record, replies) if self.turns else []

    @property
    def in_turns(self) -> bool:
        """Whether a trial is a conversation and not a question with its reply."""
        return self.turns is not None


class NoReading(msgspec.Struct, frozen=True):
    """For a probe whose runs can be read without further files."""


S = TypeVar("S", bound=Settings)
A = TypeVar("A", bound=Answers)


class Probe(ABC, Generic[S, A]):
    """One benchmark. The class attributes describe it; methods do the work."""

    name: ClassVar[str]
    """Name of its records, metrics and commands: "worldbench"."""
    title: ClassVar[str]
    """Name for people: "WorldBench"."""
    verb: ClassVar[str]
    """What its chapter of the report says of the model: "knows"."""
    about: ClassVar[str]
    """A short paragraph at the beginning of its chapter; its first sentence appears in lists."""
    papers: ClassVar[tuple[Citation, ...]] = ()
    Settings: type[S]
    """Its settings."""
    Reading: type[msgspec.Struct] = NoReading
    """Files that are given when a run is read, declared as settings are."""
    roles: ClassVar[Mapping[str, str]] = {}
    """Models beside the tested one: role → help of the option that names it."""
    records: ClassVar[Mapping[str, type[Record]]]
    """Types of its trials' records by name: under the probe's own name, and others."""
    editions: ClassVar[Mapping[str, Edition]] = {}
    """Data that its plans record in a manifest."""
    measures: ClassVar[tuple[Measure, ...]] = ()
    """What is averaged over what. What is shown of it follows (`probes.derived`)."""
    tables: Mapping[str, TableSpec[A]] = {}
    """Tables that follow from no measure: `geobias table RUN NAME`."""
    showing: Showing
    """What a trial looks like to a reader."""
    elsewhere: FromElsewhere = FromElsewhere()
    """How replies that were made elsewhere are read."""
    Simulated: ClassVar[type[SimulatedParameters] | None] = None
    """The parameters of a simulated model and how it answers, if there is one."""

    @abstractmethod
    def plan(self, settings: S) -> Plan:
        """The trials with these settings.

        Raises `BadRequest` with the reason for impossible ones.
        """

    def answers(self, run: RunRecords, reading: Any) -> A:
        """The run's records in the form that measures need; `reading` is a `Reading`.

        By default a frame with a column for each field of its records, and the groups of the
        country.
        """
        fields = fields_of_record(self.records[self.name])
        groups = [name for name in PLACES if name not in fields]
        # Trials end in any order, and sums of floats must not depend on it.
        frame = frame_from(run.rows(self.name), fields, run.model, groups).sort("trial")
        return Answers(model=run.model, frame=frame, records=run)  # type: ignore[return-value]

    def screens(self, answers: A) -> list[Screen]:
        """What must hold for any number to mean something."""
        return []

    def further(self, answers: A, *, brief: bool) -> Further:
        """What is shown beside the measures. If `brief`, only sentences and what they need."""
        return Further()

    def figures(self, findings: Findings, sections: Sequence[Section]) -> list[Figure]:
        """Figures that the probe adds to those of its measures.

        `sections` are those of this probe, one for each model.
        """
        return []
