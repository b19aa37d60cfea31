"""Tables of WorldBench other than those of its measures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import msgspec
import polars as pl

from geobias.errors import BadRequest
from geobias.measures.grouping import with_groups
from geobias.measures.over_models import average_model
from geobias.measures.wordings import several_wordings
from geobias.probes.pooling import Pool
from geobias.probes.probe import run_of
from geobias.probes.settings import Setting
from geobias.probes.tables import TableSpec, each_model
from geobias.probes.worldbench import published
from geobias.probes.worldbench.answers import FigureAnswers
from geobias.probes.worldbench.published import paper_column
from geobias.probes.worldbench.relations import (
    consistency,
    consistency_over_models,
    correlations,
    indicator_values,
)
from geobias.probes.worldbench.scores import ERROR, ERROR_UNIT, GROUPINGS, rank_table
from geobias.probes.worldbench.years import citation_summary, citations, years_fit
from geobias.results.findings import Table
from geobias.results.tables import table_from

Frames: TypeAlias = dict[str, pl.DataFrame]
FigurePool: TypeAlias = Pool[FigureAnswers]


class Ranks(msgspec.Struct, frozen=True):
    by: Annotated[
        str, Setting("What to group by: region (default), income, continent …", metavar="COLUMN")
    ] = ""
    group_file: Annotated[
        Path | None, Setting("Your own groups: a CSV with iso3 and the column of --by.")
    ] = None


def errors(frame: pl.DataFrame) -> pl.DataFrame:
    """Every question with the answer that was read; the largest error first, unread ones last."""
    asked = ["indicator", "country", "wording", "repeat"]
    table = frame.select(*asked, "outcome", "truth", "value", "error", "reason")
    ordered = table.sort("error", *asked, descending=[True, *[False] * 4], nulls_last=True)
    return ordered if several_wordings(frame, ERROR) else ordered.drop("wording")


def _ranks(answers: FigureAnswers, options: Ranks) -> Frames:
    frame, by = with_groups(answers.frame, ERROR, options.by or "region", options.group_file)
    return {"ranks": rank_table(frame, by)}


def _pooled_ranks(pool: FigurePool, options: Ranks) -> Frames:
    made: Frames = {}
    for grouping in (options.by,) if options.by else GROUPINGS:
        frame, by = with_groups(pool.frame, ERROR, grouping, options.group_file)
        made[by] = rank_table(frame, by, "model")
        average = average_model(frame, ERROR)
        grouped, by = with_groups(average, ERROR, grouping, options.group_file)
        made[f"{by} by indicator"] = rank_table(grouped, by)
    return made


def _citations(answers: FigureAnswers, _: Any) -> Frames:
    figures = answers.known_figures()
    return {
        "summary": citation_summary(answers.frame, figures),
        "citations": citations(answers.frame, figures),
    }


def _years(answers: FigureAnswers, _: Any) -> Frames:
    return {"years": years_fit(answers.frame, answers.known_figures())}


def _correlations(answers: FigureAnswers, _: Any) -> Frames:
    covariates = indicator_values(answers.known_figures(), answers.rule)
    return {"correlations": correlations(answers.frame, covariates)}


def _pooled(make: Callable[[FigureAnswers, Any], Frames]) -> Callable[[FigurePool, Any], Frames]:
    """Make a table from the answers of all models, if the run's figures are known."""

    def made(pool: FigurePool, options: Any) -> Frames:
        together = msgspec.structs.replace(pool.first, frame=pool.frame)
        return make(together, options) if together.figures else {}

    return made


def _consistency(answers: FigureAnswers, _: Any) -> Frames:
    if answers.frame["repeat"].n_unique() < 2:
        whose = answers.model or "the model"
        raise BadRequest(f"{whose} was asked each question once; make a run with --repeats 5")
    return {"consistency": consistency(answers.frame)}


def _pooled_consistency(pool: FigurePool, _: Any) -> Frames:
    repeats = pool.frame.group_by("model").agg(pl.col("repeat").n_unique())["repeat"]
    return {"consistency": consistency_over_models(pool.frame)} if repeats.min() != 1 else {}


def _beside_groups(answers: FigureAnswers, _: Any) -> Frames:
    settings = answers.records.settings if answers.records else {}
    condition = paper_column(settings).condition
    return {"groups": published.beside_groups(answers.frame, condition)}


def _published(answers: Sequence[FigureAnswers], options: Any) -> Frames:
    models = published.place_among_models(answers)
    return {"models": models, **each_model(_beside_groups)(answers, options)}


