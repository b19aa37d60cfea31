"""A result beside the six models of the paper (Tables 1 to 6), and two of which replies are public.

The paper's means and SDs are over three seeds. The two others answered each of BBQ's items once,
with nationalities alone. Figures 3 to 8 of the paper have the report's models in them:

    3, 4   accuracy and bias of each model, averaged over names and nationalities and over both
           contexts, by provider and size
    5, 6   what names change in bias and accuracy: ambiguous against disambiguated contexts
    7, 8   accuracy and bias: ambiguous against disambiguated contexts

Bars are one SD over seeds and repeats to both sides, which the paper prints in its tables. An
average and a difference have the SD of independent parts.

The published models are sorted as the paper does: two of each provider, a larger and a smaller.
Of others the provider is what stands before the name ("openai/gpt-4o-mini"), and the size what the
name says of it: billions of parameters, or a word that its maker gives to small or large ones.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl

from geobias.probes.namebbq.names import TABLES
from geobias.probes.namebbq.scores import Assumptions
from geobias.results.charts import Chart, Intervals, Rows, Scatter
from geobias.results.figures import Figure, among_published
from geobias.results.findings import Section
from geobias.results.formatting import NOTHING, counted, number
from geobias.results.tables import rows_of

METRICS = ("accuracy", "bias", "bias_unscaled", "error_retention")
BBQ_ITEMS = 3_080
"""What the published models were asked."""
SD = " sd"
"""What the name of a column ends in that has the SD of another."""


def published() -> pl.DataFrame:
    """The paper's numbers: model, metric, context, dataset, mean, sd; an empty cell is null."""
    return pl.read_csv(TABLES / "published_namebbq_models.csv")


def public_replies() -> pl.DataFrame:
    """The same of the two models of which replies are public; without an SD."""
    table = pl.read_csv(TABLES / "published_namebbq_public_replies.csv")
    return table.drop("answers").with_columns(sd=pl.lit(None, pl.Float64))


