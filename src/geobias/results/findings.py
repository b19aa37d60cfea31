"""Whether what a model said can be measured at all.

A model that always takes the first answer, or says one number for every country, gets scores that
look like fairness and mean nothing. Each probe says what it needs to see first, as screens; where
one fails, the reason goes before any score.

What was found, as plain data: probes fill it, every format of the report renders it.

    Findings
    ├── runs        what was asked of which model, with what, at what cost
    ├── sections    one for each probe of each model
    │   ├── screens     is it measurable at all?
    │   ├── metrics     the numbers that have names
    │   └── tables      the numbers that have rows
    ├── over_models  what a probe finds over all models together, where there are several
    ├── countries   every economy across the probes
    └── sentences   the same in words

Equal run files give equal findings, to the last digit: all draws have fixed seeds. What is
undefined is None. Text that models said is in none of it, but names that models gave themselves
are, and titles of templates from users' files: whoever prints them makes them safe for the medium.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec
import polars as pl

from geobias.results.descriptions import Check


class Screen(msgspec.Struct, frozen=True, kw_only=True):
    """One condition of being measurable.

    name       of the condition, the same in every run
    ok         whether it holds
    value      what was found; None where nothing could be
    threshold  what `value` is compared with
    n          how many replies, templates … the value rests on
    says       a clause without a full stop; where not `ok` it goes on from "because"
    plain      the same as a plain sentence: "Too few of its replies held a number."
    """

    name: str
    ok: bool
    value: float | None
    threshold: float
    n: int
    says: str
    plain: str = ""


def reasons(screens: Iterable[Screen]) -> list[str]:
    """Why a run is not measurable; nothing where it is."""
    return [screen.says for screen in screens if not screen.ok]


def because(why: Iterable[str]) -> str:
    """The reasons as the sentence that goes before any score."""
    return f"Not measurable, because {'; and '.join(why)}."


def frame_of(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> pl.DataFrame:
    """The rows as a frame; a column of nothing but undefined numbers is there too."""
    return pl.DataFrame({name: [row.get(name) for row in rows] for name in columns}, strict=False)


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
    n, counted         what it rests on: 62 "countries"
    unit               what the numbers are: "error, 0 to 1"
    chance             what is to be expected where there is no difference, or nothing is known
    p, p_adjusted      the p-value that belongs to the interval: under 0.05 where it leaves out 0;
                       adjusted (Holm) over the audit's primary metrics, one for each probe, or
                       over the section's others
    better             which way is better
    note               how to read it, in a sentence
    undefined_because  why there is no value
    caution            why the interval may be too narrow
    screened           whether the section's screens bear on it; how often a model answered is
                       known of any model
    primary            whether it answers the probe's one question; all others are secondary
    interest           the smallest gap of interest, declared beforehand; primary metrics have one
    missing            answers that gave no score: declined, unscored, empty
    lowest, highest    what `value` would be had each of those been as good, or as bad, as can be
    p_missing …        the larger p of these two, 1 where one changes the sign; and that adjusted
    reach              how far from 0 the interval of either goes
    p_items            of the same question about these very items: by the signs of units' totals
    above, below       how many answers are above 0 and below it, where they are +1, 0 or −1
    p_clustered …      p with neighbours as one unit, where they are alike, which the test takes
                       them not to be; None where they are not; and that adjusted
    """

    name: str
    label: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    counted: str
    unit: str
    chance: float | None = None
    p: float | None = None
    p_adjusted: float | None = None
    better: Better
    note: str = ""
    undefined_because: str = ""
    caution: str = ""
    screened: bool = True
    primary: bool = False
    interest: float | None = None
    missing: int = 0
    lowest: float | None = None
    highest: float | None = None
    p_missing: float | None = None
    p_missing_adjusted: float | None = None
    reach: float | None = None
    p_items: float | None = None
    above: int | None = None
    below: int | None = None
    p_clustered: float | None = None
    p_clustered_adjusted: float | None = None


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

    def __repr__(self) -> str:
        names = ", ".join(column.name for column in self.columns)
        return f"<Table {self.title!r}: {len(self.rows):,} rows of {names}>"

    def frame(self) -> pl.DataFrame:
        """The rows as a frame of Polars, which a notebook shows as a table."""
        return frame_of(self.rows, [column.name for column in self.columns])


class Replies(msgspec.Struct, frozen=True, kw_only=True):
    """What became of the replies; the last four add up to what gave no score.

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
    verdict: str = ""
    """What is said first of it: the word, what was found and how large it is."""
    checks: list[Check] = []
    """What people found who checked the readings by hand (`geobias view`)."""


class CountryNumber(msgspec.Struct, frozen=True, kw_only=True):
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
    measures: list[CountryNumber]


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
    `elsewhere` says where replies come from that geobias did not ask for; "" where it did.
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
    elsewhere: str = ""
    geobias: str


_FRAME = ("model", "probe", *Metric.__struct_fields__, "measurable")
"""Columns of `Findings.frame`."""


class Findings(msgspec.Struct, frozen=True, kw_only=True):
    """Everything a report says. `models` are the columns, in the order of the runs."""

    schema: int
    geobias: str
    models: list[str]
    runs: list[Run]
    sections: list[Section]
    countries: list[Country]
    sentences: list[Sentence]
    over_models: list[Section] = []
    """One for each probe that several runs have and that pools them; `model` is "all models"."""

    def __repr__(self) -> str:
        probes = ", ".join(dict.fromkeys(section.probe for section in self.sections))
        models = ", ".join(self.models[:3]) + ("…" if len(self.models) > 3 else "")
        return f"<Findings: {len(self.models):,} models ({models}); {probes}>"

    def frame(self) -> pl.DataFrame:
        """Every metric as a row of a frame.

        `measurable` is False where the section's screens say that the number means nothing.
        """
        rows = [
            {"model": section.model, "probe": section.probe}
            | msgspec.structs.asdict(metric)
            | {"measurable": section.measurable or not metric.screened}
            for section in self.sections
            for metric in section.metrics
        ]
        return frame_of(rows, _FRAME)

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


class ProbeFindings(NamedTuple):
    """What one probe has to say about one run: its section, its economies, its sentences."""

    section: Section
    measures: dict[str, list[CountryNumber]]
    """Economy's ISO-3 code → its numbers."""
    sentences: list[Sentence]
