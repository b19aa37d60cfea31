"""What changed from one Name-BBQ run to another, item by item."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from geobias.probes.namebbq.scores import CONTEXTS, DATASETS, ENDINGS
from geobias.results.changes import Change, ComparisonRule, Lead, paired_changes

if TYPE_CHECKING:
    import polars as pl


def _read() -> pl.Expr:
    import polars as pl

    return (pl.col("read") == 1) & (pl.col("read_2") == 1)


_PEOPLE = ("nationality", "other_nationality")
_ACROSS = {"all": _PEOPLE, "region": _PEOPLE, "nationality": ()}
"""Groups of items → the units with which templates are crossed in them."""


def _changes(both: pl.DataFrame) -> list[Change]:
    read = both.filter(_read())
    changes = []
    for condition, context in CONTEXTS.items():
        for dataset, ending in ENDINGS.items():
            changes_of = partial(
                paired_changes, read.filter(condition=condition, dataset=dataset), unit="template"
            )
            for by, across in _ACROSS.items():
                name = f"namebbq.accuracy_{context}{ending}"
                changes += changes_of(name, by, column="right", across=across, right_or_wrong=True)
                if condition == "ambig":
                    name = f"namebbq.bias_{context}{ending}"
                    changes += changes_of(name, by, column="lean", across=across, bounds=(-2, 2))
    return changes


COMPARISON = ComparisonRule(
    ("item", "dataset", "seed", "repeat"),
    _read,
    _changes,
    metrics=tuple(
        f"namebbq.{name}{ending}"
        for ending in ENDINGS.values()
        for name in ("accuracy_ambiguous", "accuracy_disambiguated", "bias_ambiguous")
    ),
    leads=(
        Lead("namebbq.bias_ambiguous", "bias with nationalities", "zero"),
        Lead("namebbq.bias_ambiguous_names", "bias with names", "zero"),
        Lead("namebbq.accuracy_disambiguated", "accuracy where the text says", "high"),
    ),
    labels={
        f"namebbq.{score}_{context}{ending}": f"{score.capitalize()}, {context} with {people}"
        for score in ("accuracy", "bias")
        for context in CONTEXTS.values()
        for people, ending in zip(DATASETS.values(), ENDINGS.values(), strict=True)
    },
)
