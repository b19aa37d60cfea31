"""The benchmark's main tables: errors of groups, rates of answering, disparities, ranks.

All functions take the frame that `frame_of` makes (one row per question) and return a frame. What
is undefined is null. Repeats of a question, and its paraphrases, are averaged first, in every
table: they are not further questions, and a question of which two could be read weighs as much as
one of which all could. Means give every country the same weight, and are of errors centred by
indicator (`stats.pooling.centred`), as if every indicator had been asked: missing figures and
declined questions move no mean. Medians are over questions, as the paper's must be: its median for
North America (0.19, against a mean of 0.33) is far below what a median of country means could be.
Errors and their intervals lie between 0 and 1. Countries are grouped by any column of the atlas, or
of a user's file. `missing_answers` bounds the numbers where questions have no answer, and
`sensitivity` compares groups by other methods.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from geobias.atlas.economies import INCOMES
from geobias.atlas.groupings import ATLAS, OF_ECONOMY, column_key, groups_of
from geobias.errors import BadRequest
from geobias.measures.frames import once_per_frame, parts_of, schema_of
from geobias.probes.sections import region_answers, trend_answers
from geobias.probes.tables import fields_of_record, frame_from
from geobias.probes.worldbench.trials import WorldBenchRecord
from geobias.results.findings import Table
from geobias.results.verdicts import sensitivity_table
from geobias.stats.arrays import Floats
from geobias.stats.contrasts import (
    Cells,
    Ends,
    trend,
    trend_ends,
    welch_f,
    widest,
)
from geobias.stats.contrasts import pairs as group_pairs
from geobias.stats.estimates import Estimate
from geobias.stats.over_units import (
    mean_over_units,
    median_over_units,
    rate_over_units,
    single_values_mean,
)
from geobias.stats.pooling import centred, holm

NO_GROUPS = ("indicator", "country", "all")
"""What errors can be grouped by, and disparities cannot."""
_PLURALS = {
    "region": "regions",
    "income": "incomes",
    "continent": "continents",
    "north_south": "Global North and South",
    "west_east": "Global West and East",
    "official_language": "official languages",
    "population_class": "classes of population",
    "region_fy2026": "regions of fiscal 2026",
    "income_fy2026": "incomes of fiscal 2026",
}


def column_of(by: str, file: Path | None) -> str:
    """The name under which frames have the grouping."""
    key = column_key(by)
    if file is None:
        return key
    return by if key not in (*OF_ECONOMY, *NO_GROUPS) else f"{by} (own)"


def plural(column: str) -> str:
    """The groups in words: "regions"."""
    return _PLURALS.get(column, f"groups of {column}")


def with_groups(
    frame: pl.DataFrame, by: str, file: Path | None = None, *, also: bool = False
) -> pl.DataFrame:
    """The frame with a column for this grouping, named as `column_of` says.

    `also` allows what is no grouping of countries: indicator, country, all.
    """
    column = column_of(by, file)
    if column in frame.columns and file is None and (also or column not in NO_GROUPS):
        return frame
    if also and column == "all":
        return frame
    if column in NO_GROUPS:
        raise BadRequest(f"countries cannot be grouped by {by}: there are {', '.join(ATLAS)}")
    groups = groups_of(by, file)
    found = [groups.get(iso3) for iso3 in frame["country"]]
    return frame.with_columns(pl.Series(column, found, pl.String))


By: TypeAlias = str
"""all, indicator, country, or a grouping of countries."""
Grouping: TypeAlias = str
"""A column of the frame that puts countries into groups (`groupings`)."""
GROUPINGS: tuple[Grouping, ...] = ("region", "income")
TRENDING = ("income", "income_fy2026")
"""Groupings of which poor minus rich is told."""
ERROR_BOUNDS = (0.0, 1.0)
ERROR_UNIT = "error, 0 to 1"
MANY_MISSING = 0.1
"""Share of questions without an answer from which on a mean is marked."""
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
    asked = ["indicator", "country", *(["wording"] if several_wordings(frame) else []), "repeat"]
    columns = [*asked, "outcome", "truth", "value", "error", "reason"]
    return frame.select(columns).sort(
        ["error", *asked], descending=[True, *([False] * len(asked))], nulls_last=True
    )


def several_wordings(frame: pl.DataFrame) -> bool:
    """Whether questions were asked in paraphrases too."""
    return frame["wording"].n_unique() > 1


def with_bounds(*names: str) -> list[str]:
    """Columns of estimates and of their intervals."""
    return [f"{name}{end}" for name in names for end in ("", "_low", "_high")]


WITHIN = (0.1, 0.25)
"""Shares of the figure within which an answer counts as near, in tables of further measures."""


def further_errors(frame: pl.DataFrame, by: By) -> pl.DataFrame:
    """Other measures of error, group by group, over the questions with an answer as they are.

    log_ratio   the mean of |log10(answer / figure)|, where both are above 0: 0.3 is a factor of two
    within_…    the share of answers within 10% (25%) of the figure, with intervals over countries
    """
    value, truth = pl.col("value"), pl.col("truth")
    both = (value > 0) & (truth > 0)
    answered = frame.drop_nulls("value").with_columns(
        log_ratio=pl.when(both).then((value.log(10) - truth.log(10)).abs()),
        **{
            f"within_{share:.0%}".removesuffix("%"): (
                (value - truth).abs() <= share * truth.abs()
            ).cast(pl.Float64)
            for share in WITHIN
        },
    )
    shares = [f"within_{share:.0%}".removesuffix("%") for share in WITHIN]
    rows = []
    for group, part in grouped(answered, by):
        countries = part["country"].to_numpy()
        logs = part.drop_nulls("log_ratio")
        found = mean_over_units(logs["log_ratio"].to_numpy(), logs["country"].to_numpy())
        row = {"group": group} | found.columns("log_ratio") | {"answers": part.height}
        for name in shares:
            row |= rate_over_units(part[name].to_numpy(), countries).columns(name)
        rows.append(row)
    schema = schema_of(("group",), with_bounds("log_ratio", *shares), ("answers",))
    return pl.DataFrame(rows, schema=schema).sort("group")


@once_per_frame
def group_errors(frame: pl.DataFrame, by: By) -> pl.DataFrame:
    """Mean and median error of each group with 95% intervals, the largest mean first.

    The mean is over countries of the mean over their indicators, centred, of the mean over repeats;
    intervals are over countries, and for single countries over indicators. The mean of an indicator
    is over its countries as they are. `plain` is the mean of all the group's questions as they are,
    as in the paper. `countries` and `questions` count those with an answer
    (repeats by themselves), `asked` all questions. A group that was asked about and gave no answer
    stands last, with nulls. `note` says why a mean has no interval, or why that may be wrong; ""
    where there is nothing to say.
    """
    unit = "indicator" if by == "country" else "country"
    asked = {group: part.height for group, part in grouped(frame, by)}
    given = {group: part.height for group, part in grouped(frame.drop_nulls("error"), by)}
    questions = _numbered(question_means(frame, *further_of(by)))
    parts = dict(grouped(questions, by))
    rows = []
    for group, planned in asked.items():
        part = parts.get(group, questions.clear())
        mean = _mean_error(part, by)
        columns = (part[name].to_numpy() for name in ("error", f"{unit}_number"))
        median = median_over_units(*columns, bounds=ERROR_BOUNDS)
        answered = given.get(group, 0)
        rows.append(
            {"group": group}
            | mean.columns("mean")
            | median.columns("median")
            | {
                "plain": part["error"].mean(),
                "countries": part["country"].n_unique(),
                "questions": answered,
                "asked": planned,
                "note": mean.note or many_missing(answered, planned),
            }
        )
    return table_of_groups(rows, ("countries", "questions", "asked"), ("note",))


def table_of_groups(
    rows: list[dict[str, Any]], counts: Sequence[str], texts: Sequence[str]
) -> pl.DataFrame:
    """Rows of `group_errors` as a table, the largest mean first."""
    schema = schema_of(("group",), (*with_bounds("mean", "median"), "plain"), counts) | schema_of(
        texts
    )
    table = pl.DataFrame(rows, schema=schema)
    return table.sort(["mean", "group"], descending=[True, False], nulls_last=True)


def _mean_error(questions: pl.DataFrame, by: By) -> Estimate:
    if by == "indicator":
        return single_values_mean(questions["error"].to_numpy(), bounds=ERROR_BOUNDS)
    if by == "country":
        # The interval speaks of other indicators, which are harder or easier: errors as they are.
        columns = (questions[name].to_numpy() for name in ("error", "indicator_number"))
        level = questions["centred"].mean()
        plain = mean_over_units(*columns, bounds=ERROR_BOUNDS)
        return moved_to(plain, level if isinstance(level, float) else None)
    means = _means_of(questions)
    return mean_over_units(
        means["error"].to_numpy(), means["country"].to_numpy(), bounds=ERROR_BOUNDS
    )


def _numbered(frame: pl.DataFrame) -> pl.DataFrame:
    """With numbers in the order of the names, which are quicker to tell apart than these."""
    names = pl.col("indicator", "country")
    return frame.with_columns(names.rank("dense").name.suffix("_number"))


def moved_to(plain: Estimate, level: float | None) -> Estimate:
    """The interval of a country's plain errors, around the level that allows for missing ones."""
    if plain.value is None or level is None:
        return Estimate(None, None, None, 0, plain.reason or "shares no indicator")
    (least, most), step = ERROR_BOUNDS, level - plain.value
    low, high = (
        None if end is None else min(most, max(least, end + step))
        for end in (plain.low, plain.high)
    )
    return Estimate(min(most, max(least, level)), low, high, plain.n, plain.reason, plain.caution)


