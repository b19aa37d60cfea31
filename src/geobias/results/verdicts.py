"""What a probe says first of a model: how sure it is, what was found, and for whom it matters.

A reader who has thirty seconds reads this and nothing else. It is made from a section, so that it
says nothing that the section's numbers do not.

Does the conclusion hold when the same question is answered another way?

Beside a probe's result stands what other sound methods say of it, a mixed model among them. The
result stays that of the method that was chosen beforehand, whatever the others say.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import msgspec

from geobias.atlas.economies import INCOMES
from geobias.results.charts import Rows
from geobias.results.findings import Column, Metric, Section, Table
from geobias.results.formatting import estimate, in_natural_order
from geobias.results.tables import bounded, metric_of
from geobias.stats.pooling import SIGNIFICANCE

Word = Literal["clear", "weak", "not clear", "not measurable"]
SURENESS: tuple[Word, ...] = ("clear", "weak", "not clear", "not measurable")
"""The surest first."""


class Dots(msgspec.Struct, frozen=True, kw_only=True):
    """A picture of a few rows with intervals, drawn small and without numbers.

    rows       columns: row, value, low, high, said
    domain     the ends of the scale, and in `ends` what they mean
    reference  a line to compare the dots with, and in `at` what it means
    """

    rows: Rows
    domain: tuple[float, float]
    ends: tuple[str, str] = ("", "")
    reference: float | None = None
    at: str = ""


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """The first thing that is said of a probe's section.

    word     how sure it is
    found    what was found, as a clause that goes on from the model's name: "knows poor countries
             less well than rich ones"
    matters  how large it is and for whom it matters, in one or two short sentences
    metric   the metric that it rests on; "" where there is none
    dots     the picture that carries it; None where there is nothing to draw
    figure   the figure of the probe's chapter that shows it in full; "" for its first one
    """

    word: Word
    found: str
    matters: str
    metric: str = ""
    dots: Dots | None = None
    figure: str = ""


def word_of(metric: Metric | None) -> Word | None:
    """How sure a difference is; None without a test.

    "Weak" is what its own test, and so its interval, calls clear, but not the test adjusted for the
    number of tests beside it.
    """
    if metric is None or metric.p is None:
        return None
    if metric.p >= SIGNIFICANCE:
        return "not clear"
    adjusted = metric.p if metric.p_adjusted is None else metric.p_adjusted
    return "clear" if adjusted < SIGNIFICANCE else "weak"


def as_a_hint(metric: Metric) -> Metric:
    """The metric as a run that is too small for conclusions lets it be read: weak at most."""
    adjusted = max(metric.p_adjusted or 0.0, SIGNIFICANCE)
    return metric if metric.p is None else msgspec.structs.replace(metric, p_adjusted=adjusted)


def surest(metrics: Sequence[Metric | None]) -> Metric | None:
    """The metric with the surest difference, the first of equally sure ones; None without tests."""
    tested = [one for one in metrics if one is not None and one.p is not None]
    return min(tested, key=lambda one: SURENESS.index(word_of(one) or "not clear"), default=None)


def not_measurable(
    section: Section, reasons: Mapping[str, str], dots: Dots | None = None
) -> Verdict:
    """The verdict where a screen failed. `reasons` are plain sentences by the beginning of the
    screen's name; a screen without one gives its own reason."""
    if not section.replies.asked:
        nothing = "Nothing has been asked yet."
        return Verdict(word="not measurable", found="cannot be measured", matters=nothing)
    failed = next(screen for screen in section.screens if not screen.ok)
    plain = next((text for name, text in reasons.items() if failed.name.startswith(name)), "")
    why = plain or f"{failed.says[:1].upper()}{failed.says[1:]}."
    return Verdict(word="not measurable", found="cannot be measured", matters=why, dots=dots)


class Discovery(NamedTuple):
    """A difference in words: "knows" or, where it is weak, "may know", what, and why it matters."""

    verb: str
    weak_verb: str
    what: str
    matters: str


