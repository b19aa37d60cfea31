"""A result beside the twenty models of the paper (Figures 12 to 14, Tables 4 and 5).

The paper prints each model's error and disparities by indicator. A run is compared over the
indicators it asked for, by the plain mean over these (`mean_disparity_…`). That is not the
disparity over all questions, which Figure 7 draws and the text gives for two models
(`disparity_…`), since gaps of single indicators are larger and partly cancel. A disparity is larger
for smaller groups, so only runs of size paper can be compared by it; errors can be compared at any
size.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl

from geobias.atlas.economies import economy_name
from geobias.atlas.figures import Rule, figures
from geobias.atlas.table import shipped_table
from geobias.errors import BadRequest
from geobias.measures.estimates import group_table
from geobias.measures.frames import parts_of
from geobias.measures.questions import questions
from geobias.probes.probe import Answers
from geobias.probes.worldbench import paper
from geobias.probes.worldbench.choosing import STANDARD_EXAMPLE
from geobias.probes.worldbench.scores import ERROR, GROUPINGS, MEDIAN

MODELS_TABLE = "published_worldbench_models.csv"
GROUPS_TABLE = "published_worldbench_groups.csv"
FIGURE_7 = {"Cohere": 0.15, "Cohere + RAG": 0.02}
"""Model → its disparity over income groups, over all indicators together, from section 5.3."""
CLOSED = ("OpenAI", "Google", "Cohere")
"""Prefixes of the paper's closed models, which Table 5 leaves out."""
NEARLY_ALL = 0.9
"""Minimum share of an indicator's economies for comparing a disparity with the paper's. The example
country is never asked about, and editions differ by a few.
"""


def published(name: str) -> pl.DataFrame:
    """One of the published tables, e.g. `MODELS_TABLE`; an empty cell is null."""
    return pl.read_csv(shipped_table(name))


def place_among_models(
    frame: pl.DataFrame,
    other: Mapping[str, str] | None = None,
    rules: Mapping[str, Rule] | None = None,
) -> pl.DataFrame:
    """The run's models in one table with the twenty, the smallest error first; `here` marks the
    run's.

    `other` says, for a model's `note`, how it was asked differently from the paper's. `rules` gives
    the rule of its truths, since fewer economies have a figure of a single year.

    Errors are over the indicators that the paper has and every model of the frame answered. Models
    with equal errors share the smaller rank. Raises `BadRequest` for a frame without such an
    indicator. A model that was asked about a sample of the economies has no disparities here;
    `note` says why.
    """
    printed = published(MODELS_TABLE)
    gaps = [f"disparity_{by}s" for by in GROUPINGS]
    overall = [f"all_{by}s" for by in GROUPINGS]
    parts = list(parts_of(frame, "model").values())
    own = list(map(_by_indicator, parts))
    shared = set(printed["indicator"])
    for table in own:
        shared &= set(table.drop_nulls("abs_rel_error")["indicator"])
    if not own or not shared:
        raise BadRequest("no answer to any of the paper's indicators can be set beside its models")
    seven = pl.col("model").replace_strict(FIGURE_7, default=None, return_dtype=pl.Float64)
    none = pl.lit(None, pl.Float64)
    if shared != set(printed["indicator"]):
        seven = none
    tables = [
        printed.with_columns(here=False, note=pl.lit(""), all_regions=none, all_incomes=seven)
    ]
    for table, part in zip(own, parts, strict=True):
        why = _sampled(part, shared, (rules or {}).get(part["model"][0], "average"))
        asked_for = part.filter(pl.col("indicator").is_in(list(shared)))
        own_gaps = table.with_columns(
            pl.lit(paper.gap(asked_for, by).value, pl.Float64).alias(f"all_{by}s")
            for by in GROUPINGS
        )
        comparable = pl.when(pl.lit(not why)).then(pl.col(*gaps, *overall))
        asked = (other or {}).get(part["model"][0], "")
        note = "; ".join(filter(None, [asked, why]))
        tables.append(own_gaps.with_columns(comparable, here=True, note=pl.lit(note)))
    return (
        pl.concat([table.select(sorted(table.columns)) for table in tables])
        .filter(pl.col("indicator").is_in(list(shared)))
        .group_by("model", "here", maintain_order=True)
        .agg(
            pl.col("abs_rel_error").mean().alias("error"),
            pl.col(overall).first().name.replace("^all", "disparity"),
            pl.col(gaps).mean().name.prefix("mean_"),
            pl.col("note").first(),
        )
        .sort(["error", "model"])
        .select(
            "model", pl.col("error").rank("min").cast(pl.Int64).alias("rank"), pl.exclude("model")
        )
    )


def _sampled(frame: pl.DataFrame, shared: set[str], rule: Rule) -> str:
    """Why this frame's disparities are not comparable; "" if nearly all economies were
    asked about.
    """
    known = figures()
    for indicator in sorted(shared):
        asked = frame.filter(indicator=indicator)["country"].n_unique()
        there = len(known.truths(indicator, rule))
        if asked < NEARLY_ALL * there:
            return f"a sample ({asked:,} of {there:,} countries): no disparity to compare"
    return ""


