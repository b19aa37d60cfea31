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
from typing import Any, Literal

from geobias.probes.frames import fields_of_record, frame_from
from geobias.probes.lazy import pl
from geobias.probes.worldbench.trials import WorldBenchRecord
from geobias.stats import Disparity, disparity, median_over_units, nested_mean, rate_over_units
from geobias.stats.disparity import DRAWS, PAPER_DRAWS
from geobias.stats.multiple import holm

By = Literal["all", "region", "income", "indicator", "country"]
Grouping = Literal["region", "income"]
GROUPINGS: tuple[Grouping, ...] = ("region", "income")
ERROR_BOUNDS = (0.0, 1.0)
READ = ("parsed", "abstained", "unparsed")
"""Outcomes of replies that had a text."""


def frame_of(records: Iterable[Mapping[str, Any]], model: str = "") -> pl.DataFrame:
    """Records as a frame, with the model's name in a column of its own."""
    frame = frame_from(records, fields_of_record(WorldBenchRecord), model)
    first = ("model", "trial", "indicator", "country", "region", "income")
    return frame.select(*first, pl.exclude(first))


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


def with_bounds(*names: str) -> list[str]:
    """Columns of estimates and of their intervals."""
    return [f"{name}{end}" for name in names for end in ("", "_low", "_high")]


def group_errors(frame: pl.DataFrame, by: By) -> pl.DataFrame:
    """Mean and median error of each group with 95% intervals, the largest mean first.

    The mean is over countries of the mean over their indicators of the mean over repeats; intervals
    come from resampling countries, and for single countries from resampling indicators.
    `countries` and `questions` count those with an answer (repeats by themselves), `asked` all
    questions. A group that was asked about and gave no answer stands last, with nulls. `note` says
    why a mean has no interval, or why that may be too narrow; "" where there is nothing to say.
    """
    unit, within = ("indicator", "country") if by == "country" else ("country", "indicator")
    rows = []
    for group, part in grouped(frame, by):
        answered = part.filter(pl.col("error").is_not_null())
        columns = (answered[name].to_numpy() for name in ("error", unit, within))
        mean = nested_mean(*columns, bounds=ERROR_BOUNDS)
        questions = _questions(answered)
        columns = (questions[name].to_numpy() for name in ("error", unit))
        median = median_over_units(*columns, bounds=ERROR_BOUNDS)
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
    schema: dict[str, Any] = {"group": pl.String}
    schema |= dict.fromkeys(with_bounds("mean", "median"), pl.Float64)
    schema |= dict.fromkeys(("countries", "questions", "asked"), pl.Int64) | {"note": pl.String}
    table = pl.DataFrame(rows, schema=schema)
    return table.sort(["mean", "group"], descending=[True, False], nulls_last=True)


def rates(frame: pl.DataFrame, by: By) -> pl.DataFrame:
    """How often each group's questions were answered with a number, declined, or not readable.

    Shares of all questions asked, with intervals over countries (over indicators for a single
    country), since a model declines country by country. `other` are questions without a text to
    read (filtered, empty, too long).
    """
    unit = "indicator" if by == "country" else "country"
    rows = []
    for group, part in sorted(grouped(frame, by), key=itemgetter(0)):
        row: dict[str, Any] = {"group": group, "asked": part.height}
        for outcome in READ:
            hits = (part["outcome"] == outcome).cast(float).to_numpy()
            row |= rate_over_units(hits, part[unit].to_numpy()).columns(outcome)
        rows.append(row | {"other": (~part["outcome"].is_in(READ)).sum() / part.height})
    schema: dict[str, Any] = {"group": pl.String, "asked": pl.Int64}
    schema |= dict.fromkeys((*with_bounds(*READ), "other"), pl.Float64)
    return pl.DataFrame(rows, schema=schema)


def errors_and_rates(frame: pl.DataFrame, errors: pl.DataFrame, by: By) -> pl.DataFrame:
    """`group_errors` with the rates of the same groups beside."""
    shares = rates(frame, by).select("group", *READ, "other")
    return errors.join(shares, on="group", how="left", maintain_order="left")


def rank_table(
    frame: pl.DataFrame, by: Grouping, over: Literal["indicator", "model"] = "indicator"
) -> pl.DataFrame:
    """How often each group comes first (least error) … last, over indicators or over models.

    Shares of the indicators (models) in which all groups have an answer. Groups with equal means
    share the ranks they fill: two that tie for first count half a first and half a second each.
    Groups in order of their mean rank; `compared` is what the shares are of.
    """
    names = sorted(frame[by].drop_nulls().unique())
    tallies = {name: [0.0] * len(names) for name in names}
    compared = 0
    for _, part in grouped(frame, over):
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
    frame: pl.DataFrame, by: Grouping, *, per_indicator: bool = True, draws: int = DRAWS
) -> pl.DataFrame:
    """The disparity over regions or incomes, of all questions and of each indicator.

    The units are country means. `paper_baseline` is the mean of ten random deals, as in the
    paper; `baseline`, `baseline_high` (what 5% of deals reach) and `p` rest on `draws`. `excess` is
    the disparity less the baseline; `corrected` is the gap between the groups' true means, freed of
    what noise adds to it, with its interval (`geobias.stats.extremes`). `p_holm`
    corrects the indicators' p-values for their number; the row "all" is one test and keeps its own.
    """
    found: list[tuple[str, Disparity, Disparity]] = []
    indicators = grouped(frame, "indicator") if per_indicator else []
    for name, part in [*grouped(frame, "all"), *indicators]:
        means = country_means(part)
        values, groups = means["error"].to_numpy(), means[by].to_list()
        ten = disparity(values, groups, draws=PAPER_DRAWS)
        found.append((name, disparity(values, groups, draws=draws, most=1), ten))
    p_values = [one.p for _, one, _ in found]
    adjusted = [*p_values[:1], *holm(p_values[1:])]
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
        | {"p": one.p, "p_holm": p, "groups": one.groups, "countries": one.units}
        for (name, one, ten), p in zip(found, adjusted, strict=True)
    ]
    text, number = pl.String, pl.Float64
    schema = {"indicator": text, "disparity": number, "lowest": text, "highest": text}
    schema |= dict.fromkeys(("baseline", "baseline_high", "paper_baseline", "excess"), number)
    schema |= dict.fromkeys((*with_bounds("corrected"), "p", "p_holm"), number)
    return pl.DataFrame(rows, schema=schema | dict.fromkeys(("groups", "countries"), pl.Int64))


def country_means(frame: pl.DataFrame) -> pl.DataFrame:
    """One row per country with an answer: its groups and its mean error over indicators."""
    return (
        _questions(frame.filter(pl.col("error").is_not_null()))
        .group_by("country", "region", "income")
        .agg(pl.col("error").mean())
        .sort("country")
    )


def _questions(answered: pl.DataFrame) -> pl.DataFrame:
    """One row per question with an answer: its mean error over repeats."""
    keys = ("indicator", "country", "region", "income")
    return answered.group_by(*keys, maintain_order=True).agg(pl.col("error").mean())


def grouped(frame: pl.DataFrame, by: str) -> list[tuple[str, pl.DataFrame]]:
    """The frame's groups in the order of their first row; rows without a group are in none."""
    if by == "all":
        return [("all", frame)] if frame.height else []
    known = frame.filter(pl.col(by).is_not_null())
    parts = known.partition_by(by, as_dict=True, maintain_order=True)
    return [(str(key[0]), part) for key, part in parts.items()]
