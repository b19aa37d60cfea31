"""Geo20Q+'s part of the findings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from geobias.atlas.economies import economies
from geobias.probes.geo20q import analyses, fame, manner, published, scores
from geobias.probes.geo20q.analyses import HALVES
from geobias.probes.geo20q.judge_scores import judge_frame_of, judge_groups
from geobias.probes.geo20q.screens import GUESSING, screens
from geobias.probes.geo20q.summary import sentences
from geobias.probes.screens import because, reasons
from geobias.report.findings import Measure, Metric, Part, Replies, Section, Sentence, Table
from geobias.report.metrics import TOO_SMALL, adjusted, written
from geobias.report.tabling import table_of, with_adjusted
from geobias.stats import disparity

if TYPE_CHECKING:
    import polars as pl

    from geobias.atlas.figures import Figures
    from geobias.runfile import RunReader

PROBE = "geo20q"
JUDGE = "geo20q_judge"
TITLE = "Geo20Q+: what the model works out"
SUCCESS = "share of games won"
TELLING = 100
"""Countries under which a run is called small."""


def part(run: RunReader, model: str, id_: str, figures: Figures | None) -> Part:
    """What a run found out about what a model works out. Needs no figures."""
    manifest = run.manifest()
    frame = scores.frame_of(run.records(PROBE), model).sort("trial")
    judge = judge_frame_of(run.records(JUDGE), manifest.models.get("judge", model)).sort("trial")
    seen = screens(frame, judge)
    why = reasons(seen)
    halves = analyses.halves(frame)
    section = Section(
        probe=PROBE,
        title=TITLE,
        model=model,
        run=id_,
        measurable=not why,
        why_not=why,
        screens=seen,
        replies=_replies(frame, manifest.planned.get(PROBE, 0) - judge.height),
        metrics=_metrics(frame, judge, halves),
        tables=_tables(frame, judge, halves),
        notes=[],
    )
    return Part(
        section,
        _measures(frame, model),
        _sentences(section, frame, judge, manifest.probes[PROBE].get("size")),
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


def _metrics(frame: pl.DataFrame, judge: pl.DataFrame, halves: pl.DataFrame) -> list[Metric]:
    import polars as pl

    games = scores.by_setting(frame).filter(pl.col("won").is_not_null())
    found: list[Metric] = []
    for setting in scores.SETTINGS:
        played = games.filter(setting=setting)
        if not played.height:
            continue
        found += [_success(played, setting), _turns(played, setting), _disparity(played, setting)]
    found += [_half(row) for row in halves.filter(games="all").to_dicts()]
    return adjusted([*found, *_judged(judge)])


def _success(played: pl.DataFrame, setting: str) -> Metric:
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
    )


def _turns(played: pl.DataFrame, setting: str) -> Metric:
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
        undefined_because="" if won.height else "no game was won",
    )


def _disparity(played: pl.DataFrame, setting: str) -> Metric:
    means = scores.country_means(played).sort("country")
    one = disparity(means["value"].to_numpy(), means["region"].to_list())
    corrected = one.corrected
    return Metric(
        name=f"geo20q.region_disparity_{setting}",
        label=f"Disparity over regions, {setting}",
        value=one.value if corrected.value is None else corrected.value,
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
        undefined_because="" if one.value is not None else "under two regions have games",
    )


def _half(row: dict[str, Any]) -> Metric:
    first, second = HALVES[row["halves"]]
    return Metric(
        name=f"geo20q.{row['halves']}_gap_{row['type']}_{row['setting']}",
        label=f"{first} minus {second}, {row['type']}, {row['setting']}",
        value=row["difference"],
        low=row["difference_low"],
        high=row["difference_high"],
        n=row["first_countries"] + row["second_countries"],
        counted="economies",
        unit="difference of success",
        chance=0.0,
        p=row["p"],
        better="zero",
        note="Difference of the means over countries; p is Mann and Whitney's.",
        undefined_because="" if row["difference"] is not None else "a half has no games",
    )


def _judged(judge: pl.DataFrame) -> list[Metric]:
    if not judge.height:
        return []
    row = judge_groups(judge).row(0, named=True)
    return [
        Metric(
            name="geo20q.judge_accuracy",
            label="Judge's accuracy on known facts",
            value=row["accuracy"],
            low=row["accuracy_low"],
            high=row["accuracy_high"],
            n=row["read"],
            counted="questions",
            unit="share of answers read",
            chance=GUESSING,
            better="high",
            undefined_because="" if row["accuracy"] is not None else "no answer could be read",
            screened=False,
        )
    ]


_GROUPINGS: dict[str, scores.By] = {
    "continents": "continent",
    "regions": "region",
    "halves_success": "north_south",
    "categories": "category",
    "professions": "profession",
}


def _tables(frame: pl.DataFrame, judge: pl.DataFrame, halves: pl.DataFrame) -> dict[str, Table]:
    unit = {"success": SUCCESS}
    note = "Intervals come from resampling countries; `units` says where they could not."
    tables = {"success": table_of(scores.success(frame), "Success", note, unit)}
    for name, by in _GROUPINGS.items():
        title = f"Success by {by.replace('_', ' and ')}"
        tables[name] = table_of(scores.success(frame, by), title, note, unit)
    tables["countries"] = table_of(
        country_success(frame),
        "Success by country",
        "Intervals come from a country's entities. Of twenty intervals one misses: a country that "
        "stands out here is a question, not a finding.",
        unit,
    )
    if frame["language"].n_unique() > 1:
        tables["languages"] = table_of(
            scores.success(frame, "language"), "Success by language", note, unit
        )
    if frame["repeat"].n_unique() > 1:
        tables["repeats"] = table_of(scores.repeats(frame), "Mean and SD over repeats")
    tables |= {
        "halves": table_of(
            halves,
            "Halves of the world",
            "On country means. `p_holm` allows for all rows; the rows `judge right` leave out "
            "games in which the judge said something that the entity table contradicts.",
        ),
        "curve": table_of(
            analyses.curve(frame),
            "Success against allowed turns",
            "The band is for each number of turns alone.",
            unit,
        ),
        "curve_halves": table_of(
            analyses.curve(frame, "north_south"),
            "Success against allowed turns, by half of the world",
            "The band is for each number of turns alone.",
            unit,
        ),
        "turns": table_of(scores.turns(frame), "Turns to success", "Of games that were won."),
        "give_ups": table_of(scores.give_ups(frame), "Giving up"),
        "endings": table_of(scores.endings(frame), "How games ended"),
        "instead": table_of(
            manner.instead(frame),
            "Who was guessed instead",
            "Of each region's games that were lost, where the entity guessed last is from.",
        ),
        "questions": table_of(manner.questions(frame), "The guesser's questions"),
        "judging": table_of(manner.judging_in_games(frame), "The judge's answers in games"),
        "first_places": table_of(manner.first_places(frame), "Asked about first"),
        "entering": table_of(
            manner.entering(frame), "Questions about other places, before the right one"
        ),
        "fame": table_of(
            with_adjusted(fame.regression(frame), "success_p", "turns_p"), "Success and fame"
        ),
        "held_constant": table_of(
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
            tables[name] = table_of(judge_groups(judge, by), title)
    for title, table in published.beside(frame).items():
        name = "published_" + title.replace(" ", "_").lower()
        tables[name] = table_of(table, f"Beside the paper: {title}", "`here` marks this run's.")
    return tables


def country_success(frame: pl.DataFrame) -> pl.DataFrame:
    """`scores.success` by country with its code, the lowest first."""
    import polars as pl

    codes = {one.name: one.iso3 for one in economies().values()}
    table = scores.success(frame, "country")
    found = [codes.get(name, "") for name in table["group"]]
    return table.select(
        pl.Series("country", found, pl.String),
        pl.col("group").alias("name"),
        pl.exclude("group"),
    ).sort("type", "setting", "success", "country", nulls_last=True)


def _measures(frame: pl.DataFrame, model: str) -> dict[str, list[Measure]]:
    """Each economy's success over people and things together, in each setting."""
    import polars as pl

    found: dict[str, list[Measure]] = {}
    games = scores.by_setting(frame)
    for setting in scores.SETTINGS:
        for (country,), asked in games.filter(setting=setting).group_by(
            "country", maintain_order=True
        ):
            played = asked.filter(pl.col("won").is_not_null())
            if not country:
                continue
            one, _ = scores.share(played, "won")
            found.setdefault(str(country), []).append(
                Measure(
                    model=model,
                    probe=PROBE,
                    metric=f"geo20q.success_{setting}",
                    value=one.value,
                    low=one.low,
                    high=one.high,
                    n=played.height,
                    counted="games",
                    asked=asked.height,
                )
            )
    return found