def _by_indicator(frame: pl.DataFrame) -> pl.DataFrame:
    """The disparity of each indicator as in the paper, over all groups, however small."""
    known = questions(frame, ERROR).drop_nulls("value")
    table = known.group_by("indicator", maintain_order=True).agg(
        pl.col("value").mean().alias("abs_rel_error")
    )
    model = pl.lit(frame["model"].first() or "this run")
    table = table.select(model.alias("model"), "indicator", "abs_rel_error")
    for by in GROUPINGS:
        groups = known.drop_nulls(by).group_by("indicator", by, maintain_order=True)
        means = groups.agg(pl.col("value").mean())
        gap = (pl.col("value").max() - pl.col("value").min()).alias(f"disparity_{by}s")
        several = pl.col("value").len() > 1
        named = means.group_by("indicator").agg(pl.when(several).then(gap))
        table = table.join(named, on="indicator", how="left")
    return table


def beside_groups(frame: pl.DataFrame, condition: str = "default") -> pl.DataFrame:
    """Mean and median error of each region and income group beside the paper's (Tables 4 and 5).

    The paper's means are of errors that are not centred; compare them with `plain`. `condition` is
    the matching column of the paper (`paper_column`); "" for none, and the paper's numbers are then
    null.
    """
    printed = (
        published(GROUPS_TABLE)
        .filter(pl.col("condition") == condition)
        .group_by("group")
        .agg(
            pl.col("value").filter(pl.col("statistic") == statistic).first().alias(name)
            for statistic, name in (("mean", "published_mean"), ("median", "published_median"))
        )
    )
    bounds, mean = ("mean", "mean_low", "mean_high"), pl.col("value").mean()
    medians = [group_table(frame, MEDIAN, by).select("group", *bounds) for by in GROUPINGS]
    named = pl.concat(medians).rename({name: name.replace("mean", "median") for name in bounds})
    own = pl.concat(group_table(frame, ERROR, by) for by in GROUPINGS)
    known = questions(frame, ERROR).drop_nulls("value")
    plain = pl.concat(
        known.group_by(pl.col(by).alias("group"), maintain_order=True).agg(plain=mean)
        for by in GROUPINGS
    )
    columns = ["group", "plain", *named.columns[1:], *bounds, ERROR.counted]
    beside = own.join(named, on="group", how="left").join(plain, on="group", how="left")
    beside = beside.select(columns)
    beside = beside.join(printed, on="group", how="left")
    return beside.with_columns(condition=pl.lit(condition or "none"))


def models_behind(condition: str) -> list[str]:
    """The models that a column of Tables 4 and 5 averages."""
    every = sorted(published(MODELS_TABLE)["model"].unique())
    if condition.endswith("open models"):
        return [name for name in every if not name.startswith(CLOSED)]
    return [name for name in every if name != "OpenAI GPT 4"] if condition else []


def models_in_words(condition: str) -> str:
    """These models in a sentence; "" for none."""
    names = models_behind(condition)
    if not names:
        return ""
    less = "the open ones" if condition.endswith("open models") else "all but GPT-4"
    return f"The paper's averages are over {len(names)} models, {less}: {', '.join(names)}."


class PaperColumn(NamedTuple):
    """A column of the paper's Tables 4 and 5.

    condition   its name in the shipped table; "" if none matches, and `why_none` says why
    """

    condition: str
    words: str
    why_none: str = ""


_COLUMNS = {
    (None, "CHE"): PaperColumn("default", "Table 4, no year named, example Switzerland"),
    (2016, "CHE"): PaperColumn("year 2016 in the question", "Table 4, 2016 named in the question"),
    (2021, "CHE"): PaperColumn("year 2021 in the question", "Table 4, 2021 named in the question"),
    (None, "COL"): PaperColumn("example Colombia, open models", "Table 5, example Colombia"),
    (None, "MLI"): PaperColumn("example Mali, open models", "Table 5, example Mali"),
}
"""By the year in the question, and the example country."""
_ASKED = {"retrieve": 0, "prompts": "paper", "paraphrases": 1, "figures": "shipped"}


def paper_column(settings: Mapping[str, Any]) -> PaperColumn:
    """The column of the paper with the same settings as this run."""
    year, example = settings.get("year"), settings.get("example_country", STANDARD_EXAMPLE)
    usual: dict[str, Any] = _ASKED | {"ground_truth": "average" if year is None else str(year)}
    asked = {name: settings.get(name) or value for name, value in usual.items()}
    if asked["figures"] != "shipped":
        asked["figures"] = "of one's own"
    other = [f"{name} {asked[name]}" for name, value in usual.items() if asked[name] != value]
    if (year, example) not in _COLUMNS:
        other += [f"year {year}"] * (year is not None)
        other += [f"example {economy_name(str(example))}"] * (example != STANDARD_EXAMPLE)
    if other:
        why = f"no model of the paper was asked with {', '.join(other)}"
        return PaperColumn("", "none", why)
    return _COLUMNS[year, example]


def asked_otherwise(answers: Sequence[Answers]) -> dict[str, str]:
    """How models were asked differently from those in the paper's Figures 12 to 14."""
    found = {}
    for one in answers:
        column = paper_column(one.records.settings if one.records else {})
        if column.condition != "default":
            found[one.model] = f"asked otherwise ({column.why_none or column.words})"
    return found