def many_missing(answered: int, asked: int) -> str:
    """A note for a mean that lacks many answers; "" where it does not."""
    if asked - answered <= MANY_MISSING * asked:
        return ""
    return f"{1 - answered / asked:.0%} of its questions have no answer: their errors are unknown"


def rates(frame: pl.DataFrame, by: By) -> pl.DataFrame:
    """How often each group's questions were answered with a number, declined, or not readable.

    Shares of all questions asked, with intervals over countries (over indicators for a single
    country), since a model declines country by country. `other` are questions without a text to
    read (filtered, empty, too long).
    """
    unit = "indicator" if by == "country" else "country"
    rows = []
    for group, part in sorted(grouped(_numbered(frame), by), key=itemgetter(0)):
        row: dict[str, Any] = {"group": group, "asked": part.height}
        units = part[f"{unit}_number"].to_numpy()
        for outcome in READ:
            hits = (part["outcome"] == outcome).cast(float).to_numpy()
            row |= rate_over_units(hits, units).columns(outcome)
        rows.append(row | {"other": (~part["outcome"].is_in(READ)).sum() / part.height})
    schema = schema_of(("group",), (), ("asked",)) | schema_of((), (*with_bounds(*READ), "other"))
    return pl.DataFrame(rows, schema=schema)


