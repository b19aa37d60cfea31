"""What several models have in common: the section "Over all models" of a report, and its figures
(the paper's 1, 5, 7 to 9 and 12 to 15).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from geobias.atlas.economies import REGION_CODES
from geobias.errors import BadRequest
from geobias.probes.probe import Probe
from geobias.probes.worldbench import countries, over_models, scores, years
from geobias.probes.worldbench.answers import (
    ALL_MODELS,
    FigureAnswers,
    Pool,
    pool_of,
    pooled_in_spite_of,
)
from geobias.probes.worldbench.countries import (
    consistency_over_models,
    correlations,
    indicator_values,
)
from geobias.probes.worldbench.scores import ERROR_UNIT, GROUPINGS, plural
from geobias.results.charts import Chart, Heatmap, MapLegend, Rows, Spot, WorldMap
from geobias.results.figures import (
    REGION_HEADS,
    Figure,
    Panel,
    dots,
    even_classes,
    figure_of,
    reach,
)
from geobias.results.findings import Metric, ProbeFindings, Replies, Section, Sentence, Table
from geobias.results.formatting import counted, estimate, number, p_phrase, words
from geobias.results.tables import bounded, metric_value, rows_of, table_from, with_adjusted

TITLE = "Over all models"


def over_all(
    probe: Probe[Any, Any], answers: Sequence[FigureAnswers], sections: Sequence[Section]
) -> ProbeFindings | None:
    """The section, and its sentences. Runs that must not be pooled, or one model alone, have a
    section that says why, and no numbers."""
    try:
        pool = pool_of(answers)
    except BadRequest as refused:
        return ProbeFindings(_section(probe, sections, notes=[f"{refused}."]), {}, [])
    if len(pool.models) < 2:
        return None
    tables = _tables(answers, pool)
    weak = [one.model for one in sections if not one.measurable]
    notes = [*pool.notes, *pooled_in_spite_of(weak)]
    metrics = _metrics(pool, tables)
    section = _section(probe, sections, metrics, tables, notes)
    said = [
        Sentence(kind="finding", probe=probe.name, model=ALL_MODELS, text=text, opening=False)
        for text in _sentences(pool, metrics, tables)
    ]
    return ProbeFindings(section, {}, said)


def _section(
    probe: Probe[Any, Any],
    sections: Sequence[Section],
    metrics: Sequence[Metric] = (),
    tables: dict[str, Table] | None = None,
    notes: Sequence[str] = (),
) -> Section:
    counts = {
        name: sum(getattr(one.replies, name) for one in sections)
        for name in Replies.__struct_fields__
    }
    return Section(
        probe=probe.name,
        title=f"{probe.title}: {TITLE.lower()}",
        model=ALL_MODELS,
        run="",
        measurable=True,
        why_not=[],
        screens=[],
        replies=Replies(**counts),
        metrics=list(metrics),
        tables=tables or {},
        notes=list(notes),
    )


_CROSSED = (
    "Each model has the same weight. Intervals are over models and countries, which are a sample "
    "each; under three models over countries alone."
)


def _tables(answers: Sequence[FigureAnswers], pool: Pool) -> dict[str, Table]:
    frame = pool.frame
    unit = dict.fromkeys(("mean", "median", "value"), ERROR_UNIT)
    made = {}
    for by in (*GROUPINGS, "indicator"):
        made[f"all_{by}s"] = table_from(
            over_models.group_errors(frame, by), f"{TITLE}: error by {by}", _CROSSED, unit
        )
    made["all_countries"] = table_from(
        countries.countries_over_models(frame),
        f"{TITLE}: error by country",
        "`plain` is the mean of all errors as they are, as in the paper's Figures 1 and 6. `mean` "
        "and `median` have intervals over models and indicators; `pooled`, by which countries are "
        "ranked, leans on all countries the more the fewer indicators there are.",
        unit | {"pooled": ERROR_UNIT, "plain": ERROR_UNIT},
    )
    for by in GROUPINGS:
        made[f"all_disparity_{by}s"] = table_from(
            over_models.disparities(frame, by),
            f"{TITLE}: differences between {plural(by)}",
            "`trend`, `p` and `disparity` are of the models' average: they speak of other "
            "countries and these models. `trend_models` and `p_models` speak of other models too. "
            "`each_disparity` is the mean of the models' own disparities as the paper has them, "
            "with its interval over models; `each_baseline` is that of ten random deals.",
            dict.fromkeys(("trend", "trend_models", "disparity", "each_disparity"), ERROR_UNIT),
        )
        made[f"all_ranks_{by}s"] = table_from(
            scores.rank_table(frame, by, "model"),
            f"{TITLE}: ranks of {plural(by)}",
            f"Share of models in which the {by} comes first (least error) … last; `rank` is the "
            "mean rank with its interval over models.",
        )
        made[f"all_ranks_{by}s_indicators"] = table_from(
            scores.rank_table(over_models.average_model(frame), by, "indicator"),
            f"{TITLE}: ranks of {plural(by)} by indicator",
            "The same over indicators, with the errors of all models averaged.",
        )
        made[f"all_matrix_disparity_{by}s"] = table_from(
            over_models.wide(over_models.disparity_matrix(frame, by)),
            f"Disparity over {plural(by)}, by model and indicator",
            "The paper's number: the largest minus the smallest mean, over all groups.",
        )
    for across in ("indicator", "region"):
        made[f"all_matrix_{across}s"] = table_from(
            over_models.wide(over_models.error_matrix(frame, across)),
            f"Mean error by model and {across}",
            "The last row is over all models.",
        )
    figures = answers[0].figures
    if figures is not None:
        made["all_years"] = table_from(
            years.years_fit(frame, figures), f"{TITLE}: error against the figures of each year"
        )
        table = correlations(frame, indicator_values(figures, answers[0].rule))
        made["all_correlations"] = table_from(
            with_adjusted(table, "pearson_p", "spearman_p", "given_income_p"),
            f"{TITLE}: what kind of country has large errors",
            "`pearson` is with the mean error of a country over all models; `pair_pearson` is the "
            "mean over pairs of model and indicator, as the paper's text has it.",
        )
    if all(one.frame["repeat"].n_unique() > 1 for one in answers):
        made["all_consistency"] = table_from(
            consistency_over_models(frame), f"{TITLE}: consistency"
        )
    return made


def _metrics(pool: Pool, tables: dict[str, Table]) -> list[Metric]:
    whole = over_models.group_errors(pool.frame, "all").row(0, named=True)
    units = min(whole["models"], whole["countries"])
    rests: dict[str, Any] = {"n": whole["countries"], "counted": "economies"}
    if units == whole["models"] and whole["over"].startswith("models"):
        rests = {"n": units, "counted": "models"}
    same: dict[str, Any] = {"unit": ERROR_UNIT, "better": "low"}
    found = [
        Metric(name="worldbench.error", label="Mean error", **bounded(whole, "mean"), **rests,
               **same, note=_CROSSED),
        Metric(name="worldbench.error_median", label="Median error", **bounded(whole, "median"),
               **rests, **same),
    ]  # fmt: skip
    row = dict(tables["all_disparity_incomes"].rows[0])
    name, p = ("trend_models", "p_models") if row["p_models"] is not None else ("trend", "trend_p")
    over = "models and economies" if name == "trend_models" else "economies, of these models"
    defined = row[name] is not None
    found.append(
        Metric(
            name="worldbench.income_trend",
            label="Error, poor minus rich countries",
            **bounded(row, name),
            n=int(row["countries"] or 0),
            counted="economies",
            unit="difference of mean errors",
            p=row[p],  # type: ignore[arg-type]
            better="zero",
            note=f"By the trend over income groups; the interval is over {over}.",
            undefined_because="" if defined else "too few income groups can be compared",
        )
    )
    return found


def _sentences(pool: Pool, metrics: Sequence[Metric], tables: dict[str, Table]) -> list[str]:
    error = metrics[0]
    said = [
        f"{TITLE}: the mean error of {counted(len(pool.models), 'models')} is "
        f"{estimate(error.value, error.low, error.high, 3)}."
    ]
    trend = metrics[-1]
    if trend.value is not None and trend.p is not None:
        said.append(
            f"By the trend over income groups, that about the poorest countries minus that about "
            f"the richest is {metric_value(trend, 3)} ({p_phrase(trend.p)}). {trend.note}"
        )
    return said


ERROR_AXIS = "mean error, 0 exact to 1 wholly wrong"
GROUPS = {"regions": "region", "incomes": "income group"}
_CROSSED_NOTE = "Each model has the same weight; 95% intervals are over models and economies."


def overall_figures(pooled: Section) -> list[Figure]:
    """All that the pooled section's tables allow, in the order in which they are read."""
    possible = (
        _overall_map(pooled),
        *(_groups(pooled, plural, value) for plural in GROUPS for value in ("mean", "median")),
        _indicators(pooled),
        _matrix(pooled, "all_matrix_indicators", "Error by model and indicator", 60),
        _matrix(pooled, "all_matrix_regions", "Error by model and region", 50),
        *(
            _matrix(
                pooled,
                f"all_matrix_disparity_{plural}",
                f"Disparity over {GROUPS[plural]}s by model and indicator",
                40,
            )
            for plural in GROUPS
        ),
        *(_ranks(pooled, plural) for plural in GROUPS),
    )
    return [figure for figure in possible if figure is not None]


