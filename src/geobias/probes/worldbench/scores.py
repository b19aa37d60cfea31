"""The benchmark's main tables: errors of groups, rates of answering, disparities, ranks.

All functions take the frame that `frame_of` makes (one row per question) and return a frame. What
is undefined is null. Repeats of a question are averaged first, in every table, so that one of which
two repeats could be read weighs no less than one of which all could. Means give every country the
same weight; medians are over questions, as the paper's must be: its median for North America (0.19,
against a mean of 0.33) is far below what a median of country means could be. Errors and their
intervals lie between 0 and 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Literal

from geobias.stats import (
    Disparity,
    disparity,
    median_over_units,
    nested_mean,
    rate_over_units,
)
from geobias.stats.disparity import DRAWS, PAPER_DRAWS
from geobias.stats.multiple import holm

if TYPE_CHECKING:
    import polars as pl

By = Literal["all", "region", "income", "indicator", "country"]
Grouping = Literal["region", "income"]
ERROR_BOUNDS = (0.0, 1.0)


def frame_of(records: Iterable[Mapping[str, Any]], model: str = "") -> pl.DataFrame:
    """Records as a frame, with the model's name in a column of its own."""
    import polars as pl

    number, word, whole = pl.Float64, pl.String, pl.Int64
    schema = {
        "trial": word,
        "indicator": word,
        "country": word,
        "region": word,
        "income": word,
        "repeat": whole,
        "outcome": word,
        "truth": number,
        "value": number,
        "error": number,
        "scale": number,
        "source": word,
        "cited_year": whole,
        "reason": word,
        "span_start": whole,
        "span_end": whole,
    }
    columns: dict[str, list[Any]] = {name: [] for name in schema}
    models = []
    for record in records:
        models.append(record.get("model", model))
        for name, column in columns.items():
            column.append(record.get(name))
    frame = pl.DataFrame(columns, schema=schema)
    return frame.select(pl.Series("model", models, word), pl.all())


def errors(frame: pl.DataFrame) -> pl.DataFrame:
    """Every question with what was read and its error, the largest error first.

    Questions without an answer come last, with a null error and the reason.
    """
    columns = ["indicator", "country", "repeat", "outcome", "truth", "value", "error", "reason"]
    return frame.select(columns).sort(
        ["error", "indicator", "country", "repeat"],
        descending=[True, False, False, False],
        nulls_last=True,
    )


def group_errors(frame: pl.DataFrame, by: By, *, seed: int = 0) -> pl.DataFrame:
    """Mean and median error of each group with 95% intervals, the largest mean first.

    The mean is over countries of the mean over their indicators of the mean over repeats; intervals
    come from resampling countries, and for single countries from resampling indicators.
    `countries` and `questions` count those with an answer (repeats by themselves), `asked` all
    questions. A group that was asked about and gave no answer stands last, with nulls. `note` says
    why a mean has no interval, or why that may be too narrow; "" where there is nothing to say.
    """
    import polars as pl

    unit, within = ("indicator", "country") if by == "country" else ("country", "indicator")
    rows = []
    for group, part in _parts(frame, by):
        answered = part.filter(pl.col("error").is_not_null())
        mean = nested_mean(
            *(answered[name].to_numpy() for name in ("error", unit, within)),
            seed=seed,
            bounds=ERROR_BOUNDS,
        )
        asked = _questions(answered)
        median = median_over_units(
            asked["error"].to_numpy(), asked[unit].to_numpy(), bounds=ERROR_BOUNDS
        )
        rows.append(
            {"group": group}
            | mean.columns("mean")
            | median.columns("median")
            | {
                "countries": answered["country"].n_unique(),
                "questions": answered.height,
                "asked": part.height,
                "note": mean.note,
            }
        )
    numbers = [f"{name}{end}" for name in ("mean", "median") for end in ("", "_low", "_high")]
    counts = ["countries", "questions", "asked"]
    schema: dict[str, Any] = {"group": pl.String} | dict.fromkeys(numbers, pl.Float64)
    schema |= dict.fromkeys(counts, pl.Int64) | {"note": pl.String}
    table = pl.DataFrame(rows, schema=schema)
    return table.sort(["mean", "group"], descending=[True, False], nulls_last=True)


def rates(frame: pl.DataFrame, by: By, *, seed: int = 0) -> pl.DataFrame:
    """How often each group's questions were answered with a number, declined, or not readable.

    Shares of all questions asked, with intervals over countries (over indicators for a single
    country), since a model declines country by country. `other` are questions without a text to
    read (filtered, empty, too long).
    """
    import polars as pl

    unit = "indicator" if by == "country" else "country"
    rows = []
    for group, part in sorted(_parts(frame, by), key=itemgetter(0)):
        row: dict[str, Any] = {"group": group, "asked": part.height}
        units, read = part[unit].to_numpy(), 0
        for outcome in _READ:
            hits = (part["outcome"] == outcome).cast(float).to_numpy()
            read += int(hits.sum())
            row |= rate_over_units(hits, units, seed=seed).columns(outcome)
        rows.append(row | {"other": (part.height - read) / part.height})
    names = [f"{outcome}{end}" for outcome in _READ for end in _ENDS] + ["other"]
    schema = {"group": pl.String, "asked": pl.Int64} | dict.fromkeys(names, pl.Float64)
    return pl.DataFrame(rows, schema=schema)


