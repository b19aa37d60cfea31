"""What a report shows of games beside their measures: tables, and sentences made of them."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from geobias.probes.geo20q import analyses, fame, play, published, regressions
from geobias.probes.geo20q.judging import LEAST_ACCURACY, judge_groups
from geobias.probes.geo20q.language_changes import language_changes
from geobias.probes.geo20q.scores import (
    Games,
    in_every_language,
    language_names,
    languages_note,
)
from geobias.probes.probe import Further
from geobias.probes.sections import run_of
from geobias.results.findings import Section, SentenceKind, Table
from geobias.results.formatting import counted
from geobias.results.tables import (
    metric_of,
    metric_percents,
    rows_of,
    table_from,
    with_adjusted,
)


def further(answers: Games, *, brief: bool) -> Further:
    tables = _of_sentences(answers.games)
    if not brief:
        tables |= _of_games(answers) | _of_paper(answers)
    return Further(tables, _sentences)


def _of_sentences(games: pl.DataFrame) -> dict[str, Table]:
    return {
        "rules": table_from(
            analyses.rules(games),
            "Games won by each rule",
            "`guess`: a turn proposes the target as the answer. `mention`: it names it in any "
            "role, as published. Both are of the same games. `only mention`: won by that rule "
            "alone.",
        ),
        "judging": table_from(play.judging_in_games(games), "The judge's answers in games"),
    }


def _of_games(answers: Games) -> dict[str, Table]:
    games, own_languages = answers.games, run_of(answers).settings.get("own_languages", {})
    band = "The band is for each number of turns alone."
    made = [
        (
            "halves",
            analyses.halves(games),
            "Halves of the world",
            "Means over a half's countries. `p` is the paper's Mann–Whitney test, which is about "
            "ranks, and `effect` its rank-biserial correlation; `difference_p` is Welch's. The "
            "rows `judge right` leave out games in which one of the judge's first answers that can "
            "be checked goes against the entity table.",
        ),
        (
            "equal_fame",
            fame.equal_fame(games),
            "Among those it knows, and at equal fame or standing",
            "`known`: the gap among targets that the model knows when it is asked directly. "
            "`difference`: known or not, success is explained by the half of the world and by "
            "log page views (people) or the level of vital article (things). `no figure`: games "
            "left out because that is unknown.",
        ),
        (
            "fame",
            with_adjusted(regressions.regression(games), "success_p", "turns_p"),
            "Success and fame",
            "",
        ),
        ("curve", analyses.curve(games), "Success against allowed turns", band),
        (
            "curve_halves",
            analyses.curve(games, "north_south"),
            "Success against allowed turns, by half of the world",
            band,
        ),
        ("give_ups", analyses.give_ups(games), "Giving up", ""),
        (
            "instead",
            play.wrong_guesses(games),
            "Who was guessed instead",
            "Of each region's games that were lost, where the entity guessed last is from.",
        ),
        ("questions", play.questions(games), "The guesser's questions", ""),
        ("first_places", play.first_places(games), "Asked about first", ""),
        (
            "entering",
            play.search_before_target(games),
            "Questions about other places, before the right one",
            "",
        ),
    ]
    if games["repeat"].n_unique() > 1:
        made.append(("repeats", analyses.repeats(games), "Mean and SD over repeats", ""))
    if games["language"].n_unique() > 1:
        shared = language_names(in_every_language(games), own_languages)
        table = analyses.by_language(shared)
        title = "Success and turns by language and continent"
        made.append(("languages", table, title, languages_note(games)))
        made.append(
            (
                "language_changes",
                language_names(language_changes(games), own_languages),
                "What another language changes",
                "Paired by entity, over countries: the share won in the language minus that in the "
                "first. `p_continents`: is the change the same on every continent (Welch's F)? "
                "`home less`: the change where the language is official minus that elsewhere. "
                "`p_holm` allows for all rows.",
            )
        )
    if answers.judge.height:
        made.append(("judge", judge_groups(answers.judge), "The judge on known facts", ""))
    return {name: table_from(frame, title, note) for name, frame, title, note in made}


def _of_paper(answers: Games) -> dict[str, Table]:
    games, settings = answers.games, run_of(answers).settings
    return {
        "published_" + title.replace(" ", "_").lower(): table_from(
            made,
            f"Beside the paper: {title}",
            " ".join(["`here` marks this run's.", *published.left_out(games, settings, title)]),
        )
        for title, made in published.rows_among_published(games, settings).items()
    }


# Sentences ----------------------------------------------------------------------------------------


def _sentences(section: Section) -> Iterator[tuple[SentenceKind, str, bool]]:
    if section.measurable:
        yield "caution", _unsure_judge(section), True
        yield "finding", _judge(section), True
        yield "finding", _rules(section), False
    yield "finding" if section.measurable else "caution", _judge_in_games(section), False
    yield (
        "limit",
        "A game is played by two models. A gap may come from the guesser, from the judge, or from "
        "how well known the entities are; the tables of the judge and of fame tell these apart as "
        "far as they can be.",
        True,
    )


def _unsure_judge(section: Section) -> str:
    """Whether it cannot be told on which side of the bar the judge is."""
    known = metric_of(section, "geo20q.judge_accuracy")
    if known is None or known.low is None or known.high is None:
        return ""
    if not known.low < LEAST_ACCURACY <= known.high:
        return ""
    return (
        f"The judge was asked too few facts to be sure that it knows {LEAST_ACCURACY:.0%} of them."
    )


def _judge(section: Section) -> str:
    known = metric_of(section, "geo20q.judge_accuracy")
    if known is None or known.value is None:
        return ""
    return (
        f"The judge is right on {metric_percents(known)} of known facts "
        f"({counted(known.n, known.counted)})."
    )


def _rules(section: Section) -> str:
    """How many games the published rule would count as won that ours does not."""
    rows = rows_of(section, "rules")
    lead = min((row["setting"] for row in rows), default="")
    rows = [row for row in rows if row["setting"] == lead]
    more, played = (sum(row[name] for row in rows) for name in ("only_mention", "played_mention"))
    if not more or not played:
        return ""
    return (
        f"{more:,} of {played:,} games ({lead}) have a mention of the name and no guess of it. The "
        "published rule counts them as won; ours does not."
    )


_FAULTS = {
    "unread": "unread",
    "rambles": "with other words",
    "refusals": "refusals",
    "leaks": "with the name",
}


def _judge_in_games(section: Section) -> str:
    rows = rows_of(section, "judging")
    answers, checked = (sum(row[name] for row in rows) for name in ("answers", "checked"))
    if not answers:
        return ""

    def total(fault: str, of: str = "answers") -> int:
        return sum(round((row[fault] or 0) * row[of]) for row in rows)

    faults = {words: total(fault) for fault, words in _FAULTS.items()}
    others = ", ".join(f"{count:,} {words}" for words, count in faults.items() if count)
    return (
        f"The judge gave {answers:,} answers. The table can check {checked:,} of them: "
        f"{total('wrong', 'checked'):,} are wrong. {total('flips'):,} contradict its own earlier "
        f"ones.{others and f' Others: {others}.'}"
    )
