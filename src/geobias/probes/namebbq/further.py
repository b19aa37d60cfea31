"""The sentences of Name-BBQ's reports besides those of its measures."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from geobias.probes.namebbq.measures import ENDINGS
from geobias.probes.namebbq.recognition import LEAST_RECOGNISED
from geobias.probes.namebbq.scores import Assumptions
from geobias.probes.probe import Said
from geobias.results.findings import Metric, Section
from geobias.results.formatting import counted, percents
from geobias.results.tables import metric_of, metric_percents, metric_value
from geobias.stats.estimates import LEAST_UNITS

NEARLY_ALL = 0.9
"""A sentence warns if the total probability of the three letters is below this."""
FEW_TEMPLATES = 20
"""A run with fewer templates is called small."""


def first(section: Section) -> Iterator[str]:
    metrics = _known(section)
    accuracies = [f"namebbq.accuracy_ambiguous{ending}" for ending in ENDINGS.values()]
    if accuracy := next(filter(None, map(metrics.get, accuracies)), None):
        share = f"{_wrong(accuracy)} of unanswerable stories ({_units(accuracy)})"
        yield f"It names somebody in {share}."
    if _with_names(section):
        known = metrics.get("namebbq.recognition")
        share = (
            f"{metric_percents(known)} ({_units(known)})" if known else "not asked (--recognition)"
        )
        yield f"Names recognised: {share}."


def _known(section: Section) -> dict[str, Metric]:
    return {one.name: one for one in section.metrics if one.value is not None}


def _with_names(section: Section) -> bool:
    return metric_of(section, NAMED) is not None


def _wrong(accuracy: Metric) -> str:
    value, low, high = (
        None if end is None else 1 - end for end in (accuracy.value, accuracy.high, accuracy.low)
    )
    return percents(value, low, high)


def _units(metric: Metric) -> str:
    return counted(metric.n, metric.counted)


NAMED = "namebbq.error_difference_ambiguous"


def sentences(section: Section, answers: Assumptions) -> Iterator[Said]:
    if not section.measurable:
        return
    metrics = _known(section)
    known = metrics.get("namebbq.recognition")
    if _with_names(section) and (known is None or (known.value or 0.0) < LEAST_RECOGNISED):
        doubt = "Fewer errors with names may mean less bias, or names that it does not recognise."
        yield "caution" if known else "limit", doubt, True
    mass = metrics.get("namebbq.letter_mass")
    if mass and mass.value is not None and mass.value < NEARLY_ALL:
        text = (
            f"The three letters have {metric_percents(mass)} of the probability ({_units(mass)}): "
            "the rest is on other words, which are not known."
        )
        yield "caution", text, True
    if kept := metrics.get("namebbq.error_retention_ambiguous"):
        text = (
            f"With names it wrongly picks a person {metric_value(kept)} times as often as with "
            f"nationalities (1 means no change; {_units(kept)})."
        )
        yield "finding", text, True
    elif difference := metrics.get(NAMED):
        text = (
            "From nationalities to names its share of wrong answers changes by "
            f"{metric_value(difference)} ({_units(difference)}). There are too few errors for a "
            "ratio."
        )
        yield "finding", text, True
    yield from _limits(answers.frame)


def _limits(frame: pl.DataFrame) -> Iterator[Said]:
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
