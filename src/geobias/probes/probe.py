"""The interface of a probe, through which other packages use a benchmark.

A probe is a folder, or a user's package, with a subclass of `Probe` that is named in the entry
points `geobias.probes` (`registry`). It declares what is asked and what is measured. From these
declarations `probes.derived` computes findings and figures for every probe alike.

    name, title, verb, about, papers     what the probe is
    Settings, plan, roles                what is asked
    records, answers, editions, Reading  what is recorded, and how records are read again
    measures, screens                    what is measured, and when the numbers mean something
    tables, figures, saying              results other than those of measures
    showing                              what a trial looks like to a reader
    elsewhere                            how replies that were made outside of a run are read
    Simulated                            how a simulated model answers

For a probe that asks about items, `probes.items` makes the plan and the showing as well.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Generic, NamedTuple, TypeAlias, TypeVar

import msgspec
import polars as pl

from geobias.measures.measure import Measure
from geobias.probes.plan import Plan
from geobias.probes.predictions import Predictions
from geobias.probes.readers import ReplyReader
from geobias.probes.settings import Settings
from geobias.probes.simulation import SimulatedParameters
from geobias.probes.tables import NoOptions, TableSpec, frame_from
from geobias.results.descriptions import CheckQuestion, Description, Sample, Turn
from geobias.results.figures import Figure
from geobias.results.findings import Screen, Section, SentenceKind
from geobias.runfile import Manifest, SavedReply
from geobias.trials import Record, StoredRecord, StoredSettings


class Citation(NamedTuple):
    """A paper whose benchmark is run, or whose items are used."""

    authors: str
    title: str
    where: str
    link: str
    short: str
    """How a text cites the paper: "Moayeri, Tabassi and Feizi (FAccT 2024)"."""


Rows: TypeAlias = Callable[[str], Iterable[StoredRecord]]
Said: TypeAlias = tuple[SentenceKind, str, bool]
"""A kind of sentence, its text, and whether it belongs to the opening of the report."""


class RunRecords(NamedTuple):
    """The part of a run that a probe may see: the records, and how they were made.

    model     the name under which the report shows the tested model
    notes     sentences on what was not asked
    run       the id of the run in the findings
    """

    model: str
    manifest: Manifest
    settings: StoredSettings
    notes: Sequence[str]
    rows: Rows
    run: str = ""


class Answers(msgspec.Struct, frozen=True, kw_only=True):
    """The answers of one model, with a row for each trial. A probe may add fields."""

    model: str
    frame: pl.DataFrame
    records: RunRecords | None = None
    """The run that the answers come from; None if they were made outside of a run."""


def run_of(answers: Answers) -> RunRecords:
    """Return the run that the answers come from. Raises ValueError if there is none."""
    if answers.records is None:
        raise ValueError("these answers come from no run")
    return answers.records


class CountryMeasure(NamedTuple):
    """A column of the table of countries.

    Of measures marked as `alternative`, the table shows only the first that the runs have.
    """

    metric: str
    label: str
    alternative: bool


class FromElsewhere(NamedTuple):
    """How replies that were made outside of a run are read.

    predictions  how the replies in a file are read (`geobias score`); None if the file's lines name
                 trials of the plan, which works for every probe (`probes.replay`)
    replies      how single replies are read (`geobias read`)
    """

    predictions: Predictions | None = None
    replies: ReplyReader | None = None


class Saying(NamedTuple):
    """The sentences that a probe adds to those of its measures.

    first      makes the sentences on what a reader must know before the verdict, from a section
    sentences  makes all others, from a section after its p-values are adjusted and the answers
    """

    first: Callable[[Section], Iterable[str]] = lambda section: ()
    sentences: Callable[[Section, Any], Iterable[Said]] = lambda section, answers: ()


class Edition(NamedTuple):
    """Data that a probe's plans record in a manifest.

    title   the name of the data for people
    chosen  whether the digest covers the chosen items only, and not the whole table
    words   describes the edition in words, from its digest and the run's settings
    source  names the publisher of the data below a figure, from the run's settings
    """

    title: str
    chosen: bool = False
    words: Callable[[str, StoredSettings], str] = lambda digest, settings: ""
    source: Callable[[StoredSettings], str] = lambda settings: ""


class Showing(NamedTuple):
    """How the trials of a probe are shown to a reader.

    counted     the word for trials, in the plural: "questions", "games"
    excerpt_by  fields of a record in which the excerpts of an economy differ
    excerpts    the number of excerpts of each economy
    turns       returns the turns of a conversation; None if a trial is a question and its reply
    samples     the samples of trials that people can check by hand
    checks      the shares that are computed from the verdicts of these people
    """

    describe: Callable[[StoredRecord], Description]
    counted: str = "questions"
    excerpt_by: tuple[str, ...] = ()
    excerpts: int = 3
    turns: Callable[[StoredRecord, Sequence[SavedReply]], list[Turn]] | None = None
    samples: Sequence[Sample] = ()
    checks: Sequence[CheckQuestion] = ()

    def turns_of(self, record: StoredRecord, replies: Sequence[SavedReply]) -> list[Turn]:
        return self.turns(record, replies) if self.turns else []

    @property
    def in_turns(self) -> bool:
        return self.turns is not None


S = TypeVar("S", bound=Settings)
A = TypeVar("A", bound=Answers)


class Probe(ABC, Generic[S, A]):
    """One benchmark. The class attributes describe the probe, and the methods do the work."""

    name: ClassVar[str]
    """The name of the probe's records, metrics and commands: "worldbench"."""
    title: ClassVar[str]
    """The name for people: "WorldBench"."""
    verb: ClassVar[str]
    """The verb of the chapter's title, "What the model knows": "knows"."""
    about: ClassVar[str]
    """A short paragraph that begins the probe's chapter. Lists show its first sentence."""
    papers: ClassVar[tuple[Citation, ...]] = ()
    Settings: type[S]
    """The struct that declares the probe's settings."""
    Reading: type[msgspec.Struct] = NoOptions
    """The files that a user may give when a run is read, declared like settings."""
    roles: ClassVar[Mapping[str, str]] = {}
    """The roles of models other than the tested one → the help of the option for that model."""
    records: ClassVar[Mapping[str, type[Record]]]
    """The types of the trials' records by name. One of the names is the probe's."""
    editions: ClassVar[Mapping[str, Edition]] = {}
    """The data whose digests the probe's plans record in a manifest."""
    measures: ClassVar[tuple[Measure, ...]] = ()
    """The measures, from which `probes.derived` makes metrics, tables, sentences and figures."""
    tables: Mapping[str, TableSpec[A]] = {}
    """Tables other than those of measures, for the report and `geobias table RUN NAME`."""
    saying: Saying = Saying()
    """The sentences other than those of measures."""
    showing: Showing
    """How a trial is shown to a reader."""
    elsewhere: FromElsewhere = FromElsewhere()
    """How replies that were made outside of a run are read."""
    Simulated: ClassVar[type[SimulatedParameters] | None] = None
    """The parameters of the probe's simulated model, and how it answers; None without one."""

    @abstractmethod
    def plan(self, settings: S) -> Plan:
        """Return the plan of a run with these settings.

        Raises `BadRequest` with the reason if the settings are impossible.
        """

    def answers(self, run: RunRecords, reading: Any) -> A:
        """Return the answers in a run's records. `reading` is an instance of `Reading`.

        By default the frame has a column for each field of the records, and the groups of each
        record's country.
        """
        # Trials end in any order, and sums of floats must not depend on it.
        frame = frame_from(run.rows(self.name), self.records[self.name], run.model).sort("trial")
        return Answers(model=run.model, frame=frame, records=run)  # type: ignore[return-value]

    def screens(self, answers: A) -> list[Screen]:
        """Return the conditions under which the run's numbers mean something."""
        return []

    def figures(self, sections: Sequence[Section]) -> Iterable[Figure]:
        """Return figures made from the sections' tables, in addition to those of measures."""
        return ()