def _ranks_by_each(answers: FigureAnswers) -> Iterator[tuple[str, Table]]:
    for by, groups in GROUPINGS.items():
        note = (
            f"Share of indicators in which each of the {groups} comes first (least error) … last."
        )
        yield f"ranks_{by}", table_from(rank_table(answers.frame, by), f"Ranks of {groups}", note)


def _beside_paper(answers: FigureAnswers) -> Iterator[tuple[str, Table]]:
    column = paper_column(run_of(answers).settings)
    yield (
        "published_models",
        table_from(
            published.place_among_models([answers]),
            "Among the paper's twenty models",
            "Means over the indicators that were asked and answered. Errors can be compared at any "
            "size. A disparity grows as groups get smaller, so it is shown only if nearly all "
            "countries were asked about.",
        ),
    )
    if column.condition:
        groups = published.beside_groups(answers.frame, column.condition)
        title = f"Beside the paper's groups ({column.words})"
        yield "published_groups", table_from(groups, title, column.models)


def _published_notes(answers: Sequence[FigureAnswers], _: Any) -> list[str]:
    notes = []
    for one in answers:
        column = paper_column(one.records.settings if one.records else {})
        whose = f"{one.model}: " if len(answers) > 1 else ""
        if not column.condition:
            notes.append(f"{whose}No column of the paper's Tables 4 and 5: {column.words}.")
        else:
            notes.append(f"{whose}Beside {column.words}. {column.models}")
    return list(dict.fromkeys(notes))


TABLES: dict[str, TableSpec[FigureAnswers]] = {
    "errors": TableSpec(
        help="""Every question with its error, the largest first.

        \b
        geobias table RUN errors --limit 20
        """,
        make=each_model(lambda one, _: {"errors": errors(one.frame)}),
    ),
    "ranks": TableSpec(
        help="""How often each group has the smallest error, the second smallest, and so on.

        \b
        geobias table RUN ranks
        geobias table RUN RUN RUN ranks --by income

        Groups are ranked within each indicator. With several models, they are also ranked within
        each model.
        """,
        make=each_model(_ranks),
        Options=Ranks,
        pooled=_pooled_ranks,
        reported=lambda one: dict(_ranks_by_each(one)),
    ),
    "consistency": TableSpec(
        help="""Are answers that vary from draw to draw also wrong? Needs a run with --repeats.

        \b
        geobias run worldbench MODEL --repeats 5 --out five.geobias
        geobias table five.geobias consistency
        """,
        make=each_model(_consistency),
        pooled=_pooled_consistency,
        title="Consistency",
        note="Whether answers that vary from draw to draw are also wrong.",
    ),
    "published": TableSpec(
        help="""Where a run stands among the twenty models of the paper.

        \b
        geobias table RUN published

        Groups appear beside the column of the paper's Tables 4 and 5 with the settings of the run:
        no year, 2016 or 2021, and Switzerland, Colombia or Mali as the example.
        """,
        make=_published,
        notes=_published_notes,
        reported=lambda one: dict(_beside_paper(one)),
    ),
    "years": TableSpec(
        help="""Which year's figures the answers fit best: how old is what the model knows?

        \b
        geobias table RUN years
        """,
        make=each_model(_years),
        pooled=_pooled(_years),
        title="Error against the figures of each year",
        note="`error_same` is over the questions that have a figure in every year. It is smallest "
        "for the year that fits best. `more` is the difference from that year. Its interval does "
        "not allow for the choice of the year.",
        units=dict.fromkeys(("error", "error_same"), ERROR_UNIT),
    ),
    "correlations": TableSpec(
        help="""Which countries have large errors: the correlation of each indicator with the error.

        \b
        geobias table RUN correlations

        `pearson` correlates with the mean error of a country over all questions.
        `pair_pearson` is computed for each pair of model and indicator, and averaged, as in the
        paper's text.
        """,
        make=each_model(_correlations),
        pooled=_pooled(_correlations),
        title="What kind of country has large errors",
        note="Each indicator's value against the country's mean error. `pair_pearson` is as in the "
        "paper: the correlation with the errors at each indicator, averaged. `pair_p` is the "
        "mean of their p-values. "
        "P-values adjusted for the number of indicators (Holm) stand beside.",
    ),
    "citations": TableSpec(
        help="""Answers that cite a source or a year, compared with the figures of every year.

        \b
        geobias table RUN citations
        """,
        make=each_model(_citations),
        reported=lambda one: {
            "citations": table_from(
                citation_summary(one.frame, one.known_figures()),
                "Answers that cite a source or a year",
            )
        },
    ),
}
"""The tables by name, in the order of help and report."""
