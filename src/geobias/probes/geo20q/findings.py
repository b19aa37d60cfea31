"""What a run found out about what a model works out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from geobias.probes.geo20q import analyses, fame, play_style, published, scores
from geobias.probes.geo20q.analyses import HALVES, Half
from geobias.probes.geo20q.answers import Games
from geobias.probes.geo20q.grouping import By
from geobias.probes.geo20q.judge_scores import judge_groups
from geobias.probes.geo20q.moves import EARLY
from geobias.probes.geo20q.screens import GUESSING, language_named, screens
from geobias.probes.geo20q.sentences import sentences
from geobias.probes.sections import run_of, section_of
from geobias.results.findings import Measure, Metric, ProbeFindings, Replies, Table
from geobias.results.metrics import adjusted, bounded
from geobias.results.tabling import table_from, with_adjusted
from geobias.stats import disparity

if TYPE_CHECKING:
    import polars as pl

    from geobias.probes.probe import Probe

SUCCESS = "share of games won"
NONE_ENDED = "no game came to an end"
NOT_YET = "no such game is played yet"
NOT_ASKED = "no such game was asked for"
_WHOLE = ("success", "turns", "region_disparity")
METRIC_NAMES = (
    *(f"geo20q.{name}_{setting}" for setting in scores.SETTINGS for name in _WHOLE),
    *(
        f"geo20q.{half}_gap_{kind}_{setting}"
        for half in HALVES
        for kind in scores.TYPES.values()
        for setting in scores.SETTINGS
    ),
    "geo20q.judge_accuracy",
)
"""Every metric that a run can have."""


def findings(probe: Probe[Any, Any], answers: Games) -> ProbeFindings:
    """The section, each economy's success, and the sentences."""
    run, frame, judge = run_of(answers), answers.frame, answers.judge
    halves = analyses.halves(frame)
    replies = _replies(frame, run.planned.get(probe.name, 0))
    section = section_of(
        probe,
        answers,
        screens=screens(frame, judge),
        replies=replies,
        metrics=_metrics(frame, judge, halves, run.settings, whole=not replies.missing),
        tables=_tables(frame, judge, halves, run.settings.get("own_languages", {})),
    )
    return ProbeFindings(
        section,
        _measures(frame, answers.model),
        sentences(section, frame, judge, run.settings.get("size")),
    )


def _replies(frame: pl.DataFrame, planned: int) -> Replies:
    """Games take the place of replies: `read` came to an end, `no_text` broke off."""
    import polars as pl

    ended = frame.filter(
        pl.any_horizontal(pl.col(one).is_in(scores.ENDINGS) for one in scores.SETTINGS)
    )
    return Replies(
        planned=max(planned, frame.height),
        asked=frame.height,
        read=ended.height,
        declined=0,
        unread=0,
        no_text=frame.height - ended.height,
        missing=max(0, planned - frame.height),
    )


def _metrics(
    frame: pl.DataFrame,
    judge: pl.DataFrame,
    halves: pl.DataFrame,
    settings: Mapping[str, Any],
    *,
    whole: bool,
) -> list[Metric]:
    """Every metric of the settings that were to be played, whether or not a game came to an end:
    a number that is missing must not look like one that nobody asked for. `whole` says whether all
    games that were planned are played.
    """
    import polars as pl

    games = scores.by_setting(frame)
    found: list[Metric] = []
    for setting in _played(settings.get("setting"), scores.SETTINGS):
        asked = games.filter(setting=setting)
        played, none = asked.filter(pl.col("won").is_not_null()), _none(asked, whole=whole)
        found += [
            _success(played, setting, none),
            _turns(played, setting, none),
            _disparity(played, setting, none),
        ]
    found = adjusted(found)
    for half in HALVES:
        for kind in _played(settings.get("type"), tuple(scores.TYPES.values())):
            for setting in _played(settings.get("setting"), scores.SETTINGS):
                rows = halves.filter(halves=half, type=kind, setting=setting, games="all")
                row = next(rows.iter_rows(named=True), {})
                none = _no_gap(games.filter(type=kind, setting=setting), half, whole=whole)
                found.append(_half(half, kind, setting, row, none))
    if judge.height or settings.get("judge_questions"):
        found.append(_judged(judge))
    return found


def _played(said: str | None, known: tuple[str, ...]) -> tuple[str, ...]:
    """One of two, or both of them, as the manifest has it."""
    return (said,) if said in known else known


def _none(asked: pl.DataFrame, *, whole: bool) -> str:
    """Why none of these games is in a number."""
    if asked.height:
        return NONE_ENDED
    return NOT_ASKED if whole else NOT_YET


