"""The paper's figures: two bar charts (3 and 4) and four scatter plots (5 to 8).

Each function takes scores in the published form (`published.all_scores`: model, metric, context,
dataset, mean) and returns a `Figure`: the frame that is drawn, and a Vega-Lite 5 specification with
the data in it, which any Vega viewer draws. Models without all the numbers of a point are left out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import polars as pl

SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
WORDS = {"accuracy": "accuracy", "bias": "bias score"}


class Figure(NamedTuple):
    """A frame ready to draw, and how."""

    data: pl.DataFrame
    spec: dict[str, Any]


def average_accuracy(scores: pl.DataFrame) -> Figure:
    """Figure 3: accuracy averaged over both contexts and both datasets."""
    return _bars(scores, "accuracy")


def average_bias(scores: pl.DataFrame) -> Figure:
    """Figure 4: bias averaged over both contexts and both datasets."""
    return _bars(scores, "bias")


def bias_difference(scores: pl.DataFrame) -> Figure:
    """Figure 5: by how much names lower bias, ambiguous against disambiguated."""
    return _differences(scores, "bias")


def accuracy_difference(scores: pl.DataFrame) -> Figure:
    """Figure 6: accuracy with nationalities minus that with names, by context."""
    return _differences(scores, "accuracy")


def accuracy_by_context(scores: pl.DataFrame) -> Figure:
    """Figure 7: ambiguous against disambiguated accuracy, circles for names, squares without."""
    return _contexts(scores, "accuracy")


def bias_by_context(scores: pl.DataFrame) -> Figure:
    """Figure 8: ambiguous against disambiguated bias, circles for names, squares without."""
    return _contexts(scores, "bias")


FIGURES: dict[str, Callable[[pl.DataFrame], Figure]] = {
    "average accuracy": average_accuracy,
    "average bias": average_bias,
    "bias difference": bias_difference,
    "accuracy difference": accuracy_difference,
    "accuracy by context": accuracy_by_context,
    "bias by context": bias_by_context,
}
"""Title → figure, in the order of the paper."""


def _by_context(scores: pl.DataFrame, metric: str) -> pl.DataFrame:
    """One row per model and dataset with a column for each context, where both are there."""
    import polars as pl

    part = scores.filter(pl.col("metric") == metric)
    wide = part.pivot("context", index=["model", "dataset"], values="mean", maintain_order=True)
    wanted = ("ambiguous", "disambiguated")
    missing = [name for name in wanted if name not in wide.columns]
    wide = wide.with_columns(pl.lit(None, pl.Float64).alias(name) for name in missing)
    return wide.select("model", "dataset", *wanted).drop_nulls()


def _bars(scores: pl.DataFrame, metric: str) -> Figure:
    import polars as pl

    data = (
        _by_context(scores, metric)
        .with_columns(both=(pl.col("ambiguous") + pl.col("disambiguated")) / 2)
        .group_by("model", maintain_order=True)
        .agg(pl.col("both").mean().alias(metric), pl.len().alias("datasets"))
        .filter(pl.col("datasets") == 2)
        .drop("datasets")
    )
    encoding = {
        "y": {"field": "model", "type": "nominal", "sort": None, "title": None},
        "x": {"field": metric, "type": "quantitative", "title": f"average {WORDS[metric]}"},
        "color": {"field": "model", "type": "nominal", "legend": None},
    }
    return Figure(data, _spec(data, {"type": "bar"}, encoding, f"Average {WORDS[metric]}"))


def _differences(scores: pl.DataFrame, metric: str) -> Figure:
    import polars as pl

    wide = _by_context(scores, metric)
    plain, named = (wide.filter(dataset=name).drop("dataset") for name in ("nationality", "name"))
    data = plain.join(named, on="model", how="inner", suffix="_name", maintain_order="left").select(
        "model",
        *(
            (pl.col(context) - pl.col(f"{context}_name")).alias(context)
            for context in ("ambiguous", "disambiguated")
        ),
    )
    said = f"{WORDS[metric]}, nationalities minus names"
    return Figure(data, _spec(data, _POINT, _plane(said), said[0].upper() + said[1:]))


def _contexts(scores: pl.DataFrame, metric: str) -> Figure:
    data = _by_context(scores, metric)
    shape = {
        "field": "dataset",
        "type": "nominal",
        "scale": {"domain": ["name", "nationality"], "range": ["circle", "square"]},
    }
    title = f"{WORDS[metric].capitalize()} by context"
    return Figure(data, _spec(data, _POINT, _plane(WORDS[metric]) | {"shape": shape}, title))


_POINT = {"type": "point", "filled": True, "size": 90}


def _plane(said: str) -> dict[str, Any]:
    axes = {}
    for axis, context in (("x", "ambiguous"), ("y", "disambiguated")):
        axes[axis] = {
            "field": context,
            "type": "quantitative",
            "title": f"{said}, {context}",
            "scale": {"zero": False},
        }
    return axes | {"color": {"field": "model", "type": "nominal"}}


def _spec(
    data: pl.DataFrame, mark: dict[str, Any], encoding: dict[str, Any], title: str
) -> dict[str, Any]:
    tips = [{"field": name} for name in data.columns]
    return {
        "$schema": SCHEMA,
        "title": title,
        "data": {"values": data.to_dicts()},
        "mark": mark,
        "encoding": encoding | {"tooltip": tips},
    }
