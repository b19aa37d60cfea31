"""What a run found out about what a model knows: its section of a report, the sentences about it,
the verdict that opens it, and the summary on a terminal.
"""

from __future__ import annotations

from typing import Any

import polars as pl

from geobias.measures.frames import schema_of
from geobias.probes.probe import Probe
from geobias.probes.sections import Sentences, alike_neighbours, interest_of, run_of, section_of
from geobias.probes.settings import TOO_SMALL
from geobias.probes.worldbench import countries, moving, paper, published, scores, years
from geobias.probes.worldbench.answers import FigureAnswers, asked_otherwise, paper_column
from geobias.probes.worldbench.comparison import wording_metric, wording_sentence, wording_tables
from geobias.probes.worldbench.countries import consistency, correlations, indicator_values
from geobias.probes.worldbench.scores import (
    ERROR_UNIT,
    GROUPINGS,
    missing_answers,
    sensitivity,
    with_bounds,
)
from geobias.probes.worldbench.screens import (
    ShuffledBaseline,
    screens,
    shuffled_baseline,
    variety,
)
from geobias.results.figures import reach
from geobias.results.findings import CountryNumber, Metric, ProbeFindings, Section, Sentence, Table
from geobias.results.formatting import (
    counted,
    in_natural_order,
    p_phrase,
    two_digits,
)
from geobias.results.tables import (
    adjusted,
    bounded,
    metric_of,
    metric_value,
    rows_of,
    table_from,
    with_adjusted,
)
from geobias.results.verdicts import Dots, Question, Verdict, dots_of, verdict_on
from geobias.stats.contrasts import ALL_ALIKE, MIN_UNITS
from geobias.stats.estimates import LEVEL

WHY_NOT = {
    "parse rate": "Too few of its replies held a number.",
    "variety": "It gives nearly the same number for every country.",
    "one typical figure": "It gives nearly the same number for every country.",
    "better than": "Its answers are no better than the same answers shuffled among the countries.",
}


QUESTION = Question(
    above="knows poor countries less well than rich ones",
    below="knows rich countries less well than poor ones",
    gap="gap between poor and rich countries",
    size=lambda trend: (
        f"Its mean error, poor minus rich: {metric_value(trend)} "
        f"({counted(trend.n, trend.counted)})."
    ),
    too_few="was asked about too few countries to tell",
)


def verdict(section: Section) -> Verdict:
    return verdict_on(
        section,
        QUESTION,
        dots=_dots(section, "income"),
        figure="worldbench-incomes",
        reasons=WHY_NOT,
        also=_moving(section),
    )


def _moving(section: Section) -> str:
    """What moving figures may explain of a gap that was found."""
    trend = metric_of(section, "worldbench.income_trend")
    close = metric_of(section, "worldbench.income_trend_nearest")
    if trend is None or close is None or trend.value is None or close.value is None:
        return ""
    if trend.p is None or trend.p >= LEVEL:
        return ""
    said = f" Against the nearest figure of any year or edition it is {metric_value(close)}"
    if close.p is not None and close.p >= LEVEL:
        return f"{said}: moving figures may explain it."
    return f"{said}."


def _dots(section: Section, by: str) -> Dots | None:
    rows = rows_of(section, f"{by}s", "mean")
    end = reach([rows], "mean", "mean_high")
    ends = ("exact", "far off")
    return dots_of(rows, "group", "mean", "countries", domain=(0, end), ends=ends)


