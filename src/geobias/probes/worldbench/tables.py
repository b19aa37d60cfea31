"""The tables of `geobias worldbench` and `geobias score worldbench`.

Programs get a row for each model and group. People see what holds over all models last, with its
intervals, where a terminal shows it. Before it stands a column for each model, with intervals;
where there are many models, a row for each model and a column for each group, without.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import msgspec
import polars as pl

from geobias.atlas.groupings import read_covariates
from geobias.errors import BadRequest
from geobias.probes.settings import Setting
from geobias.probes.tables import TableSpec, each_model
from geobias.probes.worldbench import (
    comparison,
    countries,
    over_models,
    paper,
    published,
    scores,
    years,
)
from geobias.probes.worldbench.answers import (
    ALL_MODELS,
    FigureAnswers,
    Pool,
    asked_otherwise,
    paper_column,
    pool_of,
    pooled_in_spite_of,
)
from geobias.probes.worldbench.countries import (
    Covariates,
    consistency,
    consistency_over_models,
    correlations,
    indicator_values,
)
from geobias.probes.worldbench.scores import column_of, plural, sensitivity, with_groups
from geobias.probes.worldbench.screens import screens
from geobias.results.findings import reasons
from geobias.results.formatting import in_natural_order

NamedFrames: TypeAlias = Mapping[str, "pl.DataFrame"]
FEW_MODELS = 4
"""Models that get a column each: two lines of tables hold so many with their intervals."""

_LAST_COLUMNS = ("countries", "models", "questions", "asked", "over", "note")


def by_model(key: str, **values: str) -> Callable[[NamedFrames], dict[str, pl.DataFrame]]:
    """What lays out a table whose rows are named by the column `key`; `values` are the columns that
    are shown of each model → what they are."""

    def people(frames: NamedFrames) -> dict[str, pl.DataFrame]:
        shown: dict[str, pl.DataFrame] = {}
        for title, frame in frames.items():
            if "model" not in frame.columns:
                shown[title] = frame
                continue
            pooled = pl.col("model") == ALL_MODELS
            own, whole = frame.filter(~pooled), frame.filter(pooled)
            few = own["model"].n_unique() <= FEW_MODELS
            for column, words in values.items():
                lay = _model_columns if few else _model_rows
                ending = "" if few else " (intervals: --json)"
                shown[f"{title}: {words}, model by model{ending}"] = lay(own, key, column)
            if whole.height:
                full = [name for name in whole.columns if whole[name].null_count() < whole.height]
                last = [name for name in _LAST_COLUMNS if name in full]
                ordered = [name for name in full if name not in last] + last
                made, over = whole.select(ordered).drop("model"), ""
                if "over" in full and made["over"].n_unique() == 1:
                    over = f" (intervals over {made['over'][0]})"
                    made = made.drop("over")
                shown[f"{title}: over all models{over}"] = made
        return shown

    return people


def in_order(frames: NamedFrames) -> dict[str, pl.DataFrame]:
    """Tables with their groups in the order that people expect: incomes from low to high."""
    return {
        title: _in_order(frame) if "group" in frame.columns else frame
        for title, frame in frames.items()
    }


def _in_order(frame: pl.DataFrame) -> pl.DataFrame:
    several = "model" in frame.columns
    parts = frame.partition_by("model", maintain_order=True) if several else [frame]
    rows = [row for part in parts for row in in_natural_order(part.to_dicts(), "group")]
    return pl.DataFrame(rows, schema=frame.schema)


def _model_columns(frame: pl.DataFrame, key: str, value: str) -> pl.DataFrame:
    """A row for each group, a column with its interval for each model."""
    table = frame.select(key).unique(maintain_order=True)
    for (model,), part in frame.group_by("model", maintain_order=True):
        bounds = [name for name in (f"{value}_low", f"{value}_high") if name in part.columns]
        named = {name: str(model) + name.removeprefix(value) for name in (value, *bounds)}
        own = part.select(key, *(pl.col(name).alias(as_) for name, as_ in named.items()))
        table = table.join(own, on=key, how="left", maintain_order="left")
    return table


def _model_rows(frame: pl.DataFrame, key: str, value: str) -> pl.DataFrame:
    """A row for each model, a column for each group."""
    return frame.pivot(key, index="model", values=value)


Frames: TypeAlias = dict[str, pl.DataFrame]
FrameTable: TypeAlias = Callable[[pl.DataFrame, str], pl.DataFrame]
Make: TypeAlias = Callable[[Sequence[FigureAnswers], Any], Frames]

GroupFile = Annotated[
    Path | None, Setting("Your own groups: a CSV with ISO-3 codes (iso3) and the column of --by.")
]
_GROUPINGS = (
    "region, income, continent, north_south, west_east, official_language, population_class, or a "
    "column of --group-file"
)


class ByGroup(msgspec.Struct, frozen=True):
    by: Annotated[
        str,
        Setting(f"What to group by: {_GROUPINGS}; indicator, country, all.", metavar="COLUMN"),
    ] = "region"
    group_file: GroupFile = None


class ByGrouping(msgspec.Struct, frozen=True):
    by: Annotated[str, Setting(f"What to group by: {_GROUPINGS}.", metavar="COLUMN")] = "region"
    group_file: GroupFile = None


class Ranks(ByGrouping, frozen=True):
    over: Annotated[
        Literal["indicator", "model"] | None,
        Setting("Rank within each indicator or within each run; default: runs if several."),
    ] = None
    plain: Annotated[
        bool, Setting("Rank means of errors as they are (the paper's Figure 9), not centred.")
    ] = False


class Limited(msgspec.Struct, frozen=True):
    limit: Annotated[int, Setting("Rows shown.", least=1)] = 50


class Extremes(msgspec.Struct, frozen=True):
    count: Annotated[int, Setting("How many at each end.", least=1)] = 15
    rank_by: Annotated[
        Literal["pooled", "plain", "median"],
        Setting("What countries are ranked by; the paper has plain means (Fig. 6) and medians."),
    ] = "pooled"


class Correlated(msgspec.Struct, frozen=True):
    with_: Annotated[
        Path | None,
        Setting("Your own covariates: a CSV with ISO-3 codes (iso3) and columns of numbers."),
    ] = None


class Matrix(msgspec.Struct, frozen=True):
    across: Annotated[
        str, Setting(f"A column for each: indicator, {_GROUPINGS}.", metavar="COLUMN")
    ] = "indicator"
    disparity: Annotated[
        str | None,
        Setting("Disparity over these groups in the cells, not errors.", metavar="COLUMN"),
    ] = None
    group_file: GroupFile = None
    published: Annotated[
        bool, Setting("Show the paper's twenty models too, and what is pooled over them.")
    ] = False


def _with_pool(
    one: Callable[[FigureAnswers, Any], Frames], pooled: Callable[[Pool, Any], Frames]
) -> Make:
    """A table of each model; where there are several, with rows over all of them at the end."""

    def make(answers: Sequence[FigureAnswers], options: Any) -> Frames:
        tables = dict(each_model(one)(answers, options))
        if len(answers) > 1 and not _why_not_pooled(answers):
            for title, rows in pooled(pool_of(answers), options).items():
                named = rows.select(pl.lit(ALL_MODELS).alias("model"), pl.all())
                tables[title] = pl.concat([tables[title], named], how="diagonal_relaxed")
        return tables

    return make


def _why_not_pooled(answers: Sequence[FigureAnswers]) -> str:
    try:
        pool_of(answers)
    except BadRequest as refused:
        return str(refused)
    return ""


def _pool_notes(answers: Sequence[FigureAnswers], _: Any) -> list[str]:
    if len(answers) < 2:
        return []
    if why := _why_not_pooled(answers):
        return [f"No rows over all models: {why}."]
    weak = [one.model for one in answers if reasons(screens(one.frame))]
    return [*pool_of(answers).notes, *pooled_in_spite_of(weak)]


def _in_groups(make: Make, *, also: bool = False) -> Make:
    """A table of answers that have the column of `--by`; `also` where it need be no grouping."""

    def grouped(answers: Sequence[FigureAnswers], options: Any) -> Frames:
        by, file = options.by, options.group_file
        return make([_with_groups(one, by, file, also=also) for one in answers], options)

    return grouped


def _with_groups(
    one: FigureAnswers, by: str, file: Path | None, *, also: bool = False
) -> FigureAnswers:
    return msgspec.structs.replace(one, frame=with_groups(one.frame, by, file, also=also))


def _by(
    make: FrameTable,
    pooled: FrameTable,
    *,
    also: bool = False,
) -> Make:
    """A table of one frame, named for what it is grouped by; and the same over all models."""

    def named(table: FrameTable) -> Callable[[Any, Any], Frames]:
        def of_one(one: Any, options: Any) -> Frames:
            column = column_of(options.by, options.group_file)
            return {column: table(one.frame, column)}

        return of_one

    return _in_groups(_with_pool(named(make), named(pooled)), also=also)


def _overview_of(
    frame: pl.DataFrame,
    group_errors: FrameTable,
    rates: FrameTable,
    disparities: Callable[..., pl.DataFrame],
) -> Frames:
    tables: Frames = {
        by: scores.errors_and_rates(group_errors(frame, by), rates(frame, by))
        for by in ("all", *scores.GROUPINGS)
    }
    for grouping in scores.GROUPINGS:
        tables[f"disparity over {grouping}s"] = disparities(frame, grouping, per_indicator=False)
    return tables


def _overview(answers: FigureAnswers, _: Any) -> Frames:
    return _overview_of(answers.frame, scores.group_errors, scores.rates, _gaps)


def _gaps(frame: pl.DataFrame, by: str, *, per_indicator: bool = True) -> pl.DataFrame:
    """Our tests and gaps, and the paper's disparity beside them."""
    ours = scores.disparities(frame, by, per_indicator=per_indicator)
    papers = paper.disparities(frame, by, per_indicator=per_indicator)
    return ours.join(papers, on="indicator", how="left", maintain_order="left")


