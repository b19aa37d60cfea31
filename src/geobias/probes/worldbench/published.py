"""Compare a run with the twenty models of the paper (Figures 12 to 14, Tables 4 and 5).

The paper prints the error and the disparities of each model for every indicator. Disparities grow
as groups get smaller, so they are compared only if nearly all economies were asked about.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import polars as pl

from geobias.atlas.economies import economy_name
from geobias.atlas.table import shipped_table
from geobias.errors import BadRequest
from geobias.measures.estimates import group_table
from geobias.probes.worldbench import paper
from geobias.probes.worldbench.answers import FigureAnswers
from geobias.probes.worldbench.choosing import STANDARD_EXAMPLE
from geobias.probes.worldbench.scores import GROUPINGS, MEDIAN
from geobias.trials import StoredSettings

MODELS_TABLE = "published_worldbench_models.csv"
GROUPS_TABLE = "published_worldbench_groups.csv"
NEARLY_ALL = 0.9
"""Less than all: the example country is not asked about, and editions differ by a few economies."""


def published(name: str) -> pl.DataFrame:
    """The published table with this name, e.g. `MODELS_TABLE`. Empty cells are null."""
    return pl.read_csv(shipped_table(name))


def place_among_models(answers: Sequence[FigureAnswers]) -> pl.DataFrame:
    """The models of runs and the paper's twenty models in one table, the smallest error first.

    Numbers are means over the indicators that the paper has and that every model answered. `note`
    says how a model was asked differently from those of the paper.
    """
    printed = published(MODELS_TABLE).with_columns(here=False, note=pl.lit(""))
    parts = [printed, *map(_cells, answers)]
    shared = set.intersection(*(set(part["indicator"]) for part in parts))
    if not answers or not shared:
        raise BadRequest(
            "without answers to the paper's indicators, a run cannot be compared with its models"
        )
    cells = pl.concat(parts, how="diagonal").filter(pl.col("indicator").is_in(list(shared)))
    gaps = [f"disparity_{by}s" for by in GROUPINGS]
    table = cells.group_by("model", "here", maintain_order=True).agg(
        pl.col("abs_rel_error").mean().alias("error"),
        pl.col(gaps).mean().name.prefix("mean_"),
        pl.first("note"),
    )
    ranked = table.with_columns(rank=pl.col("error").rank("min").cast(pl.Int64))
    return ranked.sort("error", "model").select("model", "rank", pl.exclude("model", "rank"))


def _cells(one: FigureAnswers) -> pl.DataFrame:
    """The error and the disparities of a run's model for each indicator, as in the paper."""
    measures = {"abs_rel_error": paper.PLAIN}
    if _of_nearly_all(one):
        measures |= {f"disparity_{by}s": paper.measure_of(by) for by in GROUPINGS}
    table = one.frame.drop_nulls("error").select(pl.col("indicator").unique().sort())
    for name, measure in measures.items():
        cells = group_table(one.frame, measure, "indicator").rename({"mean": name})
        table = table.join(cells.select("group", name), left_on="indicator", right_on="group")
    column = paper_column(one.records.settings if one.records else {})
    note = "" if column.condition == "default" else f"asked otherwise ({column.words})"
    return table.with_columns(model=pl.lit(one.model or "this run"), here=True, note=pl.lit(note))


def _of_nearly_all(one: FigureAnswers) -> bool:
    """Whether each indicator was asked of nearly all economies with a figure."""
    asked = one.frame.group_by("indicator").agg(pl.col("country").n_unique()).rows()
    return one.figures is not None and all(
        count >= NEARLY_ALL * len(one.figures.truths(name, one.rule)) for name, count in asked
    )


def beside_groups(frame: pl.DataFrame, condition: str = "default") -> pl.DataFrame:
    """Mean and median error of each region and income group beside the paper's (Tables 4 and 5).

    `condition` is that of a `PaperColumn`. If it is "", the paper's numbers are null.
    """
    cells = published(GROUPS_TABLE).filter(pl.col("condition") == condition)
    printed = cells.group_by("group").agg(
        pl.col("value").filter(statistic=name).first().alias(f"published_{name}")
        for name in ("mean", "median")
    )
    means, medians = (
        pl.concat(group_table(frame, measure, by) for by in GROUPINGS)
        for measure in (paper.PLAIN, MEDIAN)
    )
    bounds = {"mean": "median", "mean_low": "median_low", "mean_high": "median_high"}
    beside = means.select("group", "mean", "countries").join(
        medians.select("group", *bounds).rename(bounds), on="group", how="left"
    )
    beside = beside.join(printed, on="group", how="left")
    return beside.with_columns(condition=pl.lit(condition or "none"))


class PaperColumn(NamedTuple):
    """A column of the paper's Tables 4 and 5.

    `condition` is its name in the shipped table, and `words` describe it. If no column has the
    settings of a run, `condition` is "" and `words` say why.
    """

    condition: str
    words: str
    models: str = ""
    """A sentence on the models that the column averages."""


_MOST = "The paper's averages are over 19 models, all but GPT-4."
_OPEN = "The paper's averages are over 15 models, the open ones."
_COLUMNS = {
    (None, "CHE"): PaperColumn("default", "Table 4, no year named, example Switzerland", _MOST),
    (2016, "CHE"): PaperColumn("year 2016 in the question", "Table 4, 2016 in the question", _MOST),
    (2021, "CHE"): PaperColumn("year 2021 in the question", "Table 4, 2021 in the question", _MOST),
    (None, "COL"): PaperColumn("example Colombia, open models", "Table 5, example Colombia", _OPEN),
    (None, "MLI"): PaperColumn("example Mali, open models", "Table 5, example Mali", _OPEN),
}
"""(year in the question, example country) → the paper's column."""
_ASKED = {"retrieve": 0, "prompts": "paper", "paraphrases": 1, "figures": "shipped"}


def paper_column(settings: StoredSettings) -> PaperColumn:
    """The column of the paper's Tables 4 and 5 with these settings of a run."""
    year, example = settings.get("year"), settings.get("example_country", STANDARD_EXAMPLE)
    usual: dict[str, object] = _ASKED | {"ground_truth": "average" if year is None else str(year)}
    asked = {name: settings.get(name) or value for name, value in usual.items()}
    if asked["figures"] != "shipped":
        asked["figures"] = "of one's own"
    other = [f"{name} {asked[name]}" for name, value in usual.items() if asked[name] != value]
    if (year, example) not in _COLUMNS:
        other += [f"year {year}"] * (year is not None)
        other += [f"example {economy_name(str(example))}"] * (example != STANDARD_EXAMPLE)
    if other:
        return PaperColumn("", f"no model of the paper was asked with {', '.join(other)}")
    return _COLUMNS[year, example]