def summary(section: Section) -> Table:
    """`n` counts countries with an answer; `answered` is the share of questions with a number."""
    names = ("error", "error_median", "answered")
    error, median, answered = (metric_of(section, f"worldbench.{name}") for name in names)
    rows: list[dict[str, Any]] = []
    if error is not None and median is not None and answered is not None:
        whole = {"group": "all", "mean": error.value, "mean_low": error.low}
        whole |= {"mean_high": error.high, "median": median.value, "n": error.n}
        rows.append(whole | {"answered": answered.value})
    for table in ("regions", "incomes"):
        for row in in_natural_order(rows_of(section, table), "group"):
            rows.append(row | {"n": row["countries"], "answered": row["parsed"]})
    schema = schema_of(("group",), (*with_bounds("mean"), "median"), ("n",))
    schema |= schema_of((), ("answered",))
    return table_from(pl.DataFrame(rows, schema=schema), "error from 0 to 1, n countries")


def findings(probe: Probe[Any, Any], answers: FigureAnswers) -> ProbeFindings:
    """The section, each economy's error, and the sentences."""
    frame = answers.frame
    baseline = shuffled_baseline(frame)
    gaps = {by: scores.disparities(frame, by) for by in GROUPINGS}
    papers = {by: paper.disparities(frame, by) for by in GROUPINGS}
    groups = {by: scores.group_errors(frame, by) for by in _GROUPED}
    of_countries = countries.country_errors(frame)
    figure_tables, notes = _figure_tables(answers)
    section = section_of(
        probe,
        answers,
        screens=screens(frame, baseline),
        metrics=_metrics(answers, baseline, gaps, papers),
        tables=_tables(frame, groups, _beside(gaps, papers), of_countries)
        | _published_tables(answers, groups["indicator"])
        | figure_tables,
        notes=notes,
    )
    measures = {row["country"]: [_measure(row, answers.model)] for row in of_countries.to_dicts()}
    size = run_of(answers).settings.get("size")
    sentences = _sentences(section, frame["wording"].n_unique())
    return ProbeFindings(section, measures, [*sentences, *_limits(section, size)])


def in_brief(probe: Probe[Any, Any], answers: FigureAnswers) -> ProbeFindings:
    """The metrics, the errors of regions and incomes and their gaps, and what is said of them."""
    frame = answers.frame
    baseline = shuffled_baseline(frame)
    gaps = {by: scores.disparities(frame, by, per_indicator=False) for by in GROUPINGS}
    papers = {by: paper.disparities(frame, by, per_indicator=False) for by in GROUPINGS}
    groups = {by: scores.group_errors(frame, by) for by in GROUPINGS}
    section = section_of(
        probe,
        answers,
        screens=screens(frame, baseline),
        metrics=_metrics(answers, baseline, gaps, papers),
        tables=_group_tables(frame, groups)
        | {f"disparity_{by}s": _gap_table(by, one) for by, one in _beside(gaps, papers).items()},
        notes=[],
    )
    return ProbeFindings(section, {}, _sentences(section, frame["wording"].n_unique()))


def _first_row(table: pl.DataFrame) -> dict[str, Any]:
    return next(table.iter_rows(named=True), {})


def _beside(
    gaps: dict[scores.Grouping, pl.DataFrame], papers: dict[scores.Grouping, pl.DataFrame]
) -> dict[scores.Grouping, pl.DataFrame]:
    """Our tests and gaps with the paper's disparity beside them."""
    same: dict[str, Any] = {"on": "indicator", "how": "left", "maintain_order": "left"}
    return {by: table.join(papers[by], **same) for by, table in gaps.items()}


