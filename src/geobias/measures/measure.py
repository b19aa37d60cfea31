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

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias

import polars as pl

from geobias.atlas.economies import INCOMES
from geobias.results.findings import Better
from geobias.results.formatting import unit_words
from geobias.results.verdicts import Words
from geobias.stats.contrasts import MIN_UNITS, Ends
from geobias.stats.estimates import Bounds, Estimate
from geobias.trials import StoredRecord, StoredSettings


class Contrasted(NamedTuple):
    """The estimate of a mean or a contrast.

    ends       how missing answers could change it
    counted    what `n` counts, if not the units of the measure
    p_checks   the largest p-value of the checks: the contrast's `check` and, if neighbours are
               alike, a test with subregions as units. None without a check
    reach      the largest distance from 0 within the interval with subregions as units
    note       a sentence on neighbours, or on the rows that the estimate leaves out
    rows       the number of rows that the estimate uses, if it leaves out rows of the measure
    missing    in that case, the number of further rows that lack only a value
    """

    found: Estimate
    ends: Ends = Ends()
    caution: str = ""
    counted: str = ""
    p_checks: float | None = None
    reach: float | None = None
    note: str = ""
    rows: int | None = None
    missing: int | None = None


class Check(NamedTuple):
    """A check of a contrast by another estimate.

    caution  a clause with the other estimate
    p        the p-value of that estimate, which must also be under 0.05. 1 if the estimate
             contradicts the contrast; None if there is nothing to check
    reach    the largest distance from 0 within that estimate's interval. None if the contrast's own
             interval holds
    note     a sentence with the other estimate, if it gives no reason for a caution
    """

    caution: str = ""
    p: float | None = None
    reach: float | None = None
    note: str = ""


Estimator: TypeAlias = Callable[[pl.DataFrame, str, float], Contrasted]
"""A function that estimates a contrast.

It gets the rows of a measure, the column of their values, and the largest possible difference of
two values: 1 for shares, 2 for changes of shares.
"""


