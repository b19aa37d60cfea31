"""Compare runs with the paper's six models (Tables 1 to 6) and two models with public replies.

The paper's means and SDs are over three seeds. The two others answered each of BBQ's items once,
with nationalities only. Figures 3 to 8 of the paper are drawn with the report's models in them:

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
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import polars as pl

from geobias.probes.namebbq.names import TABLES
from geobias.probes.namebbq.scores import Assumptions
from geobias.results.charts import Chart, Intervals, Rows, Scatter
from geobias.results.figures import Figure, among_published
from geobias.results.findings import Section
from geobias.results.formatting import counted, number
from geobias.results.tables import rows_of

METRICS = ("accuracy", "bias", "bias_unscaled", "error_retention")
BBQ_ITEMS = 3_080
"""Number of items that the published models were asked."""


def published() -> pl.DataFrame:
    """The paper's numbers: model, metric, context, dataset, mean, sd; an empty cell is null."""
    return pl.read_csv(TABLES / "published_namebbq_models.csv")


def public_replies() -> pl.DataFrame:
    """The numbers of the two models whose replies are public, as in `published` but without SDs."""
    table = pl.read_csv(TABLES / "published_namebbq_public_replies.csv")
    return table.drop("answers").with_columns(sd=pl.lit(None, pl.Float64))