def _pooled_overview(pool: Pool, _: Any) -> Frames:
    return _overview_of(
        pool.frame, over_models.group_errors, over_models.rates, over_models.disparities
    )


def _with_models(pool: Pool, name: str, table: pl.DataFrame) -> Frames:
    """A table over all models that does not count them itself."""
    return {name: table.with_columns(models=pl.lit(len(pool.models)))}


def _sensitivity(answers: FigureAnswers, _: Any) -> Frames:
    return {"sensitivity": pl.DataFrame(sensitivity(answers.frame).rows)}


def _pooled_sensitivity(pool: Pool, _: Any) -> Frames:
    table = pl.DataFrame(sensitivity(over_models.average_model(pool.frame)).rows)
    return _with_models(pool, "sensitivity", table)


def _pooled_errors(pool: Pool, _: Any) -> Frames:
    return {"errors": over_models.mean_errors(pool.frame)}


def _disparity(answers: FigureAnswers, options: ByGrouping) -> Frames:
    by = column_of(options.by, options.group_file)
    return {f"disparity over {plural(by)}": _gaps(answers.frame, by)}


def _pooled_disparity(pool: Pool, options: ByGrouping) -> Frames:
    by = column_of(options.by, options.group_file)
    return {f"disparity over {plural(by)}": over_models.disparities(pool.frame, by)}


