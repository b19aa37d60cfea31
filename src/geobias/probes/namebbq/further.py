"""What is shown of a run beside its measures: tables that are none, and sentences about both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

import polars as pl

from geobias.measures.crossed import crossed_mean
from geobias.probes.namebbq import published, recognition, scores
from geobias.probes.namebbq.measures import BIASES
from geobias.probes.namebbq.precision import DRAWS, precision
from geobias.probes.namebbq.recognition import LEAST_RECOGNISED
from geobias.probes.namebbq.replicates import answers_by_recognition, by_recognition
from geobias.probes.namebbq.replicates import scores as replicated
from geobias.probes.namebbq.scores import DATASETS, Assumptions, bias_over_control
from geobias.probes.namebbq.versions import CONTROLS
from geobias.results.findings import Metric, Section, SentenceKind, Table
from geobias.results.formatting import counted
from geobias.results.tables import metric_percents, metric_value, rows_of, table_from
from geobias.stats.estimates import LEAST_UNITS

NEARLY_ALL = 0.9
"""Probability of the letters under which a reader is told."""
FEW_ITEMS = 10
"""Items under which two ways to answer are not compared."""
FEW_TEMPLATES = 20
"""Templates under which a run is called small."""

Said: TypeAlias = Iterator[tuple[SentenceKind, str, bool]]


# Tables -------------------------------------------------------------------------------------------


def tables(answers: Assumptions, *, brief: bool) -> dict[str, Table]:
    """Where it is `brief`, those that sentences are made of."""
    frame, made = answers.frame, {}
    if frame["weighed"].any():
        made["precision"] = table_from(
            precision(frame),
            "What the probabilities of the letters save",
            f"`letters drawn`: one letter for each item, drawn from its probabilities (mean of "
            f"{DRAWS} sets). `needed`: items for an interval of that width. The likeliest letters "
            "measure something else.",
            dict.fromkeys(("bias", "width"), BIASES["nationality"].unit),
        )
    if brief:
        return made
    made["positions"] = table_from(
        scores.positions(frame),
        "Which place on the page was chosen",
        "`right` is how often the right answer stood there.",
    )
    made["replies"] = table_from(scores.outcomes(frame), "What became of the replies")
    made["published"] = table_from(
        published.among_published_models({answers.model: replicated(frame)}),
        "Beside the paper's six models, and two with public replies",
        "`here` marks this run's. `sd` is over seeds and repeats.",
    )
    if answers.controls is not None:
        made["controls"] = table_from(
            over_controls(answers.controls),
            "Bias less that of the controls",
            "`none`: the people are Person X and Person Y; `same`: both have names of the "
            "nationality that the stereotype is about. `difference` is of the same ambiguous "
            "items, with its interval over templates and nationalities.",
        )
    return made | _recognition_tables(answers)


def over_controls(beside: pl.DataFrame) -> pl.DataFrame:
    """Ambiguous bias with nationalities and with names, less that of each control.

    `bias` and `control_bias` are over the items that both have answers to, and so is `difference`,
    with its interval over templates and nationalities and the p-value of no difference. `read` and
    `control_read` are the answers behind the two.
    """
    rows: list[dict[str, Any]] = []
    for (told, control), part in beside.group_by("told", "control", maintain_order=True):
        own, bare = (part.filter(is_control=side) for side in (False, True))
        bias = BIASES["nationality"]
        found = bias_over_control(part).found
        rows.append(
            {"dataset": told, "control": control, "bias": crossed_mean(own, bias).estimate.value}
            | crossed_mean(bare, bias).estimate.columns("control_bias")
            | found.estimate.columns("difference")
            | {
                "p": found.p,
                "read": own.height,
                "control_read": bare.height,
                "templates": part["template"].n_unique(),
                "nationalities": part["nationality"].n_unique(),
                "note": found.estimate.note,
            }
        )
    return pl.DataFrame(rows, infer_schema_length=None)


def _recognition_tables(answers: Assumptions) -> dict[str, Table]:
    asked = answers.recognition
    if asked is None:
        return {}
    return {
        "recognition_all": table_from(
            recognition.overall(asked),
            "Names recognised",
            "Shares of the names that could be read, with intervals over nationalities. `unknown`: "
            "the reply says that the name suggests no nationality.",
        ),
        "recognition": table_from(
            recognition.by_group(asked, "nationality"),
            "Names recognised, by nationality",
            "`recognised`: the first nationality in the reply is the name's, with an interval over "
            "names; `named`: it is anywhere in the reply; `unknown`: the reply says that the name "
            "suggests none. `taken_for`: what they were taken for instead, most often first.",
        ),
        "recognition_regions": table_from(
            recognition.by_group(asked, "region"),
            "Names recognised, by region",
            "Intervals are over nationalities.",
        ),
        "answers_by_recognition": table_from(
            answers_by_recognition(answers.frame, asked),
            "Answers with names, by whether both names are recognised",
            "In neither stand answers to items with a name of which nothing could be read.",
        ),
        "by_recognition": table_from(
            by_recognition(answers.frame, asked),
            "Scores with names, by whether both names are recognised",
            "Errors left and their difference are to the same items with nationalities.",
        ),
    }


# Sentences ----------------------------------------------------------------------------------------


def sentences(section: Section, frame: pl.DataFrame, settings: Mapping[str, Any]) -> Said:
    if category := settings.get("category"):
        about = category.replace("_", " ").lower()
        text = (
            f"The items are not about nationality but about {about}: where this report says "
            "nationalities, it means the groups of these items."
        )
        yield "caution", text, True
    if not section.measurable:
        return
    metrics = {one.name: one for one in section.metrics if one.value is not None}
    yield from _on_probabilities(metrics, section)
    yield from _on_names(metrics, asked=any(one.name == NAMED for one in section.metrics))
    yield from _limits(frame)


NAMED = "namebbq.error_difference_ambiguous"


def _on_probabilities(metrics: Mapping[str, Metric], section: Section) -> Said:
    """How many items the probabilities of the letters save, and whether they are all there is."""
    for row in rows_of(section, "precision"):
        if row["method"] == "expected" and (row["needed"] or 0) >= FEW_ITEMS:
            saved = (
                f"With {DATASETS[row['dataset']]}, {row['needed']:,} items by probabilities give "
                f"as narrow an interval as {row['items']:,} by drawn letters."
            )
            yield "finding", saved, True
    mass = metrics.get("namebbq.letter_mass")
    if mass is not None and mass.value is not None and mass.value < NEARLY_ALL:
        text = (
            f"The three letters have {metric_percents(mass)} of the probability: the rest is on "
            "other words, of which nothing is known."
        )
        yield "caution", text, True


def _on_names(metrics: Mapping[str, Metric], *, asked: bool) -> Said:
    """What names change, and what that can mean, which hangs on whether it knows them."""
    kept, difference = metrics.get("namebbq.error_retention_ambiguous"), metrics.get(NAMED)
    if kept is not None:
        text = (
            f"With names it wrongly picks a person {metric_value(kept)} times as often as with "
            "nationalities (1 means no change)."
        )
        yield "finding", text, True
    elif difference is not None:
        text = (
            "From nationalities to names its share of wrong answers changes by "
            f"{metric_value(difference)}. There are too few errors for a ratio."
        )
        yield "finding", text, True
    for control in CONTROLS:
        if found := metrics.get(f"namebbq.bias_over_{control}"):
            words = f"{found.label[:1].lower()}{found.label[1:]}"
            yield "finding", f"On the same items, {words} is {metric_value(found)}.", True
    if asked:
        yield _on_recognition(metrics.get("namebbq.recognition"))


def _on_recognition(known: Metric | None) -> tuple[SentenceKind, str, bool]:
    if known is None or known.value is None:
        text = (
            "It was not asked whether it recognises the names (--recognition), or no reply could "
            "be read. Fewer errors with names may mean less bias, or names that it does not "
            "recognise."
        )
        return "limit", text, True
    text = f"It recognises the nationality of {metric_percents(known)} of the names."
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
