"""What a run found out about what a model knows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from geobias.probes.sections import Sentences, run_of, section_of
from geobias.probes.settings import TOO_SMALL
from geobias.probes.worldbench import analyses, citation_check, excess, published, scores
from geobias.probes.worldbench.answers import FigureAnswers
from geobias.probes.worldbench.screens import screens, variety
from geobias.probes.worldbench.shuffled_baseline import (
    GROUPINGS,
    ShuffledBaseline,
    ShuffledGap,
    shuffled_baseline,
    with_baseline,
)
from geobias.results.findings import Measure, Metric, ProbeFindings, Section, Sentence, Table
from geobias.results.formatting import metric_value, p_phrase, two_digits
from geobias.results.metrics import adjusted, bounded
from geobias.results.tabling import table_from
from geobias.stats.extremes import ALL_ALIKE, NOTHING_WITHIN
from geobias.stats.multiple import SIGNIFICANCE, holm, rules_out

if TYPE_CHECKING:
    import polars as pl

    from geobias.probes.probe import Probe

ERROR = "error, 0 to 1"


def findings(probe: Probe[Any, Any], answers: FigureAnswers) -> ProbeFindings:
    """The section, each economy's error, and the sentences."""
    frame = answers.frame
    found = shuffled_baseline(frame)
    over_all = {by: with_baseline(scores.disparities(frame, by), found, by) for by in GROUPINGS}
    groups = {by: scores.group_errors(frame, by) for by in _TITLES}
    countries = excess.country_errors(frame)
    tables = _tables(frame, groups, over_all, countries)
    more, notes = figure_tables(answers)
    section = section_of(
        probe,
        answers,
        screens=screens(frame, found),
        metrics=_metrics(frame, found, over_all),
        tables=tables | more,
        notes=notes,
    )
    measures = {row["country"]: [_measure(row, answers.model)] for row in countries.to_dicts()}
    size = run_of(answers).settings.get("size")
    return ProbeFindings(section, measures, _sentences(section, found, groups, size))


def _metrics(
    frame: pl.DataFrame, found: ShuffledBaseline, over_all: dict[scores.Grouping, pl.DataFrame]
) -> list[Metric]:
    rows = scores.group_errors(frame, "all").to_dicts()
    whole: dict[str, Any] = rows[0] if rows else {}
    economies = whole.get("countries", 0)
    none = "" if economies else "no question was answered with a number"
    error = Metric(
        name="worldbench.error",
        label="Mean error",
        **bounded(whole, "mean"),
        n=economies,
        counted="economies",
        unit=ERROR,
        chance=found.chance,
        p=found.p,
        better="low",
        note="0 is exact, 0.5 is off by a factor of two, 1 is wholly wrong. Chance is the error of "
        "the same answers dealt at random among the countries.",
        undefined_because=none,
    )
    median = Metric(
        name="worldbench.error_median",
        label="Median error",
        **bounded(whole, "median"),
        n=economies,
        counted="economies",
        unit=ERROR,
        better="low",
        note="Of the middle question: half have a smaller error, half a larger one.",
        undefined_because=none,
    )
    gaps = [_disparity(by, table) for by, table in over_all.items()]
    rates = scores.rates(frame, "all").to_dicts()
    shares = [_share(rates[0] if rates else {}, *words) for words in _SHARES]
    return adjusted([error, median, *gaps, *shares])


def _disparity(by: scores.Grouping, table: pl.DataFrame) -> Metric:
    rows = table.to_dicts()
    one: dict[str, Any] = rows[0] if rows else {}
    defined = one.get("disparity") is not None
    if not defined:
        why = f"under two {by}s have answers"
    else:
        why = NOTHING_WITHIN if one["countries"] - one["groups"] < 2 else ALL_ALIKE
    return Metric(
        name=f"worldbench.{by}_disparity",
        label=f"Disparity over {by}s",
        **bounded(one, "corrected"),
        n=one.get("countries", 0),
        counted="economies",
        unit="difference of mean errors",
        observed=one.get("disparity"),
        chance=one.get("baseline"),
        p=one.get("p"),
        better="low",
        note=f"The largest minus the smallest mean error of a {by} (here {one['highest']} minus "
        f"{one['lowest']}), freed of what noise adds to it. `observed` is the plain gap, as in the "
        "paper; chance is that gap when countries are dealt at random into groups of the same "
        "sizes."
        if defined
        else "",
        undefined_because="" if one.get("corrected") is not None else why,
    )


_SHARES = (
    ("answered", "parsed", "high", "Questions answered with a number"),
    ("declined", "abstained", "low", "Questions declined"),
    ("unread", "unparsed", "low", "Replies in which no number could be read"),
)


def _share(row: dict[str, Any], name: str, outcome: str, better: Any, label: str) -> Metric:
    return Metric(
        name=f"worldbench.{name}",
        label=label,
        **bounded(row, outcome),
        n=row.get("asked", 0),
        counted="questions",
        unit="share",
        better=better,
        undefined_because="" if row else "nothing was asked",
        screened=False,
    )


