"""The figures of Name-BBQ that do not follow from its measures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from geobias.measures.words import table_name
from geobias.probes.namebbq.measures import BIASES, CHANCE, ENDINGS, WHERE
from geobias.probes.namebbq.published import paper_figures
from geobias.probes.namebbq.scores import CONTEXTS
from geobias.results.charts import Chart, Intervals, Rows, Scatter
from geobias.results.figures import (
    Figure,
    among_published,
    dot,
    figure_of,
    figure_of_dots,
    models_here,
)
from geobias.results.findings import Findings, Section
from geobias.results.formatting import counted, estimate, number
from geobias.results.tables import bounded, metric_of, rows_of

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
"""Titles and notes of figures of several means."""


def figures(findings: Findings, sections: Sequence[Section]) -> list[Figure]:
    every = (
        _means(sections, "bias"),
        _means(sections, "accuracy"),
        _scatter(sections),
        _positions(sections),
        _published(sections),
    )
    return [*(figure for figure in every if figure is not None), *paper_figures(sections)]


def _means(sections: Sequence[Section], stem: str) -> Figure | None:
    """Both contexts with nationalities and with names; by expected values, where a run has them."""

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
        for row in _outermost(made):
            row["label"] = row["nationality"]
        return made

    def draw(shown: Rows, everything: Sequence[Rows]) -> Chart:
        return Scatter(
            rows=shown,
            x_title="bias with the nationality",
            y_title="bias with names",
            domain=_square(everything),
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


def _outermost(points: Rows, most: int = 6) -> Rows:
    """The points farthest from 0 that have room for a label: no other label is near."""
    chosen: Rows = []
    for point in sorted(points, key=lambda one: -(one["x"] ** 2 + one["y"] ** 2)):
        x, y = point["x"], point["y"]
        near = any(abs(x - one["x"]) < 0.2 and abs(y - one["y"]) < 0.05 for one in chosen)
        if not near and len(chosen) < most and x * x + y * y > 0.01:
            chosen.append(point)
    return chosen


def _square(everything: Sequence[Rows]) -> tuple[float, float]:
    """One scale for both axes, a little wider than the points, with 0 in it."""
    values = [row[axis] for part in everything for row in part for axis in ("x", "y")]
    low, high = min(-0.1, *values), max(0.2, *values)
    return max(-1.05, low - 0.08), min(1.15, high + 0.15)


def _by_nationality(section: Section, dataset: str) -> dict[str, dict[str, Any]]:
    """Nationality → the row of its bias, by expected values where a run has them."""
    plain = BIASES[dataset]
    for one in (plain.by_expectation, plain):
        if rows := rows_of(section, table_name(one, "nationality"), "mean"):
            return {row["group"]: row for row in rows if row["mean"] is not None}
    return {}


def _positions(sections: Sequence[Section]) -> Figure | None:
    contexts = {"ambiguous": "nobody can know", "disambiguated": "the text says"}

    def rows(section: Section) -> Rows:
        return [
            {
                "row": f"Answer {row['letter']}",
                "series": contexts[row["context"]],
                **bounded(row, "share"),
                "right": row["right"],
                "chosen": row["chosen"],
                "read": row["read"],
                "said": f"{row['letter']}, {contexts[row['context']]}: chosen in "
                f"{estimate(**bounded(row, 'share'))} of {row['read']:,} answers; right in "
                f"{number(row['right'])}",
            }
            for row in rows_of(section, "positions", "letter", "share")
        ]

    return figure_of_dots(
        sections,
        rows,
        "share of answers",
        domain=(0, 1),
        reference=1 / 3,
        series=list(contexts.values()),
        counted="read",
        name="namebbq-positions",
        title="Which place on the page it chooses",
        note="A model that always takes the same letter shows nothing about people. The dashed "
        "line is an even third.",
        alt="Dots with intervals: the share of answers that chose each letter.",
    )


def _published(sections: Sequence[Section]) -> Figure | None:
    def rows(section: Section) -> Rows:
        models: dict[str, dict[str, Any]] = {}
        for row in rows_of(section, "published", "metric", "mean", "here"):
            biased = row["metric"] == "bias" and row["context"] == "ambiguous"
            if biased and row["dataset"] and row["mean"] is not None:
                model = models.setdefault(row["model"], {"here": row["here"]})
                model[row["dataset"]] = row["mean"]
        known = [(name, model) for name, model in models.items() if model.keys() >= SERIES.keys()]
        known.sort(key=lambda one: one[1]["nationality"])
        return [
            {
                "row": name,
                "series": SERIES[dataset],
                "value": model[dataset],
                "least": model["nationality"],
                "here": model["here"],
                "said": f"{name}, {SERIES[dataset]}: {number(model[dataset], 3)}",
            }
            for name, model in known
            for dataset in SERIES
        ]

    def draw(shown: Rows, everything: Sequence[Rows]) -> Chart:
        values = [row["value"] for part in everything for row in part]
        step = 0.1 if max(values) > 0.25 else 0.05
        low = -step if min(values) < 0 else 0
        high = (int(max(values) / step) + 1) * step
        own = models_here(everything)
        series = list(SERIES.values())
        return Intervals(
            rows=shown, title=BIAS, domain=(low, high), reference=0, series=series, bold=own
        )

    return among_published(
        sections,
        rows,
        draw,
        order=lambda row: (row["least"], row["row"]),
        name="namebbq-published",
        title="Beside the six models of the Name-BBQ paper",
        note="Bias in ambiguous contexts, with nationalities and with names. The paper's models "
        "were asked all 3,080 items of BBQ; a run on other items is not quite the same test.",
        alt="Dots for each model, with nationalities and with names; this run's model is marked.",
    )
