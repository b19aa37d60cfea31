"""The charts of Name-BBQ that are not made from a single measure.

Figures 3 to 8 of the paper are drawn with the report's models in them:

    3, 4   accuracy and bias of each model, averaged over names and nationalities and over both
           contexts; the published models by provider and size, the report's below them
    5, 6   what names change in bias and accuracy: ambiguous against disambiguated contexts
    7, 8   accuracy and bias: ambiguous against disambiguated contexts

Bars are one SD over seeds and repeats to both sides, as the paper prints it in its tables. The SD
of an average or a difference is that of independent parts.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from geobias.probes.namebbq.measures import CHANCE, ENDINGS, WHERE
from geobias.probes.namebbq.published import Cell
from geobias.probes.namebbq.scores import CONTEXTS
from geobias.results.charts import Chart, Intervals, Rows, Scatter
from geobias.results.figures import Figure, among_published, dot, figure_of_dots
from geobias.results.findings import Findings, Section
from geobias.results.formatting import counted
from geobias.results.tables import metric_of, rows_of

WORDS = {"bias": "bias, 0 is none", "accuracy": "accuracy"}
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
        *(_means(sections, stem) for stem in _MEANS),
        *(_paper(sections, number) for number in _PAPER),
    )
    return [figure for figure in every if figure]


def _means(sections: Sequence[Section], stem: str) -> Figure | None:
    """A chart of the means in both contexts, with nationalities and with names.

    The means are those of expected values if a run has them.
    """

    def rows(section: Section) -> Rows:
        made: Rows = []
        for condition, dataset in product(CONTEXTS, SERIES):
            name = f"{stem}_{CONTEXTS[condition]}{ENDINGS[dataset]}"
            expected = metric_of(section, f"namebbq.expected_{name}")
            if found := expected or metric_of(section, f"namebbq.{name}"):
                cells = {"value": found.value, "value_low": found.low, "value_high": found.high}
                rests_on = f", {counted(found.n, found.counted)}"
                context = CONTEXTS[condition].capitalize()
                row = dot(cells, "value", context, SERIES[dataset], rests_on, n=found.n)
                made.append(row | {"row": WHERE[condition].capitalize()})
        return made

    accurate = stem == "accuracy"
    title, note = _MEANS[stem]
    return figure_of_dots(
        sections,
        rows,
        "share of right answers" if accurate else WORDS[stem],
        series=list(SERIES.values()),
        domain=(0, 1) if accurate else None,
        reference=CHANCE if accurate else 0,
        counted="n",
        name=f"namebbq-{stem}",
        title=title,
        note=note,
        alt="Dots with intervals for both contexts, with nationalities and with names.",
    )


# Figures of the paper -----------------------------------------------------------------------------

PAPER_FIGURES = "namebbq-paper-"
"""Prefix of the names of the charts that follow the paper's figures."""
_PAPER = {
    3: ("accuracy", "averages"),
    4: ("bias", "averages"),
    5: ("bias", "changes"),
    6: ("accuracy", "changes"),
    7: ("accuracy", "contexts"),
    8: ("bias", "contexts"),
}
"""Number of a figure → what it shows."""
_PUBLISHED = {
    "Claude 3 Sonnet": "Anthropic, large",
    "Claude 3 Haiku": "Anthropic, small",
    "Gemini 1.5 Pro": "Google, large",
    "Gemini 1.5 Flash": "Google, small",
    "GPT-4o (2024-05-13)": "OpenAI, large",
    "GPT-4o": "OpenAI, large",
    "GPT-3.5 Turbo (0125)": "OpenAI",
    "GPT-4o-mini": "OpenAI, small",
}
"""Model → its provider and size, in the order of the paper's Figures 3 and 4."""
_TITLES = {
    "averages": "{} of each model",
    "changes": "What names change in {}",
    "contexts": "{} in both contexts",
}
_NOTES = {
    "averages": "The mean of four: with nationalities and with names, in ambiguous and in "
    "disambiguated contexts.",
    "changes": "{} with nationalities less that with names.",
    "contexts": "Each model with names and with nationalities.",
}
_SD = " Bars: one SD over seeds and repeats."
_MOST = 1.02
"""The upper end of an axis of accuracy."""
Cells = dict[tuple[str, str], Cell]
"""(context, dataset) → cell."""


def _joined(cells: Sequence[Cell], weights: Sequence[float]) -> Cell:
    """The weighted sum of independent cells. It has no SD if one of the cells has none."""
    value = math.fsum(weight * one.mean for weight, one in zip(weights, cells, strict=True))
    sds = [
        weight * one.sd for weight, one in zip(weights, cells, strict=True) if one.sd is not None
    ]
    return Cell(value, math.hypot(*sds) if len(sds) == len(cells) else None)


def _models(section: Section, metric: str) -> Iterator[tuple[dict[str, Any], Cells]]:
    """Yield a description and the cells of each model, published or of this section."""
    models: dict[tuple[str, bool], Cells] = {}
    for row in rows_of(section, "published", "metric", "mean", "here"):
        if row["metric"] == metric and row["mean"] is not None:
            own = models.setdefault((row["model"], row["here"]), {})
            own[row["context"], row["dataset"]] = Cell(row["mean"], row["sd"])
    for (model, here), cells in models.items():
        about = "" if here else _PUBLISHED.get(model, "")
        yield {"row": f"{model} ({about})" if about else model, "model": model, "here": here}, cells