def errors_and_rates(errors: pl.DataFrame, rates: pl.DataFrame) -> pl.DataFrame:
    """`group_errors` with the rates of the same groups beside."""
    shares = rates.select("group", *READ, "other")
    return errors.join(shares, on="group", how="left", maintain_order="left")


def rank_table(
    frame: pl.DataFrame,
    by: Grouping,
    over: Literal["indicator", "model"] = "indicator",
    *,
    plain: bool = False,
) -> pl.DataFrame:
    """How often each group comes first (least error) … last, over indicators or over models.

    Shares of the indicators (models) in which all groups have an answer. Groups with equal means
    share the ranks they fill: two that tie for first count half a first and half a second each.
    `rank` is the mean rank, with its interval over the indicators (models). Groups in order of
    their mean rank; `compared` is what the shares are of. `plain` ranks the means of questions as
    they are, as in the paper's Figure 9, and not those centred by indicator.
    """
    names = sorted(frame[by].drop_nulls().unique())
    tallies = {name: [0.0] * len(names) for name in names}
    ranks: dict[str, list[float]] = {name: [] for name in names}
    compared = 0
    for _, part in grouped(frame, over):
        errors = (question_means if plain else country_means)(part, *further_of(by))
        found = errors.drop_nulls(by).group_by(by).agg(pl.col("error").mean())
        means = dict(found.iter_rows())
        if not all(name in means for name in names) or not names:
            continue
        compared += 1
        for name in names:
            below = sum(means[other] < means[name] for other in names)
            equal = sum(means[other] == means[name] for other in names)
            ranks[name].append(below + (equal + 1) / 2)
            for rank in range(below, below + equal):
                tallies[name][rank] += 1 / equal
    rows = [
        {"group": name}
        | _mean_rank(ranks[name], len(names)).columns("rank")
        | {str(i + 1): share / compared if compared else None for i, share in enumerate(shares)}
        for name, shares in tallies.items()
    ]
    numbered = [str(rank + 1) for rank in range(len(names))]
    schema = schema_of(("group",), (*with_bounds("rank"), *numbered))
    table = pl.DataFrame(rows, schema=schema).sort("rank", "group", nulls_last=True)
    return table.with_columns(compared=pl.lit(compared))


