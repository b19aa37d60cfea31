"""Pool the answers of several models.

Runs are pooled only if they may be compared and their questions have the same wording. If the runs
asked different questions, those that all of them asked are pooled. Notes name any other difference
between the runs. Several runs of a model under equal conditions count as one model.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, NamedTuple, TypeVar

import polars as pl

from geobias.errors import BadRequest
from geobias.measures.measure import Measure
from geobias.probes.differences import Difference, differences, shortened
from geobias.probes.probe import Answers, Probe, run_of
from geobias.results.formatting import counted, unit_words

A = TypeVar("A", bound=Answers)


class Pool(NamedTuple, Generic[A]):
    """The answers of several models to the questions that all of them were asked.

    frame   the frames of all models, stacked; the column `model` has each model's name
    notes   what was left out, and how the runs differ
    first   the answers of the first run, for facts that all runs share
    """

    frame: pl.DataFrame
    models: list[str]
    notes: list[str]
    first: A


def pool_of(probe: Probe[Any, A], lead: Measure, answers: Sequence[A]) -> Pool[A]:
    """Raises `BadRequest` if the runs must not be pooled."""
    differ = _differing(probe, answers)
    if why := [str(one) for one in differ if one.bears in ("truth", "wording")]:
        raise BadRequest(f"these runs are not pooled, since they differ in {'; '.join(why)}")
    keys = list(lead.asked_by)
    names = _models(probe, answers)
    frames = [
        one.frame.with_columns(model=pl.lit(name)) for one, name in zip(answers, names, strict=True)
    ]
    columns = [name for name in frames[0].columns if all(name in one.columns for one in frames)]
    asked = [frame.select(keys).unique() for frame in frames]
    shared = asked[0]
    for one in asked[1:]:
        shared = shared.join(one, on=keys, nulls_equal=True)
    if not shared.height:
        raise BadRequest("these runs are not pooled, since they asked no question in common")
    # Right and wrong may be shares, if a run has probabilities.
    whole = pl.concat((frame.select(columns) for frame in frames), how="vertical_relaxed")
    frame = whole.join(shared, on=keys, how="semi", nulls_equal=True)
    models = list(dict.fromkeys(frame["model"]))
    left_out = []
    most = max(one.height for one in asked)
    if shared.height < most:
        left_out = [
            f"Pooled over the {counted(shared.height, 'questions')} that all runs asked; one of "
            f"them asked {most:,}."
        ]
    return Pool(frame, models, [*left_out, *_notes(probe, lead, answers, models)], answers[0])


def _notes(
    probe: Probe[Any, A], lead: Measure, answers: Sequence[A], models: Sequence[str]
) -> list[str]:
    notes = []
    if len(models) < len(answers):
        notes.append(
            f"{len(answers)} runs of {counted(len(models), 'models')}: runs of one model count as "
            "one model."
        )
    if len(dict.fromkeys(map(_model_of, answers))) < len(models):
        notes.append(
            "A model that was run under several conditions counts once for each. Such runs are "
            "not an independent sample."
        )
    if differ := _telling(probe, answers):
        notes.append(f"The pooled runs differ in {'; '.join(map(str, differ))}.")
    if len(models) < 3:
        units = " and ".join(map(unit_words, lead.units))
        notes.append(
            f"With {counted(len(models), 'models')} it is unknown how models vary: pooled "
            f"intervals are over {units}, and hold for these models only. Three models or more "
            f"give intervals over models and {units}."
        )
    return notes


def pooled_in_spite_of(weak: Sequence[str]) -> list[str]:
    named = ", ".join(weak)
    return (
        [f"Not measurable by themselves, but included in the pooled numbers: {named}."]
        if weak
        else []
    )


def _model_of(one: Answers) -> str:
    """The name of the model that was asked, which may differ from the name in the report."""
    return run_of(one).manifest.models["model"]


def _models(probe: Probe[Any, A], answers: Sequence[A]) -> list[str]:
    """The model of each run, with its conditions if the model's runs differ in them."""
    names = [_model_of(one) for one in answers]
    for model in dict.fromkeys(names):
        runs = [number for number, name in enumerate(names) if name == model]
        differ = _telling(probe, [answers[number] for number in runs])
        for place, number in enumerate(runs):
            own = ", ".join(f"{one.what} {shortened(one.values[place])}" for one in differ)
            names[number] = f"{model} ({own})" if own else model
    return names


def _telling(probe: Probe[Any, A], answers: Sequence[A]) -> list[Difference]:
    """Differences between runs, except seeds, that may explain a difference of results."""
    found = _differing(probe, answers)
    return [one for one in found if one.bears == "replies" and one.what != "seed"]


def _differing(probe: Probe[Any, A], answers: Sequence[A]) -> list[Difference]:
    return list(differences(probe, [run_of(one).manifest for one in answers]))
