"""A result beside the six models of the paper (Tables 1 to 6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from geobias.atlas.table import shipped_table
from geobias.probes.namebbq.scores import scores

if TYPE_CHECKING:
    import polars as pl

MODELS_TABLE = "published_namebbq_models.csv"
METRICS = ("accuracy", "bias", "bias_unscaled", "error_retention")


def published() -> pl.DataFrame:
    """The paper's numbers: model, metric, context, dataset, mean, sd; an empty cell is null."""
    import polars as pl

    return pl.read_csv(shipped_table(MODELS_TABLE))


def all_scores(frame: pl.DataFrame) -> pl.DataFrame:
    """The six models and those of the frame in the published form; `here` marks the frame's.

    The mean of a model here is over its replicates, as in the paper; null where the score itself is
    undefined, as error retention of few errors is.
    """
    import polars as pl

    parts = [published().with_columns(here=False)]
    for (model,), part in frame.group_by("model", maintain_order=True):
        own = scores(part).filter(pl.col("metric").is_in(METRICS))
        known = pl.col("value").is_not_null()
        own = own.with_columns(
            pl.when(known).then(pl.col(name)).alias(name) for name in ("mean", "sd")
        )
        parts.append(own.with_columns(model=pl.lit(model or "this run"), here=True))
    columns = ("model", "metric", "context", "dataset", "mean", "sd", "here")
    return pl.concat(part.select(columns) for part in parts)


def tables_among_published(frame: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """One table per metric: a row for each model, a column for each context and dataset."""
    import polars as pl

    cell = pl.concat_str("context", pl.col("dataset").fill_null(""), separator=" ")
    long = all_scores(frame).with_columns(cell=cell.str.strip_chars())
    return {
        metric.replace("_", " "): long.filter(metric=metric).pivot(
            "cell", index=["model", "here"], values="mean"
        )
        for metric in METRICS
    }