def _overall_map(pooled: Section) -> Figure | None:
    rows = [row for row in rows_of(pooled, "all_countries", "plain") if row["plain"] is not None]
    if not rows:
        return None
    limits = even_classes(row["plain"] for row in rows)
    spots = {
        row["country"]: Spot(
            row["plain"],
            f"{row['name']}: {number(row['plain'], 3)} over {row['models']} models and "
            f"{row['indicators']} indicators",
        )
        for row in rows
    }
    columns = ("country", "name", "region", "income", "plain", "models", "indicators")
    return Figure(
        name="worldbench-all-map",
        title="Over all models: how far off figures are, economy by economy",
        note="Mean of all errors as they are, over models and indicators, of the questions that "
        "all models were asked. An economy is marked as not asked where one of them was not.",
        alt="World map in an equal-area projection, each economy shaded by the mean error of all "
        "models. The table of countries has the same numbers.",
        panels=[Panel(WorldMap(spots=spots, limits=limits))],
        data=[{name: row[name] for name in columns} for row in rows],
        wide=True,
        legend=MapLegend(limits=limits, ramp="amount", words=ERROR_AXIS),
    )


def _groups(pooled: Section, plural: str, value: str) -> Figure | None:
    return _dots(
        pooled,
        plural,
        row="group",
        value=value,
        axis=ERROR_AXIS if value == "mean" else "median error over all models",
        name=f"worldbench-all-{plural}" + ("" if value == "mean" else "-median"),
        title=f"Over all models: {value} error by {GROUPS[plural]}",
        alt=f"A dot with its interval for each {GROUPS[plural]}, the largest error first.",
    )


