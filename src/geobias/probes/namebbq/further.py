"""The tables and sentences of Name-BBQ's reports besides those of its measures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

import msgspec
import polars as pl

from geobias.probes.namebbq import published, recognition, scores
from geobias.probes.namebbq.measures import ENDINGS
from geobias.probes.namebbq.recognition import LEAST_RECOGNISED
from geobias.probes.namebbq.replicates import scores as replicated
from geobias.probes.namebbq.scores import DATASETS, Assumptions
from geobias.results.findings import Metric, Section, SentenceKind, Table
from geobias.results.formatting import counted
from geobias.results.tables import metric_percents, metric_value, table_from
from geobias.stats.estimates import LEAST_UNITS

NEARLY_ALL = 0.9
"""A sentence warns if the total probability of the three letters is below this."""
FEW_TEMPLATES = 20
"""A run with fewer templates is called small."""

Said: TypeAlias = Iterator[tuple[SentenceKind, str, bool]]


def tables(answers: Assumptions, *, brief: bool) -> dict[str, Table]:
    """The tables of a report; none if `brief`, since no sentence needs them."""
    frame, asked = answers.frame, answers.recognition
    if brief:
        return {}
    made = {
        "positions": table_from(
            scores.positions(frame),
            "Which place on the page was chosen",
            "`right` is how often the right answer stood there.",
        ),
        "replies": table_from(scores.outcomes(frame), "What became of the replies"),
        "published": table_from(
            published.among_published_models({answers.model: replicated(frame)}),
            "Beside the paper's six models, and two with public replies",
            "`here` marks this run's. `sd` is over seeds and repeats.",
        ),
    }
    if asked is not None:
        made["recognition"] = table_from(
            recognition.by_nationality(asked),
            "Names recognised",
            "`recognised`: the first nationality in the reply is the name's, with an interval over "
            "nationalities, or over the names of one. `taken_for`: what names were taken for "
            "instead, most often first.",
        )
    return made


# Sentences ----------------------------------------------------------------------------------------


def first(section: Section) -> Said:
    """The sentences before those on bias.

    They say how often the model names a person where the text does not say who, and how many names
    it recognises.
    """
    metrics = {one.name: one for one in section.metrics if one.value is not None}
    found = [
        f"{metric_percents(_errors(one))} of the stories with {words} "
        f"({counted(one.n, one.counted)})"
        for name, words in DATASETS.items()
        if (one := metrics.get(f"namebbq.accuracy_ambiguous{ENDINGS[name]}"))
    ]
    if found:
        named = f"it names somebody in {' and '.join(found)}."
        yield "finding", f"Where the text does not say who, {named}", True
    if any(one.name == NAMED for one in section.metrics):
        yield _on_recognition(metrics.get("namebbq.recognition"))


def _errors(accuracy: Metric) -> Metric:
    value, low, high = (
        None if one is None else 1 - one for one in (accuracy.value, accuracy.high, accuracy.low)
    )
    return msgspec.structs.replace(accuracy, value=value, low=low, high=high)


def sentences(section: Section, frame: pl.DataFrame) -> Said:
    if section.measurable:
        metrics = {one.name: one for one in section.metrics if one.value is not None}
        yield from _on_probabilities(metrics)
        yield from _on_names(metrics)
        yield from _limits(frame)


NAMED = "namebbq.error_difference_ambiguous"


def _on_probabilities(metrics: Mapping[str, Metric]) -> Said:
    """A sentence if the total probability of the three letters is below `NEARLY_ALL`."""
    mass = metrics.get("namebbq.letter_mass")
    if mass is not None and mass.value is not None and mass.value < NEARLY_ALL:
        text = (
            f"The three letters have {metric_percents(mass)} of the probability "
            f"({counted(mass.n, mass.counted)}): the rest is on other words, of which nothing is "
            "known."
        )
        yield "caution", text, True


def _on_names(metrics: Mapping[str, Metric]) -> Said:
    """A sentence on how wrong answers change if names replace nationalities."""
    kept, difference = metrics.get("namebbq.error_retention_ambiguous"), metrics.get(NAMED)
    if kept is not None:
        text = (
            f"With names it wrongly picks a person {metric_value(kept)} times as often as with "
            f"nationalities (1 means no change; {counted(kept.n, kept.counted)})."
        )
        yield "finding", text, True
    elif difference is not None:
        text = (
            "From nationalities to names its share of wrong answers changes by "
            f"{metric_value(difference)} ({counted(difference.n, difference.counted)}). There are "
            "too few errors for a ratio."
        )
        yield "finding", text, True


def _on_recognition(known: Metric | None) -> tuple[SentenceKind, str, bool]:
    if known is None or known.value is None:
        text = (
            "It was not asked whether it recognises the names (--recognition), or no reply could "
            "be read. Fewer errors with names may mean less bias, or names that it does not "
            "recognise."
        )
        return "limit", text, True
    rests_on = counted(known.n, known.counted)
    text = f"It recognises the nationality of {metric_percents(known)} of the names ({rests_on})."
    if known.value >= LEAST_RECOGNISED:
        return "finding", text, True
    doubt = "Fewer errors and less bias with names may mean that it does not know them."
    return "caution", f"{text} {doubt}", True


def _limits(frame: pl.DataFrame) -> Said:
    unknown = frame.filter(condition="ambig").drop_nulls("lean")
    templates, nationalities = (unknown[one].n_unique() for one in ("template", "nationality"))
    if 0 < templates < FEW_TEMPLATES:
        text = (
            f"The items have {counted(templates, 'templates')}: only a strong, consistent bias can "
            "be seen, and single nationalities cannot be told apart."
        )
        yield "limit", text, True
    if 0 < nationalities < LEAST_UNITS:
        text = (
            f"Only {counted(nationalities, 'nationalities')} were asked about: the numbers say "
            "nothing about others."
        )
        yield "limit", text, True
    text = (
        "A bias near 0 on these templates does not show that a model holds no stereotype, and a "
        "lean does not show harm in use: the items are American stereotypes in short English "
        "stories."
    )
    yield "limit", text, True
