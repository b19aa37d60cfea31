"""The tables of `geobias geo20q`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal

import msgspec
import polars as pl

from geobias.errors import BadRequest
from geobias.probes.geo20q import (
    analyses,
    fame,
    findings,
    published,
    scores,
)
from geobias.probes.geo20q.judging import JUDGE_RECORDS, JudgeBy, judge_groups, judge_halves
from geobias.probes.geo20q.language_changes import language_changes
from geobias.probes.geo20q.scores import By, Games
from geobias.probes.sections import run_of
from geobias.probes.settings import Setting
from geobias.probes.tables import Frames, TableSpec, each_model
from geobias.results.verdicts import sensitivity_table

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
    return each_model(lambda one, options: make(one.frame, getattr(options, "by", "all")))


def _success(frame: pl.DataFrame, by: By) -> Frames:
    if by == "country":
        won = scores.country_success(frame)
    else:
        won = scores.success(scores.in_every_language(frame) if by == "language" else frame, by)
    return {"success": won, "endings": scores.endings(frame)}


def _languages_notes(answers: Sequence[Games], options: Any) -> list[str]:
    if getattr(options, "by", "language") != "language":
        return []
    return [
        (f"{one.model}: " if len(answers) > 1 else "") + scores.languages_note(one.frame)
        for one in answers
    ]


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


_BAR = 24
"""Characters of the longest bar."""


def _with_bars(frames: Frames, column: str) -> Frames:
    """A bar beside each number, the longest for the largest of its table."""
    drawn = {}
    for title, table in frames.items():
        most = max((value for value in table[column].to_list() if value), default=1)
        lengths = [round(_BAR * (value or 0) / most) for value in table[column]]
        drawn[title] = table.with_columns(pl.Series("", ["█" * n for n in lengths], pl.String))
    return drawn


def _sides_together(frames: Frames) -> Frames:
    """What is counted of either half in one column, "23/41": there is little room."""
    counts = {name: (f"first_{name}", f"second_{name}") for name in fame.COUNTED}
    won = ("first_no_figure_success", "second_no_figure_success")
    shares = [pl.col(side).round(2).cast(pl.String).fill_null("–").alias(side) for side in won]
    pairs = [pl.format("{}/{}", *sides).alias(name) for name, sides in counts.items()]
    pairs.append(pl.format("{}/{}", *won).alias("won_of_them"))
    shown = {}
    for title, table in frames.items():
        none = not any(table[side].sum() for side in counts["no_figure"])
        unneeded = ("no_figure", "won_of_them") if none else ()
        paired = table.with_columns(shares).with_columns(pairs)
        shown[title] = paired.drop(pl.selectors.matches("^(first|second)_"), *unneeded)
    return shown


def _languages(frame: pl.DataFrame, by: By) -> Frames:
    return {
        "success and turns by language and continent": analyses.by_language(frame),
        "changes": language_changes(frame),
    }


def _repeats(frame: pl.DataFrame, by: By) -> Frames:
    if frame["repeat"].n_unique() < 2:
        raise BadRequest("each game was played once; make a run with --repeats 5")
    return {"repeats": scores.repeats(frame, by)}


def _beside_the_paper(one: Games) -> Frames:
    return published.rows_among_published(one.frame, run_of(one).settings)


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
        for note in published.left_out(one.frame, run_of(one).settings)
    ]


def judged_facts(judge: pl.DataFrame, by: JudgeBy) -> Frames:
    """What a judge knows: of all, by question and by group; and between the halves of the world."""
    groupings: dict[JudgeBy, None] = dict.fromkeys(("all", "question", by))
    return {
        "known facts": pl.concat(judge_groups(judge, one) for one in groupings),
        "halves of the world": judge_halves(judge),
    }


def _judging(one: Games, options: Any) -> Frames:
    if not one.judge.height:
        raise BadRequest(f"{one.model}: no known facts were asked; see geobias geo20q judge")
    return judged_facts(one.judge, options.by)


def _sensitivity(frame: pl.DataFrame, by: By) -> Frames:
    table = sensitivity_table([*findings.sensitivity(frame)])
    columns = [one.name for one in table.columns]
    return {"does the conclusion hold?": pl.DataFrame(table.rows, schema=columns)}


TABLES: dict[str, TableSpec[Games]] = {
    "success": TableSpec(
        help="""Share of games won, with intervals over countries.

        \b
        geobias geo20q success RUN
        geobias geo20q success RUN --by profession --json

        Languages are compared on the entities that were played in every one of them. `changes`
        pairs them by entity: what a language changes over all, by continent, and at home, where it
        is official.
        """,
        make=_of_games(_success),
        Options=ByAll,
        notes=_languages_notes,
    ),
    "rules": TableSpec(
        help="""Games won by each rule: a turn proposes the target, or names it in any role.

        \b
        geobias geo20q rules RUN
        geobias geo20q success RUN --rule mention

        Both rules read the same transcripts. Every table can be had by either, with --rule.
        """,
        make=_of_games(lambda frame, by: {"games won by each rule": scores.rules(frame)}),
    ),
    "turns": TableSpec(
        help="""Turns to success of won games, and turns at which the guesser gave up.

        \b
        geobias geo20q turns RUN --by continent
        """,
        make=_of_games(
            lambda frame, by: {
                "turns to success": scores.turns(frame, by),
                "giving up": scores.give_ups(frame, by),
            }
        ),
        Options=ByAll,
    ),
    "languages": TableSpec(
        help="""Success and turns by language and continent (the paper's Tables 4 and 8).

        \b
        geobias run geo20q MODEL --language all --out nine.geobias
        geobias geo20q languages nine.geobias

        Languages are compared on the entities that were played in every one of them. `changes`
        pairs them by entity: what a language changes over all, by continent, and at home, where it
        is official.
        """,
        make=_of_games(_languages),
        notes=_languages_notes,
    ),
    "targets": TableSpec(
        help="""What the games are about: entities by kind or place (the paper's Figures 3 and 6).

        \b
        geobias geo20q targets RUN
        geobias geo20q targets RUN --by country
        """,
        make=_of_games(lambda frame, by: {"entities": analyses.entities_by(frame, by)}),
        Options=_options(analyses.KindBy, "kind"),
        people=lambda frames: _with_bars(frames, "entities"),
    ),
    "ranks": TableSpec(
        help="""Fame of the entities by rank: its heavy tail (the paper's Figure 5).

        \b
        geobias geo20q ranks RUN
        geobias geo20q ranks RUN --frequency counts.parquet

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
        geobias geo20q curve RUN --by north_south
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
        geobias geo20q groups RUN

        Difference, its interval and difference_p (Welch) speak about means; u, p and p_holm are the
        paper's Mann–Whitney test, which is about ranks.

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
        geobias geo20q regression RUN
        geobias geo20q regression RUN --frequency counts.parquet --views pageviews.csv
        """,
        make=_of_games(
            lambda frame, by: {
                "fame": fame.regression(frame),
                "the gap at equal fame": fame.gap_at_equal_views(frame),
            }
        ),
    ),
    "equal-fame": TableSpec(
        help="""North minus South, West minus East: of targets it knows, and at equal fame.

        \b
        geobias geo20q equal-fame RUN
        geobias geo20q equal-fame RUN --frequency counts.parquet
        geobias geo20q equal-fame RUN --views pageviews.csv
        """,
        make=_of_games(
            lambda frame, by: {"at equal fame, and at equal standing": fame.equal_fame(frame)}
        ),
        people=_sides_together,
    ),
    "sensitivity": TableSpec(
        help="""Does the conclusion hold? Each gap beside what other methods say of it.

        \b
        geobias geo20q sensitivity RUN
        """,
        make=_of_games(_sensitivity),
    ),
    "instead": TableSpec(
        help="""What was guessed instead of the target, and from where.

        \b
        geobias geo20q instead RUN --by continent
        """,
        make=_of_games(lambda frame, by: {"guessed instead": analyses.wrong_guesses(frame, by)}),
        Options=_options(Literal["region", "continent", "north_south"], "region"),
    ),
    "questions": TableSpec(
        help="""Repeated, contradictory and non-yes/no questions; and how the judge answered them.

        \b
        geobias geo20q questions RUN --by region
        """,
        make=_of_games(
            lambda frame, by: {
                "the guesser's questions": analyses.questions(frame, by),
                "the judge's answers": analyses.judging_in_games(frame, by),
            }
        ),
        Options=ByAll,
    ),
    "places": TableSpec(
        help="""Which place is asked about first, and how long the guesser looks elsewhere.

        \b
        geobias geo20q places RUN
        geobias geo20q places RUN --by north_south --json
        """,
        make=_of_games(
            lambda frame, by: {
                "questions before the right place": analyses.search_before_target(frame, by),
                "asked about first": analyses.first_places(frame),
            }
        ),
        Options=_options(By, "region"),
    ),
    "repeats": TableSpec(
        help="""Mean and SD over repeats (the paper's Table 7). Needs a run with --repeats.

        \b
        geobias run geo20q MODEL --repeats 5 --out five.geobias
        geobias geo20q repeats five.geobias
        """,
        make=_of_games(_repeats),
        Options=_options(By, "continent"),
    ),
    "published": TableSpec(
        help="""Runs beside the models of the paper.

        \b
        geobias geo20q published RUN
        """,
        make=_published,
        notes=_left_out,
    ),
    "judging": TableSpec(
        help="""What the judge of a run knows: accuracy and self-contradiction on known facts.

        \b
        geobias geo20q judging RUN --by continent
        """,
        make=each_model(_judging),
        Options=ByJudged,
        records=JUDGE_RECORDS,
    ),
}
"""In the order of the help."""
