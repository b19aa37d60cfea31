"""Groups whose answers lean to the stereotype, allowing for how many groups are looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from geobias.probes.namebbq.scores import By, group_scores
from geobias.stats.multiple import holm
from geobias.stats.signs import sign_flip_p

if TYPE_CHECKING:
    import polars as pl


def group_leanings(frame: pl.DataFrame, by: By, *, seed: int = 0) -> pl.DataFrame:
    """`group_scores` with a test of each group's ambiguous bias against 0.

    p            by flipping the signs of templates (within a template: of pairs of nationalities);
                 null where nobody was named
    p_adjusted   for the number of groups of the same dataset
    """
    import polars as pl

    unit = "template" if by != "template" else "pair"
    pair = pl.concat_str("nationality", "other_nationality", separator=" ").alias("pair")
    totals = (
        frame.with_columns(pair)
        .filter(condition="ambig", read=1)
        .group_by(by, "dataset", unit)
        .agg(pl.col("lean").sum())
        .sort(by, "dataset", unit)
    )
    leans: dict[tuple[str, str], list[float]] = {}
    for group, dataset, _, lean in totals.iter_rows():
        leans.setdefault((group, dataset), []).append(lean)
    table = group_scores(frame, by, seed=seed)
    pairs = list(table.select(by, "dataset").iter_rows())
    p = [sign_flip_p(leans.get(key, []), seed=seed) for key in pairs]
    adjusted: list[float | None] = [None] * len(p)
    for dataset in set(table["dataset"]):
        places = [i for i, key in enumerate(pairs) if key[1] == dataset]
        for i, value in zip(places, holm([p[i] for i in places]), strict=True):
            adjusted[i] = value
    end = [column for column in ("templates", "asked", "read") if column in table.columns]
    return table.with_columns(
        pl.Series("p", p, pl.Float64), pl.Series("p_adjusted", adjusted, pl.Float64)
    ).select(pl.exclude(*end), *end)


def whole_p(frame: pl.DataFrame, dataset: str, condition: str, *, seed: int = 0) -> float | None:
    """The same test for all items of a dataset and context together, over templates."""
    import polars as pl

    read = frame.filter(dataset=dataset, condition=condition, read=1)
    totals = read.group_by("template").agg(pl.col("lean").sum()).sort("template")
    return sign_flip_p(totals["lean"].to_list(), seed=seed)
