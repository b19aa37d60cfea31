"""The tables of `geobias worldbench` and `geobias score worldbench`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import msgspec

from geobias.errors import BadRequest
from geobias.probes.lazy import pl
from geobias.probes.settings import Setting
from geobias.probes.tables import TableSpec, each_model
from geobias.probes.worldbench import analyses, citation_check, countries, published, scores
from geobias.probes.worldbench.answers import FigureAnswers
from geobias.probes.worldbench.sensitivity import sensitivity
from geobias.probes.worldbench.shuffled_baseline import shuffled_baseline, with_baseline

if TYPE_CHECKING:
    Frames: TypeAlias = dict[str, pl.DataFrame]

Group = Annotated[
    Literal["region", "income", "indicator", "country", "all"], Setting("What to group by.")
]
Grouping = Annotated[Literal["region", "income"], Setting("What to group by.")]


class ByGroup(msgspec.Struct, frozen=True):
    by: Group = "region"


class ByGrouping(msgspec.Struct, frozen=True):
    by: Grouping = "region"


class Disparities(ByGrouping, frozen=True):
    draws: Annotated[int, Setting("Random shuffles behind baseline and p.", least=1)] = 10_000


class Ranks(ByGrouping, frozen=True):
    over: Annotated[
        Literal["indicator", "model"] | None,
        Setting("Rank within each indicator or within each run; default: runs if several."),
    ] = None


class Limited(msgspec.Struct, frozen=True):
    limit: Annotated[int, Setting("Rows shown.", least=1)] = 50


class Extremes(msgspec.Struct, frozen=True):
    count: Annotated[int, Setting("At each end.", least=1)] = 15


def _overview(answers: FigureAnswers, _: Any) -> Frames:
    frame = answers.frame
    by_all: tuple[scores.By, ...] = ("all", *scores.GROUPINGS)
    tables: Frames = {
        by: scores.errors_and_rates(frame, scores.group_errors(frame, by), by) for by in by_all
    }
    for grouping in scores.GROUPINGS:
        gaps = scores.disparities(frame, grouping, per_indicator=False)
        tables[f"disparity over {grouping}s"] = gaps
    return tables


def _disparity(answers: FigureAnswers, options: Disparities) -> Frames:
    table = scores.disparities(answers.frame, options.by, draws=options.draws)
    with_it = with_baseline(table, shuffled_baseline(answers.frame), options.by)
    return {f"disparity over {options.by}s": with_it}


def _ranks(answers: Sequence[FigureAnswers], options: Ranks) -> Frames:
    over = options.over or ("model" if len(answers) > 1 else "indicator")
    title = f"share of {over}s in which a {options.by} has rank 1 (least error) …"
    frames = [one.frame for one in answers]
    return {title: scores.rank_table(pl.concat(frames), options.by, over)}


def _citations(answers: FigureAnswers, _: Limited) -> Frames:
    figures = answers.known_figures()
    return {
        "summary": citation_check.citation_summary(answers.frame, figures),
        "citations": citation_check.citations(answers.frame, figures),
    }


def _correlations(answers: FigureAnswers, _: Any) -> Frames:
    figures = answers.known_figures()
    return {"correlations": analyses.correlations(answers.frame, figures, answers.rule)}


def _consistency(answers: FigureAnswers, _: Any) -> Frames:
    if answers.frame["repeat"].n_unique() < 2:
        whose = answers.model or "the model"
        raise BadRequest(f"{whose} was asked each question once; make a run with --repeats 5")
    return {"consistency": analyses.consistency(answers.frame)}


def _beside_groups(answers: FigureAnswers, _: Any) -> Frames:
    return {"groups": published.beside_groups(answers.frame)}


def _published(answers: Sequence[FigureAnswers], options: Any) -> Frames:
    models = published.place_among_models(pl.concat(one.frame for one in answers))
    return {"models": models, **each_model(_beside_groups)(answers, options)}


def _by(make: Any) -> Any:
    """A table of one frame, named for what it is grouped by."""
    return each_model(lambda one, options: {options.by: make(one.frame, options.by)})


TABLES: dict[str, TableSpec[FigureAnswers]] = {
    "overview": TableSpec(
        help="""Errors, rates of answering and disparities: of all, of regions and of incomes.

        \b
        geobias worldbench overview RUN
        """,
        make=each_model(_overview),
    ),
    "errors": TableSpec(
        help="""Every question with its error, the largest first.

        \b
        geobias worldbench errors RUN --limit 20
        """,
        make=each_model(lambda one, _: {"errors": scores.errors(one.frame)}),
        Options=Limited,
        limit="limit",
    ),
    "groups": TableSpec(
        help="""Mean and median error of each group, with 95% intervals over countries.

        \b
        geobias worldbench groups RUN
        geobias worldbench groups RUN --by indicator --json
        """,
        make=_by(scores.group_errors),
        Options=ByGroup,
    ),
    "disparity": TableSpec(
        help="""The gap between the best and the worst group, and the gap that chance gives.

        \b
        geobias worldbench disparity RUN --by income

        `spread` is the standard deviation of the groups' true means, with Welch's F test (`p`). The
        gap is the paper's; its baseline, a mean of ten random shuffles into equal groups, stands
        beside ours of ten thousand into groups of the same sizes. `dealt` is the gap of the model's
        own answers shuffled among the countries.
        """,
        make=each_model(_disparity),
        Options=Disparities,
    ),
    "pairs": TableSpec(
        help="""Every two regions or incomes compared (Games and Howell), the clearest first.

        \b
        geobias worldbench pairs RUN --by income
        """,
        make=_by(scores.pairs),
        Options=ByGrouping,
    ),
    "sensitivity": TableSpec(
        help="""Do regions and incomes differ: other methods beside the primary one.

        \b
        geobias worldbench sensitivity RUN
        """,
        make=each_model(lambda one, _: {"sensitivity": pl.DataFrame(sensitivity(one.frame).rows)}),
    ),
    "ranks": TableSpec(
        help="""How often each group has the least error, the second least … the most.

        \b
        geobias worldbench ranks RUN
        geobias worldbench ranks RUN RUN RUN --by income
        """,
        make=_ranks,
        Options=Ranks,
    ),
    "countries": TableSpec(
        help="""The countries with the least and with the most error.

        Ranked by `pooled`: the error as if a country had been asked about every indicator, leaning
        on all countries the more the fewer answers it has, so that luck tops no list.

        \b
        geobias worldbench countries RUN --count 10
        """,
        make=each_model(
            lambda one, options: {"countries": countries.country_extremes(one.frame, options.count)}
        ),
        Options=Extremes,
    ),
    "rates": TableSpec(
        help="""How often questions were answered with a number, declined, or answered unreadably.

        \b
        geobias worldbench rates RUN --by income
        """,
        make=_by(scores.rates),
        Options=ByGroup,
    ),
    "citations": TableSpec(
        help="""Answers that cite a source or a year, compared with the figures of every year.

        \b
        geobias worldbench citations RUN
        """,
        make=each_model(_citations),
        Options=Limited,
        limit="limit",
    ),
    "years-fit": TableSpec(
        help="""Which year's figures the answers fit best: how old is what the model knows?

        \b
        geobias worldbench years-fit RUN
        """,
        make=each_model(
            lambda one, _: {"years-fit": analyses.years_fit(one.frame, one.known_figures())}
        ),
    ),
    "correlations": TableSpec(
        help="""What kind of country has large errors: each indicator's value against the error.

        \b
        geobias worldbench correlations RUN
        """,
        make=each_model(_correlations),
    ),
    "consistency": TableSpec(
        help="""Are answers that vary from draw to draw also wrong? Needs a run with --repeats.

        \b
        geobias run worldbench MODEL --repeats 5 --out five.geobias
        geobias worldbench consistency five.geobias
        """,
        make=each_model(_consistency),
    ),
    "published": TableSpec(
        help="""Where a run stands among the twenty models of the paper.

        \b
        geobias worldbench published RUN
        """,
        make=_published,
    ),
}
"""In the order of the help."""
