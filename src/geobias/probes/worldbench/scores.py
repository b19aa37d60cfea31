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
from operator import itemgetter
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import polars as pl

from geobias.atlas.groupings import ATLAS, OF_ECONOMY, column_key, groups_of
from geobias.errors import BadRequest
from geobias.probes.sections import group_answers
from geobias.probes.tables import fields_of_record, frame_from, once_per_frame, parts_of, schema_of
from geobias.probes.worldbench.trials import WorldBenchRecord
from geobias.results.findings import Table
from geobias.results.verdicts import Answer, sensitivity_table
from geobias.stats.estimates import Estimate
from geobias.stats.group_differences import Groups, dealt_gaps, even_sizes, group_differences
from geobias.stats.missing_values import Cells, Ends, group_ends
from geobias.stats.over_units import mean_over_units, median_over_units, rate_over_units
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
ERROR_BOUNDS = (0.0, 1.0)
ERROR_UNIT = "error, 0 to 1"
DRAWS = 10_000
PAPER_DRAWS = 10
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


@once_per_frame
def group_errors(frame: pl.DataFrame, by: By) -> pl.DataFrame:
    """Mean and median error of each group with 95% intervals, the largest mean first.

    The mean is over countries of the mean over their indicators, centred, of the mean over repeats;
    intervals are over countries, and for single countries over indicators. The mean of an indicator
    is over its countries as they are. `countries` and `questions` count those with an answer
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
    schema = schema_of(("group",), with_bounds("mean", "median"), counts) | schema_of(texts)
    table = pl.DataFrame(rows, schema=schema)
    return table.sort(["mean", "group"], descending=[True, False], nulls_last=True)


def _mean_error(questions: pl.DataFrame, by: By) -> Estimate:
    if by == "indicator":
        columns = (questions[name].to_numpy() for name in ("error", "country_number"))
        return mean_over_units(*columns, bounds=ERROR_BOUNDS)
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
    frame: pl.DataFrame, by: Grouping, over: Literal["indicator", "model"] = "indicator"
) -> pl.DataFrame:
    """How often each group comes first (least error) … last, over indicators or over models.

    Shares of the indicators (models) in which all groups have an answer. Groups with equal means
    share the ranks they fill: two that tie for first count half a first and half a second each.
    `rank` is the mean rank, with its interval over the indicators (models). Groups in order of
    their mean rank; `compared` is what the shares are of.
    """
    names = sorted(frame[by].drop_nulls().unique())
    tallies = {name: [0.0] * len(names) for name in names}
    ranks: dict[str, list[float]] = {name: [] for name in names}
    compared = 0
    for _, part in grouped(frame, over):
        found = country_means(part, *further_of(by)).group_by(by).agg(pl.col("error").mean())
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


def disparities(
    frame: pl.DataFrame, by: Grouping, *, per_indicator: bool = True, draws: int = DRAWS
) -> pl.DataFrame:
    """How far regions or incomes differ, in all questions and in each indicator.

    spread …        SD of the groups' true mean errors, its interval, and `p` of Welch's F test that
                    it is 0 (`stats.group_differences`); `p_holm` corrects the indicators' p-values
                    for their number, the row "all" is one test and keeps its own
    disparity …     the paper's number: the largest minus the smallest group mean, with an interval
                    of the true gap and `disparity_p`, both by Games and Howell
    baseline        mean gap of `draws` shuffles of the countries into groups of the same sizes;
                    5% of them reach `baseline_high`, and `permuted_p` is the share of shuffles,
                    this one counted, with a gap as large
    paper_baseline  mean gap of ten shuffles into groups of equal sizes, as in the paper
    excess          the disparity less the baseline

    The units are country means; groups of under five countries are in none of it.
    """
    found: list[tuple[str, dict[str, Any]]] = []
    indicators = grouped(frame, "indicator") if per_indicator else []
    for name, part in [*grouped(frame, "all"), *indicators]:
        means = country_means(part, *further_of(by))
        found.append((name, _differences(means["error"].to_numpy(), means[by].to_list(), draws)))
    p_values = [row["p"] for _, row in found]
    adjusted = [*p_values[:1], *holm(p_values[1:])]
    rows = [
        {"indicator": name} | row | {"p_holm": p}
        for (name, row), p in zip(found, adjusted, strict=True)
    ]
    numbers = (*with_bounds("spread"), "p", "p_holm", *with_bounds("disparity"), "disparity_p")
    shuffled = ("baseline", "baseline_high", "permuted_p", "paper_baseline", "excess")
    schema = schema_of(("indicator",), numbers) | schema_of(("lowest", "highest"), shuffled)
    schema |= schema_of((), (), ("groups", "countries")) | schema_of(("note",))
    return pl.DataFrame(rows, schema=schema)


def _differences(values: Any, groups: list[str | None], draws: int) -> dict[str, Any]:
    found = group_differences(values, groups, most=1, bounds=ERROR_BOUNDS)
    row: dict[str, Any] = found.spread.columns("spread") | {"p": found.p}
    row |= found.gap.columns("disparity") | {"disparity_p": found.gap_p}
    row |= {"lowest": found.lowest, "highest": found.highest}
    row |= {"groups": found.groups, "countries": found.spread.n, "note": found.spread.note}
    if found.gap.value is None:
        return row
    known = Groups.of(values, groups)
    tested = np.array([group in known.names for group in groups])
    units, sizes = values[tested & ~np.isnan(values)], known.sizes.astype(int)
    gap, dealt = found.gap.value, dealt_gaps(units, sizes, draws)
    alike = dealt_gaps(units, even_sizes(len(units), len(sizes)), PAPER_DRAWS)
    return row | {
        "baseline": float(dealt.mean()),
        "baseline_high": float(np.quantile(dealt, 0.95)),
        "permuted_p": float((1 + (dealt >= gap - 1e-12).sum()) / (1 + draws)),
        "paper_baseline": float(alike.mean()),
        "excess": gap - float(dealt.mean()),
    }


def pairs(frame: pl.DataFrame, by: Grouping) -> pl.DataFrame:
    """Every two groups of five countries or more: by how much the first errs more, with Games and
    Howell's simultaneous interval and p; the clearest first."""
    means = country_means(frame, *further_of(by))
    found = group_differences(
        means["error"].to_numpy(), means[by].to_list(), most=1, bounds=ERROR_BOUNDS
    )
    rows = [
        {"more": one.first, "less": one.second}
        | one.difference.columns("difference")
        | {"p": one.p, "countries": one.difference.n}
        for one in found.pairs
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
    """How many questions have no error, and the least and the largest that each number could be."""

    answers: int
    error: Ends
    spread: dict[Grouping, Ends]
    gap: dict[Grouping, Ends]


def missing_answers(frame: pl.DataFrame) -> Missing:
    """The bounds of a run's numbers."""
    filled = [frame.with_columns(pl.col("error").fill_null(end)) for end in ERROR_BOUNDS]
    ends = (country_means(one)["error"].mean() for one in filled)
    error: Ends = tuple(ends)  # type: ignore[assignment]
    found = {by: group_ends(_missing_cells(frame, by)) for by in GROUPINGS}
    return Missing(
        frame["error"].null_count(),
        error,
        {by: spread for by, (spread, _) in found.items()},
        {by: gap for by, (_, gap) in found.items()},
    )


def _missing_cells(frame: pl.DataFrame, by: Grouping) -> Cells:
    """The questions, with the least and the largest mean error that their repeats can have."""
    error, (low, high) = pl.col("error"), ERROR_BOUNDS
    questions = (
        frame.group_by("indicator", "country", by, maintain_order=True)
        .agg(low=error.fill_null(low).mean(), high=error.fill_null(high).mean())
        .sort("country", "indicator")
    )
    return Cells(
        low=questions["low"].to_numpy(),
        high=questions["high"].to_numpy(),
        items=questions["indicator"].to_numpy(),
        units=questions["country"].to_numpy(),
        groups=questions[by].to_list(),
        bounds=ERROR_BOUNDS,
    )


def sensitivity(frame: pl.DataFrame, gaps: dict[Grouping, pl.DataFrame] | None = None) -> Table:
    """The table of a run; `gaps` are its `disparities` where they are made already."""
    means = country_means(frame).rename({"error": "value"})
    rows = (
        question_means(frame).drop_nulls("centred").rename({"error": "value", "indicator": "item"})
    )
    answers: list[Answer] = []
    for by in GROUPINGS:
        made = gaps[by] if gaps else disparities(frame, by, per_indicator=False)
        if not made.height:
            continue
        question = f"Spread of mean errors over {by}s"
        answers += group_answers(question, means, rows, by, {"item": "indicator", "group": by}, 1)
        row = made.row(0, named=True)
        method = (
            "the paper’s: largest minus smallest mean, against shuffled groups of the same sizes"
        )
        gap, p, n = row["disparity"], row["permuted_p"], row["countries"]
        answers.append(Answer(question, method, gap, None, None, p, n, "economies"))
    return sensitivity_table(answers)
