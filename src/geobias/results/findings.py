"""The findings as plain data: probes fill them, and every format of the report renders them.

    Findings
    ├── runs        what was asked of which model, with what, at what cost
    ├── sections    one for each probe of each model
    │   ├── screens     can the model be measured at all?
    │   ├── metrics     numbers with names
    │   └── tables      numbers in rows
    ├── over_models one section for each probe over all models, if there are several
    ├── countries   every economy across the probes
    └── sentences   the findings in words

A model that always takes the first answer, or gives one number for every country, gets scores that
look like fairness and mean nothing. So each probe declares screens. If one fails, the report gives
the reason before any score.

Equal run files give equal findings, to the last digit, since all random draws have fixed seeds.
Undefined values are None. Findings hold no text of replies. They do hold names that models gave
themselves and titles of templates from users' files, so code that prints findings must make them
safe for the medium.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

import msgspec
import polars as pl

from geobias.results.descriptions import Check
from geobias.trials import StoredSettings


class Screen(msgspec.Struct, frozen=True, kw_only=True):
    """One condition of being measurable.

    `value` is compared with `threshold` and rests on `n` replies or templates. `says` is a clause
    without a full stop; if the screen failed, it can follow "because". `plain` is the reason as a
    sentence: "Too few of its replies held a number."
    """

    name: str
    ok: bool
    value: float | None
    threshold: float
    n: int
    says: str
    plain: str = ""


def reasons(screens: Iterable[Screen]) -> list[str]:
    return [screen.says for screen in screens if not screen.ok]


def because(why: Iterable[str]) -> str:
    return f"Not measurable, because {'; and '.join(why)}."


def frame_of(rows: Sequence[Mapping[str, object]], columns: Sequence[str]) -> pl.DataFrame:
    """Return the rows as a frame. A column whose numbers are all undefined is included too."""
    return pl.DataFrame({name: [row.get(name) for row in rows] for name in columns}, strict=False)


SCHEMA = 1
"""Version of the structs below; it increases when a field changes its meaning or is removed."""

Cell: TypeAlias = str | int | float | bool | None
Kind = Literal["text", "country", "number", "count", "year", "p", "flag", "share"]
"""The kind of a column. Only earlier reports have "share", which may serve as baselines."""
Better = Literal["low", "high", "zero"]
SentenceKind = Literal["unmeasurable", "caution", "finding", "limit"]


class Metric(msgspec.Struct, frozen=True, kw_only=True):
    """A number with a permanent name: "worldbench.region_disparity".

    docs/formats.md explains the fields. In addition:

    reach            the largest distance from 0 within the intervals of `lowest` and `highest`
    reach_checks     the largest distance from 0 within the interval with subregions as units
    p_items          the p-value for exactly the items asked, by the signs of the units' totals
    above, below     the number of answers above and below 0, if they are +1, 0 or −1
    answers          the number of all of them
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
    answers: int | None = None
    p_checks: float | None = None
    p_checks_adjusted: float | None = None
    reach_checks: float | None = None


class Column(msgspec.Struct, frozen=True, kw_only=True):
    """A column of a table. The columns `x_low` and `x_high` hold the 95% interval of `x`."""

    name: str
    label: str
    kind: Kind
    unit: str = ""


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """A table. Every row maps all column names to cells, and an undefined cell is None."""

    title: str
    note: str
    columns: list[Column]
    rows: list[dict[str, Cell]]

    def frame(self) -> pl.DataFrame:
        """The rows as a Polars frame, which a notebook shows as a table."""
        return frame_of(self.rows, [column.name for column in self.columns])


class Replies(msgspec.Struct, frozen=True, kw_only=True):
    """Counts of replies. The last four add up to the replies without a score.

    declined  the model said that it would not or could not answer
    unread    there was text, but no answer in it
    no_text   filtered, empty, too long, broken
    missing   not yet asked, because the run is not complete
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
    """The first statement about the section: the verdict, with the finding and its size."""
    checks: list[Check] = []
    """Results of reviewers who checked the readings by hand (`geobias view`)."""


class CountryNumber(msgspec.Struct, frozen=True, kw_only=True):
    """One economy's number in one probe of one model: "worldbench.error".

    `n` is the number of units answered, `counted` names the units, and `asked` is the number of
    questions. `pooled` is the value drawn towards the mean of all economies, more strongly for an
    economy with few units. Rankings use `pooled`, so that luck does not put an economy at the top.
    `p` belongs to the interval; `excess_p` is from a permutation test of the economy against the
    others. Both are adjusted over the economies of the table, too.
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
    excess_p: float | None = None
    excess_p_adjusted: float | None = None


class Country(msgspec.Struct, frozen=True, kw_only=True):
    """The profile of an economy across probes and models. Findings include all 218 economies."""

    iso3: str
    name: str
    region: str
    income: str | None
    continent: str
    measures: list[CountryNumber]


class Sentence(msgspec.Struct, frozen=True, kw_only=True):
    """A sentence of the report, in reading order.

    A caution says what is missing or left out, a limit what the results do not show. `opening` is
    False for details, which appear in the probe's own section.
    """

    kind: SentenceKind
    probe: str
    model: str
    text: str
    opening: bool = True


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """The facts of a run file. `file` is its name without the folder; `cost` is in US$ or None.

    `not_sent` names parameters of `probes` that the provider did not accept ("temperature").
    `elsewhere` is the origin of replies that geobias did not collect, otherwise "".
    """

    id: str
    file: str
    model: str
    models: dict[str, str]
    answered_as: dict[str, list[str]]
    probes: dict[str, StoredSettings]
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
    """Everything a report says. `models` lists the models in the order of the runs."""

    schema: int
    geobias: str
    models: list[str]
    runs: list[Run]
    sections: list[Section]
    countries: list[Country]
    sentences: list[Sentence]
    over_models: list[Section] = []
    """One section for each probe that several models share; its `model` is "all models"."""

    def frame(self) -> pl.DataFrame:
        """Return a frame with a row for each metric.

        `measurable` is False if a screen failed, so that the number means nothing.
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
        return next((s for s in self.sections if (s.probe, s.model) == (probe, model)), None)

    def details(self, section: Section) -> list[str]:
        where = (section.probe, section.model)
        return [
            one.text
            for one in self.sentences
            if not one.opening and (one.probe, one.model) == where
        ]


class ProbeFindings(NamedTuple):
    section: Section
    measures: dict[str, list[CountryNumber]]
    """ISO-3 code of an economy → its numbers."""
    sentences: list[Sentence]
