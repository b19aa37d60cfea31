"""Tables of Name-BBQ that are no measure: `geobias table RUN… NAME`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from geobias.errors import BadRequest
from geobias.probes.namebbq import published, recognition, scores
from geobias.probes.namebbq.further import over_controls
from geobias.probes.namebbq.precision import precision
from geobias.probes.namebbq.replicates import answers_by_recognition, by_recognition
from geobias.probes.namebbq.replicates import scores as replicated
from geobias.probes.namebbq.scores import Assumptions
from geobias.probes.tables import TableSpec, each_model


def _published(answers: Sequence[Assumptions], _: Any) -> Mapping[str, pl.DataFrame]:
    frame = pl.concat(one.frame for one in answers)
    models = frame.group_by("model", maintain_order=True)
    return published.tables_among_published(
        {str(model): replicated(part) for (model,), part in models}
    )


def _recognition(answers: Assumptions) -> Mapping[str, pl.DataFrame]:
    asked = answers.recognition
    if asked is None:
        raise BadRequest(
            f"{answers.model} was not asked about names by themselves; run it with --recognition"
        )
    frame = answers.frame
    return {
        "all names": recognition.overall(asked),
        "nationalities": recognition.by_group(asked, "nationality"),
        "regions": recognition.by_group(asked, "region"),
        "answers by recognition": answers_by_recognition(frame, asked),
        "scores by recognition": by_recognition(frame, asked),
    }


def _controls(answers: Assumptions) -> pl.DataFrame:
    if answers.controls is None:
        raise BadRequest(f"{answers.model} was not asked the controls; run it with --controls")
    return over_controls(answers.controls)


def _precision(answers: Assumptions) -> pl.DataFrame:
    if not answers.frame["weighed"].any():
        raise BadRequest(
            f"no probabilities of {answers.model}'s letters are known; run it with --read logprobs"
        )
    return precision(answers.frame)


TABLES: dict[str, TableSpec[Assumptions]] = {
    "scores": TableSpec(
        help="""Accuracy, bias and errors left with names, with mean and SD over seeds and repeats.

        \b
        geobias table RUN namebbq.scores
        """,
        make=each_model(
            lambda one, _: {"scores": replicated(one.frame), "replies": scores.outcomes(one.frame)}
        ),
    ),
    "precision": TableSpec(
        help="""How many items the probabilities of letters save, against letters that are drawn.

        \b
        geobias run namebbq MODEL --read logprobs --out RUN
        geobias table RUN precision
        """,
        make=each_model(lambda one, _: {"precision": _precision(one)}),
    ),
    "controls": TableSpec(
        help="""Bias minus the bias of the same items without two nationalities.

        \b
        geobias table RUN controls
        """,
        make=each_model(lambda one, _: {"controls": _controls(one)}),
    ),
    "recognition": TableSpec(
        help="""Which names the model recognises, and its scores on those.

        \b
        geobias table RUN namebbq.recognition
        """,
        make=each_model(lambda one, _: _recognition(one)),
    ),
    "positions": TableSpec(
        help="""How often (a), (b) and (c) were chosen, beside how often each was right.

        \b
        geobias table RUN positions
        """,
        make=each_model(lambda one, _: {"positions": scores.positions(one.frame)}),
    ),
    "published": TableSpec(
        help="""Runs beside the six models of the paper and two with public replies, with SDs.

        \b
        geobias table RUN RUN namebbq.published
        """,
        make=_published,
        notes=lambda answers, _: published.differing_items(answers),
        people=published.with_sd_in_words,
    ),
}
