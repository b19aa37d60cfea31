"""A result among the twenty models of the paper (Figures 12 to 14 and Table 4).

The paper prints each model's error and disparities indicator by indicator. A run is set beside
them over the indicators it asked for, as the plain mean over those indicators. A disparity grows
as groups get smaller, so only a run of size paper can be compared in that; errors can be compared
at any size.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from geobias.atlas.figures import figures
from geobias.atlas.table import shipped_table
from geobias.errors import BadRequest
from geobias.probes.worldbench.scores import Grouping, disparities, group_errors

if TYPE_CHECKING:
    import polars as pl

MODELS_TABLE = "published_worldbench_models.csv"
GROUPS_TABLE = "published_worldbench_groups.csv"
NEARLY_ALL = 0.9
"""Share of an indicator's economies from which on a disparity can be set beside the paper's; the
example country is never asked about, and editions differ by a few."""


def published(name: str) -> pl.DataFrame:
    """One of the published tables, e.g. `MODELS_TABLE`; an empty cell is null."""
    import polars as pl

    return pl.read_csv(shipped_table(name))


def place_among_models(frame: pl.DataFrame) -> pl.DataFrame:
    """The run's models in one table with the twenty, the least error first; `here` marks the run's.

    Over the indicators that the paper has and every model of the frame answered. Models with equal
    errors share the smaller rank. A frame without any such indicator is a `BadRequest`. A model
    that was asked about a sample of the economies has no disparities here; `note` says why.
    """
    import polars as pl

    printed = published(MODELS_TABLE)
    own = [_by_indicator(part) for _, part in frame.group_by("model", maintain_order=True)]
    shared = set(printed["indicator"])
    for table in own:
        shared &= set(table.drop_nulls("abs_rel_error")["indicator"])
    if not own or not shared:
        raise BadRequest("no answer to any of the paper's indicators can be set beside its models")
    tables = [printed.with_columns(here=False, note=pl.lit(""))]
    parts = frame.group_by("model", maintain_order=True)
    for table, (_, part) in zip(own, parts, strict=True):
        why = _sampled(part, shared)
        gaps = pl.col("disparity_regions", "disparity_incomes")
        told = [pl.when(pl.lit(not why)).then(gaps)]
        tables.append(table.with_columns(*told, here=True, note=pl.lit(why)))
    return (
        pl.concat([table.select(sorted(table.columns)) for table in tables])
        .filter(pl.col("indicator").is_in(list(shared)))
        .group_by("model", "here", maintain_order=True)
        .agg(
            pl.col("abs_rel_error").mean().alias("error"),
            pl.col("disparity_regions", "disparity_incomes").mean(),
            pl.col("note").first(),
        )
        .sort(["error", "model"])
        .select(pl.col("error").rank("min").cast(pl.Int64).alias("rank"), pl.all())
    )


def _sampled(frame: pl.DataFrame, shared: set[str]) -> str:
    """Why this frame's disparities are not comparable; "" where nearly all economies were asked."""
    known = figures()
    for indicator in sorted(shared):
        asked = frame.filter(indicator=indicator)["country"].n_unique()
        there = len(known.truths(indicator, "average"))
        if asked < NEARLY_ALL * there:
            return f"a sample ({asked:,} of {there:,} economies): no disparity to compare"
    return ""


def _by_indicator(frame: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    def over(by: Grouping) -> pl.DataFrame:
        return disparities(frame, by, draws=1).select("indicator", pl.col("disparity"))

    model = frame["model"].first() or "this run"
    return (
        group_errors(frame, "indicator")
        .select(pl.lit(model).alias("model"), indicator="group", abs_rel_error="mean")
        .join(over("region").rename({"disparity": "disparity_regions"}), on="indicator", how="left")
        .join(over("income").rename({"disparity": "disparity_incomes"}), on="indicator", how="left")
    )


def beside_groups(frame: pl.DataFrame) -> pl.DataFrame:
    """Mean and median error of each region and income group beside the paper's (Table 4).

    Its column "Average" is over all models but GPT-4, which that table leaves out.
    """
    import polars as pl

    printed = (
        published(GROUPS_TABLE)
        .filter(pl.col("condition") == "default")
        .pivot("statistic", index="group", values="value")
        .rename({"mean": "published_mean", "median": "published_median"})
    )
    groupings: tuple[Grouping, ...] = ("region", "income")
    own = [group_errors(frame, by) for by in groupings]
    columns = ["group", "mean", "mean_low", "mean_high", "median"]
    return pl.concat(own).select(columns).join(printed, on="group", how="left")
