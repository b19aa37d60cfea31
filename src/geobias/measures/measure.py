"""What a probe declares about a number: what is averaged over what.

    Measure(
        name="error", value="error", label="Mean error", unit="error, 0 to 1", better="low",
        item="indicator",
        contrasts=(by_income("Error, poor minus rich countries"),), primary="income_trend",
    )

This declares that the column `error` is averaged over countries, each as if it had been asked about
every indicator; that the groups of the atlas are shown; and that the trend over incomes is tested.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias

import polars as pl

from geobias.atlas.economies import INCOMES
from geobias.results.findings import Better
from geobias.results.formatting import unit_words
from geobias.results.verdicts import Answer
from geobias.stats.contrasts import MIN_UNITS, Ends
from geobias.stats.estimates import Bounds, Tested


class Contrasted(NamedTuple):
    """The estimate of a mean or a contrast.

    ends       how missing answers could change it
    caution    why its interval may be too narrow
    counted    what its n counts, if not the measure's units
    note       what it leaves out
    clustered  the contrast with neighbours as one unit, if they are alike
    rows       number of rows, and how many of these are `missing` a value, if some rows have no
               group
    """

    found: Tested
    ends: Ends = Ends(None, None, None, None)
    caution: str = ""
    counted: str = ""
    clustered: Tested | None = None
    note: str = ""
    rows: int | None = None
    missing: int | None = None


class Planned(NamedTuple):
    """What a planned contrast needs beside its groups.

    The questions (item and unit) that it includes, the factor by which its variance exceeds that of
    plain means, and its degrees of freedom if they are fewer.
    """

    asked: Collection[tuple[str, str]]
    inflation: float
    freedom: float | None


Estimator: TypeAlias = Callable[[pl.DataFrame, str, float], Contrasted]
"""From the rows of a measure, the column of their values, and the largest difference of two values:
1 for shares, 2 for changes of shares.
"""


def is_asked(asked: Mapping[str, Sequence[Any]], settings: Mapping[str, Any]) -> bool:
    """Whether a run's settings have these values; None matches a run without the setting."""
    return all(settings.get(name) in values for name, values in asked.items())


@dataclass(frozen=True, eq=False, kw_only=True)
class Contrast:
    """The first group of the order minus the last, by the linear trend over all of them. For two
    groups that is the difference of their means.

    name      of its metric, without the probe: "income_trend"
    label     in words: "Error, poor minus rich countries"
    by        the column that groups countries
    order     its groups, in order
    note      how to read it, in a sentence
    short     in a few words: "poor minus rich"
    above     if the number is above 0: "for poor countries than for rich ones"
    below     if it is below 0
    between   the groups in words, for the terminal: "between poor and rich countries"
    estimate  its own estimator, if a difference of group means does not fit: at equal fame
    linear    whether an `estimate` of changes is the change of the estimate
    methods   what other methods say of an `estimate`
    planned   what a plan for an `estimate` needs, from what is asked and the SDs between units and
              within them
    caution   a further caution, from the rows and the estimated contrast
    which     in the verdict, after the size: "at equal fame"
    asked     settings of runs that ask for it → the values that they then have
    family    tests of the same family are adjusted together
    """

    name: str
    label: str
    by: str
    order: tuple[str, ...]
    short: str
    above: str
    below: str
    between: str
    note: str = ""
    estimate: Estimator | None = None
    linear: bool = True
    methods: Callable[[pl.DataFrame], Iterable[Answer]] | None = None
    planned: Callable[[Collection[tuple[str, str]], float, float], Planned] | None = None
    caution: Callable[[pl.DataFrame, Tested], str] | None = None
    which: str = ""
    asked: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    family: str = ""


def by_income(label: str, note: str = "", **more: Any) -> Contrast:
    """Poor minus rich countries, by the trend over the four income groups."""
    return Contrast(
        name="income_trend",
        label=label,
        by="income",
        order=INCOMES,
        short="poor minus rich",
        above="for poor countries than for rich ones",
        below="for rich countries than for poor ones",
        between="between poor and rich countries",
        note=f"{note} The linear trend over the income groups with {MIN_UNITS} countries or more, "
        "from the richest to the poorest. Welch and Satterthwaite's t.".strip(),
        **more,
    )


HALVES = {
    "north_south": ("Global North", "Global South"),
    "west_east": ("Global West", "Global East"),
}
"""Columns that divide the world in two, and the halves."""


def by_half(by: str, label: str, note: str = "", **more: Any) -> Contrast:
    """One half of the world minus the other."""
    first, second = HALVES[by]
    facts: dict[str, Any] = {
        "name": by,
        "short": f"{first} minus {second}",
        "above": f"for the {first} than for the {second}",
        "below": f"for the {second} than for the {first}",
        "between": f"between the {first} and the {second}",
    }
    return Contrast(label=label, by=by, order=HALVES[by], note=note, **(facts | more))