def _no_gap(asked: pl.DataFrame, half: Half, *, whole: bool) -> str:
    """Why these games have no gap between the halves: which half lacks games that ended."""
    import polars as pl

    if not asked["won"].is_not_null().any():
        return _none(asked, whole=whole)
    for name in HALVES[half]:
        own = asked.filter(pl.col(half) == name)
        if not own["won"].is_not_null().any():
            return f"{name}: {_none(own, whole=whole)}"
    return ""


def _success(played: pl.DataFrame, setting: str, none: str) -> Metric:
    one, _ = scores.share(played, "won")
    return Metric(
        name=f"geo20q.success_{setting}",
        label=f"Games won, {setting}",
        value=one.value,
        low=one.low,
        high=one.high,
        n=played.height,
        counted="games",
        unit=SUCCESS,
        better="high",
        note="Among games that came to an end.",
        undefined_because="" if played.height else none,
    )


def _turns(played: pl.DataFrame, setting: str, none: str) -> Metric:
    won = played.filter(won=1)
    one, _ = scores.mean(won, "turns", least=1)
    return Metric(
        name=f"geo20q.turns_{setting}",
        label=f"Turns to success, {setting}",
        value=one.value,
        low=one.low,
        high=one.high,
        n=won.height,
        counted="games won",
        unit="turns",
        better="low",
        note="Of games that were won, and of no others: a model that wins only easy games is fast.",
        undefined_because="" if won.height else ("no game was won" if played.height else none),
    )


def _disparity(played: pl.DataFrame, setting: str, none: str) -> Metric:
    means = scores.country_means(played).sort("country")
    one = disparity(means["value"].to_numpy(), means["region"].to_list(), most=1)
    corrected = one.corrected
    if not played.height:
        why = none
    else:
        why = "under two regions have games" if one.value is None else corrected.reason
    return Metric(
        name=f"geo20q.region_disparity_{setting}",
        label=f"Disparity over regions, {setting}",
        value=corrected.value,
        low=corrected.low,
        high=corrected.high,
        n=one.units,
        counted="economies",
        unit="difference of success",
        observed=one.value,
        chance=one.baseline,
        p=one.p,
        better="low",
        note="The largest minus the smallest success of a region, on country means, freed of what "
        "noise adds to it; `observed` is the plain gap, and chance that gap when countries are "
        "dealt at random into groups of the same sizes.",
        undefined_because="" if corrected.value is not None else why,
    )


def _half(half: Half, kind: str, setting: str, row: dict[str, Any], none: str) -> Metric:
    first, second = HALVES[half]
    return Metric(
        name=f"geo20q.{half}_gap_{kind}_{setting}",
        label=f"{first} minus {second}, {kind}, {setting}",
        **bounded(row, "difference"),
        n=row.get("first_countries", 0) + row.get("second_countries", 0),
        counted="economies",
        unit="difference of success",
        chance=0.0,
        p=row.get("p"),
        p_adjusted=row.get("p_holm"),  # one family: the table, the sentence and this metric agree
        better="zero",
        note="Difference of the means over countries; p is Mann and Whitney's, adjusted for all "
        "comparisons of halves over all games.",
        undefined_because="" if row.get("difference") is not None else none,
    )


def _judged(judge: pl.DataFrame) -> Metric:
    row: dict[str, Any] = judge_groups(judge).row(0, named=True) if judge.height else {}
    none = "no answer could be read" if row else "the judge was not asked yet"
    return Metric(
        name="geo20q.judge_accuracy",
        label="Judge's accuracy on known facts",
        **bounded(row, "accuracy"),
        n=row.get("read", 0),
        counted="questions",
        unit="share of answers read",
        chance=GUESSING,
        better="high",
        note="Over all languages together; the table of the judge by language has each."
        if judge["language"].n_unique() > 1
        else "",
        undefined_because="" if row.get("accuracy") is not None else none,
        screened=False,
    )


_GROUPINGS: dict[str, By] = {
    "continents": "continent",
    "regions": "region",
    "halves_success": "north_south",
    "categories": "category",
    "professions": "profession",
}


