"""What a run found out about what a model knows: its section of a report, the sentences about it,
the verdict that opens it, and the summary on a terminal.
"""

from __future__ import annotations

from typing import Any

import polars as pl

from geobias.probes.probe import Probe
from geobias.probes.sections import Sentences, gap_verdict, run_of, section_of
from geobias.probes.settings import TOO_SMALL
from geobias.probes.tables import schema_of
from geobias.probes.worldbench import countries, published, scores, years
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
    with_baseline,
)
from geobias.results.figures import reach
from geobias.results.findings import Measure, Metric, ProbeFindings, Section, Sentence, Table
from geobias.results.formatting import (
    counted,
    in_natural_order,
    number,
    p_with_adjusted,
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
from geobias.results.verdicts import (
    Discovery,
    Dots,
    Verdict,
    dots_of,
    groups_apart,
    surest_grouping,
    verdict_on,
)
from geobias.stats.group_differences import ALL_ALIKE, MIN_UNITS
from geobias.stats.pooling import SIGNIFICANCE

WHY_NOT = {
    "parse rate": "Too few of its replies held a number.",
    "variety": "It gives nearly the same number for every country.",
    "one typical figure": "It gives nearly the same number for every country.",
    "better than": "Its answers are no better than the same answers shuffled among the countries.",
}


def verdict(section: Section) -> Verdict:
    lead, by = surest_grouping(section, "worldbench")

    def describe(_: Metric) -> Discovery:
        rows = [row for row in rows_of(section, f"{by}s") if (row["countries"] or 0) >= MIN_UNITS]
        worst, best = (pick(rows, key=lambda row: row["mean"]) for pick in (max, min))
        less, more = groups_apart(worst["group"], best["group"])
        errors = f"{number(worst['mean'])}, against {number(best['mean'])}"
        matters = f"Its mean error there is {errors}.{_from_the_figures(section, by)}"
        return Discovery("knows", "may know", f"{less} less well than {more}", matters)

    return verdict_on(
        section,
        lead,
        describe,
        dots=_dots(section, by),
        figure=f"worldbench-{by}s",
        reasons=WHY_NOT,
        too_few="was asked about too few countries to tell",
        counted="countries",
        nothing="shows no clear gap between rich and poor countries",
    )


def _from_the_figures(section: Section, by: str) -> str:
    """How much of the gap the figures bring: some groups' are harder to hit by any answer."""
    of_all = next(iter(rows_of(section, f"disparity_{by}s", "dealt")), {})
    own = of_all.get("dealt")
    return f" Shuffled, its answers still show a gap of {number(own)}." if own is not None else ""


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
    gaps = _gaps(frame, baseline)
    groups = {by: scores.group_errors(frame, by) for by in _GROUPED}
    of_countries = countries.country_errors(frame)
    figure_tables, notes = _figure_tables(answers)
    section = section_of(
        probe,
        answers,
        screens=screens(frame, baseline),
        metrics=_metrics(frame, baseline, gaps),
        tables=_tables(frame, groups, gaps, of_countries)
        | _published_tables(answers, groups["indicator"])
        | figure_tables,
        notes=notes,
    )
    measures = {row["country"]: [_measure(row, answers.model)] for row in of_countries.to_dicts()}
    size = run_of(answers).settings.get("size")
    sentences = _sentences(section, groups, frame["wording"].n_unique())
    return ProbeFindings(section, measures, [*sentences, *_limits(section, size)])


def in_brief(probe: Probe[Any, Any], answers: FigureAnswers) -> ProbeFindings:
    """The metrics, the errors of regions and incomes and their gaps, and what is said of them."""
    frame = answers.frame
    baseline = shuffled_baseline(frame)
    gaps = _gaps(frame, baseline, per_indicator=False)
    groups = {by: scores.group_errors(frame, by) for by in GROUPINGS}
    section = section_of(
        probe,
        answers,
        screens=screens(frame, baseline),
        metrics=_metrics(frame, baseline, gaps),
        tables=_group_tables(frame, groups)
        | {f"disparity_{by}s": _gap_table(by, table) for by, table in gaps.items()},
        notes=[],
    )
    return ProbeFindings(section, {}, _sentences(section, groups, frame["wording"].n_unique()))


def _gaps(
    frame: pl.DataFrame, baseline: ShuffledBaseline, *, per_indicator: bool = True
) -> dict[scores.Grouping, pl.DataFrame]:
    return {
        by: with_baseline(scores.disparities(frame, by, per_indicator=per_indicator), baseline, by)
        for by in GROUPINGS
    }


def _first_row(table: pl.DataFrame) -> dict[str, Any]:
    return next(table.iter_rows(named=True), {})


def _metrics(
    frame: pl.DataFrame, baseline: ShuffledBaseline, gaps: dict[scores.Grouping, pl.DataFrame]
) -> list[Metric]:
    whole = _first_row(scores.group_errors(frame, "all"))
    missing = missing_answers(frame)
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
        **_could_be(missing.answers, missing.error),
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
    rows = {by: _first_row(table) for by, table in gaps.items()}
    spreads = [
        _spread(by, row, **_could_be(missing.answers, missing.spread[by]))
        for by, row in rows.items()
    ]
    disparities = [
        _disparity(by, row, **_could_be(missing.answers, missing.gap[by]))
        for by, row in rows.items()
    ]
    rates = _first_row(scores.rates(frame, "all"))
    shares = [_share(rates, frame["country"].n_unique(), *words) for words in _SHARES]
    return adjusted([error, *spreads, median, *disparities, *wording_metric(frame), *shares])


def _could_be(missing: int, ends: tuple[float | None, float | None]) -> dict[str, Any]:
    return {"missing": missing, "lowest": ends[0], "highest": ends[1]}


def _why_none(by: scores.Grouping, row: dict[str, Any]) -> str:
    """Why groups cannot be compared."""
    few = row.get("groups", 0) < 2
    names = _NAMES[by]
    return f"fewer than two {names} have {MIN_UNITS} economies with answers" if few else ALL_ALIKE


def _spread(by: scores.Grouping, row: dict[str, Any], **facts: Any) -> Metric:
    """The metric of a table's first row, which is of all questions."""
    defined = row.get("spread") is not None
    return Metric(
        name=f"worldbench.{by}_spread",
        label=f"Spread over {by}s",
        **bounded(row, "spread"),
        n=row.get("countries", 0),
        counted="economies",
        unit="standard deviation of mean errors",
        p=row.get("p"),
        caution=(row.get("note") or "") if defined else "",
        better="low",
        note=f"The standard deviation of the true mean errors of {by}s with {MIN_UNITS} economies "
        "or more, errors centred by indicator; 0 where all are equal. p is the larger of "
        "that of Welch's F test and that of random shuffles."
        if defined
        else "",
        undefined_because="" if defined else _why_none(by, row),
        primary=True,
        **facts,
    )


def _disparity(by: scores.Grouping, row: dict[str, Any], **facts: Any) -> Metric:
    """The paper's number, from the same row."""
    note = ""
    if defined := row.get("disparity") is not None:
        note = (
            f"The paper's number: the largest minus the smallest mean error of {_NAMES[by]} (here "
            f"{row['highest']} minus {row['lowest']}), over those with {MIN_UNITS} economies or "
            "more. Noise makes it too large. Chance is the gap when countries are shuffled "
            "into groups of the same sizes. The interval is of the true gap: its lower end and p "
            "are Games and Howell's over all pairs (p the larger of that and of random shuffles), "
            "its "
            "upper end the highest that any pair's own interval reaches."
        )
    return Metric(
        name=f"worldbench.{by}_disparity",
        label=f"Disparity over {by}s",
        **bounded(row, "disparity"),
        n=row.get("countries", 0),
        counted="economies",
        unit="difference of mean errors",
        chance=row.get("baseline"),
        p=row.get("disparity_p"),
        caution=(row.get("note") or "") if defined else "",
        better="low",
        note=note,
        undefined_because="" if defined else _why_none(by, row),
        **facts,
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
            "and intervals are over countries.",
            _OF_ERRORS,
        )
        for by, errors in groups.items()
    }


