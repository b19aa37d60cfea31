"""Compare a run with the twenty models of the paper (Figures 12 to 14, Tables 4 and 5).

The paper prints the error and the disparities of each model for every indicator. These numbers are
compared with a run's over the indicators that the run asked about. `mean_disparity_…` is the plain
mean of the disparities of these indicators. `disparity_…` is the disparity over all questions
together. This number is smaller, since the gaps of single indicators partly cancel. Figure 7 draws
it, and the paper's text gives it for two models. A disparity grows as groups get smaller, so only a
run of size paper can be compared in disparities. Errors can be compared at any size.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import polars as pl

from geobias.atlas.economies import economy_name
from geobias.atlas.figures import figures
from geobias.atlas.table import shipped_table
from geobias.errors import BadRequest
from geobias.measures.estimates import group_table
from geobias.measures.frames import parts_of, schema_of
from geobias.measures.questions import questions
from geobias.probes.worldbench import paper
from geobias.probes.worldbench.answers import FigureAnswers
from geobias.probes.worldbench.choosing import STANDARD_EXAMPLE
from geobias.probes.worldbench.scores import ERROR, GROUPINGS, MEDIAN
from geobias.trials import StoredSettings

MODELS_TABLE = "published_worldbench_models.csv"
GROUPS_TABLE = "published_worldbench_groups.csv"
FIGURE_7 = {"Cohere": 0.15, "Cohere + RAG": 0.02}
"""Model → its disparity over income groups, over all questions together (section 5.3)."""
NEARLY_ALL = 0.9
"""Minimum share of an indicator's economies that must be asked about to compare a disparity.

It is less than all, since the example country is never asked about, and editions of the figures
differ by a few economies.
"""


def published(name: str) -> pl.DataFrame:
    """The published table with this name, e.g. `MODELS_TABLE`. Empty cells are null."""
    return pl.read_csv(shipped_table(name))


def place_among_models(answers: Sequence[FigureAnswers]) -> pl.DataFrame:
    """The models of runs and the paper's twenty models in one table, the smallest error first.

    `here` marks the models of runs. Numbers are over the indicators that the paper has and that
    every model answered. Models with equal errors share the smaller rank. `note` says how a model
    was asked differently from those of the paper. A model that was asked about a sample of the
    economies has no disparities.
    """
    printed = published(MODELS_TABLE)
    shared = set(printed["indicator"])
    for one in answers:
        shared &= set(one.frame.drop_nulls("error")["indicator"])
    if not answers or not shared:
        raise BadRequest(
            "without answers to the paper's indicators, a run cannot be compared with its models"
        )
    whole = shared == set(printed["indicator"])
    named = printed.rename(lambda column: column.replace("disparity", "mean_disparity"))
    rows = [
        row
        | {"here": False, "note": ""}
        | {"disparity_incomes": FIGURE_7.get(row["model"]) if whole else None}
        for row in named.to_dicts()
        if row["indicator"] in shared
    ]
    for one in answers:
        rows += _own_rows(one, shared)
    gaps = [f"{kind}disparity_{by}s" for kind in ("", "mean_") for by in GROUPINGS]
    schema = schema_of(("model", "indicator"), ("abs_rel_error", *gaps)) | schema_of(("note",))
    return (
        pl.DataFrame(rows, schema=schema | {"here": pl.Boolean})
        .group_by("model", "here", maintain_order=True)
        .agg(pl.col("abs_rel_error").mean().alias("error"), pl.col(gaps).mean(), pl.first("note"))
        .sort("error", "model")
        .select(
            "model", pl.col("error").rank("min").cast(pl.Int64).alias("rank"), pl.exclude("model")
        )
    )


def _own_rows(one: FigureAnswers, shared: set[str]) -> Iterator[dict[str, object]]:
    """The error and disparities of one run's model for each shared indicator, with small groups."""
    asked = one.frame.filter(pl.col("indicator").is_in(list(shared)))
    column = paper_column(one.records.settings if one.records else {})
    otherwise = "" if column.condition == "default" else f"asked otherwise ({column.words})"
    sampled = _sampled(asked, one)
    note = "; ".join(filter(None, [otherwise, sampled]))

    def gaps(kind: str, part: pl.DataFrame) -> dict[str, object]:
        found = {} if sampled else {by: paper.gap(part, by).value for by in GROUPINGS}
        return {f"{kind}disparity_{by}s": gap for by, gap in found.items()}

    over_all = {"model": one.model or "this run", "here": True, "note": note} | gaps("", asked)
    for (indicator,), part in parts_of(asked, "indicator").items():
        error = questions(part, ERROR)["value"].mean()
        row = {"indicator": indicator, "abs_rel_error": error}
        yield over_all | gaps("mean_", part) | row


