"""The verdict on a probe of a model: the finding, its size and its certainty."""

from __future__ import annotations

import re
from collections.abc import Sequence
from operator import itemgetter
from typing import Literal, NamedTuple

import msgspec

from geobias.atlas.economies import INCOMES
from geobias.results.charts import Dot, Intervals
from geobias.results.findings import Metric, Section
from geobias.results.formatting import counted, estimate, in_natural_order, number, with_capital
from geobias.results.tables import GroupRow, metric_value
from geobias.stats.estimates import LEVEL

Word = Literal["found", "depends", "open", "ruled out", "untested"]
SURENESS: tuple[Word, ...] = ("found", "depends", "open", "ruled out", "untested")
"""Verdicts in the order in which a reader wants to see them."""
LABELS: dict[Word, str] = {
    "found": "Gap found",
    "depends": "Depends on what it declined",
    "open": "Open",
    "ruled out": "No gap that matters",
    "untested": "Could not be tested",
}
"""The words as they are printed."""
MEANINGS: dict[Word, str] = {
    "depends": "refusals could change it",
    "open": "too uncertain",
}
"""The meanings of the words that do not explain themselves."""


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """The first statement about a section.

    label    the verdict as it is printed: "No gap that matters"
    first    sentences on what a reader must know before the verdict
    found    the finding as a clause that follows the model's name: "knows poor countries less well
             than rich ones"
    matters  what is compared, with both values, their difference, its interval and its n
    value    the number with its interval: "0.21 [0.16, 0.25]"
    n        the units behind the number: "215 countries"
    large    the smallest gap of interest: "0.05 would matter"
    aside    remarks on the number for a table's cell: "may be under 0.05"
    further  further sentences, for the probe's chapter
    metric   the name of the primary metric; "" if there is none
    caution  why the verdict may be too sure
    figure   the name of the figure in the probe's chapter that shows the number in full; "" for
             the first figure
    """

    word: Word
    label: str
    found: str
    matters: str
    first: str = ""
    value: str = ""
    n: str = ""
    large: str = ""
    aside: str = ""
    further: str = ""
    caution: str = ""
    metric: str = ""
    dots: Intervals | None = None
    figure: str = ""

    @property
    def brief(self) -> str:
        """`matters`; if nothing could be tested, only the first clause of the reason."""
        if self.word != "untested":
            return self.matters
        first, *rest = re.split(r": |, so ", self.matters, maxsplit=1)
        return f"{first}." if rest else first


def word_of(metric: Metric | None) -> Word:
    """Return the verdict of a primary test.

    ruled out  These intervals lie within the smallest gap of interest:
               - the interval of the answers given;
               - with subregions as units, if neighbours are alike;
               - with all missing answers as good, or as bad, as possible.
    found      These tests are significant after adjustment for the audit's other primary tests:
               - the test of the answers given;
               - with subregions as units, if neighbours are alike;
               - against the figures of other years (WorldBench);
               - with all missing answers as good, or as bad, as possible.
    depends    All conditions of "ruled out" or "found" hold except the one on missing answers.
    open       None of the above.
    untested   There is no number with an interval and a p-value.
    """
    if metric is None or metric.p is None or metric.low is None or metric.high is None:
        return "untested"
    if metric.interest is not None and max(-metric.low, metric.high) <= metric.interest:
        if (metric.reach_checks or 0.0) > metric.interest:
            return "open"
        far = metric.reach is not None and metric.reach > metric.interest
        return "depends" if metric.missing and far else "ruled out"
    checks = metric.p_checks_adjusted
    if not is_significant(metric) or (checks is not None and checks >= LEVEL):
        return "open"
    p = metric.p_missing if metric.p_missing_adjusted is None else metric.p_missing_adjusted
    return "depends" if p is not None and p >= LEVEL else "found"


def is_significant(metric: Metric | None) -> bool:
    """Return whether a metric's p-value is under 0.05 after adjustment for its family of tests."""
    if metric is None or metric.p is None:
        return False
    return (metric.p if metric.p_adjusted is None else metric.p_adjusted) < LEVEL


def primary_of(section: Section) -> Metric | None:
    return next((one for one in section.metrics if one.primary), None)


def untestable(section: Section, dots: Intervals | None = None) -> Verdict:
    """Return the verdict of a section that failed a screen, with the reason of the first."""
    why = "Nothing has been asked yet."
    if section.replies.asked:
        failed = next(screen for screen in section.screens if not screen.ok)
        why = failed.plain or _sentence(failed.says)
    return _untested("could not be tested", why, dots=dots)