def _indicators(pooled: Section) -> Figure | None:
    return _dots(
        pooled,
        "indicators",
        row=lambda row: words(row["group"]),
        value="mean",
        axis=ERROR_AXIS,
        name="worldbench-all-indicators",
        title="Over all models: error by indicator",
        alt="A dot with its interval for each indicator, from the largest error to the least.",
    )


def _dots(pooled: Section, plural: str, **named: Any) -> Figure | None:
    return dots(
        [pooled],
        f"all_{plural}",
        data=("countries", "models", "questions"),
        counted="countries",
        said=lambda row: f"{row['countries']:,} economies, {row['models']:,} models",
        note=f"In brackets: economies. {_CROSSED_NOTE}",
        **named,
    )


def _matrix(pooled: Section, table: str, title: str, optional: int) -> Figure | None:
    found = rows_of(pooled, table, "model")
    columns = [name for name in (found[0] if found else {}) if name != "model"]
    if not columns:
        return None
    rows: Rows = [
        {
            "row": row["model"],
            "column": column,
            "value": row[column],
            "shown": number(row[column]).removeprefix("0"),
            "said": f"{row['model']}, {words(column)}: {number(row[column], 3)}",
        }
        for row in found
        for column in columns
        if row[column] is not None
    ]
    most = reach([rows], "value")
    parts = [columns[i : i + PANEL_COLUMNS] for i in range(0, len(columns), PANEL_COLUMNS)]
    panels = [
        Panel(
            Heatmap(
                rows=[row for row in rows if row["column"] in part],
                x_title="",
                columns=part,
                heads={name: _head(name) for name in part},
                most=most,
                bold=[ALL_MODELS],
            )
        )
        for part in parts
    ]
    return Figure(
        name=table.replace("_", "-").replace("all-", "worldbench-all-", 1),
        optional=optional,
        title=title,
        note="Models and columns from the least to the largest; the last row is over all models. "
        "Intervals are in the tables.",
        alt="Tables of shaded cells: models down, darker for larger numbers.",
        panels=panels,
        data=[{name: row[name] for name in ("row", "column", "value")} for row in rows],
    )


PANEL_COLUMNS = 6
"""Of a panel: more would leave no room for their heads."""


def _head(column: str) -> str:
    """A column's name in a few short lines."""
    code = REGION_CODES.get(column)
    if code is not None:
        return REGION_HEADS[code]
    lines = []
    for word in words(column).split()[:4]:
        lines.append(word if len(word) <= HEAD_LETTERS else f"{word[: HEAD_LETTERS - 1]}.")
    return "\n".join(lines)


HEAD_LETTERS = 6
"""Of a line of a head."""


def _ranks(pooled: Section, plural: str) -> Figure | None:
    return figure_of(
        [pooled],
        lambda section: rank_cells(section, f"all_ranks_{plural}", _said),
        draw_ranks,
        counted="compared",
        name=f"worldbench-all-ranks-{plural}",
        optional=30,
        title=f"In how many models each {GROUPS[plural]} comes first … last",
        note="Share of the models in which all groups have answers (how many, in brackets).",
        alt="A table of shaded cells: groups down, ranks across, with the share of models.",
    )


def rank_cells(
    section: Section, table: str, said: Callable[[dict[str, Any], str, float], str]
) -> Rows:
    """The cells of a table of ranks: a row for each group, a column for each rank."""
    return [
        {
            "row": row["group"],
            "column": rank,
            "value": share,
            "compared": row["compared"],
            "shown": f"{share:.0%}" if share else "",
            "said": said(row, rank, share),
        }
        for row in rows_of(section, table, "group", "compared")
        for rank, share in row.items()
        if rank.isdigit() and share is not None
    ]


def draw_ranks(shown: Rows, everything: Sequence[Rows]) -> Chart:
    columns = list(dict.fromkeys(row["column"] for row in shown))
    return Heatmap(rows=shown, x_title="rank, 1 is the least error", columns=columns, most=1)


def _said(row: dict[str, Any], rank: str, share: float) -> str:
    mean = estimate(row["rank"], row["rank_low"], row["rank_high"], 1)
    return (
        f"{row['group']}: rank {rank} in {share:.0%} of {row['compared']} models; mean rank {mean}"
    )