def _further(answers: Sequence[FigureAnswers], options: ByGroup) -> Frames:
    by = column_of(options.by, options.group_file)

    def of_one(one: FigureAnswers, _: Any) -> Frames:
        return {"further measures": scores.further_errors(one.frame, by)}

    return dict(each_model(of_one)(answers, options))


def _ranks(answers: Sequence[FigureAnswers], options: Ranks) -> Frames:
    by = column_of(options.by, options.group_file)
    over = options.over or ("model" if len(answers) > 1 else "indicator")
    title = f"share of {over}s in which each {by} has rank 1 (least error) …"
    frame = answers[0].frame if len(answers) == 1 else pool_of(answers).frame
    if over == "indicator" and len(answers) > 1:
        frame = over_models.average_model(frame)
    return {title: scores.rank_table(frame, by, over, plain=options.plain)}


def _extremes(one: FigureAnswers, options: Extremes) -> Frames:
    table = countries.country_errors(one.frame)
    return {"countries": countries.country_extremes(table, options.count, options.rank_by)}


def _pooled_extremes(pool: Pool, options: Extremes) -> Frames:
    table = countries.countries_over_models(pool.frame)
    return {"countries": countries.country_extremes(table, options.count, options.rank_by)}


def _pooled_alone(frames: Any) -> Frames:
    """Of several models, what holds over all of them: twenty lists are for programs."""
    shown: Frames = {}
    for title, frame in frames.items():
        several = "model" in frame.columns and frame["model"].is_in([ALL_MODELS]).any()
        rows = frame
        if several:
            own = frame.filter(pl.col("model") == ALL_MODELS).drop("model")
            rows = own[[one for one in own.columns if own[one].null_count() < own.height]]
        shown[f"{title}: over all models" if several else title] = rows
    return shown


def _citations(answers: FigureAnswers, _: Limited) -> Frames:
    figures = answers.known_figures()
    return {
        "summary": years.citation_summary(answers.frame, figures),
        "citations": years.citations(answers.frame, figures),
    }


