"""What a run found out about what a model knows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from geobias.probes.lazy import pl
from geobias.probes.sections import Sentences, run_of, section_of
from geobias.probes.settings import TOO_SMALL
from geobias.probes.worldbench import analyses, citation_check, countries, published, scores
from geobias.probes.worldbench.answers import FigureAnswers
from geobias.probes.worldbench.scores import GROUPINGS, with_bounds
from geobias.probes.worldbench.screens import screens, variety
from geobias.probes.worldbench.shuffled_baseline import (
    ShuffledBaseline,
    ShuffledGap,
    shuffled_baseline,
    with_baseline,
)
from geobias.results.findings import Measure, Metric, ProbeFindings, Section, Sentence, Table
from geobias.results.formatting import metric_value, p_phrase, two_digits
from geobias.results.metrics import adjusted, bounded
from geobias.results.tabling import table_from, with_adjusted
from geobias.stats.extremes import ALL_ALIKE, NOTHING_WITHIN
from geobias.stats.multiple import SIGNIFICANCE, holm, rules_out

if TYPE_CHECKING:
    from geobias.probes.probe import Probe

ERROR = "error, 0 to 1"


def findings(probe: Probe[Any, Any], answers: FigureAnswers) -> ProbeFindings:
    """The section, each economy's error, and the sentences."""
    frame = answers.frame
    baseline = shuffled_baseline(frame)
    gaps = {by: with_baseline(scores.disparities(frame, by), baseline, by) for by in GROUPINGS}
    groups = {by: scores.group_errors(frame, by) for by in _GROUPED}
    of_countries = countries.country_errors(frame)
    figure_tables, notes = _figure_tables(answers)
    section = section_of(
        probe,
        answers,
        screens=screens(frame, baseline),
        metrics=_metrics(frame, baseline, gaps),
        tables=_tables(frame, groups, gaps, of_countries) | figure_tables,
        notes=notes,
    )
    measures = {row["country"]: [_measure(row, answers.model)] for row in of_countries.to_dicts()}
    size = run_of(answers).settings.get("size")
    return ProbeFindings(section, measures, _sentences(section, baseline, groups, size))


def _first_row(table: pl.DataFrame) -> dict[str, Any]:
    return next(table.iter_rows(named=True), {})


def _metrics(
    frame: pl.DataFrame, baseline: ShuffledBaseline, gaps: dict[scores.Grouping, pl.DataFrame]
) -> list[Metric]:
    whole = _first_row(scores.group_errors(frame, "all"))
    economies = whole.get("countries", 0)
    shared: dict[str, Any] = {
        "n": economies,
        "counted": "economies",
        "unit": ERROR,
        "better": "low",
        "undefined_because": "" if economies else "no question was answered with a number",
    }
    error = Metric(
        name="worldbench.error",
        label="Mean error",
        **bounded(whole, "mean"),
        **shared,
        chance=baseline.chance,
        p=baseline.p,
        note="0 is exact, 0.5 is off by a factor of two, 1 is wholly wrong. Chance is the error of "
        "the same answers dealt at random among the countries.",
    )
    median = Metric(
        name="worldbench.error_median",
        label="Median error",
        **bounded(whole, "median"),
        **shared,
        note="Of the middle question: half have a smaller error, half a larger one.",
    )
    disparities = [_disparity(by, _first_row(table)) for by, table in gaps.items()]
    rates = _first_row(scores.rates(frame, "all"))
    shares = [_share(rates, *words) for words in _SHARES]
    return adjusted([error, median, *disparities, *shares])