def _rows(kind: str, model: dict[str, Any], cells: Cells) -> Iterator[dict[str, Any]]:
    """Yield the rows of a model; none for a part of which it lacks a cell."""
    if kind == "contexts":
        for dataset in ("name", "nationality"):
            x, y = (cells.get((context, dataset)) for context in CONTEXTS.values())
            if x and y:
                yield _point(model, SERIES[dataset], x, y)
        return
    four = [cells.get(one) for one in product(CONTEXTS.values(), SERIES)]
    known = [cell for cell in four if cell]
    if len(known) < len(four):
        return
    if kind == "changes":
        yield _point(model, "", _joined(known[:2], (1, -1)), _joined(known[2:], (1, -1)))
    else:
        average = _joined(known, [1 / 4] * 4)
        said = f"{model['row']}: {average.said}"
        yield model | average.columns("value") | {"said": said}


def _point(model: dict[str, Any], series: str, x: Cell, y: Cell) -> dict[str, Any]:
    said = f"{model['row']} {series}: ambiguous {x.said}, disambiguated {y.said}"
    point = {"series": series, "label": "", "said": said}
    return model | x.columns("x", "x_") | y.columns("y", "y_") | point


def _paper(sections: Sequence[Section], figure: int) -> Figure | None:
    metric, kind = _PAPER[figure]

    def rows(section: Section) -> Rows:
        every = _models(section, metric)
        return [row for model, cells in every for row in _rows(kind, model, cells)]

    def draw(shown: Rows, everything: Sequence[Rows]) -> Chart:
        accurate = metric == "accuracy"
        if kind == "averages":
            return Intervals(
                rows=shown,
                title=WORDS[metric],
                domain=(0, 1) if accurate else _domain(everything, ("value", "low", "high"), 0),
                reference=None if accurate else 0,
                bold=[row["row"] for row in shown if row["here"]],
            )
        axes = [_domain(everything, (axis, f"{axis}_low", f"{axis}_high")) for axis in "xy"]
        if accurate:
            axes = [(low, min(high, _MOST)) for low, high in axes]
        what = "nationalities less names" if kind == "changes" else WORDS[metric]
        x_title, y_title = (f"{context}: {what}" for context in CONTEXTS.values())
        return Scatter(
            rows=_labelled(shown, *axes),
            x_title=x_title,
            y_title=y_title,
            domain=axes[0],
            y_domain=axes[1],
            series=("with names", "with nationalities") if kind == "contexts" else (),
        )

    def order(row: Mapping[str, Any]) -> Any:
        place = len(_PUBLISHED) if row["here"] else list(_PUBLISHED).index(row["model"])
        return place, row["model"], row.get("series", "")

    named = metric if kind == "changes" else metric.capitalize()
    note = _NOTES[kind].format(metric.capitalize()) + _SD
    if kind == "contexts":
        note += " The two models with public replies were asked with nationalities alone."
    return among_published(
        sections,
        rows,
        draw,
        order=order,
        name=f"{PAPER_FIGURES}{figure}",
        title=f"{_TITLES[kind].format(named)}, as Figure {figure} of the paper",
        note=f"{note} A run on other items than BBQ's is another test.",
        alt="Dots with bars for each model, sorted by provider and size."
        if kind == "averages"
        else "A scatter plot of models: ambiguous contexts against disambiguated ones.",
    )


_LETTER, _LINE, _GAP = 0.016, 0.045, 0.018
"""Shares of a chart: the width of a letter, the height of a line, and the distance of a label from
its point.
"""


def _labelled(points: Rows, x_domain: tuple[float, float], y_domain: tuple[float, float]) -> Rows:
    """The points with their models' names, each name once, beside them or up to two lines away.

    Names cover neither a point nor another name. The report's own are placed first, then the
    outermost.
    """
    (left, right), (bottom, top) = x_domain, y_domain
    places = [
        ((p["x"] - left) / (right - left), (p["y"] - bottom) / (top - bottom)) for p in points
    ]
    centre = [statistics.fmean(axis) for axis in zip(*places, strict=True)]
    pairs = sorted(
        zip(points, places, strict=True),
        key=lambda pair: (not pair[0]["here"], -math.dist(pair[1], centre)),
    )
    taken = [(x - _GAP / 2, x + _GAP / 2, y) for x, y in places]

    def is_free(begin: float, end: float, y: float) -> bool:
        return begin >= 0 and end <= 1 and 0 <= y <= 1 and all(
            end < left or begin > right or abs(y - level) >= _LINE for left, right, level in taken
        )  # fmt: skip

    named: set[str] = set()
    shown = []
    for point, (x, y) in pairs:
        word, width = point["model"], _LETTER * len(point["model"])
        boxes = [
            (begin, begin + width, y + lines * _LINE)
            for lines in (0, 1, -1, 2, -2)
            for begin in (x + _GAP, x - _GAP - width)
        ]
        at = {"label": "", "label_x": point["x"], "label_y": point["y"]}
        if word not in named and (box := next((one for one in boxes if is_free(*one)), None)):
            taken.append(box)
            named.add(word)
            label_x, label_y = left + (box[0] - _GAP) * (right - left), box[2] * (top - bottom)
            at = {"label": word, "label_x": label_x, "label_y": bottom + label_y}
        shown.append(point | at)
    return shown


def _domain(
    everything: Sequence[Rows], columns: Sequence[str], *also: float
) -> tuple[float, float]:
    """A domain slightly wider than the values of these columns."""
    rows = [row for part in everything for row in part]
    values = [*also, *(row[name] for row in rows for name in columns if row[name] is not None)]
    span = max(max(values) - min(values), 0.02)
    return min(values) - 0.08 * span, max(values) + 0.08 * span
