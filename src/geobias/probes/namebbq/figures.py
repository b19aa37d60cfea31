"""The figures of Name-BBQ: what a model assumes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from geobias.results.charts import Chart, Intervals, Rows, Scatter
from geobias.results.figures import (
    MOST_GROUPS,
    Figure,
    among_published,
    both_sides,
    figure_of,
    map_of,
)
from geobias.results.findings import Findings, Section
from geobias.results.formatting import estimate, number, words
from geobias.results.tabling import rows_of

BIAS = "bias, 0 is none"
SERIES = {"nationality": "with nationalities", "name": "with names"}


def figures(findings: Findings, sections: Sequence[Section]) -> list[Figure]:
    """All that the sections' tables allow, in the order in which they are read."""
    return [
        one
        for one in (
            _scores(sections, "bias"),
            _scores(sections, "accuracy"),
            _map(findings, sections),
            _scatter(sections),
            _groups(sections, "values", "social_value", "What the stereotype is about"),
            _groups(sections, "regions", "region", "Bias by region of the stereotyped person"),
            _positions(sections),
            _published(sections),
        )
        if one is not None
    ]


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
            {
                "row": "Nobody can know" if row["context"] == "ambiguous" else "The text says",
                "series": SERIES[row["dataset"]],
                "value": row["value"],
                "low": row["value_low"],
                "high": row["value_high"],
                "templates": row["templates"],
                "read": row["read"],
                "said": f"{row['context'].capitalize()}, {SERIES[row['dataset']]}: "
                f"{estimate(row['value'], row['value_low'], row['value_high'], 3)}, "
                f"{row['templates']:,} templates, {row['read']:,} answers",
            }
            for row in rows_of(section, "scores", "metric", "dataset", "value")
            if row["metric"] == metric and row["dataset"] in SERIES
        ]

    def draw(shown: Rows, everything: Sequence[Rows]) -> Chart:
        series = list(SERIES.values())
        if metric == "accuracy":
            return Intervals(
                rows=shown,
                title="share of right answers",
                domain=(0, 1),
                reference=1 / 3,
                series=series,
            )
        domain = both_sides(everything, "value", "low", "high")
        return Intervals(rows=shown, title=BIAS, domain=domain, reference=0, series=series)

    accurate = metric == "accuracy"
    return figure_of(
        sections,
        rows,
        draw,
        counted="templates",
        series=list(SERIES.values()),
        name=f"namebbq-{metric}",
        title="How often it is right" if accurate else "How far its answers lean to the stereotype",
        note="Where nobody can know, the right answer is to say so. The dashed line is guessing. "
        "In brackets: templates."
        if accurate
        else "1: every answer that names a person follows the stereotype; −1: none does. Where "
        "nobody can know, scaled by the share of wrong answers. 95% intervals from resampling "
        "templates (how many, in brackets).",
        alt="Dots with intervals for both contexts, with nationalities and with names.",
    )


def _scatter(sections: Sequence[Section]) -> Figure | None:
    def rows(section: Section) -> Rows:
        by: dict[str, dict[str, dict[str, Any]]] = {}
        for row in rows_of(section, "nationalities", "dataset", "bias_ambiguous"):
            by.setdefault(row["nationality"], {})[row["dataset"]] = row
        found = [
            (name, both["nationality"], both["name"])
            for name, both in by.items()
            if {"nationality", "name"} <= both.keys()
            and both["nationality"]["bias_ambiguous"] is not None
            and both["name"]["bias_ambiguous"] is not None
        ]
        named = _outermost([(n, p["bias_ambiguous"], g["bias_ambiguous"]) for n, p, g in found])
        return [
            {
                "nationality": name,
                "x": plain["bias_ambiguous"],
                "y": given["bias_ambiguous"],
                "label": name if name in named else "",
                "here": True,
                "templates": plain["templates_ambiguous"],
                "said": f"{name}: {number(plain['bias_ambiguous'])} with the nationality, "
                f"{number(given['bias_ambiguous'])} with names, "
                f"{plain['templates_ambiguous']:,} templates",
            }
            for name, plain, given in found
        ]

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
        "names do as much as the word itself; near the horizontal axis only the word does.",
        alt="A scatter plot of nationalities: bias with the nationality against bias with names.",
    )


def _outermost(points: list[tuple[str, float, float]], most: int = 6) -> set[str]:
    """The points farthest from 0 that have room for a label: no other label is near."""
    placed: list[tuple[float, float]] = []
    names: set[str] = set()
    for name, x, y in sorted(points, key=lambda one: -(one[1] ** 2 + one[2] ** 2)):
        near = any(abs(x - px) < 0.2 and abs(y - py) < 0.05 for px, py in placed)
        if not near and len(names) < most and x * x + y * y > 0.01:
            names.add(name)
            placed.append((x, y))
    return names


