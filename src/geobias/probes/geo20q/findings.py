"""What a run found out about what a model works out."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from functools import partial
from itertools import product
from typing import Any

import msgspec
import polars as pl

from geobias.atlas.entities import LANGUAGE_NAMES
from geobias.probes.geo20q import (
    analyses,
    fame,
    published,
    scores,
)
from geobias.probes.geo20q.analyses import HALVES, Half
from geobias.probes.geo20q.judging import JudgeBy, accuracy_of, crossed, judge_groups
from geobias.probes.geo20q.language_changes import language_changes
from geobias.probes.geo20q.questions import EARLY
from geobias.probes.geo20q.screens import COIN_TOSS, screens
from geobias.probes.geo20q.sentences import sentences
from geobias.probes.probe import Probe
from geobias.probes.sections import interest_of, region_answers, run_of, section_of
from geobias.results.findings import (
    Cell,
    Column,
    CountryNumber,
    Metric,
    ProbeFindings,
    Replies,
    Section,
    Table,
)
from geobias.results.formatting import counted
from geobias.results.tables import (
    adjusted,
    bounded,
    measure_from,
    metric_from,
    rows_of,
    table_from,
    with_adjusted,
)
from geobias.results.verdicts import Answer, sensitivity_table
from geobias.stats.contrasts import MIN_UNITS, pairs, widest
from geobias.stats.estimates import undefined

SUCCESS = "share of games won"
NONE_ENDED = "no game came to an end"
NOT_YET = "no such game is played yet"
NOT_ASKED = "no such game was asked for"
NO_PEOPLE = "no people were played, and the fame of things is not known"
METRIC_NAMES = (
    *(
        f"geo20q.{name}_{setting}"
        for setting in scores.SETTINGS
        for name in ("success", "turns", "region_disparity")
    ),
    *(
        name(half, kind, setting)
        for name in (fame.known_gap_name, fame.gap_name, fame.plain_gap_name)
        for half in HALVES
        for kind in scores.TYPES.values()
        for setting in scores.SETTINGS
    ),
    "geo20q.judge_accuracy",
)
"""Every metric that a run can have."""


def findings(probe: Probe[Any, Any], answers: scores.Games) -> ProbeFindings:
    return _found(probe, answers, _measures(answers.frame, answers.model))


def in_brief(probe: Probe[Any, Any], answers: scores.Games) -> ProbeFindings:
    """The metrics, the tables that the end of a run shows, and what is said of them."""
    return _found(probe, answers, {}, only=_BRIEF)


def _found(
    probe: Probe[Any, Any],
    answers: scores.Games,
    measures: dict[str, list[CountryNumber]],
    only: Container[str] | None = None,
) -> ProbeFindings:
    """`only` names the tables that are wanted; None: all."""
    run, frame, judge = run_of(answers), answers.frame, answers.judge
    halves = analyses.halves(frame)
    replies = _replies(frame, run.planned.get(probe.name, 0))
    section = section_of(
        probe,
        answers,
        screens=screens(frame, judge),
        replies=replies,
        metrics=_metrics(answers, halves, NOT_YET if replies.missing else NOT_ASKED),
        tables=_tables(frame, judge, halves, run.settings, only),
    )
    return ProbeFindings(
        section, measures, sentences(section, frame, judge, run.settings.get("size"))
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


def _metrics(answers: scores.Games, halves: pl.DataFrame, no_game: str) -> list[Metric]:
    """Every metric of the settings that were to be played, whether or not a game came to an end:
    a number that is missing must not look like one that nobody asked for. `no_game` says why there
    is no game where there is none.
    """
    games, judge, settings = (
        scores.by_setting(answers.frame),
        answers.judge,
        run_of(answers).settings,
    )
    settings_played = _chosen(settings.get("setting"), scores.SETTINGS)
    metrics: list[Metric] = []
    for setting in settings_played:
        metrics += _setting_metrics(games.filter(setting=setting), setting, no_game)
    types_played = _chosen(settings.get("type"), tuple(scores.TYPES.values()))
    plain = []
    # Of replies made elsewhere there are games alone: the primary gap is then that at equal fame.
    asked = settings.get("knowledge") == "ask" or games["knows"].is_not_null().any()
    for half, type_, setting in product(HALVES, types_played, settings_played):
        own = games.filter(type=type_, setting=setting)
        row = _row(halves.filter(games="all"), half, type_, setting)
        reason = _no_gap(own, half, no_game)
        if asked:
            metrics.append(_among_known(half, type_, setting, own, reason))
        metrics.append(_equal_fame(half, type_, setting, own, reason))
        plain.append(_gap(half, type_, setting, row, own, reason))
    name_of, gap_of = fame.gap_name, _equal_fame
    if asked:
        name_of, gap_of = fame.known_gap_name, _among_known
    primary = name_of("north_south", "people", settings_played[0])
    if "people" not in types_played:
        nobody = games.clear()
        metrics.append(gap_of("north_south", "people", settings_played[0], nobody, NO_PEOPLE))
    facts = {"primary": True, "interest": interest_of(answers)}
    metrics = [
        msgspec.structs.replace(one, **facts) if one.name == primary else one for one in metrics
    ]
    metrics = [*adjusted(metrics), *plain]
    if judge.height or settings.get("judge_questions"):
        metrics.append(_judge_accuracy(judge))
    return metrics


def _row(table: pl.DataFrame, half: Half, type_: str, setting: str) -> dict[str, Any]:
    rows = table.filter(halves=half, type=type_, setting=setting)
    return next(rows.iter_rows(named=True), {})


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
    none_ended = _none_ended(asked, no_game)
    return [
        metric_from(
            scores.share(played, "won"),
            name=f"geo20q.success_{setting}",
            label=f"Games won, {setting}",
            counted=_units(played),
            unit=SUCCESS,
            better="high",
            note=f"Among the {counted(played.height, 'games')} that came to an end.",
            undefined_because=none_ended,
            **_success_ends(asked),
        ),
        metric_from(
            scores.mean(won, "turns", least=1),
            name=f"geo20q.turns_{setting}",
            label=f"Turns to success, {setting}",
            counted=_units(won),
            unit="turns",
            better="low",
            note="Of games that were won, and of no others: a model that wins only easy games is "
            "fast.",
            undefined_because="" if won.height else none_ended or "no game was won",
            **_turns_ends(asked),
        ),
        _region_disparity(played, setting, none_ended),
    ]


def _units(games: pl.DataFrame) -> str:
    """What an interval over these games rests on."""
    units = scores.units_of(games)
    return "economies" if units == "countries" else units


def _success_ends(asked: pl.DataFrame) -> dict[str, Any]:
    """How far success could move with the games that broke off."""
    broken = asked["won"].null_count()
    if not broken or broken == asked.height:
        return {"missing": broken}
    won = int(asked["won"].sum())
    return {
        "missing": broken,
        "lowest": won / asked.height,
        "highest": (won + broken) / asked.height,
    }


def _turns_ends(asked: pl.DataFrame) -> dict[str, Any]:
    """The same of turns: had every one been won at once, or with the last turn."""
    broken, won = asked["won"].null_count(), asked.filter(won=1)
    if not broken or not won.height:
        return {"missing": broken}
    turns, most = int(won["turns"].sum()), int(asked["limit"].max())  # type: ignore[arg-type]
    ends = [(turns + broken * each) / (won.height + broken) for each in (1, most)]
    return {"missing": broken, "lowest": ends[0], "highest": ends[1]}


def _region_disparity(played: pl.DataFrame, setting: str, none_ended: str) -> Metric:
    """Of regions with at least `MIN_UNITS` countries, the two that are furthest apart."""
    values, regions = analyses.region_means(played)
    pair = widest(pairs(values, regions, most=1))
    few = none_ended or f"under two regions have {MIN_UNITS} countries with games, or all are alike"
    return metric_from(
        undefined(len(values), few) if pair is None else pair.difference,
        name=f"geo20q.region_disparity_{setting}",
        label=f"Disparity over regions, {setting}",
        counted="economies",
        unit="difference of success",
        p=None if pair is None else pair.p,
        better="low",
        note="The largest minus the smallest success of a region, on country means. Interval and p "
        "are Games and Howell’s of that pair and allow for all pairs. Regions of at least "
        f"{MIN_UNITS} countries.",
    )


def _among_known(
    half: Half, type_: str, setting: str, games: pl.DataFrame, undefined: str
) -> Metric:
    found, p = fame.gap_among_known(games, half)
    played = games.drop_nulls(["won", half])
    unknown = {
        name: played.filter((pl.col(half) == name) & ~pl.col("knows")) for name in HALVES[half]
    }
    open_ = played["knows"].null_count()
    return metric_from(
        found,
        name=fame.known_gap_name(half, type_, setting),
        label=f"{fame.label(half, type_, setting)}, of targets it knows",
        counted="economies",
        unit="difference of success",
        chance=0.0,
        p=p,
        better="zero",
        note="Difference of the shares of games won among targets that the model knows when it is "
        "asked directly; games of one country count as somewhat alike. Not known: "
        + ", ".join(
            f"{len(own):,} games of the {name} ({int(own['won'].sum()):,} won)"
            for name, own in unknown.items()
        )
        + (f". Without an answer that could be read: {open_:,}" if open_ else "")
        + "."
        + (f" Caution: {found.caution}." if found.caution else ""),
        undefined_because="" if found.value is not None else undefined or found.reason,
        **fame.furthest(games, half, known=True),
    )


def _equal_fame(
    half: Half, type_: str, setting: str, games: pl.DataFrame, undefined: str
) -> Metric:
    found, p = fame.gap_at_equal_fame(games, half)
    played = games.drop_nulls("won").drop_nulls(half)
    measure = fame.measure_of(played)
    unknown = {
        name: fame.without_figure(played.filter(pl.col(half) == name), measure)
        for name in HALVES[half]
    }
    return metric_from(
        found,
        name=fame.gap_name(half, type_, setting),
        label=f"{fame.label(half, type_, setting)}, at equal {fame.EQUAL[type_]}",
        counted="economies",
        unit="difference of success",
        chance=0.0,
        p=p,
        better="zero",
        note=f"Difference of the shares of games won at equal {measure}, games of one country "
        "counting as somewhat alike; p belongs to the interval."
        + (
            f" Left out, with {measure} unknown: "
            + ", ".join(f"{count:,} games of the {name}" for name, count in unknown.items())
            + "."
            if any(unknown.values())
            else ""
        )
        + (f" Caution: {found.caution}." if found.caution else ""),
        undefined_because="" if found.value is not None else undefined or found.reason,
        **fame.furthest(games, half),
    )


def _gap(
    half: Half,
    type_: str,
    setting: str,
    row: dict[str, Any],
    games: pl.DataFrame,
    undefined: str,
) -> Metric:
    first, second = HALVES[half]
    return Metric(
        name=fame.plain_gap_name(half, type_, setting),
        label=f"{first} minus {second}, {type_}, {setting}",
        **bounded(row, "difference"),
        n=row.get("first_countries", 0) + row.get("second_countries", 0),
        counted="economies",
        unit="difference of success",
        chance=0.0,
        p=row.get("difference_p"),
        p_adjusted=row.get("difference_p_holm"),  # one family: table, sentence and metric agree
        better="zero",
        note="Difference of the means over countries as it is; p belongs to the interval "
        "and is adjusted for all comparisons of halves over all games.",
        undefined_because="" if row.get("difference") is not None else undefined,
        caution=(row.get("note") or "") if row.get("difference_low") is not None else "",
        **analyses.furthest(games, half),
    )


def _judge_accuracy(judge: pl.DataFrame) -> Metric:
    read = judge.filter(read=1)
    found = accuracy_of(read)
    unread, right = judge.height - read.height, int(judge["right"].sum())
    ends = {}
    if unread and read.height:
        ends = {"lowest": right / judge.height, "highest": (right + unread) / judge.height}
    return metric_from(
        found,
        name="geo20q.judge_accuracy",
        label="Judge's accuracy on known facts",
        counted="entities" if crossed(read) else _units(read),
        unit="share of answers read",
        chance=COIN_TOSS,
        better="high",
        note=f"Of {counted(read.height, 'answers')}."
        + (
            " Over all languages together; the table of the judge by language has each."
            if judge["language"].n_unique() > 1
            else ""
        ),
        undefined_because=""
        if found.value is not None
        else "no answer could be read"
        if judge.height
        else "the judge was not asked yet",
        screened=False,
        missing=unread,
        **ends,
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
_BRIEF = ("success", "halves_success", "halves", "turns", "rules", "judging", "judge_languages")
"""Tables that `summary` and sentences read."""


def _tables(
    frame: pl.DataFrame,
    judge: pl.DataFrame,
    halves: pl.DataFrame,
    settings: Mapping[str, Any],
    only: Container[str] | None,
) -> dict[str, Table]:
    tables: dict[str, Table] = {}
    own_languages: dict[str, str] = settings.get("own_languages", {})

    def add(name: str, make: Callable[[], pl.DataFrame], title: str, note: str = "") -> None:
        if only is None or name in only:
            tables[name] = table_from(make(), title, note, _UNITS)

    note = "Each game counts once. Intervals are over countries; `units` says where they are not."
    add("success", partial(scores.success, frame), "Success", note)
    for name, by in _GROUPINGS.items():
        title = f"Success by {by.replace('_', ' and ')}"
        add(name, partial(scores.success, frame, by), title, note)
    add(
        "countries",
        partial(scores.country_success, frame),
        "Success by country",
        "The lowest pooled success first: `pooled` draws on all countries as well, most where a "
        "country has few entities, because one lucky game should not top a ranking. Intervals are "
        "over a country's entities. One interval in twenty misses the true value, so a single "
        "country here is a question, not a finding.",
    )
    if frame["language"].n_unique() > 1:
        shared = _with_language_names(scores.in_every_language(frame), own_languages)
        languages_note = f"{scores.languages_note(frame)} {note}"
        by_language = partial(scores.success, shared, "language")
        add("languages", by_language, "Success by language", languages_note)
        add(
            "language_continents",
            partial(analyses.by_language, shared),
            "Success and turns by language and continent",
            languages_note,
        )
        add(
            "language_changes",
            lambda: _with_language_names(language_changes(frame), own_languages),
            "What another language changes",
            "Paired by entity, over countries: the share won in the language minus that in the "
            "first. `p_continents`: is the change the same on every continent (Welch's F)? `home "
            "less`: the change where the language is official minus that elsewhere. `p_holm` "
            "allows for all rows.",
        )
    if frame["repeat"].n_unique() > 1:
        add("repeats", partial(scores.repeats, frame), "Mean and SD over repeats")
    add(
        "halves",
        lambda: halves,
        "Halves of the world",
        "Means over a half's countries, each country counting once. The rows `judge right` "
        f"leave out games in which one of the judge's first {EARLY} answers that can be "
        "checked goes against the entity table. Later ones do not count: lost games have more "
        "of them. `few`: games with fewer such answers. `difference_p` is Welch's and belongs to "
        "the difference; `p` is the paper's Mann–Whitney test, which is about ranks, and `effect` "
        "its rank-biserial correlation. `holm` allows for all rows with the same `games`.",
    )
    curve, band = "Success against allowed turns", "The band is for each number of turns alone."
    add("curve", partial(analyses.curve, frame), curve, band)
    by_half = partial(analyses.curve, frame, "north_south")
    add("curve_halves", by_half, f"{curve}, by half of the world", band)
    add("turns", partial(scores.turns, frame), "Turns to success", "Of games that were won.")
    add("give_ups", partial(scores.give_ups, frame), "Giving up")
    add("endings", partial(scores.endings, frame), "How games ended")
    add(
        "rules",
        partial(scores.rules, frame),
        "Games won by each rule",
        "`guess`: a turn proposes the target as the answer. `mention`: it names it in any role, as "
        "published. Both are of the same games. `only mention`: won by that rule alone.",
    )
    add(
        "instead",
        partial(analyses.wrong_guesses, frame),
        "Who was guessed instead",
        "Of each region's games that were lost, where the entities that were guessed are from.",
    )
    add("questions", partial(analyses.questions, frame), "The guesser's questions")
    judging = partial(analyses.judging_in_games, frame)
    add("judging", judging, "The judge's answers in games")
    add("first_places", partial(analyses.first_places, frame), "Asked about first")
    search = partial(analyses.search_before_target, frame)
    add("entering", search, "Questions about other places, before the right one")
    if only is None:
        tables |= _distributions(frame)
    add(
        "fame",
        lambda: with_adjusted(fame.regression(frame), "success_p", "turns_p"),
        "Success and fame",
    )
    add(
        "equal_fame",
        partial(fame.equal_fame, frame),
        "Among those it knows, and at equal fame or standing",
        "`known`: the gap among targets that the model knows when it is asked directly; North "
        "minus South of people, in the setting that was played first, is the primary gap. "
        "`difference`: known or not, at equal fame. Least squares: success is "
        "explained by the half of the world and by log page views (people) or the level of vital "
        "article (things), with countries as units. p belongs to the interval; `p_holm` allows for "
        "the number of rows. "
        "`no figure`: games left out because that is unknown, and the share of them that was won. "
        "`at standing`: the difference at equal standing, which leaves out none of our entities.",
    )
    if only is None:
        tables["sensitivity"] = sensitivity_table([*sensitivity(frame)])
    add(
        "held_constant",
        lambda: with_adjusted(fame.gap_at_equal_views(frame), "p", "equal_views_p"),
        "Odds at equal fame (logistic)",
    )
    if judge.height:
        title = "The judge on known facts"
        for name, grouping in _JUDGE_GROUPINGS.items():
            by_group = "" if grouping == "all" else f", by {grouping}"
            add(name, partial(judge_groups, judge, grouping), title + by_group)
        if judge["language"].n_unique() > 1:
            by_language = partial(judge_groups, _with_language_names(judge), "language")
            add("judge_languages", by_language, f"{title}, by language")
    return tables | (_beside_the_paper(frame, settings) if only is None else {})


def sensitivity(frame: pl.DataFrame) -> Iterator[Answer]:
    """What other methods say of the gaps, and whether regions differ in the first setting."""
    yield from fame.answers(frame)
    played = scores.ended_games(frame)
    setting = next((one for one in scores.SETTINGS if (played["setting"] == one).any()), "")
    means = scores.country_means(played.filter(setting=setting)).sort("country")
    if means.drop_nulls("region").height:
        yield from region_answers(f"Regions, {setting}", means, 1)


def _beside_the_paper(frame: pl.DataFrame, settings: Mapping[str, Any]) -> dict[str, Table]:
    return {
        "published_" + title.replace(" ", "_").lower(): table_from(
            made,
            f"Beside the paper: {title}",
            " ".join(["`here` marks this run's.", *published.left_out(frame, settings, title)]),
            _UNITS,
        )
        for title, made in published.rows_among_published(frame, settings).items()
    }


def _distributions(frame: pl.DataFrame) -> dict[str, Table]:
    once = "Each entity counts once."
    made = {
        "turns_tail": (
            analyses.turns_tail(frame),
            "How long won games take",
            "Of games that were won, the share that took more than so many turns.",
        ),
        "entities_kinds": (analyses.entities_by(frame), "Entities by kind", once),
        "entities_countries": (
            analyses.entities_by(frame, "country"),
            "Entities by country",
            once,
        ),
        "fame_ranks": (
            analyses.fame_ranks(frame),
            "Fame by rank",
            "At ranks evenly apart in logarithms. Entities without a figure have no rank.",
        ),
    }
    return {
        name: table_from(table, title, note, _UNITS) for name, (table, title, note) in made.items()
    }


def _with_language_names(frame: pl.DataFrame, own: Mapping[str, str] = {}) -> pl.DataFrame:
    """Languages by their names; `own` are those of the user's own languages."""
    names = LANGUAGE_NAMES | dict(own)
    return frame.with_columns(pl.col("language").replace(names))


def _measures(frame: pl.DataFrame, model: str) -> dict[str, list[CountryNumber]]:
    """Each economy's success over people and things together, in each setting."""
    measures: dict[str, list[CountryNumber]] = {}
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
                counted=_units(played),
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