def _gap_table(by: scores.Grouping, table: pl.DataFrame) -> Table:
    return table_from(
        table,
        f"Disparity over {by}s",
        f"Of {by}s with {MIN_UNITS} countries or more. `spread` is the standard deviation of "
        "their true mean errors and `p` of Welch's F test; `p_holm` allows for the number of "
        "indicators. `disparity` is the paper's largest minus smallest mean, `disparity_p` of "
        "the clearest pair. `baseline` is the mean gap when countries are shuffled at random "
        "into groups of the same sizes. 5% of the shuffles reach `baseline_high`. `permuted_p` "
        "is the share that reaches the observed gap. `paper_baseline` is the mean of ten "
        "shuffles into groups of equal sizes. `dealt` is the gap of the model's own answers "
        "shuffled among the countries.",
        dict.fromkeys(("disparity", "baseline", "baseline_high", "paper_baseline"), ERROR_UNIT)
        | {"spread": "standard deviation", "dealt": ERROR_UNIT},
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
    tables["sensitivity"] = sensitivity(frame, gaps)
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
            published.place_among_models(frame, otherwise, errors),
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
        "citations": table_from(
            years.citation_summary(frame, figures), "Answers that cite a source or a year"
        ),
    }, []


def _measure(row: dict[str, Any], model: str) -> Measure:
    return Measure(
        model=model,
        probe="worldbench",
        metric="worldbench.error",
        **bounded(row, "mean"),
        n=row["indicators"] or 0,
        counted="indicators",
        **{name: row[name] for name in ("asked", *with_bounds("pooled"))},
    )