def _metrics(
    answers: FigureAnswers,
    baseline: ShuffledBaseline,
    gaps: dict[scores.Grouping, pl.DataFrame],
    papers: dict[scores.Grouping, pl.DataFrame],
) -> list[Metric]:
    frame = answers.frame
    rows = {by: _first_row(table) for by, table in gaps.items()}
    whole = _first_row(scores.group_errors(frame, "all"))
    missing = missing_answers(frame, rows["income"].get("trend"))
    economies = whole.get("countries", 0)
    shared: dict[str, Any] = {
        "n": economies,
        "counted": "economies",
        "unit": ERROR_UNIT,
        "better": "low",
        "undefined_because": "" if economies else "no question was answered with a number",
    }
    error = Metric(
        name="worldbench.error",
        label="Mean error",
        **bounded(whole, "mean"),
        **shared,
        missing=missing.answers,
        lowest=missing.error[0],
        highest=missing.error[1],
        chance=baseline.chance,
        note="0 is exact, 0.5 is off by a factor of two, 1 is wholly wrong. Some indicators are "
        "harder than others and lack figures for some countries: the mean allows for that. Chance "
        "is the error of the same answers shuffled among the countries.",
    )
    median = Metric(
        name="worldbench.error_median",
        label="Median error",
        **bounded(whole, "median"),
        **shared,
        note="Of the middle question: half have a smaller error, half a larger one.",
    )
    means = scores.country_means(frame).rename({"error": "value"})
    trend = _trend(
        rows["income"], missing, interest_of(answers), caution=alike_neighbours(means, 1)
    )
    if answers.figures is not None:
        known = moving.other_figures(answers.figures, answers.rule)
        close = moving.nearest(frame, known)
        row = _first_row(scores.disparities(close, "income", per_indicator=False))
        further = [_nearest(row, known)]
    else:
        further = []
    disparities = [_disparity(by, row) for by, row in rows.items()]
    disparities += [_paper_disparity(by, _first_row(table)) for by, table in papers.items()]
    rates = _first_row(scores.rates(frame, "all"))
    shares = [_share(rates, frame["country"].n_unique(), *words) for words in _SHARES]
    return adjusted([error, trend, *further, median, *disparities, *wording_metric(frame), *shares])


def _why_none(by: scores.Grouping, row: dict[str, Any]) -> str:
    """Why groups cannot be compared."""
    few = row.get("groups", 0) < 2
    names = _NAMES[by]
    return f"fewer than two {names} have {MIN_UNITS} economies with answers" if few else ALL_ALIKE


def _trend(row: dict[str, Any], missing: scores.Missing, interest: float, caution: str) -> Metric:
    """The metric of a table's first row, which is of all questions."""
    defined = row.get("trend") is not None
    return Metric(
        name="worldbench.income_trend",
        label="Error, poor minus rich countries",
        **bounded(row, "trend"),
        n=row.get("countries", 0),
        counted="economies",
        unit="difference of mean errors",
        p=row.get("trend_p"),
        better="zero",
        note="Above 0: the poorer, the larger the error. The linear trend over the income "
        f"groups with {MIN_UNITS} economies or more, from the richest to the poorest; "
        "errors are adjusted for the indicator. Welch and Satterthwaite's t."
        if defined
        else "",
        undefined_because="" if defined else _why_none("income", row),
        primary=True,
        interest=interest,
        missing=missing.answers,
        lowest=missing.trend.lowest,
        highest=missing.trend.highest,
        p_missing=missing.trend.p,
        reach=missing.trend.reach,
        caution=caution if defined else "",
    )


def _nearest(row: dict[str, Any], known: moving.Known) -> Metric:
    """The trend when each answer is compared with the nearest figure of any year or edition."""
    defined = row.get("trend") is not None
    named = ", ".join(known)
    return Metric(
        name="worldbench.income_trend_nearest",
        label="Error, poor minus rich countries, against the nearest figure",
        **bounded(row, "trend"),
        n=row.get("countries", 0),
        counted="economies",
        unit="difference of mean errors",
        p=row.get("trend_p"),
        better="zero",
        note="As the trend over income groups, with each answer compared with the nearest of the "
        f"truth and the figures of {named}. What is less than the trend may be due to moving "
        "figures: the table of floors has how far off a model would be that knows other figures.",
        undefined_because="" if defined else _why_none("income", row),
    )


