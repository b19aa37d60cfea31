"""A result beside the six models of the paper (Tables 1 to 6), and two of which replies are public.

The paper's means and SDs are over three seeds. The two others answered each of BBQ's items once,
with nationalities alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from geobias.atlas.table import shipped_table
from geobias.probes.namebbq.scores import scores
from geobias.results.formatting import NOTHING, counted, number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

    from geobias.probes.namebbq.answers import Assumptions

MODELS_TABLE = "published_namebbq_models.csv"
REPLIES_TABLE = "published_namebbq_public_replies.csv"
METRICS = ("accuracy", "bias", "bias_unscaled", "error_retention")
BBQ_ITEMS = 3_080
"""What the published models were asked."""
SD = " sd"
"""What the name of a column ends in that has the SD of another."""


def published() -> pl.DataFrame:
    """The paper's numbers: model, metric, context, dataset, mean, sd; an empty cell is null."""
    import polars as pl

    return pl.read_csv(shipped_table(MODELS_TABLE))


def public_replies() -> pl.DataFrame:
    """The same of the two models of which replies are public; without an SD."""
    import polars as pl

    table = pl.read_csv(shipped_table(REPLIES_TABLE))
    return table.drop("answers").with_columns(sd=pl.lit(None, pl.Float64))


def all_scores(frame: pl.DataFrame) -> pl.DataFrame:
    """The published models and those of the frame in one form; `here` marks the frame's.

    The mean of a model here is over its replicates, as in the paper; null where the score itself is
    undefined, as error retention of few errors is.
    """
    import polars as pl

    parts = [published().with_columns(here=False), public_replies().with_columns(here=False)]
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
    """One table per metric: a row for each model, for each context and dataset a column with the
    mean and one with the SD over seeds and repeats."""
    import polars as pl

    cell = pl.concat_str("context", pl.col("dataset").fill_null(""), separator=" ")
    long = all_scores(frame).with_columns(cell=cell.str.strip_chars())
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
    import polars as pl

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
