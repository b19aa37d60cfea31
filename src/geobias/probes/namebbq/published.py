"""Compare runs with the paper's six models (Tables 1 to 6) and two models with public replies.

The paper's means and SDs are over three seeds. The two others answered each of BBQ's items once,
with nationalities only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import polars as pl

from geobias.probes.namebbq.names import TABLES
from geobias.probes.namebbq.scores import Assumptions
from geobias.probes.tables import Frames
from geobias.results.charts import Plane
from geobias.results.figures import Figure, Panel
from geobias.results.findings import Section
from geobias.results.formatting import counted, number

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


def among_published_models(scored: Frames) -> pl.DataFrame:
    """The published models and the models in `scored` (model → `scores`); `here` marks those in
    `scored`.

    The mean of a model in `scored` is over its replicates, as in the paper. It is null if the score
    itself is undefined, such as error retention with few errors.
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


def as_printed(tables: Frames) -> Frames:
    """One table per metric, as in the paper: a row for each model, a column for each context and
    dataset, and cells like "0.950 ± 0.002".
    """
    cell = pl.concat_str("context", pl.col("dataset").fill_null(""), separator=" ")
    long = tables["published"].drop_nulls("mean")
    long = long.with_columns(
        cell=cell.str.strip_chars(),
        words=pl.Series([_with_sd(*row) for row in long.select("mean", "sd").iter_rows()]),
    )
    return {
        metric.replace("_", " "): long.filter(metric=metric).pivot(
            "cell", index=["model", "here"], values="words"
        )
        for metric in METRICS
    }


def differing_items(answers: Sequence[Assumptions]) -> list[str]:
    notes = []
    for one in answers:
        items = one.frame["item"].n_unique()
        asked = "bbq" if one.records is None else one.records.settings.get("items", "builtin")
        if asked != "bbq" or items != BBQ_ITEMS:
            whose = {"bbq": "of BBQ", "builtin": "of geobias"}.get(str(asked), f"of {asked}")
            told = f"{one.model or 'this run'} was asked {counted(items, 'items')} {whose}"
            notes.append(
                f"{told}, the published models the {BBQ_ITEMS:,} items of BBQ, which is another "
                "test."
            )
    return notes


def figures(sections: Sequence[Section]) -> Iterator[Figure]:
    """Yield the paper's Figures 5 to 8: scores of models in both contexts."""
    tables = [one.tables["published"] for one in sections if "published" in one.tables]
    found = [row for table in tables for row in table.frame().to_dicts()]
    rows = {tuple(row.values()): row for row in found if row["mean"] is not None}
    for figure, metric in ((5, "bias"), (6, "accuracy"), (7, "accuracy"), (8, "bias")):
        data = [row for row in rows.values() if row["metric"] == metric]
        models: dict[str, dict[tuple[str, str], float]] = {}
        for row in data:
            name = row["model"] if row["here"] else f"{row['model']} (published)"
            models.setdefault(name, {})[row["dataset"], row["context"]] = row["mean"]
        drawn, note = {}, "Large dots: with names (where asked). Small dots: with nationalities."
        for name, cells in models.items():
            points = [
                (cells[one, "ambiguous"], cells[one, "disambiguated"])
                for one in ("nationality", "name")
                if {(one, "ambiguous"), (one, "disambiguated")} <= cells.keys()
            ]
            if figure < 7:
                points = [(one[0] - two[0], one[1] - two[1]) for one, two in pairwise(points)]
                note = "Scores with nationalities minus those with names."
            if points:
                drawn[name] = points
        ends = (0, 1) if figure == 7 else ()
        chart = Plane(points=drawn, x_title="ambiguous", y_title="disambiguated", ends=ends)
        if drawn:
            yield Figure(
                name=f"namebbq-paper-{figure}",
                title=f"Figure {figure} of the paper: {'change of ' * (figure < 7)}{metric}",
                note=f"{note} The CSV file has SDs. Items other than BBQ's are another test.",
                alt="Models as points: ambiguous contexts across, disambiguated contexts up.",
                panels=[Panel(chart)],
                data=data,
            )


def _with_sd(mean: float, sd: float | None) -> str:
    return number(mean, 3) if sd is None else f"{number(mean, 3)} ± {number(sd, 3)}"
