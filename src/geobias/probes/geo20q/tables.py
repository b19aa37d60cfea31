"""The tables of `geobias geo20q`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import msgspec

from geobias.errors import BadRequest
from geobias.probes.geo20q import analyses, fame, play_style, published, scores
from geobias.probes.geo20q.answers import Games
from geobias.probes.geo20q.grouping import By, JudgeBy
from geobias.probes.geo20q.judge_scores import judge_groups, judge_halves
from geobias.probes.geo20q.judging import JUDGE_RECORDS
from geobias.probes.settings import Setting
from geobias.probes.tables import TableSpec, each_model

if TYPE_CHECKING:
    import polars as pl

    Frames: TypeAlias = Mapping[str, pl.DataFrame]

_SHOWN = (1, 5, 15, *range(10, 151, 10))
"""Allowed turns that people see; programs get every one."""
_BY = Setting("What to group by.")


class ByAll(msgspec.Struct, frozen=True):
    """Everything together, unless a grouping is named."""

    by: Annotated[By, _BY] = "all"


class ByRegion(msgspec.Struct, frozen=True):
    """Regions, unless another grouping is named."""

    by: Annotated[By, _BY] = "region"


class ByContinent(msgspec.Struct, frozen=True):
    """Continents, unless another grouping is named."""

    by: Annotated[By, _BY] = "continent"


class ByPlace(msgspec.Struct, frozen=True):
    """Where a guess is from."""

    by: Annotated[Literal["region", "continent", "north_south"], _BY] = "region"


class ByJudged(msgspec.Struct, frozen=True):
    """What questions to the judge are grouped by."""

    by: Annotated[JudgeBy, _BY] = "region"


def _of_games(
    make: Callable[[pl.DataFrame, Any], Frames],
) -> Callable[[Sequence[Games], Any], Frames]:
    """A table made of one model's games and what they are grouped by."""
    return each_model(lambda one, options: make(one.frame, getattr(options, "by", "all")))


def _success(frame: pl.DataFrame, by: By) -> Frames:
    if by == "country":
        won = scores.country_success(frame)
    elif by == "language":
        same = scores.in_every_language(frame)
        won = scores.success(same if same.height else frame, by)
    else:
        won = scores.success(frame, by)
    return {"success": won, "endings": scores.endings(frame)}


def _compared_on(answers: Sequence[Games], options: ByAll) -> list[str]:
    if options.by != "language":
        return []
    return [_named(answers, one, scores.on_the_same(one.frame)) for one in answers]


def _named(answers: Sequence[Games], one: Games, sentence: str) -> str:
    return f"{one.model}: {sentence}" if len(answers) > 1 else sentence


def _some_turns(found: Frames) -> Frames:
    import polars as pl

    turns = pl.col("allowed_turns")
    groups = ("model", "type", "setting", "group")
    return {
        title: table.filter(
            turns.is_in(_SHOWN)
            | (turns == turns.max().over([name for name in groups if name in table.columns]))
        )
        for title, table in found.items()
    }


def _repeats(frame: pl.DataFrame, by: By) -> Frames:
    if frame["repeat"].n_unique() < 2:
        raise BadRequest("each game was played once; make a run with --repeats 5")
    return {"repeats": scores.repeats(frame, by)}


def _published(answers: Sequence[Games], _: Any) -> Frames:
    """The paper's rows once, the runs' among them."""
    import polars as pl

    parts: dict[str, list[pl.DataFrame]] = {}
    for one in answers:
        for title, table in published.beside(one.frame).items():
            parts.setdefault(title, []).append(table)
    return {
        title: found[0]
        if len(found) == 1
        else pl.concat(found, how="diagonal").unique(maintain_order=True)
        for title, found in parts.items()
    }


def _not_compared(answers: Sequence[Games], _: Any) -> list[str]:
    return [f"{one.model}: {said}" for one in answers for said in published.left_out(one.frame)]


def judged_facts(judge: pl.DataFrame, by: str) -> Frames:
    """What a judge knows: of all, by question and by group; and between the halves of the world."""
    import polars as pl

    groupings = dict.fromkeys(("all", "question", by))
    return {
        "known facts": pl.concat(judge_groups(judge, one) for one in groupings),
        "halves of the world": judge_halves(judge),
    }


def _judging(one: Games, options: ByJudged) -> Frames:
    if not one.judge.height:
        raise BadRequest(f"{one.model}: no known facts were asked; see geobias geo20q judge")
    return judged_facts(one.judge, options.by)


TABLES: dict[str, TableSpec[Games]] = {
    "success": TableSpec(
        help="""Share of games won, with intervals over countries.

        \b
        geobias geo20q success RUN
        geobias geo20q success RUN --by profession --json

        Languages are compared on the entities that were played in every one of them.
        """,
        make=_of_games(_success),
        Options=ByAll,
        notes=_compared_on,
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
    "curve": TableSpec(
        help="""Success against the number of turns allowed, 1 to 150 (the paper's Figure 4).

        \b
        geobias geo20q curve RUN --by north_south
        """,
        make=_of_games(
            lambda frame, by: {"success against allowed turns": analyses.curve(frame, by)}
        ),
        Options=ByAll,
        people=_some_turns,
    ),
    "groups": TableSpec(
        help="""North against South and West against East, on country means (the paper's Table 5).

        \b
        geobias geo20q groups RUN

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
                "the gap at equal fame": fame.held_constant(frame),
            }
        ),
    ),
    "instead": TableSpec(
        help="""What was guessed instead of the target, and from where.

        \b
        geobias geo20q instead RUN --by continent
        """,
        make=_of_games(lambda frame, by: {"guessed instead": play_style.wrong_guesses(frame, by)}),
        Options=ByPlace,
    ),
    "questions": TableSpec(
        help="""Repeated, contradictory and non-yes/no questions; and how the judge answered them.

        \b
        geobias geo20q questions RUN --by region
        """,
        make=_of_games(
            lambda frame, by: {
                "the guesser's questions": play_style.questions(frame, by),
                "the judge's answers": play_style.judging_in_games(frame, by),
            }
        ),
        Options=ByAll,
    ),
    "places": TableSpec(
        help="""Which place is asked about first, and how long one looks elsewhere.

        \b
        geobias geo20q places RUN
        geobias geo20q places RUN --by north_south --json
        """,
        make=_of_games(
            lambda frame, by: {
                "questions before the right place": play_style.search_before_target(frame, by),
                "asked about first": play_style.first_places(frame),
            }
        ),
        Options=ByRegion,
    ),
    "repeats": TableSpec(
        help="""Mean and SD over repeats (the paper's Table 7). Needs a run with --repeats.

        \b
        geobias run geo20q MODEL --repeats 5 --out five.geobias
        geobias geo20q repeats five.geobias
        """,
        make=_of_games(_repeats),
        Options=ByContinent,
    ),
    "published": TableSpec(
        help="""Runs beside the models of the paper.

        \b
        geobias geo20q published RUN
        """,
        make=_published,
        notes=_not_compared,
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