@dataclass(frozen=True, eq=False, kw_only=True)
class Words:
    """Sentences about the primary number, if those that follow from its label do not fit.

    above, below  clauses that follow the model's name, if the number is above or below 0: "knows
                  poor countries less well than rich ones"
    gap           what is measured: "gap between poor and rich countries"
    size          what the number is: "Its mean error, poor minus rich"
    of            what follows the number: " points of 9.9"
    too_few       continues "It", if there is no test
    ends          what missing answers are taken to be
    sides         what the ends of a scale mean
    """

    above: str
    below: str
    gap: str
    size: str
    of: str = ""
    too_few: str = "was asked about too few countries to tell"
    ends: str = "as good, or as bad, as can be"
    sides: tuple[str, str] = ("lower", "higher")


@dataclass(frozen=True, eq=False, kw_only=True)
class Measure:
    """A number of a probe.

    name       of its metric, without the probe: "error"
    label      in words: "Mean error"
    short      the same as a heading, if the label is long
    frame      name of the frame of answers that it uses
    of_record  a trial's value from its record, if no field of that name has it
    value      the column of the frame that is averaged. True and False make a share
    per        a column of 0 and 1 whose total divides that of the values, in place of their number:
               "names_a_person", for a share of the answers that do
    strata     a column of kinds of rows whose numbers the design fixes
    unit       what the numbers are: "error, 0 to 1"
    better     which way is better
    bounds     the range of a value
    of         the rows it uses: column → the value they have there
    item       the column of what every country is asked, by whose difficulty means are adjusted as
               if everything had been asked; "" for none
    question   columns that identify a question; rows that agree in them are repeats
    wording    the column of the wordings of a question. They are averaged like repeats, their part
               of the spread is measured, and runs are compared wording by wording
    units      what the interval is over: countries; or several kinds of units that are crossed,
               such as templates and nationalities, and then rows have the same weight
    within     kinds of units inside the first of `units`, the widest first. If all values are of
               one country, the interval is over its entities, or else over their trials
    relative   whether values count from the mean over all questions, which is then 0
    missing    the extremes that a missing value may have: the ends of the scale, or the least and
               largest value that the model gave for the item
    groups     columns of countries that get a table and a figure
    contrasts  signed differences between groups, each a metric
    primary    the contrast that answers the probe's question, or the measure's own name if its mean
               is tested against 0. If a run does not ask for that contrast, the first one that it
               asks for. "" if another measure answers the question. Of several measures the first
               that was asked about is primary
    tested     whether its mean is tested against 0, if 0 is best
    estimate   its own estimator, if a mean over units does not fit: from rows, the column of values
               and the column that groups them
    words      the primary number in sentences
    expected   the column of the expected values by the probabilities of the options. If a run has
               them, `by_expectation` is measured as well, is primary instead, and is what tables,
               figures and maps show
    axis       the heading of an axis
    floor      a column whose group means are shown beside those of the values: what a faultless
               model would have
    chance     the expected value of a model without knowledge
    note       how to read it
    spread     SD between countries of a group and SD of a value within its country, for planning
               without a run. If units are crossed, a third SD of those of the second kind
    on_map     whether it is drawn on a map and has a column in the table of countries
    main       whether it has a sentence and a column in the report's first table
    screened   whether a failed screen makes it meaningless
    asked      settings of runs that ask for it → the values that they then have; None includes runs
               without the setting
    second_to  a similar measure: if a run has both, only that one is shown
    compared_by  columns that identify a question in two runs, if not those of `question`
    """

    name: str
    label: str
    short: str = ""
    frame: str = "frame"
    of_record: Callable[[Mapping[str, Any]], float | None] | None = None
    value: str
    per: str = ""
    strata: str = ""
    unit: str
    better: Better
    bounds: Bounds = (0.0, 1.0)
    of: Mapping[str, Any] = field(default_factory=dict)
    item: str = ""
    question: tuple[str, ...] = ()
    wording: str = ""
    units: tuple[str, ...] = ("country",)
    within: tuple[str, ...] = ()
    relative: bool = False
    missing: Literal["scale", "observed"] = "scale"
    groups: tuple[str, ...] = ("region", "income")
    contrasts: tuple[Contrast, ...] = ()
    primary: str = ""
    tested: bool = True
    estimate: Callable[[pl.DataFrame, str, str], Tested | Contrasted] | None = None
    words: Words | None = None
    expected: str = ""
    axis: str = ""
    floor: str = ""
    chance: Callable[[pl.DataFrame], float | None] | None = None
    note: str = ""
    spread: tuple[float, ...] | None = None
    on_map: bool = True
    main: bool = True
    screened: bool = True
    asked: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    second_to: str = ""
    compared_by: tuple[str, ...] = ()
    prefix: str = ""

    def __post_init__(self) -> None:
        names = ("", self.name, *(one.name for one in self.contrasts))
        if self.primary.removeprefix("expected_") not in {
            n.removeprefix("expected_") for n in names
        }:
            known = ", ".join(map(repr, names[1:]))
            raise ValueError(f"the measure {self.name} has no primary {self.primary!r}: {known}")
        if self.better not in ("low", "high", "zero"):
            raise ValueError(f"the measure {self.name} is better low, high or zero")

    @property
    def unit_column(self) -> str:
        return self.units[0]

    @property
    def inner_column(self) -> str:
        """The column of what varies within a single unit."""
        return self.item or next(iter(self.within), self.unit_column)

    @property
    def counted(self) -> str:
        """Its units in words."""
        return unit_words(self.unit_column)

    def asked_with(self, settings: Mapping[str, Any]) -> bool:
        """Whether a run with these settings asks for it."""
        return is_asked(self.asked, settings)

    def in_run(self, settings: Mapping[str, Any]) -> Measure:
        """The measure without contrasts that a run with these settings does not ask for."""
        asked = tuple(one for one in self.contrasts if is_asked(one.asked, settings))
        if len(asked) == len(self.contrasts):
            return self
        primary = self.primary
        if self.primary_contrast not in (None, *asked):
            primary = next((one.name for one in asked), "")
        return replace(self, contrasts=asked, primary=primary)

    @property
    def asked_by(self) -> tuple[str, ...]:
        """Columns that identify a question."""
        return self.question or tuple(filter(None, (self.item, *self.units)))

    @property
    def all_groups(self) -> tuple[str, ...]:
        """Its groups, and those of its contrasts if a figure shows them."""
        primary = self.primary_contrast
        more = (primary.by,) if primary and primary.by not in self.groups else ()
        return (*self.groups, *more)

    @property
    def primary_groups(self) -> tuple[str, ...]:
        """The groups that its primary contrast compares, which a verdict shows."""
        return tuple(one.by for one in self.contrasts if one.name == self.primary)

    @property
    def is_mean(self) -> bool:
        """Whether it is a mean of its values, which can be compared question by question."""
        return self.estimate is None

    @property
    def crossed(self) -> bool:
        """Whether it is over several kinds of units."""
        return len(self.units) > 1

    @property
    def held_against_zero(self) -> bool:
        return self.tested and self.better == "zero" and not self.relative

    @property
    def two_sided(self) -> bool:
        """Whether its numbers lie on both sides of 0."""
        return self.relative or self.bounds[0] < 0

    @property
    def length(self) -> float:
        """The length of its scale: the largest difference of two values."""
        return self.bounds[1] - self.bounds[0]

    @property
    def most(self) -> float:
        """The largest possible primary number; a smallest gap of interest is a share of it."""
        return max(map(abs, self.bounds)) if self.primary == self.name else self.length

    @property
    def range(self) -> Bounds:
        """The range of its numbers."""
        return (-self.length, self.length) if self.relative else self.bounds

    @property
    def in_words(self) -> Words:
        """Its own words, or those that follow from its label and its primary contrast."""
        if self.words or not (contrast := self.primary_contrast):
            return self.words or Words(
                above=f"has a {self.label.lower()} above 0",
                below=f"has a {self.label.lower()} below 0",
                gap=self.label.lower(),
                size=f"Its {self.label.lower()}",
            )
        return Words(
            above=f"has a higher {self.label.lower()} {contrast.above}",
            below=f"has a higher {self.label.lower()} {contrast.below}",
            gap=f"gap {contrast.between}",
            size=f"Its {self.label.lower()}, {contrast.short}",
        )

    @property
    def primary_contrast(self) -> Contrast | None:
        return next((one for one in self.contrasts if one.name == self.primary), None)

    @cached_property
    def by_expectation(self) -> Measure:
        """The same measure with expected values in place of those that were read."""
        name, label = f"expected_{self.name}", f"{self.label}, by expected values"
        return replace(
            self, name=name, label=label, value=self.expected, expected="", prefix="expected_",
            per=f"expected_{self.per}" if self.per else "",
            primary=name if self.primary == self.name else self.primary,
        )  # fmt: skip

    def metric_names(self) -> list[str]:
        """The names of all its numbers, without the probe."""
        own = [] if self.relative else [self.name]
        own += [f"{self.prefix}{one.name}" for one in self.contrasts]
        return own + (self.by_expectation.metric_names() if self.expected else [])


def shares_of(lead: Measure) -> tuple[Measure, ...]:
    """Measures of how often the questions of `lead` were answered, declined, or unread."""
    return tuple(
        Measure(
            name=name,
            label=label,
            value=name,
            unit="share",
            better=better,
            of=lead.of,
            units=lead.units,
            groups=("region",) if name == "declined" else (),
            on_map=False,
            main=False,
            screened=False,
        )
        for name, label, better in _SHARES
    )


_SHARES: tuple[tuple[str, str, Better], ...] = (
    ("answered", "Questions answered", "high"),
    ("declined", "Questions declined", "low"),
    ("unread", "Replies in which no answer could be read", "low"),
)