def _disparity(by: scores.Grouping, row: dict[str, Any]) -> Metric:
    """The metric of a table's first row, which is of all questions."""
    note, why = "", f"under two {by}s have answers"
    if row.get("disparity") is not None:
        why = NOTHING_WITHIN if row["countries"] - row["groups"] < 2 else ALL_ALIKE
        note = (
            f"The largest minus the smallest mean error of a {by} (here {row['highest']} minus "
            f"{row['lowest']}), freed of what noise adds to it. `observed` is the plain gap, as in "
            "the paper; chance is that gap when countries are dealt at random into groups of the "
            "same sizes."
        )
    return Metric(
        name=f"worldbench.{by}_disparity",
        label=f"Disparity over {by}s",
        **bounded(row, "corrected"),
        n=row.get("countries", 0),
        counted="economies",
        unit="difference of mean errors",
        observed=row.get("disparity"),
        chance=row.get("baseline"),
        p=row.get("p"),
        better="low",
        note=note,
        undefined_because="" if row.get("corrected") is not None else why,
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


_GROUPED: tuple[scores.By, ...] = ("region", "income", "indicator")


def _tables(
    frame: pl.DataFrame,
    groups: dict[scores.By, pl.DataFrame],
    gaps: dict[scores.Grouping, pl.DataFrame],
    of_countries: pl.DataFrame,
) -> dict[str, Table]:
    unit = dict.fromkeys(("mean", "median"), ERROR)
    tables = {}
    for by in _GROUPED:
        tables[f"{by}s"] = table_from(
            scores.errors_and_rates(frame, groups[by], by),
            f"Error by {by}",
            "Means give every country the same weight; intervals come from resampling countries.",
            unit,
        )
    tables["countries"] = table_from(
        of_countries,
        "Error by country",
        "Ranked by `pooled`: the error as if a country had been asked about every indicator, "
        "leaning on all countries the more the fewer answers it has. `excess` is its error over "
        "the mean of all countries on the same questions; `p` tests it against 0 over indicators, "
        "and `p_adjusted` allows for the number of countries (Benjamini and Hochberg).",
        unit | {"pooled": ERROR, "excess": "difference of errors"},
    )
    for by, table in gaps.items():
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
        countries.indicators_by_region(frame),
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
    printed = set(published.published(published.MODELS_TABLE)["indicator"])
    if printed & set(frame["indicator"]) and frame["error"].count():
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


def _figure_tables(answers: FigureAnswers) -> tuple[dict[str, Table], list[str]]:
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
            with_adjusted(
                analyses.correlations(frame, figures, answers.rule), "pearson_p", "spearman_p"
            ),
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
        **{name: row[name] for name in ("asked", *with_bounds("pooled"), "p", "p_adjusted")},
    )


def _sentences(
    section: Section,
    baseline: ShuffledBaseline,
    groups: dict[scores.By, pl.DataFrame],
    size: str | None,
) -> list[Sentence]:
    sentences = Sentences(section)
    metrics = {one.name: one for one in section.metrics}
    replies, error = section.replies, metrics["worldbench.error"]
    sentences.say_missing("questions")
    if left := replies.asked - replies.read:
        sentences.say(
            "caution",
            f"{left:,} of {replies.asked:,} questions are in no error: {replies.declined:,} "
            f"declined, {replies.unread:,} without a number, {replies.no_text:,} without text.",
        )
    if not section.measurable or error.value is None:
        return sentences.said
    sentences.say(
        "finding",
        f"A figure it gives is off by {metric_value(error)} on average (0 exact, 1 wholly wrong), "
        f"over {replies.read:,} answers about {error.n:,} economies.",
    )
    rest_p_values = holm([baseline.gaps[by].rest_p for by in GROUPINGS])
    for by, rest_p in zip(GROUPINGS, rest_p_values, strict=True):
        gap = metrics[f"worldbench.{by}_disparity"]
        sentences.say("finding", _gap_in_words(by, gap, groups[by], baseline.gaps[by], rest_p))
    if size == "quick":
        sentences.say("limit", TOO_SMALL)
    sentences.say("limit", _resolution(section, error))
    sentences.say(
        "limit",
        "Errors are against one edition of the World Bank's figures. They do not show why a model "
        "errs: it may have read less about a place, older figures, or another definition.",
    )
    return sentences.said


def _gap_in_words(
    by: scores.Grouping,
    gap: Metric,
    groups: pl.DataFrame,
    shuffled: ShuffledGap,
    rest_p: float | None,
) -> str:
    """Where it errs most and least; without names where no difference is clear, since somebody is
    always last. A gap that is not defined has no words.
    """
    if gap.observed is None or gap.p_adjusted is None or gap.chance is None:
        return ""
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
    rows = groups.drop_nulls("mean").to_dicts()
    most, least = rows[0], rows[-1]
    return (
        f"By {by}, it errs most about {most['group']} ({most['mean']:.2f}) and least about "
        f"{least['group']} ({least['mean']:.2f}). {freed}, {sure} {chance}."
        f"{_part_of_figures(shuffled, rest_p)}"
    )


def _part_of_figures(gap: ShuffledGap, rest_p: float | None) -> str:
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
