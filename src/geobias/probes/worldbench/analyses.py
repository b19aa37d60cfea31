"""What else the answers tell: their age, and what retrieval changes.

As in `scores`, frames with one row per question come in and frames go out, and what is undefined
is null.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from geobias.atlas.figures import Figures, Rule
from geobias.probes.lazy import pl
from geobias.probes.worldbench.error import absolute_relative_errors
from geobias.probes.worldbench.scores import (
    ERROR_BOUNDS,
    GROUPINGS,
    disparities,
    grouped,
    with_bounds,
)
from geobias.stats.arrays import Floats
from geobias.stats.crossed import crossed_ratio
from geobias.stats.estimates import DRAWS, LEAST_UNITS, Estimate, resampled
from geobias.stats.over_units import nested_mean
from geobias.stats.remembering import remembered


def years_fit(frame: pl.DataFrame, figures: Figures) -> pl.DataFrame:
    """The mean error of the answers against the figures of each year (the paper's Figure 11).

    against         a year, or the rules "latest" and "average"
    error           mean over the questions that have such a figure, as in the paper
    questions       how many those are
    error_same      mean over the questions with a figure in every year that has any: the same for
                    all rows; its interval is over countries, and over models where there are three
                    or more
    questions_same  how many those are
    best            the year with the least `error_same`; of equals, the later
    share_best      how often that year is best when countries (and models) are resampled

    Years differ in which figures exist (there are no CO₂ figures of 2021), so `error` compares
    different questions; the year that fits best is therefore told by `error_same`. A year without
    a figure for any question has no row of numbers, and takes no other year's away.
    """
    answered = frame.filter(pl.col("value").is_not_null())
    rules: list[Rule] = [*figures.years, "latest", "average"]
    truth = _truths(answered, figures, rules)
    errors = absolute_relative_errors(answered["value"].to_numpy()[:, None], truth)
    years = len(figures.years)
    used = np.asarray(np.isfinite(truth[:, :years]).any(axis=0))
    same = ~np.isnan(truth[:, :years][:, used]).any(axis=1) & bool(used.any())
    shared = errors[same]
    shared[:, :years][:, ~used] = np.nan
    sides = [answered[name].to_numpy()[same] for name in ("model", "country")]
    same_means = [_mean_over(column, *sides) for column in shared.T]
    known = [(one.value, -i) for i, one in enumerate(same_means[:years]) if one.value is not None]
    best: list[bool | None] = [None] * years
    shares: list[float | None] = [None] * years
    if known:
        at = -min(known)[1]
        best = [i == at if has else None for i, has in enumerate(used)]
        found = iter(_best_shares(shared[:, :years][:, used], *sides))
        shares = [next(found) if has else None for has in used]
    rows = {
        "against": list(map(str, rules)),
        "error": _column_means(errors),
        "questions": (~np.isnan(errors)).sum(axis=0),
        "error_same": [one.value for one in same_means],
        "error_same_low": [one.low for one in same_means],
        "error_same_high": [one.high for one in same_means],
        "questions_same": (~np.isnan(shared)).sum(axis=0),
        "best": [*best, None, None],
        "share_best": [*shares, None, None],
    }
    numbers = dict.fromkeys(("error", *with_bounds("error_same"), "share_best"), pl.Float64)
    return pl.DataFrame(rows, schema_overrides=numbers | {"best": pl.Boolean})


def _mean_over(errors: Floats, models: NDArray[Any], countries: NDArray[Any]) -> Estimate:
    """The mean of these errors, its interval over countries, and models where there are enough."""
    known = ~np.isnan(errors)
    several = len(set(models[known])) >= LEAST_UNITS
    sides = models[known] if several else None, countries[known]
    return crossed_ratio(errors[known], np.ones(known.sum()), *sides, bounds=ERROR_BOUNDS).estimate


def _truths(answered: pl.DataFrame, figures: Figures, rules: list[Rule]) -> Floats:
    """The figure of each question (rows) under each rule (columns); NaN where there is none."""
    table: dict[tuple[str, str], list[float]] = {}
    for indicator, iso3 in answered.select("indicator", "country").unique().iter_rows():
        found = [figures.truth(indicator, iso3, rule) for rule in rules]
        table[indicator, iso3] = [np.nan if figure is None else figure for figure in found]
    pairs = answered.select("indicator", "country").iter_rows()
    return np.array([table[pair] for pair in pairs], dtype=float).reshape(-1, len(rules))


def _column_means(errors: Floats) -> list[float | None]:
    counts = (~np.isnan(errors)).sum(axis=0)
    sums = np.nansum(errors, axis=0)
    return [float(s / n) if n else None for s, n in zip(sums, counts, strict=True)]


@remembered
def _best_shares(errors: Floats, models: NDArray[Any], countries: NDArray[Any]) -> list[float]:
    """How often each column has the least mean when the rows' countries are resampled, and their
    models too where there are three or more."""
    names, model = np.unique(models, return_inverse=True)
    places, country = np.unique(countries, return_inverse=True)
    columns = errors.shape[1]
    cells = np.zeros((len(names), len(places), columns + 1))
    np.add.at(cells, (model, country), np.column_stack([errors, np.ones(len(errors))]))
    dice = np.random.default_rng(1)
    wins = np.zeros(columns)
    for counts in resampled(len(places), DRAWS):
        drawn = np.ones((len(counts), len(names)), dtype=np.int64)
        if len(names) >= LEAST_UNITS:
            drawn = dice.multinomial(len(names), np.full(len(names), 1 / len(names)), len(counts))
        by_model = np.einsum("dc,mck->dmk", counts.astype(float), cells)
        sums = np.einsum("dm,dmk->dk", drawn.astype(float), by_model)
        means = sums[:, :columns] / np.maximum(sums[:, columns:], 1)
        # Of equal columns, the last.
        wins += np.bincount(columns - 1 - means[:, ::-1].argmin(axis=1), minlength=columns)
    return [float(win) / DRAWS for win in wins]


def retrieval_effect(without: pl.DataFrame, with_it: pl.DataFrame) -> pl.DataFrame:
    """What retrieval changes, on the questions that both runs answered, paired.

    `difference` is with minus without (negative: retrieval helps), a mean over countries with the
    interval that resampling countries gives. Questions that only one run answered are left out
    and show in `rates`.
    """
    both = _paired(without, with_it)
    rows = []
    for by in ("all", *GROUPINGS):
        for group, part in grouped(both, by):
            units = part["country"].to_numpy(), part["indicator"].to_numpy()
            change = nested_mean(part["change"].to_numpy(), *units, bounds=(-1, 1))
            row = {
                "by": by,
                "group": group,
                "without": nested_mean(part["error"].to_numpy(), *units).value,
                "with": nested_mean(part["error_with"].to_numpy(), *units).value,
            }
            row |= change.columns("difference")
            rows.append(row | {"countries": change.n, "questions": part.height})
    schema: dict[str, Any] = dict.fromkeys(("by", "group"), pl.String)
    schema |= dict.fromkeys(("without", "with", *with_bounds("difference")), pl.Float64)
    schema |= dict.fromkeys(("countries", "questions"), pl.Int64)
    return pl.DataFrame(rows, schema=schema)


def retrieval_disparities(without: pl.DataFrame, with_it: pl.DataFrame) -> pl.DataFrame:
    """The disparity over regions and incomes without and with retrieval, on shared questions."""
    both = _paired(without, with_it)
    tables = []
    for by in GROUPINGS:
        for word, column in (("without", "error"), ("with", "error_with")):
            shown = both.with_columns(error=pl.col(column))
            table = disparities(shown, by, per_indicator=False)
            names = pl.lit(by).alias("by"), pl.lit(word).alias("retrieval")
            tables.append(table.drop("indicator", "p_holm").select(*names, pl.all()))
    return pl.concat(tables)


def _paired(without: pl.DataFrame, with_it: pl.DataFrame) -> pl.DataFrame:
    keys = ["indicator", "country", "wording", "repeat"]
    answered = with_it.filter(pl.col("error").is_not_null())
    return (
        without.filter(pl.col("error").is_not_null())
        .join(answered.select(*keys, error_with="error"), on=keys, how="inner")
        .with_columns(change=pl.col("error_with") - pl.col("error"))
    )