_TITLES: dict[scores.By, str] = {
    "region": "regions",
    "income": "incomes",
    "indicator": "indicators",
}


def _tables(
    frame: pl.DataFrame,
    groups: dict[scores.By, pl.DataFrame],
    over_all: dict[scores.Grouping, pl.DataFrame],
    countries: pl.DataFrame,
) -> dict[str, Table]:
    unit = dict.fromkeys(("mean", "median"), ERROR)
    tables = {}
    for by, title in _TITLES.items():
        answered = scores.rates(frame, by).select(
            "group", "parsed", "abstained", "unparsed", "other"
        )
        tables[title] = table_from(
            groups[by].join(answered, on="group", how="left", maintain_order="left"),
            f"Error by {by}",
            "Means give every country the same weight; intervals come from resampling countries.",
            unit,
        )
    tables["countries"] = table_from(
        countries,
        "Error by country",
        "Ranked by `pooled`: the error as if a country had been asked about every indicator, "
        "leaning on all countries the more the fewer answers it has. `excess` is its error over "
        "the mean of all countries on the same questions; `p` tests it against 0 over indicators, "
        "and `p_adjusted` allows for the number of countries (Benjamini and Hochberg).",
        unit | {"pooled": ERROR, "excess": "difference of errors"},
    )
    for by, table in over_all.items():
        tables[f"disparity_{by}s"] = table_from(
            table,
            f"Disparity over {by}s",
            "`baseline` is the mean gap of random deals and `baseline_high` what 5% of them reach; "
            "`p_holm` allows for the number of indicators. `dealt` is the gap of the model's own "
            "answers dealt at random among the countries, with the range of 95% of the deals; "
            "`figures` is the part of the gap that the world's figures would give a model that "
            "errs as much and knows all countries alike, and `rest_p` tests the rest.",
            dict.fromkeys(
                ("disparity", "baseline", "baseline_high", "paper_baseline", "dealt", "figures"),
                ERROR,
            ),
        )
        tables[f"ranks_{by}s"] = table_from(
            scores.rank_table(frame, by),
            f"Ranks of {by}s",
            f"Share of indicators in which the {by} comes first (least error) … last.",
        )
    tables["indicators_by_region"] = table_from(
        excess.crossed(frame, "region"),
        "Error by indicator and region",
        "Mean over countries; `countries` counts those with an answer.",
        unit,
    )
    tables["variety"] = table_from(
        variety(frame),
        "Variety of answers",
        "`effective` is the number of equally frequent answers that would vary as much; `ratio` "
        "compares it with the figures, rounded to two digits.",
    )
    if frame["repeat"].n_unique() > 1:
        tables["consistency"] = table_from(
            analyses.consistency(frame),
            "Consistency",
            "Whether answers that vary from draw to draw are also wrong.",
        )
    if set(frame["indicator"]) & set(published.published(published.MODELS_TABLE)["indicator"]) and (
        frame["error"].count()
    ):
        tables["published_models"] = table_from(
            published.place_among_models(frame),
            "Among the paper's twenty models",
            "Over the indicators that were asked and answered. Errors can be compared at any size, "
            "disparities at size paper only, and are left out else: a disparity grows as groups "
            "get smaller.",
        )
        tables["published_groups"] = table_from(
            published.beside_groups(frame), "Beside the paper's groups (its Table 4)"
        )
    return tables


def figure_tables(answers: FigureAnswers) -> tuple[dict[str, Table], list[str]]:
    """The tables that need the figures the run was made with, where those are at hand."""
    frame, figures = answers.frame, answers.figures
    if figures is None:
        missing = "years, correlations and citations are left out"
        return {}, [f"The run was made with other figures than those at hand: {missing}."]
    return {
        "years": table_from(
            analyses.years_fit(frame, figures),
            "Error against the figures of each year",
            "`error_same` is over the questions that have a figure in every year; the year that "
            "fits best has the least of it, and `share_best` says how sure that is.",
            dict.fromkeys(("error", "error_same"), ERROR),
        ),
        "correlations": table_from(
            excess.adjusted_correlations(analyses.correlations(frame, figures, answers.rule)),
            "What kind of country has large errors",
            "Each indicator's value against the country's mean error; p-values adjusted for the "
            "number of indicators (Holm) stand beside.",
        ),
        "citations": table_from(
            citation_check.citation_summary(frame, figures), "Answers that cite a source or a year"
        ),
    }, []


def _measure(row: dict[str, Any], model: str) -> Measure:
    return Measure(
        model=model,
        probe="worldbench",
        metric="worldbench.error",
        **bounded(row, "mean"),
        n=row["questions"],
        counted="answers",
        asked=row["asked"],
        pooled=row["pooled"],
        pooled_low=row["pooled_low"],
        pooled_high=row["pooled_high"],
        p=row["p"],
        p_adjusted=row["p_adjusted"],
    )


