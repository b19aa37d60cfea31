"""What a run found out about what a model works out."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import TYPE_CHECKING, Any

from geobias.probes.geo20q import analyses, fame, play_style, published, scores
from geobias.probes.geo20q.analyses import HALVES, Half
from geobias.probes.geo20q.judge_scores import JudgeBy, judge_groups
from geobias.probes.geo20q.moves import EARLY
from geobias.probes.geo20q.screens import COIN_TOSS, language_name, screens
from geobias.probes.geo20q.sentences import sentences
from geobias.probes.lazy import pl
from geobias.probes.sections import run_of, section_of
from geobias.results.findings import (
    Cell,
    Column,
    Measure,
    Metric,
    ProbeFindings,
    Replies,
    Section,
    Table,
)
from geobias.results.metrics import adjusted, bounded, measure_from, metric_from
from geobias.results.tabling import rows_of, table_from, with_adjusted
from geobias.stats import disparity

if TYPE_CHECKING:
    from geobias.probes.probe import Probe

SUCCESS = "share of games won"
NONE_ENDED = "no game came to an end"
NOT_YET = "no such game is played yet"
NOT_ASKED = "no such game was asked for"
METRIC_NAMES = (
    *(
        f"geo20q.{name}_{setting}"
        for setting in scores.SETTINGS
        for name in ("success", "turns", "region_disparity")
    ),
    *(
        f"geo20q.{half}_gap_{kind}_{setting}"
        for half in HALVES
        for kind in scores.TYPES.values()
        for setting in scores.SETTINGS
    ),
    "geo20q.judge_accuracy",
)
"""Every metric that a run can have."""


def findings(probe: Probe[Any, Any], answers: scores.Games) -> ProbeFindings:
    run, frame, judge = run_of(answers), answers.frame, answers.judge
    halves = analyses.halves(frame)
    replies = _replies(frame, run.planned.get(probe.name, 0))
    section = section_of(
        probe,
        answers,
        screens=screens(frame, judge),
        replies=replies,
        metrics=_metrics(
            frame, judge, halves, run.settings, NOT_YET if replies.missing else NOT_ASKED
        ),
        tables=_tables(frame, judge, halves, run.settings.get("own_languages", {})),
    )
    return ProbeFindings(
        section,
        _measures(frame, answers.model),
        sentences(section, frame, judge, run.settings.get("size")),
    )


def _replies(frame: pl.DataFrame, planned: int) -> Replies:
    """Games take the place of replies: `read` came to an end, `no_text` broke off."""
    ended = scores.ended_games(frame)["trial"].n_unique()
    return Replies(
        planned=max(planned, frame.height),
        asked=frame.height,
        read=ended,
        declined=0,
        unread=0,
        no_text=frame.height - ended,
        missing=max(0, planned - frame.height),
    )


def _metrics(
    frame: pl.DataFrame,
    judge: pl.DataFrame,
    halves: pl.DataFrame,
    settings: Mapping[str, Any],
    no_game: str,
) -> list[Metric]:
    """Every metric of the settings that were to be played, whether or not a game came to an end:
    a number that is missing must not look like one that nobody asked for. `no_game` says why there
    is no game where there is none.
    """
    games = scores.by_setting(frame)
    settings_played = _chosen(settings.get("setting"), scores.SETTINGS)
    metrics: list[Metric] = []
    for setting in settings_played:
        metrics += _setting_metrics(games.filter(setting=setting), setting, no_game)
    metrics = adjusted(metrics)
    types_played = _chosen(settings.get("type"), tuple(scores.TYPES.values()))
    for half, type_, setting in product(HALVES, types_played, settings_played):
        rows = halves.filter(halves=half, type=type_, setting=setting, games="all")
        row = next(rows.iter_rows(named=True), {})
        reason = _no_gap(games.filter(type=type_, setting=setting), half, no_game)
        metrics.append(_gap(half, type_, setting, row, reason))
    if judge.height or settings.get("judge_questions"):
        metrics.append(_judge_accuracy(judge))
    return metrics


def _chosen(value: str | None, both: tuple[str, ...]) -> tuple[str, ...]:
    """One of two, or both of them, as the manifest has it."""
    return (value,) if value in both else both


def _none_ended(asked: pl.DataFrame, no_game: str) -> str:
    """Why none of these games is in a number; "" where one is."""
    if asked["won"].is_not_null().any():
        return ""
    return NONE_ENDED if asked.height else no_game


def _no_gap(asked: pl.DataFrame, half: Half, no_game: str) -> str:
    """Why these games have no gap between the halves: which half lacks games that ended."""
    if reason := _none_ended(asked, no_game):
        return reason
    for name in HALVES[half]:
        if reason := _none_ended(asked.filter(pl.col(half) == name), no_game):
            return f"{name}: {reason}"
    return ""


def _setting_metrics(asked: pl.DataFrame, setting: str, no_game: str) -> list[Metric]:
    played = asked.drop_nulls("won")
    won = played.filter(won=1)
    means = scores.country_means(played).sort("country")
    regions = disparity(means["value"].to_numpy(), means["region"].to_list(), most=1)
    gap = regions.corrected
    none_ended = _none_ended(asked, no_game)
    no_gap = "under two regions have games" if regions.value is None else gap.reason
    return [
        metric_from(
            scores.share(played, "won"),
            name=f"geo20q.success_{setting}",
            label=f"Games won, {setting}",
            n=played.height,
            counted="games",
            unit=SUCCESS,
            better="high",
            note="Among games that came to an end.",
            undefined_because=none_ended,
        ),
        metric_from(
            scores.mean(won, "turns", least=1),
            name=f"geo20q.turns_{setting}",
            label=f"Turns to success, {setting}",
            n=won.height,
            counted="games won",
            unit="turns",
            better="low",
            note="Of games that were won, and of no others: a model that wins only easy games is "
            "fast.",
            undefined_because="" if won.height else none_ended or "no game was won",
        ),
        metric_from(
            gap,
            name=f"geo20q.region_disparity_{setting}",
            label=f"Disparity over regions, {setting}",
            n=regions.units,
            counted="economies",
            unit="difference of success",
            observed=regions.value,
            chance=regions.baseline,
            p=regions.p,
            better="low",
            note="The largest minus the smallest success of a region, on country means, freed of "
            "what noise adds to it; `observed` is the plain gap, and chance that gap when "
            "countries are dealt at random into groups of the same sizes.",
            undefined_because="" if gap.value is not None else none_ended or no_gap,
        ),
    ]


def _gap(half: Half, type_: str, setting: str, row: dict[str, Any], undefined: str) -> Metric:
    first, second = HALVES[half]
    return Metric(
        name=f"geo20q.{half}_gap_{type_}_{setting}",
        label=f"{first} minus {second}, {type_}, {setting}",
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
        undefined_because="" if row.get("difference") is not None else undefined,
    )


def _judge_accuracy(judge: pl.DataFrame) -> Metric:
    row: dict[str, Any] = judge_groups(judge).row(0, named=True) if judge.height else {}
    undefined = "no answer could be read" if row else "the judge was not asked yet"
    return Metric(
        name="geo20q.judge_accuracy",
        label="Judge's accuracy on known facts",
        **bounded(row, "accuracy"),
        n=row.get("read", 0),
        counted="questions",
        unit="share of answers read",
        chance=COIN_TOSS,
        better="high",
        note="Over all languages together; the table of the judge by language has each."
        if judge["language"].n_unique() > 1
        else "",
        undefined_because="" if row.get("accuracy") is not None else undefined,
        screened=False,
    )


_GROUPINGS: dict[str, scores.By] = {
    "continents": "continent",
    "regions": "region",
    "halves_success": "north_south",
    "categories": "category",
    "professions": "profession",
}
_JUDGE_GROUPINGS: dict[str, JudgeBy] = {
    "judge": "all",
    "judge_regions": "region",
    "judge_facts": "question",
}
_UNITS = {"success": SUCCESS, "pooled": SUCCESS}


def _tables(
    frame: pl.DataFrame,
    judge: pl.DataFrame,
    halves: pl.DataFrame,
    own_languages: dict[str, str],
) -> dict[str, Table]:
    tables: dict[str, Table] = {}

    def add(name: str, made: pl.DataFrame, title: str, note: str = "") -> None:
        tables[name] = table_from(made, title, note, _UNITS)

    note = (
        "Each game counts once. Intervals come from resampling countries; `units` says where they "
        "could not."
    )
    add("success", scores.success(frame), "Success", note)
    for name, by in _GROUPINGS.items():
        add(name, scores.success(frame, by), f"Success by {by.replace('_', ' and ')}", note)
    add(
        "countries",
        scores.country_success(frame),
        "Success by country",
        "The lowest pooled success first: `pooled` leans on all countries the more the fewer "
        "entities a country has, so that luck does not top a ranking. Intervals come from a "
        "country's entities. Of twenty intervals one misses: a country that stands out here is a "
        "question, not a finding.",
    )
    if frame["language"].n_unique() > 1:
        shared = _with_language_names(scores.in_every_language(frame), own_languages)
        languages_note = f"{scores.languages_note(frame)} {note}"
        add("languages", scores.success(shared, "language"), "Success by language", languages_note)
    if frame["repeat"].n_unique() > 1:
        add("repeats", scores.repeats(frame), "Mean and SD over repeats")
    add(
        "halves",
        halves,
        "Halves of the world",
        "Means over a half's countries, each country counting once. The rows `judge right` "
        f"leave out games in which one of the judge's first {EARLY} answers that can be "
        "checked goes against the entity table. Later ones do not count: lost games have more "
        "of them. `few`: games with fewer such answers. `p_holm` allows for all rows with the "
        "same `games`.",
    )
    curve, band = "Success against allowed turns", "The band is for each number of turns alone."
    add("curve", analyses.curve(frame), curve, band)
    by_half = analyses.curve(frame, "north_south")
    add("curve_halves", by_half, f"{curve}, by half of the world", band)
    add("turns", scores.turns(frame), "Turns to success", "Of games that were won.")
    add("give_ups", scores.give_ups(frame), "Giving up")
    add("endings", scores.endings(frame), "How games ended")
    add(
        "instead",
        play_style.wrong_guesses(frame),
        "Who was guessed instead",
        "Of each region's games that were lost, where the entity guessed last is from.",
    )
    add("questions", play_style.questions(frame), "The guesser's questions")
    add("judging", play_style.judging_in_games(frame), "The judge's answers in games")
    add("first_places", play_style.first_places(frame), "Asked about first")
    search = play_style.search_before_target(frame)
    add("entering", search, "Questions about other places, before the right one")
    add("fame", with_adjusted(fame.regression(frame), "success_p", "turns_p"), "Success and fame")
    at_equal_views = with_adjusted(fame.gap_at_equal_views(frame), "p", "equal_views_p")
    add("held_constant", at_equal_views, "The gap at equal fame")
    if judge.height:
        title = "The judge on known facts"
        for name, grouping in _JUDGE_GROUPINGS.items():
            by_group = "" if grouping == "all" else f", by {grouping}"
            add(name, judge_groups(judge, grouping), title + by_group)
        if judge["language"].n_unique() > 1:
            by_language = judge_groups(_with_language_names(judge), "language")
            add("judge_languages", by_language, f"{title}, by language")
    for title, made in published.rows_among_published(frame).items():
        name = "published_" + title.replace(" ", "_").lower()
        note = " ".join(["`here` marks this run's.", *published.left_out(frame, title)])
        add(name, made, f"Beside the paper: {title}", note)
    return tables


def _with_language_names(frame: pl.DataFrame, own: Mapping[str, str] = {}) -> pl.DataFrame:
    """Languages by their names; `own` are those of the user's own languages."""
    codes = frame["language"].unique().drop_nulls()
    names = {code: own.get(code) or language_name(code) for code in codes}
    return frame.with_columns(pl.col("language").replace(names))