class Words(NamedTuple):
    """Words for sentences about a primary number.

    above, below  clauses after the model's name, for a number above or below 0: "knows poor
                  countries less well than rich ones"
    gap           what is measured: "gap between poor and rich countries"
    size          what is averaged: "Average error"
    scale         what its values mean: "0 = exact, 0.5 = half or double". If empty, the
                  scale's ends are named
    of            words that follow the number: " points"
    too_few       a clause after "It", if too few units were asked for a test
    ends          the assumption about missing answers
    sides         what answers below and above 0 do: "oppose stereotypes"
    """

    above: str
    below: str
    gap: str
    size: str
    scale: str = ""
    of: str = ""
    too_few: str = "was asked about too few countries to tell"
    ends: str = "as good, or as bad, as possible"
    sides: tuple[str, str] = ("are below 0", "are above 0")


def verdict_on(
    section: Section,
    words: Words,
    *,
    compared: str,
    dots: Intervals | None,
    figure: str,
    also: str,
) -> Verdict:
    """Return the verdict of a section's primary test.

    `compared` names the two things compared, with their values: "Average error is 0.71 for
    low-income and 0.49 for high-income countries; poor minus rich". `also` is a further sentence.
    """
    if not section.measurable:
        return untestable(section, dots)
    metric = primary_of(section)
    word = word_of(metric)
    if metric is None or metric.value is None or word == "untested":
        why = metric.undefined_because.replace("units", metric.counted) if metric else ""
        why = _sentence(why or f"it {words.too_few}")
        return _untested(words.too_few, why, further=also, dots=dots)
    clause = words.above if metric.value > 0 else words.below
    n, interest = counted(metric.n, metric.counted), number(metric.interest)
    large = "" if metric.interest is None else f"{interest}{words.of} would matter"
    inside = max(metric.low or 0.0, -(metric.high or 0.0)) < (metric.interest or 0.0)
    aside = f"may be under {interest}" if word == "found" and inside else ""
    value = metric_value(metric, 3 if _rounds_to_interest(metric) else 2)
    beside = "; ".join(filter(None, (large, aside)))
    matters = f"{compared}: {value}{words.of}, {n}{f' ({beside})' if beside else ''}."
    caution = _sentence(metric.caution) if metric.caution else ""
    if word == "ruled out":
        clause = f"shows no {words.gap} larger than {interest}"
    elif word == "open":
        clause = f"leaves open whether there is a {words.gap}"
        also = f"{_not_ruled_out(metric)} {also}"
        if is_significant(metric) or metric.reach_checks is not None:
            matters, caution = f"{matters} {caution}", ""
    elif word == "depends":
        clause = f"{clause}, unless that is due to what it declined"
        also = f"{_with_the_missing(metric, words.ends)} {also}"
    return Verdict(
        word=word,
        label=LABELS[word],
        found=clause,
        matters=matters,
        value=value,
        n=n,
        large=large,
        aside=aside,
        further=also.strip(),
        caution=caution,
        metric=metric.name,
        dots=dots,
        figure=figure,
    )


def _rounds_to_interest(metric: Metric) -> bool:
    """Whether an end beyond the smallest gap of interest looks equal to it with two digits."""
    ends = [abs(end) for end in (metric.low, metric.high) if end is not None]
    interest, far = metric.interest, max(ends, default=0.0)
    return interest is not None and far > interest and number(far) == number(interest)


def _sentence(clause: str) -> str:
    return f"{with_capital(clause)}."


def _untested(found: str, why: str, *, dots: Intervals | None, further: str = "") -> Verdict:
    label = LABELS["untested"]
    return Verdict(
        word="untested", label=label, found=found, matters=why, further=further, dots=dots
    )


def _with_the_missing(metric: Metric, taken: str) -> str:
    ends = f"{number(metric.lowest)} or {number(metric.highest)}"
    same = (metric.lowest or 0.0) * (metric.highest or 0.0) > 0
    return f"With its {counted(metric.missing, 'missing answers')} {taken}, it would be {ends}" + (
        ", and no longer significant." if same else "."
    )


def _not_ruled_out(metric: Metric) -> str:
    ends = [end for end in (metric.low, metric.high, metric.reach_checks) if end is not None]
    return f"Gaps up to {number(max(ends, key=abs))} are possible."


def dots_of(rows: Sequence[GroupRow], unit: str) -> list[Dot]:
    made = []
    for group, found, _ in in_natural_order(rows, itemgetter(0)):
        if found.value is not None:
            value, low, high = found.value, found.low, found.high
            said = f"{group}: {estimate(value, low, high)}, {counted(found.n, unit)}"
            # Only the first and the last of the four income groups keep the word "income".
            short = group.removesuffix(" income") if group in INCOMES[1:-1] else group
            made.append(Dot(row=short, value=value, low=low, high=high, said=said, n=found.n))
    return made