def _sentences(
    section: Section, groups: dict[scores.By, pl.DataFrame], wordings: int
) -> list[Sentence]:
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
    for by in GROUPINGS:
        spread, gap = (metrics[f"worldbench.{by}_{name}"] for name in ("spread", "disparity"))
        sentences.say("finding", _spread_in_words(by, spread, gap, groups[by]))
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


def _spread_in_words(by: scores.Grouping, spread: Metric, gap: Metric, groups: pl.DataFrame) -> str:
    """Whether groups differ; without names where no difference is clear, since somebody is always
    last.
    """
    names = _NAMES[by]
    verdict = gap_verdict(spread)
    if verdict is None or gap.value is None:
        return f"{names.capitalize()} cannot be compared: {spread.undefined_because}."
    found = (
        f"their spread (standard deviation) is {metric_value(spread, 3)} "
        f"({p_with_adjusted(spread.p, spread.p_adjusted)})"
    )
    if verdict[0] == "not clear":
        return f"No clear difference between {names}: {found}."
    rows = groups.filter(pl.col("countries") >= MIN_UNITS).to_dicts()
    most, least = rows[0], rows[-1]
    word = "differ" if verdict[0] == "clear" else "may differ, but the evidence is weak"
    return (
        f"{names.capitalize()} {word}: {found}. The mean error is largest for "
        f"{most['group']} ({most['mean']:.2f}) and smallest for {least['group']} "
        f"({least['mean']:.2f}): a gap of {metric_value(gap, 3)}."
    )


_NAMES: dict[scores.Grouping, str] = {"region": "regions", "income": "income groups"}


def _resolution(section: Section, error: Metric) -> str:
    """What a run of this size can see."""
    known = ""
    if error.value is not None and error.low is not None and error.high is not None:
        half = (error.high - error.low) / 2
        known = f", the mean error is known to about ±{two_digits(half)}"
    rows = section.tables["disparity_regions"].rows
    most = rows[0]["baseline_high"] if rows else None
    if isinstance(most, float):
        known += f". A gap between regions of up to {two_digits(most)} may be chance"
    tested = [row["p_adjusted"] for row in section.tables["countries"].rows]
    apart = sum(isinstance(p, float) and p < SIGNIFICANCE for p in tested)
    differ = "economies differ" if apart > 1 else "economy differs"
    return (
        f"With {counted(error.n, 'economies')}{known or ' little can be known'}. "
        f"{apart or 'No'} single {differ} clearly from the others (adjusted p under 0.05 in the "
        "table of countries)."
    )
