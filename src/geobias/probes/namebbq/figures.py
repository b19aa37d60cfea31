"""The charts of Name-BBQ that are not made from a single measure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from geobias.measures.words import table_name
from geobias.probes.namebbq.measures import BIASES, CHANCE, ENDINGS, WHERE
from geobias.probes.namebbq.published import labelled, paper_figures
from geobias.probes.namebbq.scores import CONTEXTS
from geobias.results.charts import Chart, Rows, Scatter
from geobias.results.figures import Figure, dot, figure_of, figure_of_dots
from geobias.results.findings import Findings, Section
from geobias.results.formatting import counted, number
from geobias.results.tables import metric_of, rows_of

BIAS = "bias, 0 is none"
SERIES = {"nationality": "with nationalities", "name": "with names"}


_MEANS = {
    "bias": (
        "How far its answers lean to the stereotype",
        "1 is always the stereotype, −1 always the opposite, 0 no lean. Where nobody can know, the "
        "lean is multiplied by the share of wrong answers. 95% intervals are over templates and "
        "nationalities.",
    ),
    "accuracy": (
        "How often it is right",
        "Where nobody can know, the right answer is to say so. The dashed line is guessing.",
    ),
}
"""Titles and notes of the charts that show several means."""


def figures(findings: Findings, sections: Sequence[Section]) -> list[Figure]:
    every = (
        _means(sections, "bias"),
        _means(sections, "accuracy"),
        _scatter(sections),
    )
    return [*(figure for figure in every if figure is not None), *paper_figures(sections)]


def _means(sections: Sequence[Section], stem: str) -> Figure | None:
    """A chart of the means in both contexts, with nationalities and with names.

    The means are those of expected values if a run has them.
    """

    def rows(section: Section) -> Rows:
        made: Rows = []
        for condition, context in CONTEXTS.items():
            for dataset, series in SERIES.items():
                name = f"{stem}_{context}{ENDINGS[dataset]}"
                expected = metric_of(section, f"namebbq.expected_{name}")
                found = expected or metric_of(section, f"namebbq.{name}")
                if found is not None:
                    cells = {"value": found.value, "value_low": found.low, "value_high": found.high}
                    rests_on = f", {counted(found.n, found.counted)}"
                    row = dot(cells, "value", context.capitalize(), series, rests_on, n=found.n)
                    made.append(row | {"row": WHERE[condition].capitalize()})
        return made

    accurate = stem == "accuracy"
    title, note = _MEANS[stem]
    return figure_of_dots(
        sections,
        rows,
        "share of right answers" if accurate else BIAS,
        series=list(SERIES.values()),
        domain=(0, 1) if accurate else None,
        reference=CHANCE if accurate else 0,
        counted="n",
        name=f"namebbq-{stem}",
        title=title,
        note=note,
        alt="Dots with intervals for both contexts, with nationalities and with names.",
    )


def _scatter(sections: Sequence[Section]) -> Figure | None:
    def rows(section: Section) -> Rows:
        told, named = (_by_nationality(section, dataset) for dataset in SERIES)
        made: Rows = []
        for nationality in told.keys() & named.keys():
            x, y = told[nationality]["mean"], named[nationality]["mean"]
            templates = told[nationality]["templates"]
            biases = f"{number(x)} with the nationality, {number(y)} with names"
            made.append(
                {"nationality": nationality, "x": x, "y": y, "label": "", "here": True}
                | {"templates": templates}
                | {"said": f"{nationality}: {biases}, {templates:,} templates"}
            )
        made.sort(key=lambda row: (-row["x"], row["nationality"]))
        return made

    def draw(shown: Rows, everything: Sequence[Rows]) -> Chart:
        domain = _square(everything)
        return Scatter(
            rows=labelled(shown, domain, domain, "nationality", most=6),
            x_title="bias with the nationality",
            y_title="bias with names",
            domain=domain,
        )

    return figure_of(
        sections,
        rows,
        draw,
        name="namebbq-scatter",
        title="Does a first name carry the same stereotype as the nationality?",
        note="Each dot is a nationality, in contexts where nobody can know. On the dashed line "
        "the bias with names is as strong as with the nationality. Near the horizontal axis there "
        "is bias with the nationality alone.",
        alt="A scatter plot of nationalities: bias with the nationality against bias with names.",
    )


def _square(everything: Sequence[Rows]) -> tuple[float, float]:
    """The ends of one scale for both axes, which holds all points and 0."""
    values = [row[axis] for part in everything for row in part for axis in ("x", "y")]
    low, high = min(-0.1, *values), max(0.2, *values)
    return max(-1.05, low - 0.08), min(1.15, high + 0.15)


def _by_nationality(section: Section, dataset: str) -> dict[str, dict[str, Any]]:
    """Nationality → the row with its bias.

    The bias is that of expected values if a run has them.
    """
    plain = BIASES[dataset]
    for one in (plain.by_expectation, plain):
        if rows := rows_of(section, table_name(one, "nationality"), "mean"):
            return {row["group"]: row for row in rows if row["mean"] is not None}
    return {}