def _disparity(by: scores.Grouping, row: dict[str, Any]) -> Metric:
    """The widest gap between groups that are large enough to be tested."""
    note = ""
    if defined := row.get("disparity") is not None:
        note = (
            f"The largest minus the smallest mean error of {_NAMES[by]} (here {row['highest']} "
            f"minus {row['lowest']}), over those with {MIN_UNITS} economies or more. Noise makes "
            "it too large. Interval and p are Games and Howell's, which hold for all pairs "
            "together."
        )
    return Metric(
        name=f"worldbench.{by}_disparity",
        label=f"Widest gap between {_NAMES[by]}",
        **bounded(row, "disparity"),
        n=row.get("countries", 0),
        counted="economies",
        unit="difference of mean errors",
        p=row.get("disparity_p"),
        better="low",
        note=note,
        undefined_because="" if defined else _why_none(by, row),
    )


def _paper_disparity(by: scores.Grouping, row: dict[str, Any]) -> Metric:
    note = ""
    if defined := row.get("paper_disparity") is not None:
        note = (
            f"The paper's disparity: {row['paper_highest']} minus {row['paper_lowest']}, the "
            f"groups with the largest and the smallest mean error, of all "
            f"{row['paper_groups']} {_NAMES[by]}, errors as they are. Chance is the mean of ten "
            "random deals of the economies into as many groups."
        )
    return Metric(
        name=f"worldbench.paper_{by}_disparity",
        label=f"Disparity over {by}s, as in the paper",
        value=row.get("paper_disparity"),
        low=None,
        high=None,
        n=row.get("paper_groups", 0),
        counted=_NAMES[by],
        unit="difference of mean errors",
        chance=row.get("paper_baseline"),
        better="low",
        note=note,
        undefined_because="" if defined else f"fewer than two {_NAMES[by]} have answers",
    )


_SHARES = (
    ("answered", "parsed", "high", "Questions answered with a number"),
    ("declined", "abstained", "low", "Questions declined"),
    ("unread", "unparsed", "low", "Replies in which no number could be read"),
)


def _share(
    row: dict[str, Any], economies: int, name: str, outcome: str, better: Any, label: str
) -> Metric:
    return Metric(
        name=f"worldbench.{name}",
        label=label,
        **bounded(row, outcome),
        n=economies,
        counted="economies",
        unit="share",
        better=better,
        undefined_because="" if row else "nothing was asked",
        screened=False,
    )


_GROUPED: tuple[scores.By, ...] = ("region", "income", "indicator")


_OF_ERRORS = dict.fromkeys(("mean", "median"), ERROR_UNIT)


def _group_tables(frame: pl.DataFrame, groups: dict[scores.By, pl.DataFrame]) -> dict[str, Table]:
    return {
        f"{by}s": table_from(
            scores.errors_and_rates(errors, scores.rates(frame, by)),
            f"Error by {by}",
            "Every country has the same weight. Errors are adjusted for the indicator (centred), "
            "and intervals are over countries. `plain` is the mean of the errors as they are, as "
            "in the paper.",
            _OF_ERRORS | {"plain": ERROR_UNIT},
        )
        for by, errors in groups.items()
    }


def _gap_table(by: scores.Grouping, table: pl.DataFrame) -> Table:
    trend = (
        "`trend` is poor minus rich by the linear trend over the four groups. "
        if by == "income"
        else ""
    )
    return table_from(
        table,
        f"Differences between {_NAMES[by]}",
        f"Of {_NAMES[by]} with {MIN_UNITS} countries or more. {trend}`p` is of Welch's F test that "
        "all have one mean; `p_holm` allows for the number of indicators. `disparity` is the "
        "largest minus the smallest mean, with Games and Howell's interval and `disparity_p`. "
        "`paper_disparity` is the paper's: all groups, however small, and errors as they are; "
        "`paper_baseline` is the mean of ten random deals into as many groups.",
        dict.fromkeys(("trend", "disparity", "paper_disparity", "paper_baseline"), ERROR_UNIT),
    )