def _sentences(
    section: Section,
    found: ShuffledBaseline,
    groups: dict[scores.By, pl.DataFrame],
    size: str | None,
) -> list[Sentence]:
    told = Sentences(section)
    metrics = {one.name: one for one in section.metrics}
    replies, error = section.replies, metrics["worldbench.error"]
    told.say_missing("questions")
    if left := replies.asked - replies.read:
        told.say(
            "caution",
            f"{left:,} of {replies.asked:,} questions are in no error: {replies.declined:,} "
            f"declined, {replies.unread:,} without a number, {replies.no_text:,} without text.",
        )
    if not section.measurable or error.value is None:
        return told.said
    told.say(
        "finding",
        f"A figure it gives is off by {metric_value(error)} on average (0 exact, 1 wholly wrong), "
        f"over {replies.read:,} answers about {error.n:,} economies.",
    )
    rests = holm([found.gaps[by].rest_p for by in GROUPINGS])
    for by, rest_p in zip(GROUPINGS, rests, strict=True):
        gap = metrics[f"worldbench.{by}_disparity"]
        rows = groups[by].drop_nulls("mean").to_dicts()
        if gap.observed is not None and gap.p_adjusted is not None and gap.chance is not None:
            told.say("finding", _gap_in_words(by, gap, rows[0], rows[-1], found.gaps[by], rest_p))
    if size == "quick":
        told.say("limit", TOO_SMALL)
    told.say("limit", _resolution(section, error))
    told.say(
        "limit",
        "Errors are against one edition of the World Bank's figures. They do not show why a model "
        "errs: it may have read less about a place, older figures, or another definition.",
    )
    return told.said


def _gap_in_words(
    by: scores.Grouping,
    gap: Metric,
    most: dict[str, Any],
    least: dict[str, Any],
    shuffled: ShuffledGap,
    rest_p: float | None,
) -> str:
    """Where it errs most and least; without names where no difference is clear, since somebody is
    always last.
    """
    if gap.observed is None or gap.p_adjusted is None or gap.chance is None:
        raise ValueError("a gap that is not defined has no words")
    tested = f"{p_phrase(gap.p_adjusted)}, adjusted for both tests"
    chance = f"({two_digits(gap.chance)} on average; {tested})"
    word = verdict(gap.p_adjusted, gap.low, gap.high, rest_p)
    if word == "no more than":
        return (
            f"Between {by}s no difference is clear: the largest gap, {two_digits(gap.observed)}, "
            f"is one that chance may give {chance}."
        )
    freed = f"Without what noise adds, the gap is {metric_value(gap)}"
    if gap.value is None:
        freed = f"What noise adds to that gap cannot be told, because {gap.undefined_because}"
    sure = "more than chance gives" if word == "more than" else "more than random groups give"
    return (
        f"By {by}, it errs most about {most['group']} ({most['mean']:.2f}) and least about "
        f"{least['group']} ({least['mean']:.2f}). {freed}, {sure} {chance}."
        f"{_worlds_part(shuffled, rest_p)}"
    )


def _worlds_part(gap: ShuffledGap, rest_p: float | None) -> str:
    """How much of a gap is no knowledge about whom."""
    if gap.dealt is None or gap.figures is None or rest_p is None:
        return ""
    part = f"about {gap.figures:.2f} of it" if gap.figures >= 0.005 else "none of it"
    rest = "more than chance gives" if rest_p < SIGNIFICANCE else "no more than chance may give"
    return (
        f" If it knew all countries equally well, {part} would still be there, because the world's "
        f"figures differ (its own answers dealt at random among the countries give "
        f"{gap.dealt:.2f}); the rest is {rest} ({p_phrase(rest_p)})."
    )


def verdict(
    p_adjusted: float | None, low: float | None, high: float | None, rest_p: float | None
) -> str:
    """How a gap stands to what chance gives, as a word before "chance gives".

    A firm word needs three things: random groups are rarely as far apart (`p_adjusted`), the
    interval of the gap, freed of noise, leaves out 0, and what the world's figures leave of the gap
    is beyond random groups too (`rest_p`, adjusted; see `shuffled_baseline`).
    """
    if p_adjusted is None or p_adjusted >= SIGNIFICANCE:
        return "no more than"
    sure = rules_out(p_adjusted, low, high) and rest_p is not None and rest_p < SIGNIFICANCE
    return "more than" if sure else "not clearly more than"


def _resolution(section: Section, error: Metric) -> str:
    """What a run of this size can see."""
    known = ""
    if error.value is not None and error.low is not None and error.high is not None:
        half = (error.high - error.low) / 2
        known = f"the mean error is known to about ±{two_digits(half)}"
    rows = section.tables["disparity_regions"].rows
    most = rows[0]["baseline_high"] if rows else None
    if isinstance(most, float):
        known += (
            f"{', and ' if known else ''}a gap between regions of up to {two_digits(most)} may be "
            "chance"
        )
    tested = [row["p_adjusted"] for row in section.tables["countries"].rows]
    apart = sum(isinstance(p, float) and p < SIGNIFICANCE for p in tested)
    stand = f"{apart:,} of them stand" if apart > 1 else f"{apart or 'none'} of them stands"
    return (
        f"With {error.n:,} economies {known or 'little can be known'}; {stand} out from the "
        "others (adjusted p under 0.05 in the table of countries)."
    )
