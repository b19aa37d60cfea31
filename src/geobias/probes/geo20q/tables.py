"""Tables of games other than those of measures.

`geobias table RUN NAME` prints these tables, and the report shows them with a note.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal, NamedTuple, get_args

import msgspec
import polars as pl

from geobias.errors import BadRequest
from geobias.probes.geo20q import analyses, fame, published
from geobias.probes.geo20q.scores import By, Games, language_names
from geobias.probes.probe import run_of
from geobias.probes.settings import Setting
from geobias.probes.tables import Frames, NoOptions, TableSpec, each_model
from geobias.results.findings import Table
from geobias.results.tables import table_from

_SHOWN = (1, 5, 15, *range(10, 151, 10))
"""Allowed turns that people see; programs get all."""
PlaceBy = Literal["region", "continent", "north_south"]
KindBy = Literal["kind", "country", "region", "continent", "north_south", "west_east"]


class GameTable(NamedTuple):
    """A table of games.

    title    the title, also shown in lists of tables
    make     makes the table from the games and, if there are several groupings, the chosen one
    note     a note below the table in a report, and in the command's help
    by       the possible groupings
    usual    the default grouping
    several  the report shows the table only if this column has several values; "" for always
    """

    title: str
    make: Callable[..., pl.DataFrame]
    note: str = ""
    by: Any = None
    usual: str = "all"
    several: str = ""
    people: Callable[[Frames], Frames] = lambda frames: frames

    def of(self, answers: Games, by: str) -> pl.DataFrame:
        table = self.make(answers.games, *([by] if self.by else []))
        return language_names(table) if "language" in table.columns else table


def _few_turns(frames: Frames) -> Frames:
    turns = pl.col("allowed_turns")
    last = turns.shift(-1, fill_value=0) < turns  # the last row of its curve
    return {title: table.filter(turns.is_in(_SHOWN) | last) for title, table in frames.items()}


def _repeats(games: pl.DataFrame, by: By) -> pl.DataFrame:
    if games["repeat"].n_unique() < 2:
        raise BadRequest("each game was played once; make a run with --repeats 5")
    return analyses.repeats(games, by)


OF_GAMES = {
    "rules": GameTable(
        "Games won by each rule",
        analyses.rules,
        "`guess`: a turn proposes the target as the answer. `mention`: a turn names the target "
        "in any role, as published. Both are over the same games. `only mention`: games won by "
        "that rule alone.",
    ),
    "halves": GameTable(
        "Halves of the world, on country means (the paper's Table 5)",
        analyses.halves,
        "Means over a half's countries. `p` is the paper's Mann–Whitney test, which is about "
        "ranks, and `effect` its rank-biserial correlation; `difference_p` is Welch's.",
    ),
    "equal-fame": GameTable(
        "Halves of the world among those it knows, and at equal fame or standing",
        fame.equal_fame,
        "`knowledge`: the gap among targets that the model knows when it is asked directly. The "
        "other rows have all targets, known or not: success is regressed on the half of the "
        "world and on log page views, the level of vital article or the log frequency in a "
        "corpus. `left out`: games for which that figure is unknown.",
    ),
    "regression": GameTable(
        "Success and turns on fame (the paper's Table 3)",
        analyses.regression,
        "`--frequency counts.parquet` adds how often a corpus names each entity (`geobias count`).",
    ),
    "curve": GameTable(
        "Success against allowed turns, 1 to 150 (the paper's Figure 4)",
        analyses.curve,
        "The band is for each number of turns by itself, not for the whole curve.",
        By,
        people=_few_turns,
    ),
    "give-ups": GameTable(
        "Giving up, and at which turn (the paper's Table 9)", analyses.give_ups, by=By
    ),
    "instead": GameTable(
        "Who was guessed instead, and from where",
        analyses.wrong_guesses,
        "For the lost games of each region: where the guessed entities are from.",
        PlaceBy,
        "region",
    ),
    "questions": GameTable(
        "The guesser's questions, and the judge's answers",
        analyses.questions,
        "`bits`: information about the country gained by a question. `outside`: questions about "
        "places that do not contain the target, before the first about one that does (`entered`).",
        By,
        "region",
    ),
    "first-places": GameTable("Asked about first", analyses.first_places),
    "repeats": GameTable(
        "Mean and SD over repeats (the paper's Table 7)",
        _repeats,
        by=By,
        usual="continent",
        several="repeat",
    ),
    "languages": GameTable(
        "Success and turns by language and continent (the paper's Tables 4 and 8)",
        analyses.by_language,
        "If some entities were played in every language, only these are used: `entities`.",
        several="language",
    ),
    "language-changes": GameTable(
        "What another language changes",
        analyses.language_changes,
        "Paired by entity, over countries: the share won in the language minus that in the first. "
        "`p_continents`: is the change the same on every continent (Welch's F)? `home less`: the "
        "change where the language is official minus that elsewhere. `p_holm` allows for all rows.",
        several="language",
    ),
}
ABOUT_ENTITIES = {
    "targets": GameTable(
        "Entities by kind or place (the paper's Figures 3 and 6)",
        analyses.entities_by,
        by=KindBy,
        usual="kind",
    ),
    "ranks": GameTable(
        "Fame of the entities by rank, at a selection of ranks (the paper's Figure 5)",
        analyses.fame_ranks,
    ),
}
"""Tables that are not in a report."""


def _spec(name: str, one: GameTable) -> TableSpec[Games]:
    by = f" --by {get_args(one.by)[-1]}" if one.by else ""
    grouping = ("by", Annotated[one.by, Setting("What to group by.")], one.usual)
    return TableSpec(
        help=f"{one.title}.\n\n\b\ngeobias table RUN {name}{by}\n\n{one.note}".rstrip(),
        make=each_model(
            lambda answers, options: {one.title: one.of(answers, getattr(options, "by", one.usual))}
        ),
        Options=msgspec.defstruct("By", [grouping], frozen=True) if one.by else NoOptions,
        people=one.people,
    )


def report_tables(answers: Games, *, brief: bool) -> dict[str, Table]:
    """Return the tables of a report, including the comparisons with the paper's tables.

    If `brief`, return only the table that the sentences need.
    """
    tables = {}
    for name, one in OF_GAMES.items():
        if brief and name != "rules":
            continue
        if not one.several or answers.games[one.several].n_unique() > 1:
            table = one.of(answers, one.usual)
            if name == "curve":
                halves = one.of(answers, "north_south")
                table = pl.concat([table, halves], how="diagonal_relaxed")
            tables[name.replace("-", "_")] = table_from(table, one.title, one.note)
    if brief:
        return tables
    for title, rows in _among_published(answers).items():
        name = "published_" + title.replace(" ", "_").lower()
        tables[name] = table_from(rows, f"Beside the paper: {title}", published.NOTE)
    return tables


# What is not of one run's games -------------------------------------------------------------------


def _among_published(answers: Games) -> Frames:
    return published.rows_among_published(answers.games, run_of(answers).settings)


def _published(answers: Sequence[Games], _: Any) -> Frames:
    """Return the paper's tables once, with the rows of all runs among them."""
    parts: dict[str, list[pl.DataFrame]] = {}
    for one in answers:
        for title, table in _among_published(one).items():
            parts.setdefault(title, []).append(table)
    return {
        title: pl.concat(tables, how="diagonal_relaxed").unique(maintain_order=True)
        for title, tables in parts.items()
    }


TABLES: dict[str, TableSpec[Games]] = {
    name: _spec(name, one) for name, one in (OF_GAMES | ABOUT_ENTITIES).items()
} | {
    "published": TableSpec(
        help="Runs beside the models of the paper.\n\n\b\ngeobias table RUN published",
        make=_published,
        notes=lambda answers, options: [published.NOTE],
    ),
}