def among_published_models(scored: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """The published models and those of `scored` (model → `scores`); `here` marks the latter.

    The mean of a model here is over its replicates, as in the paper. It is null if the score itself
    is undefined, such as error retention with few errors.
    """
    parts = [published().with_columns(here=False), public_replies().with_columns(here=False)]
    for model, table in scored.items():
        own = table.filter(pl.col("metric").is_in(METRICS))
        known = pl.col("value").is_not_null()
        own = own.with_columns(
            pl.when(known).then(pl.col(name)).alias(name) for name in ("mean", "sd")
        )
        parts.append(own.with_columns(model=pl.lit(model or "this run"), here=True))
    columns = ("model", "metric", "context", "dataset", "mean", "sd", "here")
    return pl.concat(part.select(columns) for part in parts)


def as_printed(tables: Mapping[str, pl.DataFrame]) -> Mapping[str, pl.DataFrame]:
    """One table per metric, as in the paper: a row for each model, a column for each context and
    dataset, and cells like "0.950 ± 0.002".
    """
    cell = pl.concat_str("context", pl.col("dataset").fill_null(""), separator=" ")
    long = tables["published"].drop_nulls("mean")
    long = long.with_columns(
        cell=cell.str.strip_chars(),
        words=pl.Series([Cell(*row).said for row in long.select("mean", "sd").iter_rows()]),
    )
    return {
        metric.replace("_", " "): long.filter(metric=metric).pivot(
            "cell", index=["model", "here"], values="words"
        )
        for metric in METRICS
    }


def differing_items(answers: Sequence[Assumptions]) -> list[str]:
    """A sentence for each run whose items differ from those of the published models."""
    notes = []
    for one in answers:
        items = one.frame["item"].n_unique()
        asked = "bbq" if one.records is None else one.records.settings.get("items", "builtin")
        if asked != "bbq" or items != BBQ_ITEMS:
            whose = {"bbq": "of BBQ", "builtin": "of geobias"}.get(str(asked), f"of {asked}")
            told = f"{one.model or 'this run'} was asked {counted(items, 'items')} {whose}"
            notes.append(
                f"{told}, the published models the {BBQ_ITEMS:,} of BBQ: not the same test."
            )
    return notes


# -- figures ---------------------------------------------------------------------------------------

PAPER_FIGURES = "namebbq-paper-"
"""Prefix of the names of the charts that follow the paper's figures."""
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
CONTEXTS = ("ambiguous", "disambiguated")
SERIES = {"name": "with names", "nationality": "with nationalities"}
WORDS = {"accuracy": "accuracy", "bias": "bias, 0 is none"}
_SD = "Bars: one SD over seeds and repeats."


class Cell(NamedTuple):
    mean: float
    sd: float | None

    @property
    def said(self) -> str:
        mean = number(self.mean, 3)
        return mean if self.sd is None else f"{mean} ± {number(self.sd, 3)}"

    def columns(self, value: str, prefix: str = "") -> dict[str, float | None]:
        sd = self.sd
        low, high = (None, None) if sd is None else (self.mean - sd, self.mean + sd)
        return {value: self.mean, f"{prefix}low": low, f"{prefix}high": high, f"{prefix}sd": sd}


def _joined(cells: Sequence[Cell], weights: Sequence[float]) -> Cell:
    """The weighted sum of independent cells. It has no SD if one of the cells has none."""
    pairs = list(zip(weights, cells, strict=True))
    value = math.fsum(weight * one.mean for weight, one in pairs)
    sds = [weight * one.sd for weight, one in pairs if one.sd is not None]
    return Cell(value, math.hypot(*sds) if len(sds) == len(pairs) else None)


Cells = dict[tuple[str, str], Cell]
"""(context, dataset) → cell."""
Points = Iterator[tuple[str, Cell, Cell]]
"""For each point, the name of its series and the cells of both contexts."""


def paper_figures(sections: Sequence[Section]) -> list[Figure]:
    every = (
        _averages(sections, "accuracy", 3),
        _averages(sections, "bias", 4),
        _scatter(sections, "bias", 5, _changes),
        _scatter(sections, "accuracy", 6, _changes),
        _scatter(sections, "accuracy", 7, _contexts),
        _scatter(sections, "bias", 8, _contexts),
    )
    return [figure for figure in every if figure is not None]


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


def _averages(sections: Sequence[Section], metric: str, figure: int) -> Figure | None:
    def rows(section: Section) -> Rows:
        made: Rows = []
        for model, cells in _models(section, metric):
            four = [cells.get((context, dataset)) for context in CONTEXTS for dataset in SERIES]
            known = [cell for cell in four if cell]
            if len(known) == len(four):
                average = _joined(known, [1 / 4] * 4)
                made.append(model | average.columns("value")
                            | {"said": f"{model['row']}: {average.said}"})  # fmt: skip
        return made

    def draw(shown: Rows, everything: Sequence[Rows]) -> Chart:
        accurate = metric == "accuracy"
        return Intervals(
            rows=shown,
            title=WORDS[metric],
            domain=(0.0, 1.0) if accurate else _domain(everything, ("value", "low", "high"), 0),
            reference=None if accurate else 0,
            bold=[row["row"] for row in shown if row["here"]],
        )

    return _figure(
        sections,
        rows,
        draw,
        figure,
        title=f"{metric.capitalize()} of each model, as Figure {figure} of the paper",
        note="The mean of four: with nationalities and with names, in ambiguous and in "
        f"disambiguated contexts. {_SD}",
        alt="Dots with bars for each model, sorted by provider and size.",
    )


def _changes(cells: Cells) -> Points:
    pairs = [[cells.get((context, one)) for one in ("nationality", "name")] for context in CONTEXTS]
    x, y = ([cell for cell in pair if cell] for pair in pairs)
    if len(x) == len(y) == 2:
        yield "", _joined(x, (1, -1)), _joined(y, (1, -1))


def _contexts(cells: Cells) -> Points:
    for dataset, series in SERIES.items():
        x, y = (cells.get((context, dataset)) for context in CONTEXTS)
        if x and y:
            yield series, x, y


def _scatter(
    sections: Sequence[Section], metric: str, figure: int, points_of: Callable[[Cells], Points]
) -> Figure | None:
    changes = points_of is _changes

    def rows(section: Section) -> Rows:
        return [
            model
            | {"series": series, "label": ""}
            | x.columns("x", "x_")
            | y.columns("y", "y_")
            | {"said": f"{model['row']} {series}: ambiguous {x.said}, disambiguated {y.said}"}
            for model, cells in _models(section, metric)
            for series, x, y in points_of(cells)
        ]

    def draw(shown: Rows, everything: Sequence[Rows]) -> Chart:
        axes = [_domain(everything, (axis, f"{axis}_low", f"{axis}_high")) for axis in "xy"]
        if metric == "accuracy" and not changes:
            axes = [(low, min(high, _MOST)) for low, high in axes]
        domain, y_domain = axes
        what = "nationalities less names" if changes else WORDS[metric]
        x_title, y_title = (f"{context}: {what}" for context in CONTEXTS)
        return Scatter(
            rows=labelled(shown, domain, y_domain, "model"),
            x_title=x_title,
            y_title=y_title,
            domain=domain,
            y_domain=y_domain,
            series=() if changes else tuple(SERIES.values()),
        )

    named = metric.capitalize()
    return _figure(
        sections,
        rows,
        draw,
        figure,
        title=f"{f'What names change in {metric}' if changes else f'{named} in both contexts'}, as "
        f"Figure {figure} of the paper",
        note=f"{named} with nationalities less that with names. {_SD}"
        if changes
        else f"Each model with names and with nationalities. {_SD} The two models with public "
        "replies were asked with nationalities alone.",
        alt="A scatter plot of models: ambiguous contexts against disambiguated ones.",
    )


_MOST = 1.02
"""The upper end of an axis of accuracy."""
_LETTER, _LINE, _GAP = 0.016, 0.045, 0.018
"""Shares of a chart: the width of a letter, the height of a line, and the distance of a label from
its point.
"""


def labelled(
    points: Rows,
    x_domain: tuple[float, float],
    y_domain: tuple[float, float],
    name: str,
    most: int = 100,
) -> Rows:
    """The points with their names, each name once, beside them or up to two lines away.

    Names cover neither a point nor another name. The report's own are placed first, then the
    outermost.
    """
    (left, right), (bottom, top) = x_domain, y_domain
    places = [
        ((p["x"] - left) / (right - left), (p["y"] - bottom) / (top - bottom)) for p in points
    ]
    centre = [statistics.fmean(axis) for axis in zip(*places, strict=True)] or [0, 0]
    pairs = sorted(
        zip(points, places, strict=True),
        key=lambda pair: (not pair[0]["here"], -math.dist(pair[1], centre)),
    )
    taken = [(x - _GAP / 2, x + _GAP / 2, y) for x, y in places]
    named: set[str] = set()
    shown = []
    for point, (x, y) in pairs:
        word, width = point[name], _LETTER * len(point[name])
        boxes = [
            (begin, begin + width, y + lines * _LINE)
            for lines in (0, 1, -1, 2, -2)
            for begin in (x + _GAP, x - _GAP - width)
        ]
        free = (box for box in boxes if _is_free(box, taken))
        if word not in named and len(named) < most and (box := next(free, None)):
            taken.append(box)
            named.add(word)
            label_x, label_y = left + (box[0] - _GAP) * (right - left), box[2] * (top - bottom)
            at = {"label": word, "label_x": label_x, "label_y": bottom + label_y}
        else:
            at = {"label": "", "label_x": point["x"], "label_y": point["y"]}
        shown.append(point | at)
    return shown


Box: TypeAlias = tuple[float, float, float]
"""Left, right, and the height of the middle, in shares of a chart."""


def _is_free(box: Box, taken: Sequence[Box]) -> bool:
    begin, end, y = box
    inside = begin >= 0 and end <= 1 and 0 <= y <= 1
    return inside and all(
        end < left or begin > right or abs(y - level) >= _LINE for left, right, level in taken
    )


def _domain(
    everything: Sequence[Rows], columns: Sequence[str], *also: float
) -> tuple[float, float]:
    """A domain slightly wider than the values of these columns."""
    rows = [row for part in everything for row in part]
    values = [*also, *(row[name] for row in rows for name in columns if row[name] is not None)]
    span = max(max(values) - min(values), 0.02)
    return min(values) - 0.08 * span, max(values) + 0.08 * span


def _figure(
    sections: Sequence[Section],
    rows: Callable[[Section], Rows],
    draw: Callable[[Rows, Sequence[Rows]], Chart],
    figure: int,
    *,
    title: str,
    note: str,
    alt: str,
) -> Figure | None:
    places = list(_PUBLISHED)

    def order(row: Mapping[str, Any]) -> Any:
        place = len(places) if row["here"] else places.index(row["model"])
        return place, row["model"], row.get("series", "")

    return among_published(
        sections,
        rows,
        draw,
        order=order,
        name=f"{PAPER_FIGURES}{figure}",
        title=title,
        note=f"{note} A run on other items than BBQ's is another test.",
        alt=alt,
    )
