"""Pool the answers of several models.

Runs are pooled only if their questions have the same wording and are scored against the same truth.
If the runs asked different questions, those that all of them asked are pooled. Notes name any other
difference between the runs. Several runs of a model under equal conditions count as one model.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, NamedTuple, TypeVar

import polars as pl

from geobias.errors import BadRequest
from geobias.measures.measure import Measure
from geobias.probes.probe import Answers, Probe
from geobias.probes.settings import bearing, fields_of
from geobias.results.formatting import counted, unit_words

A = TypeVar("A", bound=Answers)
_UNHEARD = ("seed", "size", "repeats")
"""Settings that only choose the questions or their number."""
_WORDS = ("prompts", "own_wording")
"""Settings that decide the wording of questions."""
_OF_THE_WORLD = "economies.csv"
"""Name of the table of economies. Its income groups change from year to year, but the questions
stay the same.
"""


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
    """Pool the answers of these runs. Raises `BadRequest` if the runs must not be pooled."""
    if why := forbidding(probe, answers):
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
    if differ := telling(probe, answers):
        notes.append(f"The pooled runs differ in {'; '.join(differ)}.")
    if len(models) < 3:
        units = " and ".join(map(unit_words, lead.units))
        notes.append(
            f"With {counted(len(models), 'models')} it is unknown how models vary: pooled "
            f"intervals are over {units}, and hold for these models only. Three models or more "
            f"give intervals over models and {units}."
        )
    return notes


def pooled_in_spite_of(weak: Sequence[str]) -> list[str]:
    """Return a note on the models that failed a screen but are pooled."""
    named = ", ".join(weak)
    return (
        [f"Not measurable by themselves, but included in the pooled numbers: {named}."]
        if weak
        else []
    )


def _model_of(one: Answers) -> str:
    """The name of the model that was asked, which may differ from the name in the report."""
    return one.records.models.get("model", one.model) if one.records else one.model


def _models(probe: Probe[Any, A], answers: Sequence[A]) -> list[str]:
    """The model of each run, with its conditions if the model's runs differ in them."""
    by_model: dict[str, list[A]] = {}
    for one in answers:
        by_model.setdefault(_model_of(one), []).append(one)
    names = []
    for one in answers:
        model = _model_of(one)
        differ = [words.split(":")[0] for words in telling(probe, by_model[model])]
        settings = one.records.settings if one.records else {}
        own = [f"{words} {_short(settings.get(words.replace(' ', '_')))}" for words in differ]
        names.append(f"{model} ({', '.join(own)})" if own else model)
    return names


def forbidding(probe: Probe[Any, A], answers: Sequence[A]) -> list[str]:
    """Differences between runs that forbid pooling them."""
    found = _differing(probe, answers, "truth") + _differing(probe, answers, "replies", _WORDS)
    runs = [one.records for one in answers if one.records is not None]
    editions = {name for name, one in probe.editions.items() if not one.chosen}
    for kind, entries in (
        ("edition of", [run.editions for run in runs]),
        ("wording of", [run.prompts for run in runs]),
    ):
        for name in sorted({name for one in entries for name in one}):
            values = {one[name] for one in entries if name in one}
            prompt = name.partition(".")[0] in probe.records
            if len(values) > 1 and (prompt or name in editions - {_OF_THE_WORLD}):
                found.append(f"the {kind} {name}")
    return found


def telling(probe: Probe[Any, A], answers: Sequence[A]) -> list[str]:
    """Differences between runs that may explain a difference of results."""
    return _differing(probe, answers, "replies")


def _differing(
    probe: Probe[Any, A], answers: Sequence[A], bears: str, only: Sequence[str] = ()
) -> list[str]:
    settings = [one.records.settings for one in answers if one.records is not None]
    fields = fields_of(probe.Settings)
    found = []
    for key in sorted({key for one in settings for key in one}):
        if bearing(fields, key) != bears or key in _UNHEARD or (only and key not in only):
            continue
        values = dict.fromkeys(_short(one.get(key)) for one in settings)
        if len(values) > 1:
            found.append(f"{key.replace('_', ' ')}: {' and '.join(values)}")
    return found


def _short(value: Any) -> str:
    words = "none" if value is None or value is False or value in ("", []) else str(value)
    return words if len(words) <= 30 else words[:29] + "…"