def _pooled_citations(pool: Pool, _: Any) -> Frames:
    summary = years.citation_summary(
        pool.frame,
        pool.first.known_figures(),
        lambda part: over_models.pooled_mean(part, "error", "country"),
    )
    return _with_models(pool, "summary", summary)


def _years_fit(answers: FigureAnswers, _: Any) -> Frames:
    return {"years-fit": years.years_fit(answers.frame, answers.known_figures())}


def _pooled_years_fit(pool: Pool, _: Any) -> Frames:
    table = years.years_fit(pool.frame, pool.first.known_figures())
    return _with_models(pool, "years-fit", table)


def _covariates(answers: FigureAnswers, file: Path | None) -> Covariates:
    """The user's own, and the indicators that answers were compared with where those are known."""
    own = read_covariates(file) if file else {}
    if file and answers.figures is None:
        return own
    return {**own, **indicator_values(answers.known_figures(), answers.rule)}


def _correlations(answers: FigureAnswers, options: Correlated) -> Frames:
    covariates = _covariates(answers, options.with_)
    return {"correlations": correlations(answers.frame, covariates)}


def _pooled_correlations(pool: Pool, options: Correlated) -> Frames:
    table = correlations(pool.frame, _covariates(pool.first, options.with_))
    return _with_models(pool, "correlations", table)


def _consistency(answers: FigureAnswers, _: Any) -> Frames:
    if answers.frame["repeat"].n_unique() < 2:
        whose = answers.model or "the model"
        raise BadRequest(f"{whose} was asked each question once; make a run with --repeats 5")
    return {"consistency": consistency(answers.frame)}


def _pooled_consistency(pool: Pool, _: Any) -> Frames:
    return {"consistency": consistency_over_models(pool.frame)}


def _matrix(answers: Sequence[FigureAnswers], options: Matrix) -> Frames:
    column = options.disparity or options.across
    also = options.disparity is None and options.across == "indicator"
    prepared = [one if also else _with_groups(one, column, options.group_file) for one in answers]
    frame = pool_of(prepared).frame
    by = column_of(column, options.group_file)
    if options.disparity is None:
        title, cells = f"mean error by model and {by}", over_models.error_matrix(frame, by)
    else:
        title = f"disparity over {plural(by)} by model and indicator"
        cells = over_models.disparity_matrix(frame, by)
    if options.published:
        printed = {None: "abs_rel_error", "region": "disparity_regions"}
        printed["income"] = "disparity_incomes"
        if options.disparity not in printed or options.across != "indicator":
            raise BadRequest(
                "the paper prints errors and disparities over regions and incomes, by indicator"
            )
        asked = list(dict.fromkeys(frame["indicator"]))
        beside = over_models.published_matrix(printed[options.disparity], asked)
        cells = pl.concat([cells, beside])
    return {title: cells}


def _wide_matrix(frames: Any) -> Frames:
    shown: Frames = {}
    for title, cells in frames.items():
        shown[title] = over_models.wide(cells)
        pooled = cells.filter(pl.col("model").is_in([ALL_MODELS, over_models.PUBLISHED]))
        shown[f"{title}: pooled"] = pooled.rename({"model": "pooled_over"})
    return shown


def _wordings(answers: FigureAnswers, _: Any) -> Frames:
    if not scores.several_wordings(answers.frame):
        whose = answers.model or "the model"
        raise BadRequest(f"{whose} was asked in one wording; make a run with --paraphrases 3")
    return {
        "how much of the spread is wording": comparison.wording_spread(answers.frame),
        "error by wording": comparison.wording_errors(answers.frame),
    }


def _beside_groups(answers: FigureAnswers, _: Any) -> Frames:
    settings = answers.records.settings if answers.records else {}
    condition = paper_column(settings).condition
    return {"groups": published.beside_groups(answers.frame, condition)}


def _published(answers: Sequence[FigureAnswers], options: Any) -> Frames:
    frame = pl.concat(one.frame for one in answers)
    rules = {one.model: one.rule for one in answers}
    models = published.place_among_models(frame, asked_otherwise(answers), rules=rules)
    return {"models": models, **each_model(_beside_groups)(answers, options)}


