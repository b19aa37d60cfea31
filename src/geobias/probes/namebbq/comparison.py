"""What changed from one Name-BBQ run to another, item by item."""

from __future__ import annotations

from typing import TYPE_CHECKING

from geobias.results.changes import Change, ComparisonRule, paired_changes

if TYPE_CHECKING:
    import polars as pl


def _read() -> pl.Expr:
    import polars as pl

    return (pl.col("read") == 1) & (pl.col("read_2") == 1)


def _changes(both: pl.DataFrame) -> list[Change]:
    read = both.filter(_read())
    found = []
    for condition, context in (("ambig", "ambiguous"), ("disambig", "disambiguated")):
        for dataset, ending in (("nationality", ""), ("name", "_names")):
            part = read.filter(condition=condition, dataset=dataset)
            for by in ("all", "region", "nationality"):
                found += paired_changes(
                    part,
                    f"namebbq.accuracy_{context}{ending}",
                    by,
                    unit="template",
                    column="right",
                    right_or_wrong=True,
                )
            for by in ("all", "region", "nationality") if condition == "ambig" else ():
                name = f"namebbq.bias_{context}{ending}"
                bounds = (-2, 2)
                found += paired_changes(
                    part, name, by, unit="template", column="lean", bounds=bounds
                )
    return found


COMPARISON = ComparisonRule(("item", "dataset", "seed", "repeat"), _read, _changes)