def verdict_on(
    section: Section,
    lead: Metric | None,
    describe: Callable[[Metric], Discovery | None],
    *,
    dots: Dots | None,
    figure: str,
    reasons: Mapping[str, str],
    too_few: str,
    counted: str,
    nothing: str,
    nothing_matters: str = "What was seen may be chance. A gap may still be there.",
    gap: str = "gap",
    also: str = "",
) -> Verdict:
    """The verdict by the metric that leads.

    describe   the difference, asked for where it is clear or weak; None where nothing can be named
    reasons    why a section is not measurable, see `not_measurable`
    too_few    what is said without a test, and `counted` what more is needed of
    nothing    what is said where no difference is clear
    also       a further sentence, whatever was found
    """
    if not section.measurable:
        return not_measurable(section, reasons, dots)
    word = word_of(lead)
    if lead is None or lead.value is None or word is None:
        needed = f"More {counted} are needed before anything can be said about bias."
        return Verdict(word="not clear", found=too_few, matters=needed, dots=dots)
    discovery = None if word == "not clear" else describe(lead)
    if discovery is None:
        found, matters = nothing, nothing_matters
    elif word == "weak":
        found = f"{discovery.weak_verb} {discovery.what}"
        matters = f"The {gap} is clear by itself, but not among all tests: a hint, no proof."
    else:
        found, matters = f"{discovery.verb} {discovery.what}", discovery.matters
    return Verdict(
        word=word, found=found, matters=matters + also, metric=lead.name, dots=dots, figure=figure
    )


def surest_grouping(section: Section, probe: str) -> tuple[Metric | None, str]:
    """The surer of the spreads over incomes and regions, and which it is. Of two that are equally
    sure, income tells a reader more."""
    spreads = {by: metric_of(section, f"{probe}.{by}_spread") for by in ("income", "region")}
    lead = surest(list(spreads.values()))
    return lead, "region" if lead is not None and lead is spreads["region"] else "income"


def groups_apart(first: str, second: str) -> tuple[str, str]:
    """Two groups of countries in one sentence: "poor countries" and "rich ones"."""
    names = countries_of(first), countries_of(second)
    if all(name.endswith(" countries") for name in names):
        return names[0], f"{names[1].removesuffix(' countries')} ones"
    return names


def countries_of(group: str) -> str:
    """Countries of an income group or a region in plain words: "poor countries"."""
    if group not in INCOMES:
        return group
    ends = {INCOMES[0]: "poor", INCOMES[-1]: "rich"}
    middle = group.removesuffix(" income").lower().replace(" ", "-")
    return f"{ends.get(group, f'{middle}-income')} countries"


def dots_of(
    rows: Sequence[Mapping[str, Any]], name: str, value: str, counted: str, **look: Any
) -> Dots | None:
    """Dots of a table's rows, in the natural order of their names; None under two of them."""
    made = [
        {"row": _short(str(row[name])), **bounded(row, value)}
        | {"said": f"{row[name]}: {_said(row, value)}, {row[counted]:,} {counted}"}
        for row in in_natural_order(rows, name)
        if row.get(value) is not None
    ]
    return Dots(rows=made, **look) if len(made) > 1 else None


def _short(name: str) -> str:
    """Of four income groups the first and the last tell what they are."""
    return name.removesuffix(" income") if name in INCOMES[1:-1] else name


def _said(row: Mapping[str, Any], value: str) -> str:
    return estimate(row[value], row.get(f"{value}_low"), row.get(f"{value}_high"))


class Answer(NamedTuple):
    """One method's answer to one question.

    question   the metric it is about, by its label
    method     in a few words; the first of a question is the one that is used
    value …    the estimate, its 95% interval and the p-value that belongs to it
    n, counted the units it rests on
    """

    question: str
    method: str
    value: float | None
    low: float | None
    high: float | None
    p: float | None
    n: int
    counted: str


def sensitivity_table(answers: Sequence[Answer]) -> Table:
    """A row for each method, with what it says about the conclusion of the primary one."""
    first: dict[str, Answer] = {}
    rows = []
    for one in answers:
        primary = first.setdefault(one.question, one)
        rows.append(one._asdict() | {"conclusion": _conclusion(primary, one)})
    columns = [
        Column(name="question", label="Question", kind="text"),
        Column(name="method", label="Method", kind="text"),
        Column(name="value", label="Estimate", kind="number"),
        Column(name="low", label="low", kind="number"),
        Column(name="high", label="high", kind="number"),
        Column(name="p", label="p", kind="p"),
        Column(name="n", label="n", kind="count"),
        Column(name="counted", label="of", kind="text"),
        Column(name="conclusion", label="Conclusion", kind="text"),
    ]
    note = (
        "The first method of each question is the one that is used; the others check it. A "
        "conclusion holds where both find a clear difference (p under 0.05) in the same direction, "
        "or neither does."
    )
    return Table(title="Does the conclusion hold?", note=note, columns=columns, rows=rows)


def _conclusion(primary: Answer, other: Answer) -> str:
    if other is primary:
        return "main method"
    if primary.p is None or other.p is None:
        return "cannot be told"
    clear = primary.p < SIGNIFICANCE, other.p < SIGNIFICANCE
    if clear[0] != clear[1]:
        return "differs: clear here" if clear[1] else "differs: not clear here"
    same = (primary.value or 0) * (other.value or 0) >= 0
    return "holds" if same or not clear[0] else "differs: the other direction"
