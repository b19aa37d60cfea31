"""Tables of games other than those of measures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import msgspec
import polars as pl

from geobias.errors import BadRequest
from geobias.probes.geo20q import analyses, fame, published
from geobias.probes.geo20q.scores import By, Games
from geobias.probes.settings import Setting
from geobias.probes.tables import Frames, NoOptions, TableSpec, each_model


def _table(
    name: str, title: str, make: Callable[..., pl.DataFrame], note: str = "", by: str = ""
) -> TableSpec[Games]:
    """Declare a table of games. `by` is the usual grouping, if the user may choose one."""

    def made(answers: Games, options: Any) -> Frames:
        return {title: make(answers.games, *([options.by] if by else []))}

    grouping = ("by", Annotated[By, Setting("What to group by.")], by)
    example = f"geobias table RUN {name}{' --by country' if by else ''}"
    return TableSpec(
        help=f"{title}.\n\n\b\n{example}\n\n{note}".rstrip(),
        make=each_model(made),
        Options=msgspec.defstruct("By", [grouping], frozen=True) if by else NoOptions,
        title=title,
        note=note,
    )


def _repeats(games: pl.DataFrame, by: By) -> pl.DataFrame:
    if games["repeat"].n_unique() < 2:
        raise BadRequest("each game was played once; make a run with --repeats 5")
    return analyses.repeats(games, by)


TABLES: dict[str, TableSpec[Games]] = {
    "rules": _table(
        "rules",
        "Games won by each rule",
        analyses.rules,
        "`guess`: a turn proposes the target as the answer. `mention`: a turn names the target "
        "in any role, as published. Both are over the same games. `only mention`: games won by "
        "that rule alone.",
    ),
    "halves": _table(
        "halves",
        "Halves of the world, on country means (the paper's Table 5)",
        analyses.halves,
        "Means over a half's countries. `p` is the paper's Mann–Whitney test, which is about "
        "ranks, and `effect` its rank-biserial correlation.",
    ),
    "equal-fame": _table(
        "equal-fame",
        "Halves of the world among those it knows, and at equal fame",
        fame.equal_fame,
        "`knowledge`: the gap among targets that the model knows when it is asked directly. The "
        "other rows have all targets, known or not: success is regressed on the half of the "
        "world and on log page views, or the log frequency in a corpus (`--frequency`). `left "
        "out`: games for which that figure is unknown.",
    ),
    "regression": _table(
        "regression",
        "Success and turns on fame (the paper's Table 3)",
        analyses.regression,
        "`--frequency counts.parquet` adds how often a corpus names each entity (`geobias count`).",
    ),
    "curve": _table(
        "curve",
        "Success against allowed turns, 1 to 150 (the paper's Figure 4)",
        analyses.curve,
        "Intervals are for each number of turns by itself, not for the whole curve.",
        by="all",
    ),
    "give-ups": _table(
        "give-ups",
        "Giving up, and at which turn (the paper's Table 9)",
        analyses.give_ups,
        by="all",
    ),
    "instead": _table(
        "instead",
        "Who was guessed instead, and from where",
        analyses.wrong_guesses,
        "For the lost games of each region (`target`): how many wrong guesses are from each region "
        "(EAS is East Asia & Pacific). Compare the numbers of a column, not of a row.",
    ),
    "questions": _table(
        "questions",
        "The guesser's questions, and the judge's answers",
        analyses.questions,
        "`bits`: information about the country gained by a question. `outside`: questions about "
        "places that do not contain the target, before the first about one that does (`entered`).",
        by="region",
    ),
    "repeats": _table(
        "repeats", "Mean and SD over repeats (the paper's Table 7)", _repeats, by="continent"
    ),
    "published": TableSpec(
        help="Runs beside the models of the paper.\n\n\b\ngeobias table RUN published",
        make=lambda answers, options: published.beside_paper(answers),
        notes=lambda answers, options: [published.NOTE],
        title="Beside the paper",
        note=published.NOTE,
    ),
}
