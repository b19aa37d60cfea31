"""Tables of Name-BBQ besides those of its measures (`geobias table RUN… NAME`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from geobias.errors import BadRequest
from geobias.probes.namebbq import published, recognition, scores
from geobias.probes.namebbq.replicates import scores as replicated
from geobias.probes.namebbq.scores import Assumptions
from geobias.probes.tables import TableSpec, each_model


def _published(answers: Sequence[Assumptions], _: Any) -> Mapping[str, pl.DataFrame]:
    frame = pl.concat(one.frame for one in answers)
    models = frame.group_by("model", maintain_order=True)
    scored = {str(model): replicated(part) for (model,), part in models}
    return {"published": published.among_published_models(scored)}


def _recognition(answers: Assumptions) -> Mapping[str, pl.DataFrame]:
    asked = answers.recognition
    if asked is None:
        raise BadRequest(
            f"{answers.model} was not asked about names by themselves; run it with --recognition"
        )
    return {"recognition": recognition.by_nationality(asked)}


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
    "recognition": TableSpec(
        help="""Which names the model recognises, and what it takes others for.

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
        people=published.as_printed,
    ),
}
