"""What several models have in common: the section "Over all models" of a report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from geobias.errors import BadRequest
from geobias.probes.worldbench import analyses, countries, matrix, over_models, scores
from geobias.probes.worldbench.answers import FigureAnswers
from geobias.probes.worldbench.conditions import ALL_MODELS, Pool, pool_of, pooled_in_spite_of
from geobias.probes.worldbench.correlations import (
    consistency_over_models,
    correlations,
    indicator_values,
)
from geobias.probes.worldbench.groupings import plural
from geobias.probes.worldbench.scores import GROUPINGS
from geobias.results.findings import Metric, ProbeFindings, Replies, Section, Sentence, Table
from geobias.results.formatting import counted, estimate, p_value
from geobias.results.tables import bounded, table_from, with_adjusted
from geobias.stats.group_differences import LEVEL
from geobias.stats.pooling import holm

if TYPE_CHECKING:
    from geobias.probes.probe import Probe

ERROR = "error, 0 to 1"
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
    unit = dict.fromkeys(("mean", "median", "value"), ERROR)
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
        unit | {"pooled": ERROR, "plain": ERROR},
    )
    for by in GROUPINGS:
        made[f"all_disparity_{by}s"] = table_from(
            over_models.disparities(frame, by),
            f"{TITLE}: disparity over {plural(by)}",
            "`spread`, `disparity` and their p are of the models' average: they speak of other "
            "countries and these models. `p_models` speaks of other models too (Clark's min F'). "
            "`each_disparity` is the mean of the models' own disparities, with its interval over "
            "models.",
            dict.fromkeys(("disparity", "each_disparity", "baseline"), ERROR),
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
            matrix.wide(matrix.disparity_matrix(frame, by)),
            f"Disparity over {plural(by)}, by model and indicator",
            "The paper's number: the largest minus the smallest mean, over all groups.",
        )
    for across in ("indicator", "region"):
        made[f"all_matrix_{across}s"] = table_from(
            matrix.wide(matrix.error_matrix(frame, across)),
            f"Mean error by model and {across}",
            "The last row is over all models.",
        )
    figures = answers[0].figures
    if figures is not None:
        made["all_years"] = table_from(
            analyses.years_fit(frame, figures), f"{TITLE}: error against the figures of each year"
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
    same: dict[str, Any] = {"unit": ERROR, "better": "low"}
    found = [
        Metric(name="worldbench.error", label="Mean error", **bounded(whole, "mean"), **rests,
               **same, note=_CROSSED),
        Metric(name="worldbench.error_median", label="Median error", **bounded(whole, "median"),
               **rests, **same),
    ]  # fmt: skip
    firsts = {by: tables[f"all_disparity_{by}s"].rows[0] for by in GROUPINGS}
    adjusted = holm([row["p"] for row in firsts.values()])  # type: ignore[misc]
    for (by, row), p_adjusted in zip(firsts.items(), adjusted, strict=True):
        missing = row["spread"] is None
        found.append(
            Metric(
                name=f"worldbench.{by}_spread",
                label=f"Spread over {plural(by)}",
                **bounded(row, "spread"),
                n=int(row["countries"] or 0),
                counted="economies",
                unit="standard deviation of mean errors",
                p=row["p"],  # type: ignore[arg-type]
                p_adjusted=p_adjusted,
                better="low",
                caution="" if missing else str(row["note"] or ""),
                note="Of the errors of all models averaged.",
                undefined_because=f"too few {plural(by)} can be compared" if missing else "",
            )
        )
    return found


def _sentences(pool: Pool, metrics: Sequence[Metric], tables: dict[str, Table]) -> list[str]:
    error = metrics[0]
    said = [
        f"{TITLE}: the mean error of {counted(len(pool.models), 'models')} is "
        f"{estimate(error.value, error.low, error.high, 3)}."
    ]
    for by in GROUPINGS:
        row: dict[str, Any] = dict(tables[f"all_disparity_{by}s"].rows[0])
        if row["disparity"] is None:
            continue
        gap = estimate(row["disparity"], row["disparity_low"], row["disparity_high"], 3)
        others = (
            f"For other models and economies too, p is {p_value(row['p_models'])}."
            if row["p_models"] is not None
            else f"{counted(len(pool.models), 'models')} do not tell whether others are alike."
        )
        if row["p"] is None or row["p"] >= LEVEL:
            said.append(f"Whether {plural(by)} differ in the errors of these models is not clear.")
            continue
        said.append(
            f"Of {plural(by)}, they err most about {row['highest']} and least about "
            f"{row['lowest']} on average: a gap of {gap} over {row['countries']} economies. "
            f"{others}"
        )
    return said