def _tables(
    frame: pl.DataFrame,
    groups: dict[scores.By, pl.DataFrame],
    gaps: dict[scores.Grouping, pl.DataFrame],
    of_countries: pl.DataFrame,
) -> dict[str, Table]:
    unit = _OF_ERRORS
    tables = _group_tables(frame, groups)
    tables["countries"] = table_from(
        of_countries,
        "Error by country",
        "Ranked by `pooled`: the error as if a country had been asked about every indicator, "
        "drawing on all countries as well, most where it has few answers. `excess` is its error "
        "over "
        "the mean of all countries on the same questions; `p` is the share of random shuffles of "
        "each "
        "indicator's errors among the countries that go as far, and `p_adjusted` allows for the "
        "number of countries (Benjamini and Hochberg).",
        unit | {"pooled": ERROR_UNIT, "excess": "difference of errors"},
    )
    for by, table in gaps.items():
        tables[f"disparity_{by}s"] = _gap_table(by, table)
        tables[f"ranks_{by}s"] = table_from(
            scores.rank_table(frame, by),
            f"Ranks of {by}s",
            f"Share of indicators in which the {by} comes first (least error) … last.",
        )
    tables["sensitivity"] = sensitivity(frame)
    tables["indicators_by_region"] = table_from(
        countries.indicators_by_region(frame),
        "Error by indicator and region",
        "Mean over countries; `countries` counts those with an answer.",
        unit,
    )
    tables["variety"] = table_from(
        variety(frame),
        "Variety of answers",
        "`effective` says how many different answers there are, counting rare ones less. `ratio` "
        "is that number divided by the same of the figures. Both are rounded to one digit.",
    )
    if frame["repeat"].n_unique() > 1:
        tables["consistency"] = table_from(
            consistency(frame),
            "Consistency",
            "Whether answers that vary from draw to draw are also wrong.",
        )
    return tables | wording_tables(frame)


def _published_tables(answers: FigureAnswers, errors: pl.DataFrame) -> dict[str, Table]:
    """The run beside the paper's models and groups, where it asked for any of its indicators."""
    frame = answers.frame
    printed = set(published.published(published.MODELS_TABLE)["indicator"])
    if not printed & set(frame["indicator"]) or not frame["error"].count():
        return {}
    column = paper_column(run_of(answers).settings)
    otherwise = asked_otherwise([answers])
    tables = {
        "published_models": table_from(
            published.place_among_models(frame, otherwise, errors, {answers.model: answers.rule}),
            "Among the paper's twenty models",
            "Over the indicators that were asked and answered. Errors can be compared at any size. "
            "A disparity grows as groups get smaller, so it is shown at size paper only.",
        )
    }
    if column.condition:
        tables["published_groups"] = table_from(
            published.beside_groups(frame, column.condition),
            f"Beside the paper's groups ({column.words})",
            published.models_in_words(column.condition),
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
            years.years_fit(frame, figures),
            "Error against the figures of each year",
            "`error_same` is over the questions that have a figure in every year. It is smallest "
            "for the year that fits best; `share_best` says how sure that is.",
            dict.fromkeys(("error", "error_same"), ERROR_UNIT),
        ),
        "correlations": table_from(
            with_adjusted(
                correlations(frame, indicator_values(figures, answers.rule)),
                *("pearson_p", "spearman_p", "given_income_p"),
            ),
            "What kind of country has large errors",
            "Each indicator's value against the country's mean error; `given_income` is among "
            "countries of one income group. `pair_pearson` is as in the paper: the correlation "
            "with the errors at each indicator, averaged. `pair_p` is the mean of their p-values. "
            "P-values adjusted for the number of indicators (Holm) stand beside.",
        ),
        **{
            f"floors_{by}s": table_from(
                moving.floors(frame, moving.other_figures(figures, answers.rule), by),
                f"Error of a model that knows other figures, by {by}",
                "What a model would show that knows the figures of that year (or of the other "
                "edition) perfectly: no model can be expected to do better.",
            )
            for by in GROUPINGS
        },
        "citations": table_from(
            years.citation_summary(frame, figures), "Answers that cite a source or a year"
        ),
    }, []


