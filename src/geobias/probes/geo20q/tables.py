"""The tables of `geobias geo20q` that are of no measure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal

import msgspec
import polars as pl

from geobias.errors import BadRequest
from geobias.probes.geo20q import analyses, fame, play, published, regressions, scores
from geobias.probes.geo20q.judging import JUDGE_RECORDS, JudgeBy, judge_groups
from geobias.probes.geo20q.language_changes import language_changes
from geobias.probes.geo20q.scores import By, Games
from geobias.probes.sections import run_of
from geobias.probes.settings import Setting
from geobias.probes.tables import Frames, TableSpec, each_model

_SHOWN = (1, 5, 15, *range(10, 151, 10))
"""Allowed turns that people see; programs get every one."""


def _options(groupings: Any, default: str) -> type[msgspec.Struct]:
    """The one option `by` of a table."""
    by = ("by", Annotated[groupings, Setting("What to group by.")], default)
    return msgspec.defstruct("By", [by], frozen=True)


ByAll = _options(By, "all")
ByJudged = _options(JudgeBy, "region")


def _of_games(
    make: Callable[[pl.DataFrame, Any], Frames],
) -> Callable[[Sequence[Games], Any], Frames]:
    return each_model(lambda one, options: make(one.games, getattr(options, "by", "all")))


def _few_turns(frames: Frames) -> Frames:
    turns = pl.col("allowed_turns")
    groups = ("model", "type", "setting", "group")
    return {
        title: table.filter(
            turns.is_in(_SHOWN)
            | (turns == turns.max().over([name for name in groups if name in table.columns]))
        )
        for title, table in frames.items()
    }


def _repeats(frame: pl.DataFrame, by: By) -> Frames:
    if frame["repeat"].n_unique() < 2:
        raise BadRequest("each game was played once; make a run with --repeats 5")
    return {"repeats": analyses.repeats(frame, by)}


def _beside_the_paper(one: Games) -> Frames:
    return published.rows_among_published(one.games, run_of(one).settings)


def _published(answers: Sequence[Games], _: Any) -> Frames:
    """The paper's rows once, the runs' among them."""
    parts: dict[str, list[pl.DataFrame]] = {}
    for one in answers:
        for title, table in _beside_the_paper(one).items():
            parts.setdefault(title, []).append(table)
    return {
        title: pl.concat(tables, how="diagonal").unique(maintain_order=True)
        if len(tables) > 1
        else tables[0]
        for title, tables in parts.items()
    }


def _left_out(answers: Sequence[Games], _: Any) -> list[str]:
    return [
        f"{one.model}: {note}"
        for one in answers
        for note in published.left_out(one.games, run_of(one).settings)
    ]


def judged_facts(judge: pl.DataFrame, by: JudgeBy) -> Frames:
    """What a judge knows: of all, by question and by group."""
    groupings: dict[JudgeBy, None] = dict.fromkeys(("all", "question", by))
    return {"known facts": pl.concat(judge_groups(judge, one) for one in groupings)}


def _judging(one: Games, options: Any) -> Frames:
    if not one.judge.height:
        raise BadRequest(f"{one.model}: no known facts were asked; see geobias geo20q judge")
    return judged_facts(one.judge, options.by)


TABLES: dict[str, TableSpec[Games]] = {
    "rules": TableSpec(
        help="""Games won by each rule: a turn proposes the target, or names it in any role.

        \b
        geobias table RUN rules

        Both rules read the same transcripts. Every table can be had by either, with --rule.
        """,
        make=_of_games(lambda frame, by: {"games won by each rule": analyses.rules(frame)}),
    ),
    "languages": TableSpec(
        help="""Success and turns by language and continent (the paper's Tables 4 and 8).

        \b
        geobias run geo20q MODEL --language all --out nine.geobias
        geobias table nine.geobias languages

        Languages are compared on the entities that were played in every one of them. `changes`
        pairs them by entity: what a language changes over all, by continent, and at home, where it
        is official.
        """,
        make=_of_games(
            lambda frame, by: {
                "by language and continent": analyses.by_language(frame),
                "changes": language_changes(frame),
            }
        ),
        notes=lambda answers, options: [scores.languages_note(one.games) for one in answers],
    ),
    "targets": TableSpec(
        help="""What the games are about: entities by kind or place (the paper's Figures 3 and 6).

        \b
        geobias table RUN targets
        geobias table RUN targets --by country
        """,
        make=_of_games(lambda frame, by: {"entities": analyses.entities_by(frame, by)}),
        Options=_options(analyses.KindBy, "kind"),
    ),
    "ranks": TableSpec(
        help="""Fame of the entities by rank: its heavy tail (the paper's Figure 5).

        \b
        geobias table RUN ranks
        geobias table RUN ranks --frequency counts.parquet

        Of the later ranks only some are shown, evenly apart in logarithms. Where only people or
        only things have figures, the others have a row without a rank.
        """,
        make=_of_games(
            lambda frame, by: {"fame by rank (a selection of ranks)": analyses.fame_ranks(frame)}
        ),
    ),
    "curve": TableSpec(
        help="""Success against the number of turns allowed, 1 to 150 (the paper's Figure 4).

        \b
        geobias table RUN curve --by north_south
        """,
        make=_of_games(
            lambda frame, by: {"success against allowed turns": analyses.curve(frame, by)}
        ),
        Options=ByAll,
        people=_few_turns,
    ),
    "groups": TableSpec(
        help="""North against South and West against East, on country means (the paper's Table 5).

        \b
        geobias table RUN groups

        p and p_holm are the paper's Mann–Whitney test, which is about ranks; difference_p (Welch)
        is about means.

        Each comparison is made twice: of all games, and without those in which one of the judge's
        first three checkable answers goes against the entity table. Where the two differ, the judge
        is part of the gap. Later answers do not count: lost games are long and have more of them,
        so that leaving out games with any error would leave out losses. Columns "few" count the
        games with fewer than three such answers.
        """,
        make=_of_games(lambda frame, by: {"halves of the world": analyses.halves(frame)}),
    ),
    "regression": TableSpec(
        help="""Does fame explain it? Success and turns on page views and frequency (Table 3).

        \b
        geobias table RUN regression
        geobias table RUN regression --frequency counts.parquet --views pageviews.csv
        """,
        make=_of_games(lambda frame, by: {"fame": regressions.regression(frame)}),
    ),
    "equal-fame": TableSpec(
        help="""North minus South, West minus East: of targets it knows, and at equal fame.

        \b
        geobias table RUN equal-fame
        geobias table RUN equal-fame --frequency counts.parquet
        geobias table RUN equal-fame --views pageviews.csv
        """,
        make=_of_games(
            lambda frame, by: {"at equal fame, and at equal standing": fame.equal_fame(frame)}
        ),
    ),
    "instead": TableSpec(
        help="""What was guessed instead of the target, and from where.

        \b
        geobias table RUN instead --by continent
        """,
        make=_of_games(lambda frame, by: {"guessed instead": play.wrong_guesses(frame, by)}),
        Options=_options(Literal["region", "continent", "north_south"], "region"),
    ),
    "questions": TableSpec(
        help="""Repeated, contradictory and non-yes/no questions; and how the judge answered them.

        \b
        geobias table RUN questions --by region
        """,
        make=_of_games(
            lambda frame, by: {
                "the guesser's questions": play.questions(frame, by),
                "the judge's answers": play.judging_in_games(frame, by),
            }
        ),
        Options=ByAll,
    ),
    "places": TableSpec(
        help="""Which place is asked about first, and how long the guesser looks elsewhere.

        \b
        geobias table RUN places
        geobias table RUN places --by north_south --json
        """,
        make=_of_games(
            lambda frame, by: {
                "questions before the right place": play.search_before_target(frame, by),
                "asked about first": play.first_places(frame),
            }
        ),
        Options=_options(By, "region"),
    ),
    "repeats": TableSpec(
        help="""Mean and SD over repeats (the paper's Table 7). Needs a run with --repeats.

        \b
        geobias run geo20q MODEL --repeats 5 --out five.geobias
        geobias table five.geobias repeats
        """,
        make=_of_games(_repeats),
        Options=_options(By, "continent"),
    ),
    "published": TableSpec(
        help="""Runs beside the models of the paper.

        \b
        geobias table RUN published
        """,
        make=_published,
        notes=_left_out,
    ),
    "judging": TableSpec(
        help="""What the judge of a run knows: accuracy and self-contradiction on known facts.

        \b
        geobias table RUN judging --by continent
        """,
        make=each_model(_judging),
        Options=ByJudged,
        records=JUDGE_RECORDS,
    ),
}
"""In the order of the help."""
