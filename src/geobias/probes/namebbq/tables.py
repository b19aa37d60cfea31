"""Every table by name, for whoever has answers: from a run, or from a file of replies."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from geobias.probes.namebbq import published, scores
from geobias.probes.namebbq.leanings import group_leanings

if TYPE_CHECKING:
    import polars as pl

    Tables: TypeAlias = dict[str, pl.DataFrame]


def _scores(frame: pl.DataFrame) -> Tables:
    return {"scores": scores.scores(frame), "replies": scores.outcomes(frame)}


def _nationalities(frame: pl.DataFrame) -> Tables:
    return {
        "nationalities": group_leanings(frame, "nationality"),
        "regions": group_leanings(frame, "region"),
    }


def _values(frame: pl.DataFrame) -> Tables:
    return {
        "social values": group_leanings(frame, "social_value"),
        "templates": group_leanings(frame, "template"),
    }


def _positions(frame: pl.DataFrame) -> Tables:
    return {"positions": scores.positions(frame)}


TABLES: dict[str, Callable[[pl.DataFrame], Tables]] = {
    "scores": _scores,
    "nationalities": _nationalities,
    "values": _values,
    "positions": _positions,
    "published": published.beside,
}
"""Name → the tables it makes of a frame of answers."""


def tables(name: str, frame: pl.DataFrame) -> Tables:
    """The tables of this name; where the answers are of several models, with a column for them."""
    import polars as pl

    models = frame["model"].unique(maintain_order=True)
    if name == "published" or len(models) <= 1:
        return TABLES[name](frame)
    parts: dict[str, list[pl.DataFrame]] = {}
    for model in models:
        for title, table in TABLES[name](frame.filter(model=model)).items():
            named = table.select(pl.lit(model).alias("model"), pl.all())
            parts.setdefault(title, []).append(named)
    return {title: pl.concat(found, how="diagonal") for title, found in parts.items()}