def _measure(row: dict[str, Any], model: str) -> CountryNumber:
    return CountryNumber(
        model=model,
        probe="worldbench",
        metric="worldbench.error",
        **bounded(row, "mean"),
        n=row["indicators"] or 0,
        counted="indicators",
        **{name: row[name] for name in ("asked", *with_bounds("pooled"))},
    )


def _sentences(section: Section, wordings: int) -> list[Sentence]:
    """What is missing, and what was found."""
    sentences = Sentences(section)
    metrics = {one.name: one for one in section.metrics}
    replies, error = section.replies, metrics["worldbench.error"]
    sentences.say_missing("questions")
    sentences.say_unscored("questions", "a number")
    if not section.measurable or error.value is None:
        return sentences.said
    sentences.say(
        "finding",
        f"Its mean error is {metric_value(error)}, where 0 is exact and 1 is wholly wrong "
        f"({counted(replies.read, 'answers')} about {counted(error.n, 'economies')}).",
    )
    sentences.say("finding", _trend_in_words(metrics["worldbench.income_trend"]))
    sentences.say("finding", _regions_in_words(section, metrics["worldbench.region_disparity"]))
    sentences.say("finding", wording_sentence(metrics, wordings))
    return sentences.said


def _limits(section: Section, size: str | None) -> list[Sentence]:
    """What the results do not show, where there are any."""
    error = next(one for one in section.metrics if one.name == "worldbench.error")
    if not section.measurable or error.value is None:
        return []
    sentences = Sentences(section)
    if size == "quick":
        sentences.say("limit", TOO_SMALL)
    sentences.say("limit", _resolution(section, error))
    sentences.say(
        "limit",
        "Errors are against one edition of the World Bank's figures. They do not show why a model "
        "errs: it may have read less about a place, older figures, or another definition.",
    )
    return sentences.said


def _trend_in_words(trend: Metric) -> str:
    if trend.value is None or trend.p is None:
        return f"Income groups cannot be compared: {trend.undefined_because}."
    return (
        f"By the trend over income groups, its mean error about the poorest countries minus that "
        f"about the richest is {metric_value(trend, 3)} ({p_phrase(trend.p)})."
    )


def _regions_in_words(section: Section, gap: Metric) -> str:
    """Whether regions differ. Two of them are named only where their own test is significant:
    somebody is always last."""
    row = next(iter(rows_of(section, "disparity_regions", "p")), {})
    if gap.value is None or row.get("p") is None:
        return f"Regions cannot be compared: {gap.undefined_because}."
    test = f"Welch's F test, {p_phrase(row['p'])}"
    if row["p"] >= LEVEL or gap.p is None or gap.p >= LEVEL:
        return f"Regions cannot be told apart in mean error ({test})."
    return (
        f"Regions differ in mean error ({test}). It is largest for {row['highest']} and smallest "
        f"for {row['lowest']}: a gap of {metric_value(gap, 3)} ({p_phrase(gap.p)} among all pairs)."
    )


_NAMES: dict[scores.Grouping, str] = {"region": "regions", "income": "income groups"}


def _resolution(section: Section, error: Metric) -> str:
    """What a run of this size can see."""
    known = ""
    if error.value is not None and error.low is not None and error.high is not None:
        half = (error.high - error.low) / 2
        known = f", the mean error is known to about ±{two_digits(half)}"
    tested = [row["p_adjusted"] for row in section.tables["countries"].rows]
    apart = sum(isinstance(p, float) and p < LEVEL for p in tested)
    differ = "economies differ" if apart > 1 else "economy differs"
    return (
        f"With {counted(error.n, 'economies')}{known or ' little can be known'}. "
        f"{apart or 'No'} single {differ} clearly from the others (adjusted p under 0.05 in the "
        "table of countries)."
    )