@dataclass(frozen=True, eq=False, kw_only=True)
class Contrast:
    """The first group of `order` minus the last, by the linear trend over all groups.

    For two groups this is the difference of their means.

    label     "Error, poor minus rich countries"
    short     "poor minus rich"
    above     words for a number above 0: "for poor countries than for rich ones"
    between   the groups in words, for the terminal: "between poor and rich countries"
    estimate  a function that replaces the difference of group means, as for the gap at equal fame.
              It is linear, so that the change of a contrast is the contrast of the changes
    check     a function that returns a check, from the rows, the estimated contrast, and the
              smallest gap of interest
    which     words after the size in the verdict: "at equal fame"
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
    check: Callable[[pl.DataFrame, Estimate, float], Check] | None = None
    which: str = ""


def by_income(label: str, note: str = "", *, name: str = "income_trend", **more: Any) -> Contrast:
    return Contrast(
        name=name,
        label=label,
        by="income",
        order=INCOMES,
        short="poor minus rich",
        above="for poor countries than for rich ones",
        below="for rich countries than for poor ones",
        between="between poor and rich countries",
        note=f"{note} It is the linear trend over the income groups with {MIN_UNITS} countries or "
        "more, from the richest to the poorest, tested by Welch and Satterthwaite's t.".strip(),
        **more,
    )


HALVES = {
    "north_south": ("Global North", "Global South"),
    "west_east": ("Global West", "Global East"),
}
"""Columns that divide the world in two → the names of the halves."""


def by_half(by: str, label: str, note: str = "", **more: Any) -> Contrast:
    if by not in HALVES:
        raise ValueError(f"by_half compares {' or '.join(HALVES)}, not {by!r}")
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
class Measure:
    """A number of a probe.

    frame      the name of the frame of answers that has the values
    of_record  a function that computes the value of a trial from its record, if no field of the
               record has the name of the measure
    value      the column of the frame that is averaged. True and False make a share
    per        a column of 0 and 1, whose total replaces the number of rows as denominator.
               "names_a_person" makes a share of the answers that name a person
    strata     a column of kinds of rows, if the design fixes the number of rows of each kind
    better     "zero" if numbers are better near 0
    of         the rows to use: column → the value that these rows have in it
    item       the column of what every country is asked, such as the indicator. Means are adjusted
               for its difficulty as if every item had been asked. "" for no adjustment
    question   columns that identify a question. Rows that agree in them are repeats
    wording    the column of the wordings of a question. Wordings are averaged like repeats, their
               part of the spread is measured, and runs are compared wording by wording
    units      the kinds of units that the interval is over, such as countries. Several kinds are
               crossed, such as templates and nationalities, and all rows then have equal weight
    within     kinds of units inside the first of `units`, the widest first. If all values are of
               one country, the interval is over its entities. If each of these has one value, it is
               over their trials
    relative   whether values are differences from the mean over all questions, so that their own
               mean is 0
    missing    the extremes that a missing value may have: the ends of the scale, or the least and
               largest value that the model gave for the item
    primary    the name of the contrast that answers the probe's question, or of the measure itself
               if its mean answers it. "" if another measure does. Among several primary measures,
               the first one asked in this run counts
    tested     whether the mean is tested against 0; only used if 0 is its best value
    estimate   a function that replaces the mean over units. It gets the rows, the column of values
               and the column of groups
    floor      a column with the values of a faultless model. Its group means are shown too
    chance     a function that returns the expected value of a model without knowledge
    spread     for planning: the SD between countries of a group and that of values within a
               country. If units are crossed, a third SD is between units of the second kind
    on_map     whether the measure is drawn on a map and has a column in the table of countries
    main       whether the measure has a sentence and a column in the first table of the report
    screened   whether a failed screen makes the measure meaningless
    asked      setting → the values with which a run includes the measure; empty if every run does.
               None stands for a run without the setting
    second_to  the name of a similar measure. If a run has both, only the similar one is shown
    compared_by  columns that identify a question in two runs, if not those of `question`
    """

    name: str
    label: str
    short: str = ""
    frame: str = "frame"
    of_record: Callable[[StoredRecord], float | None] | None = None
    value: str
    per: str = ""
    strata: str = ""
    unit: str
    better: Better
    bounds: Bounds = (0.0, 1.0)
    of: Mapping[str, str | bool] = field(default_factory=dict)
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
    estimate: Callable[[pl.DataFrame, str, str], Estimate | Contrasted] | None = None
    words: Words | None = None
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

    def __post_init__(self) -> None:
        names = ("", self.name, *(one.name for one in self.contrasts))
        if self.primary not in names:
            known = ", ".join(map(repr, names[1:]))
            raise ValueError(f"the measure {self.name} has no primary {self.primary!r}: {known}")
        if self.better not in ("low", "high", "zero"):
            raise ValueError(f"the measure {self.name} is better low, high or zero")

    @property
    def unit_column(self) -> str:
        return self.units[0]

    @property
    def nested(self) -> tuple[str, ...]:
        """The kinds of units, each inside the one before."""
        return self.unit_column, *self.within

    @property
    def inner_column(self) -> str:
        """The column of what varies within a single unit."""
        return self.item or next(iter(self.within), self.unit_column)

    @property
    def counted(self) -> str:
        return unit_words(self.unit_column)

    def asked_with(self, settings: StoredSettings) -> bool:
        """Whether every setting named in `asked` has one of the listed values."""
        return all(settings.get(name) in values for name, values in self.asked.items())

    @property
    def asked_by(self) -> tuple[str, ...]:
        return self.question or tuple(filter(None, (self.item, *self.units)))

    @property
    def all_groups(self) -> tuple[str, ...]:
        primary = self.primary_contrast
        more = (primary.by,) if primary and primary.by not in self.groups else ()
        return (*self.groups, *more)

    @property
    def primary_groups(self) -> tuple[str, ...]:
        """The grouping that the primary contrast compares, as a tuple; empty without a contrast."""
        return tuple(one.by for one in self.contrasts if one.name == self.primary)

    @property
    def is_mean(self) -> bool:
        """Whether runs are compared question by question."""
        return self.estimate is None

    @property
    def crossed(self) -> bool:
        return len(self.units) > 1

    @property
    def held_against_zero(self) -> bool:
        return self.tested and self.better == "zero" and not self.relative

    @property
    def two_sided(self) -> bool:
        return self.relative or self.bounds[0] < 0

    @property
    def length(self) -> float:
        return self.bounds[1] - self.bounds[0]

    @property
    def most(self) -> float:
        """The largest possible primary number. The smallest gap of interest is a share of it."""
        return max(map(abs, self.bounds)) if self.primary == self.name else self.length

    @property
    def range(self) -> Bounds:
        return (-self.length, self.length) if self.relative else self.bounds

    @property
    def in_words(self) -> Words:
        """The field `words`. If it is None, words made from `label` and the primary contrast."""
        if self.words or not (contrast := self.primary_contrast):
            return self.words or Words(
                above=f"has a {self.label.lower()} above 0",
                below=f"has a {self.label.lower()} below 0",
                gap=self.label.lower(),
                size=self.label,
            )
        return Words(
            above=f"has a higher {self.label.lower()} {contrast.above}",
            below=f"has a higher {self.label.lower()} {contrast.below}",
            gap=f"gap {contrast.between}",
            size=self.label,
        )

    @property
    def primary_contrast(self) -> Contrast | None:
        return next((one for one in self.contrasts if one.name == self.primary), None)

    def metric_names(self) -> list[str]:
        own = [] if self.relative else [self.name]
        return own + [one.name for one in self.contrasts]


def check_names(measures: Sequence[Measure]) -> None:
    """Raise ValueError if two numbers of a probe share a name, or two measures are primary."""
    whose = {name: "geobias itself" for name, *_ in _SHARES}
    for one in measures:
        for name in one.metric_names():
            if name in whose:
                raise ValueError(
                    f"{whose[name]} and {one.name} both have a number called {name!r}: give one "
                    f"another name, as in by_income(…, name='{one.name}_trend')"
                )
            whose[name] = one.name
    primary = [f"{one.of} {one.asked}" for one in measures if one.primary]
    if len(set(primary)) < len(primary):
        raise ValueError("several measures are primary: leave `primary` to one of them")


def shares_of(lead: Measure, read: Collection[str] = ()) -> tuple[Measure, ...]:
    """The shares of `lead`'s questions, whatever was `read`, answered, declined or unread."""
    return tuple(
        Measure(
            name=name,
            label=label,
            value=name,
            unit="share",
            better=better,
            of={name: one for name, one in lead.of.items() if name not in read},
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