def among_published_models(scored: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """The published models and those of `scored` (model → `scores`); `here` marks the latter.

    The mean of a model here is over its replicates, as in the paper; null where the score itself is
    undefined, as error retention of few errors is.
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


def tables_among_published(scored: Mapping[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """One table per metric: a row for each model, for each context and dataset a column with the
    mean and one with the SD over seeds and repeats."""
    cell = pl.concat_str("context", pl.col("dataset").fill_null(""), separator=" ")
    long = among_published_models(scored).with_columns(cell=cell.str.strip_chars())
    tables = {}
    for metric in METRICS:
        own = long.filter(metric=metric)
        wide = {
            name: own.pivot("cell", index=["model", "here"], values=name) for name in ("mean", "sd")
        }
        cells = [name for name in wide["mean"].columns if name not in ("model", "here")]
        both = wide["mean"].join(wide["sd"], on=["model", "here"], suffix=SD, maintain_order="left")
        order = [column for name in cells for column in (name, f"{name}{SD}")]
        tables[metric.replace("_", " ")] = both.select("model", "here", *order)
    return tables


def with_sd_in_words(tables: Mapping[str, pl.DataFrame]) -> Mapping[str, pl.DataFrame]:
    """The tables as people read them: "0.950 ± 0.002"."""
    shown = {}
    for title, table in tables.items():
        cells = [name for name in table.columns if f"{name}{SD}" in table.columns]
        rows = [
            {"model": row["model"], "here": row["here"]}
            | {cell: _with_sd(row[cell], row[f"{cell}{SD}"]) for cell in cells}
            for row in table.to_dicts()
        ]
        shown[title] = pl.DataFrame(rows, {"model": pl.String, "here": pl.Boolean}
                                    | dict.fromkeys(cells, pl.String))  # fmt: skip
    return shown


def _with_sd(mean: float | None, sd: float | None) -> str:
    if mean is None:
        return NOTHING
    return number(mean, 3) if sd is None else f"{number(mean, 3)} ± {number(sd, 3)}"


def differing_items(answers: Sequence[Assumptions]) -> list[str]:
    """A sentence for each run that was not asked what the published models were."""
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


_PUBLISHED = {
    "GPT-4o": ("OpenAI", "large"),
    "GPT-4o-mini": ("OpenAI", "small"),
    "Claude 3 Sonnet": ("Anthropic", "large"),
    "Claude 3 Haiku": ("Anthropic", "small"),
    "Gemini 1.5 Pro": ("Google", "large"),
    "Gemini 1.5 Flash": ("Google", "small"),
    "GPT-3.5 Turbo (0125)": ("OpenAI", ""),
    "GPT-4o (2024-05-13)": ("OpenAI", "large"),
}
_PROVIDERS = {"openai": "OpenAI", "anthropic": "Anthropic", "google": "Google", "gemini": "Google"}
_PARAMETERS = re.compile(r"(?<![\d.])(\d{1,4}(?:\.\d{1,2})?)(b|m)(?![a-z])", re.I)
_SMALL = re.compile(r"\b(?:mini|nano|haiku|flash|lite|small|tiny)\b", re.I)
_LARGE = re.compile(r"\b(?:pro|sonnet|opus|large|ultra|max|4o)\b", re.I)


class Family(NamedTuple):
    """`provider` and `size` are "" where the name does not tell; `name` is without the provider."""

    provider: str
    name: str
    size: str

    @property
    def label(self) -> str:
        size = f" ({self.size})" if self.size else ""
        return f"{self.provider}: {self.name}{size}" if self.provider else f"{self.name}{size}"

    @property
    def place(self) -> tuple[bool, str, float, str]:
        """Providers by name, unknown ones last; of one provider the largest first."""
        words = {"large": -1e9, "small": 1e9}
        size = words.get(self.size) or -_billions(self.size)
        return not self.provider, self.provider.casefold(), size, self.name.casefold()


def family_of(model: str) -> Family:
    if model in _PUBLISHED:
        provider, size = _PUBLISHED[model]
        return Family(provider, model, size)
    before, slash, name = model.rpartition("/")
    if not slash or "://" in before:
        return Family("", model, _size(model))
    provider = before.rpartition(":")[2].partition("/")[0]
    return Family(_PROVIDERS.get(provider.casefold(), provider), name, _size(name))


def _size(name: str) -> str:
    if found := _PARAMETERS.search(name):
        return f"{found[1]}{found[2].upper()}"
    return "small" if _SMALL.search(name) else "large" if _LARGE.search(name) else ""


def _billions(size: str) -> float:
    found = _PARAMETERS.fullmatch(size)
    return float(found[1]) / (1000 if found[2] in "mM" else 1) if found else 0.0


PREFIX = "namebbq-paper-"
"""What the names of these figures begin with."""
CONTEXTS = ("ambiguous", "disambiguated")
SERIES = {"name": "with names", "nationality": "with nationalities"}
WORDS = {"accuracy": "accuracy", "bias": "bias, 0 is none"}
_SD = "Bars: one SD over seeds and repeats."
_FIRST_LEFT_OUT = 10
"""These are the first figures to go where a page has too many."""

Cell = tuple[float, float | None]
"""Mean and SD."""
Cells = dict[tuple[str, str], Cell]
"""By context and dataset."""


def paper_figures(sections: Sequence[Section]) -> list[Figure]:
    every = (
        _averages(sections, "accuracy", 3),
        _averages(sections, "bias", 4),
        _changes(sections, "bias", 5),
        _changes(sections, "accuracy", 6),
        _contexts(sections, "accuracy", 7),
        _contexts(sections, "bias", 8),
    )
    return [figure for figure in every if figure is not None]


def _cells(section: Section, metric: str) -> dict[tuple[str, bool], Cells]:
    """What is known of each model, published or of this section."""
    models: dict[tuple[str, bool], Cells] = {}
    for row in rows_of(section, "published", "metric", "mean", "here"):
        if row["metric"] == metric and row["mean"] is not None:
            own = models.setdefault((row["model"], row["here"]), {})
            own[row["context"], row["dataset"]] = row["mean"], row["sd"]
    return models


def _joined(cells: Iterable[Cell], weights: Sequence[float]) -> Cell:
    """A weighted sum of independent parts; without an SD where one of them has none."""
    parts = list(cells)
    value = math.fsum(weight * mean for weight, (mean, _) in zip(weights, parts, strict=True))
    sds = [sd for _, sd in parts if sd is not None]
    if len(sds) < len(parts):
        return value, None
    return value, math.hypot(*(weight * sd for weight, sd in zip(weights, sds, strict=True)))


def _bounds(cell: Cell, name: str = "") -> dict[str, float | None]:
    mean, sd = cell
    low, high = (None, None) if sd is None else (mean - sd, mean + sd)
    return {f"{name}low": low, f"{name}high": high, f"{name}sd": sd}


def _said(cell: Cell) -> str:
    mean, sd = cell
    return number(mean, 3) if sd is None else f"{number(mean, 3)} ± {number(sd, 3)}"


def _averages(sections: Sequence[Section], metric: str, figure: int) -> Figure | None:
    def rows(section: Section) -> Rows:
        wanted = [(context, dataset) for context in CONTEXTS for dataset in SERIES]
        made: Rows = []
        for (model, here), cells in _cells(section, metric).items():
            if all(cell in cells for cell in wanted):
                family = family_of(model)
                average = _joined((cells[cell] for cell in wanted), [1 / len(wanted)] * len(wanted))
                made.append(
                    {"row": family.label, "provider": family.provider, "size": family.size}
                    | {"value": average[0], **_bounds(average), "here": here}
                    | {"said": f"{family.label}: {_said(average)}", "model": model}
                )
        return made

    def draw(shown: Rows, everything: Sequence[Rows]) -> Chart:
        ends = [row[end] for part in everything for row in part for end in ("value", "low", "high")]
        known = [end for end in ends if end is not None]
        domain = (0.0, 1.0) if metric == "accuracy" else _padded(known, around=0)
        own = [row["row"] for row in shown if row["here"]]
        reference = 0 if metric == "bias" else None
        return Intervals(
            rows=shown, title=WORDS[metric], domain=domain, reference=reference, bold=own
        )

    return _figure(
        sections,
        rows,
        draw,
        figure,
        title=f"{metric.capitalize()} by provider and size, as Figure {figure} of the paper",
        note="The mean of four: with nationalities and with names, in ambiguous and in "
        f"disambiguated contexts. {_SD}",
        alt="Dots with bars for each model, sorted by provider and size.",
    )


def _changes(sections: Sequence[Section], metric: str, figure: int) -> Figure | None:
    def rows(section: Section) -> Rows:
        made: Rows = []
        for (model, here), cells in _cells(section, metric).items():
            pairs = [[cells.get((context, one)) for one in ("nationality", "name")]
                     for context in CONTEXTS]  # fmt: skip
            if all(cell is not None for pair in pairs for cell in pair):
                x, y = (_joined([one for one in pair if one], (1, -1)) for pair in pairs)
                made.append(_point(model, here, x, y))
        return made

    return _scatter(
        sections,
        rows,
        figure,
        ends="nationalities less names",
        metric=metric,
        title=f"What names change in {metric}, as Figure {figure} of the paper",
        note=f"{metric.capitalize()} with nationalities less that with names. {_SD}",
    )


def _contexts(sections: Sequence[Section], metric: str, figure: int) -> Figure | None:
    def rows(section: Section) -> Rows:
        made: Rows = []
        for (model, here), cells in _cells(section, metric).items():
            for dataset, word in SERIES.items():
                x, y = (cells.get((context, dataset)) for context in CONTEXTS)
                if x is not None and y is not None:
                    made.append(_point(model, here, x, y, word))
        return made

    return _scatter(
        sections,
        rows,
        figure,
        series=tuple(SERIES.values()),
        metric=metric,
        title=f"{metric.capitalize()} in both contexts, as Figure {figure} of the paper",
        note=f"Each model with names and with nationalities. {_SD} The two models with public "
        "replies were asked with nationalities alone.",
    )


def _point(model: str, here: bool, x: Cell, y: Cell, series: str = "") -> dict[str, Any]:
    family = family_of(model)
    told = f" {series}" if series else ""
    said = f"{family.label}{told}: ambiguous {_said(x)}, disambiguated {_said(y)}"
    return (
        {"row": family.label, "provider": family.provider, "size": family.size, "series": series}
        | {"x": x[0], "y": y[0], **_bounds(x, "x_"), **_bounds(y, "y_"), "here": here}
        | {"said": said, "label": "", "model": model}
    )


def _labelled(points: Rows, domains: Sequence[tuple[float, float]]) -> Rows:
    """The points, the report's own and the outermost with their names, where there is room."""
    (left, right), (bottom, top) = domains
    middle = [sum(point[axis] for point in points) / len(points) for axis in "xy"]

    def on_page(point: dict[str, Any]) -> tuple[float, float]:
        return (point["x"] - left) / (right - left), (point["y"] - bottom) / (top - bottom)

    def outside(point: dict[str, Any]) -> float:
        x, y = on_page(point)
        centre_x, centre_y = on_page({"x": middle[0], "y": middle[1]})
        return max(abs(x - centre_x), abs(y - centre_y))

    names: dict[str, tuple[float, float, float]] = {}
    shown = []
    for point in sorted(points, key=lambda one: (not one["here"], -outside(one))):
        name = family_of(point["model"]).name
        begin, y = on_page(point)
        end = begin + _LETTER * len(name)
        free = all(
            end < other or begin > other_end or abs(y - level) > _LINE
            for other, other_end, level in names.values()
        )
        wanted = point["model"] not in names and (point["here"] or (free and end < 1 + _BESIDE))
        if wanted:
            names[point["model"]] = (begin, end, y)
        shown.append(point | {"label": name if wanted else ""})
    return shown


_MOST = 1.02
"""An axis of accuracy ends where accuracy does."""
_LETTER, _LINE, _BESIDE = 0.016, 0.045, 0.15
"""Shares of a chart: the width of a letter, the height of a line, and what is free beside it."""


def _scatter(
    sections: Sequence[Section],
    rows: Callable[[Section], Rows],
    figure: int,
    *,
    metric: str,
    ends: str = "",
    series: Sequence[str] = (),
    **words: str,
) -> Figure | None:
    def draw(shown: Rows, everything: Sequence[Rows]) -> Chart:
        points = [row for part in everything for row in part]
        domains = [
            _padded(
                [row[key] for row in points for key in (axis, f"{axis}_low", f"{axis}_high")
                 if row[key] is not None],
                right=0.35 if axis == "x" else 0.08,
            )
            for axis in "xy"
        ]  # fmt: skip
        if metric == "accuracy" and not ends:
            domains = [(low, min(high, _MOST)) for low, high in domains]
        titles = [f"{context}: {ends or WORDS[metric]}" for context in CONTEXTS]
        return Scatter(
            rows=_labelled(shown, domains),
            x_title=titles[0],
            y_title=titles[1],
            domain=domains[0],
            y_domain=domains[1],
            series=series,
        )

    alt = "A scatter plot of models: ambiguous contexts against disambiguated ones."
    return _figure(sections, rows, draw, figure, alt=alt, **words)


def _padded(
    values: Sequence[float], *, around: float | None = None, right: float = 0.08
) -> tuple[float, float]:
    """A domain that holds the values, with room for labels to the right."""
    ends = [*values, *([] if around is None else [around])]
    span = max(max(ends) - min(ends), 0.02)
    return min(ends) - 0.08 * span, max(ends) + right * span


def _figure(
    sections: Sequence[Section],
    rows: Callable[[Section], Rows],
    draw: Callable[[Rows, Sequence[Rows]], Chart],
    number_in_paper: int,
    **words: str,
) -> Figure | None:
    return among_published(
        sections,
        rows,
        draw,
        order=lambda row: (family_of(row["model"]).place, row.get("series", "")),
        name=f"{PREFIX}{number_in_paper}",
        title=words["title"],
        note=f"{words['note']} A run on other items than BBQ's is another test.",
        alt=words["alt"],
    )
