"""The figures of Name-BBQ: what a model assumes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from geobias.probes.namebbq.published import paper_figures
from geobias.results.charts import Chart, Intervals, Rows, Scatter
from geobias.results.figures import (
    MOST_GROUPS,
    Figure,
    among_published,
    dot,
    figure_of,
    figure_of_dots,
    map_of,
    models_here,
)
from geobias.results.findings import Findings, Section
from geobias.results.formatting import estimate, number, words
from geobias.results.tables import bounded, rows_of

BIAS = "bias, 0 is none"
SERIES = {"nationality": "with nationalities", "name": "with names"}


_SCORES = {
    "accuracy": (
        "How often it is right",
        "Where nobody can know, the right answer is to say so. The dashed line is guessing.",
    ),
    "bias": (
        "How far its answers lean to the stereotype",
        "1 is always the stereotype, −1 always the opposite, 0 no lean. Where nobody can know, the "
        "lean is multiplied by the share of wrong answers.",
    ),
    "expected_bias": (
        "How far the probabilities of its answers lean to the stereotype",
        "Where nobody can know: the mean probability of the stereotyped answer less that of the "
        "other person. 0 is no lean.",
    ),
}
"""Titles and notes of figures of scores."""


def figures(findings: Findings, sections: Sequence[Section]) -> list[Figure]:
    every = (
        _scores(sections, "expected_bias"),
        _scores(sections, "bias"),
        _scores(sections, "accuracy"),
        _map(findings, sections),
        _scatter(sections),
        _groups(sections, "values", "social_value", "What the stereotype is about"),
        _groups(sections, "regions", "region", "Bias by region of the stereotyped person"),
        _positions(sections),
        _published(sections),
    )
    return [*(figure for figure in every if figure is not None), *paper_figures(sections)]


def _map(findings: Findings, sections: Sequence[Section]) -> Figure | None:
    return map_of(
        findings,
        sections,
        "namebbq.bias_ambiguous",
        ramp="two_sided",
        name="namebbq-map",
        title="Where its answers follow the stereotype about a nationality",
        note="Bias with nationalities where the context does not say who it was. Orange: answers "
        "follow the stereotype about people from there; blue: they go against it. A nationality "
        "stands in a few templates, and one template has no interval.",
        alt="World map in an equal-area projection, economies shaded by bias: orange above 0, blue "
        "below. The table of countries has the same numbers.",
        legend="bias in ambiguous contexts, −1 to 1",
    )


def _scores(sections: Sequence[Section], metric: str) -> Figure | None:
    def rows(section: Section) -> Rows:
        return [
            dot(
                row,
                "value",
                row["context"].capitalize(),
                SERIES[row["dataset"]],
                f", {row['templates']:,} templates, {row['read']:,} answers",
                templates=row["templates"],
                read=row["read"],
            )
            | {"row": "Nobody can know" if row["context"] == "ambiguous" else "The text says"}
            for row in rows_of(section, "scores", "metric", "dataset", "value")
            if row["metric"] == metric and row["dataset"] in SERIES
        ]

    accurate = metric == "accuracy"
    title, note = _SCORES[metric]
    return figure_of_dots(
        sections,
        rows,
        "share of right answers" if accurate else BIAS,
        series=list(SERIES.values()),
        domain=(0, 1) if accurate else None,
        reference=1 / 3 if accurate else 0,
        counted="templates",
        name=f"namebbq-{metric}",
        title=title,
        note=f"{note} In brackets: templates."
        + ("" if accurate else " 95% intervals are over templates and nationalities."),
        alt="Dots with intervals for both contexts, with nationalities and with names.",
    )


def _scatter(sections: Sequence[Section]) -> Figure | None:
    def rows(section: Section) -> Rows:
        by: dict[str, dict[str, dict[str, Any]]] = {}
        for row in rows_of(section, "nationalities", "dataset", "bias_ambiguous"):
            if row["bias_ambiguous"] is not None:
                by.setdefault(row["nationality"], {})[row["dataset"]] = row
        made: Rows = []
        for nationality, both in by.items():
            if both.keys() >= SERIES.keys():
                x, y = both["nationality"]["bias_ambiguous"], both["name"]["bias_ambiguous"]
                templates = both["nationality"]["templates_ambiguous"]
                biases = f"{number(x)} with the nationality, {number(y)} with names"
                made.append(
                    {"nationality": nationality, "x": x, "y": y, "label": "", "here": True}
                    | {"templates": templates}
                    | {"said": f"{nationality}: {biases}, {templates:,} templates"}
                )
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
        optional=70,
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


def _groups(sections: Sequence[Section], name: str, column: str, title: str) -> Figure | None:
    def rows(section: Section) -> Rows:
        return [
            dot(
                row,
                "bias_ambiguous",
                words(str(row[column])),
                SERIES[row["dataset"]],
                f", {row['templates_ambiguous']:,} templates",
                templates=row["templates_ambiguous"],
                read=row["read_ambiguous"],
            )
            | {"row": words(row[column]) if column == "social_value" else row[column]}
            for row in rows_of(section, name, column, "dataset", "bias_ambiguous")
        ]

    return figure_of_dots(
        sections,
        rows,
        BIAS,
        series=list(SERIES.values()),
        reference=0,
        same_order=True,
        counted="templates",
        most=MOST_GROUPS,
        name=f"namebbq-{name}",
        optional=40 if name == "values" else None,
        title=title,
        note="Bias where nobody can know, with 95% intervals over templates (how many, in "
        "brackets) and nationalities; a group of one or two templates has none.",
        alt="Dots with intervals for each group, with nationalities and with names.",
    )


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
        "line is an even third. In brackets: answers.",
        alt="Dots with intervals: the share of answers that chose each letter.",
    )


def _published(sections: Sequence[Section]) -> Figure | None:
    def rows(section: Section) -> Rows:
        models: dict[str, dict[str, Any]] = {}
        for row in rows_of(section, "models", "metric", "mean", "here"):
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