def _tables(
    frame: pl.DataFrame,
    judge: pl.DataFrame,
    halves: pl.DataFrame,
    own_languages: dict[str, str],
) -> dict[str, Table]:
    import polars as pl

    unit = {"success": SUCCESS}
    note = (
        "Each game counts once. Intervals come from resampling countries; `units` says where they "
        "could not."
    )
    tables = {"success": table_from(scores.success(frame), "Success", note, unit)}
    for name, by in _GROUPINGS.items():
        title = f"Success by {by.replace('_', ' and ')}"
        tables[name] = table_from(scores.success(frame, by), title, note, unit)
    tables["countries"] = table_from(
        scores.country_success(frame),
        "Success by country",
        "The lowest pooled success first: `pooled` leans on all countries the more the fewer "
        "entities a country has, so that luck does not top a ranking. Intervals come from a "
        "country's entities. Of twenty intervals one misses: a country that stands out here is a "
        "question, not a finding.",
        unit | {"pooled": SUCCESS},
    )
    if frame["language"].n_unique() > 1:
        tables["languages"] = _languages(frame, note, unit, own_languages)
    if frame["repeat"].n_unique() > 1:
        tables["repeats"] = table_from(scores.repeats(frame), "Mean and SD over repeats")
    tables |= {
        "halves": table_from(
            halves,
            "Halves of the world",
            "Means over a half's countries, each country counting once. The rows `judge right` "
            f"leave out games in which one of the judge's first {EARLY} answers that can be "
            "checked goes against the entity table. Later ones do not count: lost games have more "
            "of them. `few`: games with fewer such answers. `p_holm` allows for all rows with the "
            "same `games`.",
        ),
        "curve": table_from(
            analyses.curve(frame),
            "Success against allowed turns",
            "The band is for each number of turns alone.",
            unit,
        ),
        "curve_halves": table_from(
            analyses.curve(frame, "north_south"),
            "Success against allowed turns, by half of the world",
            "The band is for each number of turns alone.",
            unit,
        ),
        "turns": table_from(scores.turns(frame), "Turns to success", "Of games that were won."),
        "give_ups": table_from(scores.give_ups(frame), "Giving up"),
        "endings": table_from(scores.endings(frame), "How games ended"),
        "instead": table_from(
            play_style.wrong_guesses(frame),
            "Who was guessed instead",
            "Of each region's games that were lost, where the entity guessed last is from.",
        ),
        "questions": table_from(play_style.questions(frame), "The guesser's questions"),
        "judging": table_from(play_style.judging_in_games(frame), "The judge's answers in games"),
        "first_places": table_from(play_style.first_places(frame), "Asked about first"),
        "entering": table_from(
            play_style.search_before_target(frame),
            "Questions about other places, before the right one",
        ),
        "fame": table_from(
            with_adjusted(fame.regression(frame), "success_p", "turns_p"), "Success and fame"
        ),
        "held_constant": table_from(
            with_adjusted(fame.held_constant(frame), "p", "equal_views_p"),
            "The gap at equal fame",
        ),
    }
    if judge.height:
        for name, by in (
            ("judge", "all"),
            ("judge_regions", "region"),
            ("judge_facts", "question"),
        ):
            title = "The judge on known facts" + ("" if by == "all" else f", by {by}")
            tables[name] = table_from(judge_groups(judge, by), title)
        if judge["language"].n_unique() > 1:
            named = judge.with_columns(
                pl.col("language").map_elements(language_named, return_dtype=pl.String)
            )
            tables["judge_languages"] = table_from(
                judge_groups(named, "language"), "The judge on known facts, by language"
            )
    for title, table in published.beside(frame).items():
        name = "published_" + title.replace(" ", "_").lower()
        said = " ".join(["`here` marks this run's.", *published.left_out(frame, title)])
        tables[name] = table_from(table, f"Beside the paper: {title}", said)
    return tables


def _languages(frame: pl.DataFrame, note: str, unit: dict[str, str], own: dict[str, str]) -> Table:
    """Languages are compared on the entities that games in every one of them are about: an entity
    that few languages have a name for is not found less because of a language."""
    import polars as pl

    same = scores.in_every_language(frame)
    named = (same if same.height else frame).with_columns(
        pl.col("language").map_elements(
            lambda code: own.get(code) or language_named(code), return_dtype=pl.String
        )
    )
    table = scores.success(named, "language")
    return table_from(table, "Success by language", f"{scores.on_the_same(frame)} {note}", unit)


def _measures(frame: pl.DataFrame, model: str) -> dict[str, list[Measure]]:
    """Each economy's success over people and things together, in each setting."""
    import polars as pl

    found: dict[str, list[Measure]] = {}
    games = scores.by_setting(frame)
    for setting in scores.SETTINGS:
        own = games.filter(setting=setting)
        pooled = {row.pop("country"): row for row in scores.pooled_success(own).to_dicts()}
        for (country,), asked in own.group_by("country", maintain_order=True):
            played = asked.filter(pl.col("won").is_not_null())
            if not country:
                continue
            one, _ = scores.share(played, "won")
            found.setdefault(str(country), []).append(
                Measure(
                    model=model,
                    probe="geo20q",
                    metric=f"geo20q.success_{setting}",
                    value=one.value,
                    low=one.low,
                    high=one.high,
                    n=played.height,
                    counted="games",
                    asked=asked.height,
                    **pooled.get(country, {}),
                )
            )
    return found