def _measures(frame: pl.DataFrame, model: str) -> dict[str, list[Measure]]:
    """Each economy's success over people and things together, in each setting."""
    measures: dict[str, list[Measure]] = {}
    games = scores.by_setting(frame).filter(pl.col("country") != "")
    for setting in scores.SETTINGS:
        own = games.filter(setting=setting)
        pooled = {row.pop("country"): row for row in scores.pooled_success(own).to_dicts()}
        for (country,), asked in own.group_by("country", maintain_order=True):
            played = asked.drop_nulls("won")
            measure = measure_from(
                scores.share(played, "won"),
                model=model,
                probe="geo20q",
                metric=f"geo20q.success_{setting}",
                n=played.height,
                counted="games",
                asked=asked.height,
                **pooled.get(country, {}),
            )
            measures.setdefault(str(country), []).append(measure)
    return measures


def summary(section: Section) -> Table:
    """What a terminal shows of a run: success of all games and of either half of the world, turns.

    `played` counts games that came to an end; turns are of those that were won.
    """
    turns = {(row["type"], row["setting"]): row for row in rows_of(section, "turns")}
    groups = [("", row) for row in rows_of(section, "success")]
    groups += [(row["group"], row) for row in rows_of(section, "halves_success")]
    groups.sort(key=lambda one: (one[1]["type"], one[1]["setting"], one[0]))
    names = [f"{name}{end}" for name in ("success", "turns") for end in ("", "_low", "_high")]
    rows: list[dict[str, Cell]] = []
    for half, row in groups:
        name = f"{row['type']} {row['setting']} {half.removeprefix('Global ') or 'all'}"
        pace = {} if half else turns.get((row["type"], row["setting"]), {})
        numbers = {column: row.get(column, pace.get(column)) for column in names}
        rows.append({"games": name, **numbers, "played": row["played"]})
    columns = [Column(name="games", label="games", kind="text")]
    columns += [Column(name=name, label=name.partition("_")[0], kind="number") for name in names]
    columns += [Column(name="played", label="played", kind="count")]
    return Table(title="share of games won, each game once", note="", columns=columns, rows=rows)