_READ = ("parsed", "abstained", "unparsed")
_ENDS = ("", "_low", "_high")


def rank_table(
    frame: pl.DataFrame, by: Grouping, over: Literal["indicator", "model"] = "indicator"
) -> pl.DataFrame:
    """How often each group comes first (least error) … last, over indicators or over models.

    Shares of the indicators (models) in which all groups have an answer. Groups with equal means
    share the ranks they fill: two that tie for first count half a first and half a second each.
    Groups in order of their mean rank; `compared` is what the shares are of.
    """
    import polars as pl

    names = sorted(frame[by].drop_nulls().unique())
    tallies = {name: [0.0] * len(names) for name in names}
    compared = 0
    for _, part in _parts(frame, over):
        means = dict(country_means(part).group_by(by).agg(pl.col("error").mean()).iter_rows())
        if not all(name in means for name in names) or not names:
            continue
        compared += 1
        for name in names:
            below = sum(means[other] < means[name] for other in names)
            equal = sum(means[other] == means[name] for other in names)
            for rank in range(below, below + equal):
                tallies[name][rank] += 1 / equal
    order = sorted(names, key=lambda n: (sum(r * t for r, t in enumerate(tallies[n])), n))
    rows: dict[str, list[Any]] = {"group": order}
    for rank in range(len(names)):
        rows[str(rank + 1)] = [tallies[n][rank] / compared if compared else None for n in order]
    schema = {"group": pl.String} | {str(r + 1): pl.Float64 for r in range(len(names))}
    return pl.DataFrame(rows, schema=schema).with_columns(compared=pl.lit(compared))


def disparities(
    frame: pl.DataFrame,
    by: Grouping,
    *,
    per_indicator: bool = True,
    draws: int = DRAWS,
    seed: int = 0,
) -> pl.DataFrame:
    """The disparity over regions or incomes, of all questions and of each indicator.

    The units are country means. `paper_baseline` is the mean of ten random deals, as in the
    paper; `baseline`, `baseline_high` (what 5% of deals reach) and `p` rest on `draws`. `excess` is
    the disparity less the baseline; `corrected` is the gap between the groups' true means, freed of
    what noise adds to it, with its interval (`geobias.stats.extremes`). `p_holm`
    corrects the indicators' p-values for their number; the row "all" is one test and keeps its own.
    """
    import polars as pl

    found: list[tuple[str, Disparity, Disparity]] = []
    indicators = _parts(frame, "indicator") if per_indicator else []
    for name, part in [*_parts(frame, "all"), *indicators]:
        means = country_means(part)
        values, groups = means["error"].to_numpy(), means[by].to_list()
        ten = disparity(values, groups, draws=PAPER_DRAWS, seed=seed)
        found.append((name, disparity(values, groups, draws=draws, seed=seed, most=1), ten))
    held = found[0][1].p if found else None
    adjusted = [held, *holm([one.p for _, one, _ in found[1:]])]
    rows = [
        {
            "indicator": name,
            "disparity": one.value,
            "lowest": one.lowest,
            "highest": one.highest,
            "baseline": one.baseline,
            "baseline_high": one.baseline_high,
            "paper_baseline": ten.baseline,
            "excess": one.excess,
        }
        | one.corrected.columns("corrected")
        | {
            "p": one.p,
            "p_holm": p,
            "groups": one.groups,
            "countries": one.units,
        }
        for (name, one, ten), p in zip(found, adjusted, strict=False)
    ]
    word, number = pl.String, pl.Float64
    schema = {"indicator": word, "disparity": number, "lowest": word, "highest": word}
    schema |= dict.fromkeys(("baseline", "baseline_high", "paper_baseline", "excess"), number)
    schema |= dict.fromkeys(("corrected", "corrected_low", "corrected_high"), number)
    schema |= dict.fromkeys(("p", "p_holm"), number)
    schema |= dict.fromkeys(("groups", "countries"), pl.Int64)
    return pl.DataFrame(rows, schema=schema)


def country_means(frame: pl.DataFrame) -> pl.DataFrame:
    """One row per country with an answer: its groups and its mean error over indicators."""
    import polars as pl

    return (
        _questions(frame.filter(pl.col("error").is_not_null()))
        .group_by("country", "region", "income")
        .agg(pl.col("error").mean())
        .sort("country")
    )


def _questions(answered: pl.DataFrame) -> pl.DataFrame:
    """One row per question with an answer: its mean error over repeats."""
    import polars as pl

    keys = ("indicator", "country", "region", "income")
    return answered.group_by(*keys, maintain_order=True).agg(pl.col("error").mean())


def _parts(frame: pl.DataFrame, by: str) -> list[tuple[str, pl.DataFrame]]:
    """The frame's groups in the order of their first row; rows without a group are in none."""
    import polars as pl

    if by == "all":
        return [("all", frame)] if frame.height else []
    known = frame.filter(pl.col(by).is_not_null())
    parts = known.partition_by(by, as_dict=True, maintain_order=True)
    return [(str(key[0]), part) for key, part in parts.items()]