def _sentences(
    section: Section, frame: pl.DataFrame, judge: pl.DataFrame, size: str | None
) -> list[Sentence]:
    def say(kind: Any, text: str) -> None:
        said.append(Sentence(kind=kind, probe=PROBE, model=section.model, text=text))

    said: list[Sentence] = []
    replies = section.replies
    if section.why_not:
        say("unmeasurable", because(section.why_not))
    if replies.missing:
        say("caution", f"{replies.missing:,} of {replies.planned:,} games are not played yet.")
    if section.measurable:
        for one in section.metrics:
            if one.name.startswith("geo20q.success_"):
                setting = one.name.removeprefix("geo20q.success_")
                say("finding", f"It wins {written(one)} of {one.n:,} {setting} games.")
    for text in sentences(frame, judge):
        say("finding" if section.measurable else "caution", text)
    if not section.measurable:
        return said
    if size == "quick":
        say("limit", TOO_SMALL)
    countries = frame["country"].n_unique()
    if countries < TELLING:
        say(
            "limit",
            f"Games about {countries:,} countries are a sample: only large gaps can be seen, and "
            "no country can be told from another.",
        )
    say(
        "limit",
        "A game is played by two models. A gap may come from the guesser, from the judge, or from "
        "how well known the entities are; the tables of the judge and of fame tell these apart as "
        "far as they can be.",
    )
    return said