def _mean_rank(ranks: list[float], groups: int) -> Estimate:
    """The mean of ranks from 1 to the number of groups, over what they are ranks in."""
    bounds = (0.0, float(max(1, groups - 1)))
    found = mean_over_units([rank - 1 for rank in ranks], range(len(ranks)), bounds=bounds)
    value, low, high = (
        None if end is None else end + 1 for end in (found.value, found.low, found.high)
    )
    return Estimate(value, low, high, found.n, found.reason)


def disparities(frame: pl.DataFrame, by: Grouping, *, per_indicator: bool = True) -> pl.DataFrame:
    """How far groups of countries differ, in all questions and in each indicator.

    trend …         of incomes alone: poor minus rich by the linear trend over the four groups, its
                    interval and `trend_p` (`stats.contrasts.trend`)
    p               of Welch's F test that all groups have one mean; `p_holm` allows for the number
                    of indicators (of the row "all", which is one test, it is the same)
    disparity …     the largest minus the smallest group mean, with Games and Howell's interval and
                    `disparity_p`, which hold for all pairs together

    The units are country means; groups of under five countries are in none of it. The paper's own
    disparity is in `paper.disparities`.
    """
    found: list[tuple[str, dict[str, Any]]] = []
    indicators = grouped(frame, "indicator") if per_indicator else []
    for name, part in [*grouped(frame, "all"), *indicators]:
        means = country_means(part, *further_of(by))
        found.append((name, _differences(means["error"].to_numpy(), means[by].to_list(), by)))
    p_values = [row["p"] for _, row in found]
    adjusted = [*p_values[:1], *holm(p_values[1:])]
    rows = [
        {"indicator": name} | row | {"p_holm": p}
        for (name, row), p in zip(found, adjusted, strict=True)
    ]
    trend_columns = (*with_bounds("trend"), "trend_p") if by in TRENDING else ()
    numbers = (*trend_columns, "p", "p_holm", *with_bounds("disparity"), "disparity_p")
    schema = schema_of(("indicator",), numbers) | schema_of(("lowest", "highest"))
    schema |= schema_of((), (), ("groups", "countries"))
    return pl.DataFrame(rows, schema=schema)


def _differences(values: Floats, groups: list[str | None], by: Grouping) -> dict[str, Any]:
    test = welch_f(values, groups)
    row: dict[str, Any] = {"p": test.p, "groups": test.groups, "countries": test.n}
    if by in TRENDING:
        whole = trend(values, groups, INCOMES, most=1)
        row |= whole.estimate.columns("trend") | {"trend_p": whole.p}
    pair = widest(group_pairs(values, groups, most=1))
    if pair is None:
        return row
    row |= pair.difference.columns("disparity") | {"disparity_p": pair.p}
    return row | {"lowest": pair.second, "highest": pair.first}


@lru_cache(maxsize=32)
def deals(n: int, rows: int, seed: int = 0, start: int = 0) -> NDArray[Any]:
    """That many random orders of n units, one a row, kept: shuffling is most of the work of a test,
    and one table after another asks for the same number of countries. 5 MB each at most.
    """
    # Whole machine words are shuffled in half the time that single bytes take.
    orders = np.tile(np.arange(n), (rows, 1))
    np.random.default_rng((seed, start)).permuted(orders, axis=1, out=orders)
    return orders.astype(np.min_scalar_type(n))


def pairs(frame: pl.DataFrame, by: Grouping) -> pl.DataFrame:
    """Every two groups of five countries or more: by how much the first errs more, with Games and
    Howell's simultaneous interval and p; the clearest first."""
    means = country_means(frame, *further_of(by))
    rows = [
        {"more": pair.first, "less": pair.second}
        | pair.difference.columns("difference")
        | {"p": pair.p, "countries": pair.difference.n}
        for pair in group_pairs(means["error"].to_numpy(), means[by].to_list(), most=1)
    ]
    numbers = (*with_bounds("difference"), "p")
    return pl.DataFrame(rows, schema=schema_of(("more", "less"), numbers, ("countries",)))


