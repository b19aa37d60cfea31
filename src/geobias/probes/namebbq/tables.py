"""Tables of Name-BBQ other than those of its measures (`geobias table RUN… NAME`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import polars as pl

from geobias.probes.namebbq import published, scores
from geobias.probes.namebbq.replicates import scores as replicated
from geobias.probes.namebbq.scores import Assumptions
from geobias.probes.tables import READINGS, Frames, TableSpec, each_model


def _published(answers: Sequence[Assumptions], _: object) -> Frames:
    frame = pl.concat(one.frame for one in answers)
    models = frame.group_by("model", maintain_order=True)
    scored = {str(model): replicated(part) for (model,), part in models}
    return {"published": published.among_published_models(scored)}


def _of_items(
    name: str, make: Callable[[pl.DataFrame], pl.DataFrame], help_: str, title: str, note: str = ""
) -> TableSpec[Assumptions]:
    """A table that is made from the frame of items alone."""

    def made(one: Assumptions, _: object) -> Frames:
        return {name: make(one.frame)}

    return TableSpec(help=help_, make=each_model(made), title=title, note=note)


TABLES: dict[str, TableSpec[Assumptions]] = {
    "scores": _of_items(
        "scores",
        replicated,
        "Accuracy, bias and errors left with names, with mean and SD over seeds and repeats.",
        "",
    ),
    "replies": _of_items(
        "replies",
        scores.outcomes,
        "How many replies were read, in each context, with nationalities and with names.",
        "What became of the replies",
    ),
    "published": TableSpec(
        help="Runs beside the six models of the paper and two with public replies, with SDs.",
        make=_published,
        notes=lambda answers, _: published.differing_items(answers),
        people=published.as_printed,
        title="Beside the paper's six models, and two with public replies",
        note="`here` marks this run's. `sd` is over seeds and repeats.",
    ),
    "readings": READINGS,
}