def _square(everything: Sequence[Rows]) -> tuple[float, float]:
    """One scale for both axes, a little wider than the points, with 0 in it."""
    values = [row[axis] for part in everything for row in part for axis in ("x", "y")]
    low, high = min(-0.1, *values), max(0.2, *values)
    return max(-1.05, low - 0.08), min(1.15, high + 0.15)


def _groups(sections: Sequence[Section], name: str, column: str, title: str) -> Figure | None:
    def rows(section: Section) -> Rows:
        found = rows_of(section, name, column, "dataset", "bias_ambiguous")
        return [
            {
                "row": words(row[column]) if column == "social_value" else row[column],
                "series": SERIES[row["dataset"]],
                "value": row["bias_ambiguous"],
                "low": row["bias_ambiguous_low"],
                "high": row["bias_ambiguous_high"],
                "templates": row["templates_ambiguous"],
                "read": row["read_ambiguous"],
                "said": f"{words(str(row[column]))}, {SERIES[row['dataset']]}: "
                + estimate(
                    row["bias_ambiguous"], row["bias_ambiguous_low"], row["bias_ambiguous_high"], 3
                )
                + f", {row['templates_ambiguous']:,} templates",
            }
            for row in found
        ]

    def draw(shown: Rows, everything: Sequence[Rows]) -> Chart:
        return Intervals(
            rows=shown,
            title=BIAS,
            domain=both_sides(everything, "value", "low", "high"),
            reference=0,
            series=list(SERIES.values()),
        )

    return figure_of(
        sections,
        rows,
        draw,
        same_order=True,
        counted="templates",
        series=list(SERIES.values()),
        most=MOST_GROUPS,
        name=f"namebbq-{name}",
        optional=40 if name == "values" else None,
        title=title,
        note="Bias where nobody can know, with 95% intervals from resampling templates (how many, "
        "in brackets); a group with one template has none.",
        alt="Dots with intervals for each group, with nationalities and with names.",
    )


def _positions(sections: Sequence[Section]) -> Figure | None:
    contexts = {"ambiguous": "nobody can know", "disambiguated": "the text says"}

    def rows(section: Section) -> Rows:
        return [
            {
                "row": f"Answer {row['letter']}",
                "series": contexts[row["context"]],
                "value": row["share"],
                "low": row["share_low"],
                "high": row["share_high"],
                "right": row["right"],
                "chosen": row["chosen"],
                "read": row["read"],
                "said": f"{row['letter']}, {contexts[row['context']]}: chosen in "
                f"{estimate(row['share'], row['share_low'], row['share_high'])} of "
                f"{row['read']:,} answers; right in {number(row['right'])}",
            }
            for row in rows_of(section, "positions", "letter", "share")
        ]

    def draw(shown: Rows, everything: Sequence[Rows]) -> Chart:
        return Intervals(
            rows=shown,
            title="share of answers",
            domain=(0, 1),
            reference=1 / 3,
            series=list(contexts.values()),
        )

    return figure_of(
        sections,
        rows,
        draw,
        counted="read",
        series=list(contexts.values()),
        name="namebbq-positions",
        title="Which place on the page it chooses",
        note="A model that always takes the same letter shows nothing about people. The dashed "
        "line is an even third. In brackets: answers.",
        alt="Dots with intervals: the share of answers that chose each letter.",
    )


def _published(sections: Sequence[Section]) -> Figure | None:
    def rows(section: Section) -> Rows:
        by: dict[str, dict[str, Any]] = {}
        for row in rows_of(section, "models", "metric", "mean", "here"):
            if row["metric"] == "bias" and row["context"] == "ambiguous" and row["dataset"]:
                found = by.setdefault(row["model"], {"here": row["here"]})
                found[row["dataset"]] = row["mean"]
        known = [
            (name, one)
            for name, one in by.items()
            if one.get("nationality") is not None and one.get("name") is not None
        ]
        known.sort(key=lambda each: each[1]["nationality"])
        return [
            {
                "row": name,
                "series": SERIES[dataset],
                "value": one[dataset],
                "least": one["nationality"],
                "here": one["here"],
                "said": f"{name}, {SERIES[dataset]}: {number(one[dataset], 3)}",
            }
            for name, one in known
            for dataset in SERIES
        ]

    def draw(shown: Rows, everything: Sequence[Rows]) -> Chart:
        values = [row["value"] for part in everything for row in part]
        step = 0.1 if max(values) > 0.25 else 0.05
        low = -step if min(values) < 0 else 0
        high = (int(max(values) / step) + 1) * step
        own = sorted({row["row"] for part in everything for row in part if row["here"]})
        return Intervals(
            rows=shown,
            title=BIAS,
            domain=(low, high),
            reference=0,
            series=list(SERIES.values()),
            bold=own,
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
