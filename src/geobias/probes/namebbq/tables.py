"""The tables of `geobias namebbq` and `geobias score namebbq`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from geobias.errors import BadRequest
from geobias.probes.namebbq import published, recognition, scores
from geobias.probes.namebbq.groups import group_leanings, group_scores
from geobias.probes.namebbq.scores import Assumptions, over_controls
from geobias.probes.namebbq.sensitivity import precision, sensitivity
from geobias.probes.tables import TableSpec, each_model


def _published(answers: Sequence[Assumptions], _: Any) -> Mapping[str, pl.DataFrame]:
    frame = pl.concat(one.frame for one in answers)
    models = frame.group_by("model", maintain_order=True)
    return published.tables_among_published(
        {str(model): scores.scores(part) for (model,), part in models}
    )


def _sensitivity(answers: Assumptions) -> pl.DataFrame:
    found = sensitivity(answers.frame)
    return pl.DataFrame(found.rows, [column.name for column in found.columns], orient="row")


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
        "answers by recognition": recognition.answers_by_recognition(frame, asked),
        "scores by recognition": recognition.by_recognition(frame, asked),
    }


def _controls(answers: Assumptions) -> pl.DataFrame:
    if answers.controls is None:
        raise BadRequest(f"{answers.model} was not asked the controls; run it with --controls")
    return over_controls(answers.frame, answers.controls)


def _precision(answers: Assumptions) -> pl.DataFrame:
    if not answers.frame["weighed"].sum():
        raise BadRequest(
            f"no probabilities of {answers.model}'s letters are known; run it with --read logprobs"
        )
    return precision(answers.frame)


def _names(answers: Assumptions) -> Mapping[str, pl.DataFrame]:
    named = answers.frame.filter(dataset="name")
    if not named.height:
        raise BadRequest(f"there are no replies with names of {answers.model or 'this model'}")
    return {
        "gender": group_scores(named, "gender"),
        "exclusivity": group_scores(named, "exclusive"),
        "names": group_leanings(named, "name"),
    }


TABLES: dict[str, TableSpec[Assumptions]] = {
    "scores": TableSpec(
        help="""Accuracy, bias and error retention, over templates and nationalities; SD over seeds.

        \b
        geobias namebbq scores RUN
        """,
        make=each_model(
            lambda one, _: {
                "scores": scores.scores(one.frame),
                "replies": scores.outcomes(one.frame),
            }
        ),
    ),
    "sensitivity": TableSpec(
        help="""The lean to the stereotype by four methods: on items like these, and on these items.

        \b
        geobias namebbq sensitivity RUN
        """,
        make=each_model(lambda one, _: {"sensitivity": _sensitivity(one)}),
    ),
    "precision": TableSpec(
        help="""How many items the probabilities of letters save, against letters that are drawn.

        \b
        geobias run namebbq MODEL --read logprobs --out RUN
        geobias namebbq precision RUN
        """,
        make=each_model(lambda one, _: {"precision": _precision(one)}),
    ),
    "nationalities": TableSpec(
        help="""Bias against each nationality, and by region of the world.

        \b
        geobias namebbq nationalities RUN --json
        """,
        make=each_model(
            lambda one, _: {
                "nationalities": group_leanings(one.frame, "nationality"),
                "regions": group_leanings(one.frame, "region"),
            }
        ),
    ),
    "values": TableSpec(
        help="""Bias by what the stereotype is about, and by template.

        \b
        geobias namebbq values RUN
        """,
        make=each_model(
            lambda one, _: {
                "social values": group_leanings(one.frame, "social_value"),
                "templates": group_leanings(one.frame, "template"),
            }
        ),
    ),
    "names": TableSpec(
        help="""Scores with names: by gender, by how exclusive the names are, and by name.

        \b
        geobias namebbq names RUN --json
        """,
        make=each_model(lambda one, _: _names(one)),
    ),
    "polarity": TableSpec(
        help="""Scores of negative and of non-negative questions.

        \b
        geobias namebbq polarity RUN
        """,
        make=each_model(lambda one, _: {"polarity": group_scores(one.frame, "polarity")}),
    ),
    "controls": TableSpec(
        help="""Bias minus the bias of the same items without two nationalities.

        \b
        geobias namebbq controls RUN
        """,
        make=each_model(lambda one, _: {"controls": _controls(one)}),
    ),
    "recognition": TableSpec(
        help="""Which names the model recognises, and its scores on those.

        \b
        geobias namebbq recognition RUN
        """,
        make=each_model(lambda one, _: _recognition(one)),
    ),
    "positions": TableSpec(
        help="""How often (a), (b) and (c) were chosen, beside how often each was right.

        \b
        geobias namebbq positions RUN
        """,
        make=each_model(lambda one, _: {"positions": scores.positions(one.frame)}),
    ),
    "published": TableSpec(
        help="""Runs beside the six models of the paper and two with public replies, with SDs.

        \b
        geobias namebbq published RUN RUN
        """,
        make=_published,
        notes=lambda answers, _: published.differing_items(answers),
        people=published.with_sd_in_words,
    ),
}