def _sampled(asked: pl.DataFrame, one: FigureAnswers) -> str:
    """Why disparities cannot be compared; "" if nearly all economies were asked about."""
    counts = asked.group_by("indicator").agg(pl.col("country").n_unique()).sort("indicator")
    for indicator, countries in counts.iter_rows():
        there = len(figures().truths(indicator, one.rule))
        if countries < NEARLY_ALL * there:
            return f"a sample ({countries:,} of {there:,} countries): no disparity to compare"
    return ""


def beside_groups(frame: pl.DataFrame, condition: str = "default") -> pl.DataFrame:
    """Mean and median error of each region and income group beside the paper's (Tables 4 and 5).

    The paper's means are of unadjusted errors, so compare them with `plain`. `condition` is the
    paper's column with the settings of the run (`paper_column`). If it is "", the paper's numbers
    are null.
    """
    cells = published(GROUPS_TABLE).filter(pl.col("condition") == condition)
    printed = cells.group_by("group").agg(
        pl.col("value").filter(statistic=name).first().alias(f"published_{name}")
        for name in ("mean", "median")
    )
    bounds = ("mean", "mean_low", "mean_high")
    medians = {name: name.replace("mean", "median") for name in bounds}
    known = questions(frame, ERROR).drop_nulls("value")
    parts = []
    for by in GROUPINGS:
        median = group_table(frame, MEDIAN, by).select("group", *bounds).rename(medians)
        plain = known.group_by(pl.col(by).alias("group")).agg(plain=pl.col("value").mean())
        own = group_table(frame, ERROR, by)
        parts.append(own.join(median, on="group", how="left").join(plain, on="group", how="left"))
    beside = pl.concat(parts).select("group", "plain", *medians.values(), *bounds, ERROR.counted)
    beside = beside.join(printed, on="group", how="left")
    return beside.with_columns(condition=pl.lit(condition or "none"))


def models_in_words(condition: str) -> str:
    """A sentence on the models that a column of Tables 4 and 5 averages; "" for no column."""
    if not condition:
        return ""
    only_open = condition.endswith("open models")
    left_out = ("OpenAI", "Google", "Cohere") if only_open else ("OpenAI GPT 4",)
    every = published(MODELS_TABLE)["model"].unique().sort()
    names = [
        name for name in every if not (name.startswith(left_out) if only_open else name in left_out)
    ]
    less = "the open ones" if only_open else "all but GPT-4"
    return f"The paper's averages are over {len(names)} models, {less}: {', '.join(names)}."


class PaperColumn(NamedTuple):
    """A column of the paper's Tables 4 and 5.

    `condition` is its name in the shipped table, and `words` describe it. If no column has the
    settings of a run, `condition` is "" and `words` say why.
    """

    condition: str
    words: str


_COLUMNS = {
    (None, "CHE"): PaperColumn("default", "Table 4, no year named, example Switzerland"),
    (2016, "CHE"): PaperColumn("year 2016 in the question", "Table 4, 2016 named in the question"),
    (2021, "CHE"): PaperColumn("year 2021 in the question", "Table 4, 2021 named in the question"),
    (None, "COL"): PaperColumn("example Colombia, open models", "Table 5, example Colombia"),
    (None, "MLI"): PaperColumn("example Mali, open models", "Table 5, example Mali"),
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