def _published_notes(answers: Sequence[FigureAnswers], _: Any) -> list[str]:
    notes = []
    for one in answers:
        column = paper_column(one.records.settings if one.records else {})
        whose = f"{one.model}: " if len(answers) > 1 else ""
        if column.why_none:
            notes.append(f"{whose}No column of the paper's Tables 4 and 5: {column.why_none}.")
        else:
            words = published.models_in_words(column.condition)
            notes.append(f"{whose}Beside {column.words}. {words}")
    return list(dict.fromkeys(notes))


_BY_GROUP = by_model("group", mean="mean error", median="median error")
_RATES_BY_GROUP = by_model("group", parsed="answered", abstained="declined")

TABLES: dict[str, TableSpec[FigureAnswers]] = {
    "overview": TableSpec(
        help="""Errors, rates of answering and disparities: of all, of regions and of incomes.

        \b
        geobias worldbench overview RUN
        geobias worldbench overview RUN RUN RUN
        """,
        make=_with_pool(_overview, _pooled_overview),
        notes=_pool_notes,
        people=in_order,
    ),
    "errors": TableSpec(
        help="""Every question with its error, the largest first.

        \b
        geobias worldbench errors RUN --limit 20
        geobias worldbench errors RUN RUN RUN

        Of several runs people see the questions that all models together answer worst.
        """,
        make=_with_pool(lambda one, _: {"errors": scores.errors(one.frame)}, _pooled_errors),
        Options=Limited,
        notes=_pool_notes,
        limit="limit",
        people=_pooled_alone,
    ),
    "groups": TableSpec(
        help="""Mean and median error of each group, with 95% intervals over countries.

        \b
        geobias worldbench groups RUN
        geobias worldbench groups RUN RUN RUN --by continent
        geobias worldbench groups RUN --by bloc --group-file blocs.csv --json

        Of several runs there is a column for each model, and rows over all models: models and
        countries are a sample each, and intervals are over both.
        """,
        make=_by(scores.group_errors, over_models.group_errors, also=True),
        Options=ByGroup,
        notes=_pool_notes,
        people=lambda frames: _BY_GROUP(in_order(frames)),
    ),
    "measures": TableSpec(
        help="""Other measures of error by group: log ratio, within 10% and 25% of the figure.

        \b
        geobias worldbench measures RUN --by income
        """,
        make=_in_groups(_further, also=True),
        Options=ByGroup,
    ),
    "disparity": TableSpec(
        help="""How far groups differ: the trend over incomes, Welch's F test, the paper's gap.

        \b
        geobias worldbench disparity RUN --by income

        `trend` is poor minus rich by the linear trend over the four income groups. `p` is of
        Welch's F test. `disparity` is the widest gap of groups of five countries or more, errors
        centred by indicator, with Games and Howell's interval. `paper_disparity` is the paper's:
        all groups, errors as they are; `paper_baseline` is the mean gap of ten random deals into
        as many groups.

        \b
        geobias worldbench disparity RUN RUN RUN --by region

        Over all models, the numbers are of the models' average; `trend_models` and `p_models`
        allow for other models too, and `each_disparity` is the mean of the models' own gaps, as
        the paper has them, with `each_baseline` of random deals.
        """,
        make=_in_groups(_with_pool(_disparity, _pooled_disparity)),
        Options=ByGrouping,
        notes=_pool_notes,
        people=by_model("indicator", disparity="disparity"),
    ),
    "pairs": TableSpec(
        help="""Every two regions or incomes compared (Games and Howell), the clearest first.

        \b
        geobias worldbench pairs RUN --by income
        """,
        make=_by(scores.pairs, over_models.pairs),
        Options=ByGrouping,
        notes=_pool_notes,
        people=_pooled_alone,
    ),
    "sensitivity": TableSpec(
        help="""Do regions and incomes differ: other methods beside the primary one.

        \b
        geobias worldbench sensitivity RUN
        geobias worldbench sensitivity RUN RUN RUN

        Over all models, the methods are put to the models' average: they speak of other countries
        and these very models.
        """,
        make=_with_pool(_sensitivity, _pooled_sensitivity),
        notes=_pool_notes,
        people=_pooled_alone,
    ),
    "ranks": TableSpec(
        help="""How often each group has the least error, the second least … the most.

        \b
        geobias worldbench ranks RUN
        geobias worldbench ranks RUN RUN RUN --by income
        geobias worldbench ranks RUN RUN RUN --over indicator
        """,
        make=_in_groups(_ranks),
        Options=Ranks,
        notes=_pool_notes,
    ),
    "countries": TableSpec(
        help="""The countries with the least and with the most error.

        Ranked by `pooled`: the error as if a country had been asked about every indicator. It
        draws on all countries too, most where this one has few answers: one lucky answer should not
        top the list. `mean` and `plain` draw on this country alone: `mean` allows for indicators
        that it has no figures for, `plain` is the mean of its errors as they are. `excess` is how
        far its errors lie above those of all countries at the same indicators, with the `p` of
        shuffled countries; `p_adjusted` allows for the number of countries (Benjamini and
        Hochberg). `questions` of the `asked` ones have an answer, about so many `indicators`.

        \b
        geobias worldbench countries RUN --count 10
        geobias worldbench countries RUN RUN RUN --rank-by plain
        """,
        make=_with_pool(_extremes, _pooled_extremes),
        Options=Extremes,
        notes=_pool_notes,
        people=_pooled_alone,
    ),
    "matrix": TableSpec(
        help="""A row for each model and a column for each indicator, or group of countries.

        \b
        geobias worldbench matrix RUN RUN RUN
        geobias worldbench matrix RUN RUN RUN --across region
        geobias worldbench matrix RUN RUN RUN --disparity income --published

        The paper's Figures 7 and 12 to 14: plain mean errors, or the largest minus the smallest
        group mean, over all groups. Of disparities, `all` is over all questions (Figure 7) and
        `mean` the mean over indicators; the paper prints the disparities of indicators alone. `n`
        counts countries; of pooled rows it counts the side with fewer units, models or countries.
        """,
        make=_matrix,
        Options=Matrix,
        notes=_pool_notes,
        people=_wide_matrix,
    ),
    "rates": TableSpec(
        help="""How often questions were answered with a number, declined, or answered unreadably.

        \b
        geobias worldbench rates RUN --by income
        """,
        make=_by(scores.rates, over_models.rates, also=True),
        Options=ByGroup,
        notes=_pool_notes,
        people=lambda frames: _RATES_BY_GROUP(in_order(frames)),
    ),
    "citations": TableSpec(
        help="""Answers that cite a source or a year, compared with the figures of every year.

        \b
        geobias worldbench citations RUN
        geobias worldbench citations RUN RUN RUN
        """,
        make=_with_pool(_citations, _pooled_citations),
        Options=Limited,
        notes=_pool_notes,
        limit="limit",
    ),
    "years-fit": TableSpec(
        help="""Which year's figures the answers fit best: how old is what the model knows?

        \b
        geobias worldbench years-fit RUN
        """,
        make=_with_pool(_years_fit, _pooled_years_fit),
        notes=_pool_notes,
        people=by_model("against", error_same="error, same questions"),
    ),
    "correlations": TableSpec(
        help="""What kind of country has large errors: each indicator's value against the error.

        \b
        geobias worldbench correlations RUN
        geobias worldbench correlations RUN RUN RUN --with covariates.csv

        `pearson` and `spearman` are with the mean error of a country over all questions, and
        `given_income` among countries of one income group. `pair_pearson` is the mean over pairs
        of model and indicator of each pair's own correlation, as the paper's text has it.
        """,
        make=_with_pool(_correlations, _pooled_correlations),
        Options=Correlated,
        notes=_pool_notes,
        people=by_model("indicator", pearson="Pearson's r", pair_pearson="per pair"),
    ),
    "consistency": TableSpec(
        help="""Are answers that vary from draw to draw also wrong? Needs a run with --repeats.

        \b
        geobias run worldbench MODEL --repeats 5 --out five.geobias
        geobias worldbench consistency five.geobias
        """,
        make=_with_pool(_consistency, _pooled_consistency),
        notes=_pool_notes,
        people=by_model("indicator", pearson="Pearson's r"),
    ),
    "wordings": TableSpec(
        help="""How much of the spread is wording and how much is the country? Needs --paraphrases.

        \b
        geobias run worldbench MODEL --paraphrases 3 --out three.geobias
        geobias worldbench wordings three.geobias

        `share` is of the variance of errors within indicators, over the questions answered in
        every wording. `changed` is the share of answers that differ by more than 5% from those to
        the first wording.
        """,
        make=each_model(_wordings),
    ),
    "published": TableSpec(
        help="""Where a run stands among the twenty models of the paper.

        \b
        geobias worldbench published RUN

        Groups are set beside the column of the paper's Tables 4 and 5 that was made as the run was:
        without a year, with 2016 or 2021, with Colombia or Mali as the example.
        """,
        make=_published,
        notes=_published_notes,
    ),
}
"""In the order of the help."""