def country_means(frame: pl.DataFrame, *further: str) -> pl.DataFrame:
    """One row per country with an answer: its groups and its mean error, as if it had been asked
    about every indicator. Countries that share no indicator with the others are left out.

    `further` are columns of the frame that group countries, beside region and income."""
    return _means_of(question_means(frame, *further), *further)


@once_per_frame
def _means_of(questions: pl.DataFrame, *further: str) -> pl.DataFrame:
    return (
        questions.drop_nulls("centred")
        .group_by("country", *GROUPINGS, *further)
        .agg(pl.col("centred").mean().clip(*ERROR_BOUNDS).alias("error"))
        .sort("country")
    )


@once_per_frame
def question_means(frame: pl.DataFrame, *further: str) -> pl.DataFrame:
    """One row per question with an answer: its mean error over repeats and wordings, and that
    centred by indicator; null where the question cannot be compared with others."""
    keys = ("indicator", "country", *GROUPINGS, *further)
    answered = frame.drop_nulls("error").group_by(*keys, maintain_order=True)
    means = answered.agg(pl.col("error").mean())
    numbers = _numbered(means)
    columns = ("error", "indicator_number", "country_number")
    found = centred(*(numbers[name].to_numpy() for name in columns))
    return means.with_columns(pl.Series("centred", found, pl.Float64).fill_nan(None))


def further_of(by: By) -> tuple[str, ...]:
    """The grouping where it is not one that every frame has."""
    return () if by in ("all", "indicator", "country", *GROUPINGS) else (by,)


def grouped(frame: pl.DataFrame, by: str) -> list[tuple[str, pl.DataFrame]]:
    """The frame's groups in the order of their first row; rows without a group are in none."""
    if by == "all":
        return [("all", frame)] if frame.height else []
    return _parts(frame, by)


@once_per_frame
def _parts(frame: pl.DataFrame, by: str) -> list[tuple[str, pl.DataFrame]]:
    known = frame.filter(pl.col(by).is_not_null())
    return [(str(name), part) for (name,), part in parts_of(known, by).items()]


class Missing(NamedTuple):
    """How many questions have no error, the least and the largest that the mean could be, and how
    far the trend could move."""

    answers: int
    error: tuple[float | None, float | None]
    trend: Ends


def missing_answers(frame: pl.DataFrame, value: float | None) -> Missing:
    """The bounds of a run's numbers; `value` is its trend."""
    filled = [frame.with_columns(pl.col("error").fill_null(end)) for end in ERROR_BOUNDS]
    low, high = (_mean_of(country_means(one)["error"]) for one in filled)
    ends = trend_ends(_missing_cells(frame), INCOMES, value)
    return Missing(frame["error"].null_count(), (low, high), ends)


def _mean_of(errors: pl.Series) -> float | None:
    return float(errors.to_numpy().mean()) if len(errors) else None


def _missing_cells(frame: pl.DataFrame) -> Cells:
    """The questions, with the least and the largest mean error that their repeats can have."""
    error, (low, high) = pl.col("error"), ERROR_BOUNDS
    questions = (
        frame.group_by("indicator", "country", "income", maintain_order=True)
        .agg(low=error.fill_null(low).mean(), high=error.fill_null(high).mean())
        .sort("country", "indicator")
    )
    return Cells(
        low=questions["low"].to_numpy(),
        high=questions["high"].to_numpy(),
        items=questions["indicator"].to_numpy(),
        units=questions["country"].to_numpy(),
        groups=questions["income"].to_list(),
        bounds=ERROR_BOUNDS,
    )


def sensitivity(frame: pl.DataFrame) -> Table:
    """Whether the trend over incomes holds by other methods, and whether regions differ."""
    means = country_means(frame).rename({"error": "value"})
    rows = (
        question_means(frame).drop_nulls("centred").rename({"error": "value", "indicator": "item"})
    )
    return sensitivity_table(
        [
            *trend_answers("Error, poor minus rich countries", means, rows, 1),
            *region_answers("Difference of mean errors over regions", means, 1),
        ]
    )
