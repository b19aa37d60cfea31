"""What else the answers tell: their age, their steadiness, and what goes with large errors.

As in `scores`, frames with one row per question come in and frames go out, and what is undefined
is null.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from geobias.atlas.figures import Figures, Rule
from geobias.probes.lazy import pl
from geobias.probes.worldbench.error import absolute_relative_errors
from geobias.probes.worldbench.scores import (
    GROUPINGS,
    country_means,
    disparities,
    grouped,
    with_bounds,
)
from geobias.stats import nested_mean, pearson, spearman
from geobias.stats.bootstrap import DRAWS, resampled

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Values: TypeAlias = Sequence[float] | Floats


def years_fit(frame: pl.DataFrame, figures: Figures) -> pl.DataFrame:
    """The mean error of the answers against the figures of each year (the paper's Figure 11).

    against         a year, or the rules "latest" and "average"
    error           mean over the questions that have such a figure, as in the paper
    questions       how many those are
    error_same      mean over the questions with a figure in every year: the same for all rows
    questions_same  how many those are
    best            the year with the least `error_same`; of equals, the later
    share_best      how often that year is best when countries are resampled

    Years differ in which figures exist (there are no CO₂ figures of 2021), so `error` compares
    different questions; the year that fits best is therefore told by `error_same`.
    """
    import numpy as np

    answered = frame.filter(pl.col("value").is_not_null())
    rules: list[Rule] = [*figures.years, "latest", "average"]
    truth = _truths(answered, figures, rules)
    errors = absolute_relative_errors(answered["value"].to_numpy()[:, None], truth)
    years = len(figures.years)
    same = ~np.isnan(truth[:, :years]).any(axis=1)
    same_means = _column_means(errors[same])
    known = [(mean, -i) for i, mean in enumerate(same_means[:years]) if mean is not None]
    best: list[bool | None] = [None] * years
    shares: list[float | None] = [None] * years
    if known:
        best = [i == -min(known)[1] for i in range(years)]
        shares[:] = _best_shares(errors[same][:, :years], answered["country"].to_numpy()[same])
    columns = {
        "against": list(map(str, rules)),
        "error": _column_means(errors),
        "questions": (~np.isnan(errors)).sum(axis=0),
        "error_same": same_means,
        "questions_same": [int(same.sum())] * len(rules),
        "best": [*best, None, None],
        "share_best": [*shares, None, None],
    }
    numbers = dict.fromkeys(("error", "error_same", "share_best"), pl.Float64)
    return pl.DataFrame(columns, schema_overrides=numbers | {"best": pl.Boolean})


def _truths(answered: pl.DataFrame, figures: Figures, rules: list[Rule]) -> Floats:
    """The figure of each question (rows) under each rule (columns); NaN where there is none."""
    import numpy as np

    table: dict[tuple[str, str], list[float]] = {}
    for indicator, iso3 in answered.select("indicator", "country").unique().iter_rows():
        found = [figures.truth(indicator, iso3, rule) for rule in rules]
        table[indicator, iso3] = [np.nan if figure is None else figure for figure in found]
    pairs = answered.select("indicator", "country").iter_rows()
    return np.array([table[pair] for pair in pairs], dtype=float).reshape(-1, len(rules))


def _column_means(errors: Floats) -> list[float | None]:
    import numpy as np

    counts = (~np.isnan(errors)).sum(axis=0)
    sums = np.nansum(errors, axis=0)
    return [float(s / n) if n else None for s, n in zip(sums, counts, strict=True)]


def _best_shares(errors: Floats, countries: NDArray[Any]) -> list[float]:
    """How often each column has the least mean when the rows' countries are resampled."""
    import numpy as np

    _, index = np.unique(countries, return_inverse=True)
    sums = np.stack([np.bincount(index, column) for column in errors.T], axis=1)
    sizes = np.bincount(index)
    columns = errors.shape[1]
    wins = np.zeros(columns)
    for counts in resampled(len(sizes), DRAWS, seed=0):
        means = counts @ sums / (counts @ sizes)[:, None]
        # Of equal columns, the last.
        wins += np.bincount(columns - 1 - means[:, ::-1].argmin(axis=1), minlength=columns)
    return [float(win) / DRAWS for win in wins]


def correlations(frame: pl.DataFrame, figures: Figures, rule: Rule = "average") -> pl.DataFrame:
    """Each indicator's value against the mean error of the country (the paper's Table 2, left).

    One row per indicator of the table of figures, whether it was asked for or not, over the
    countries that have both. P-values are of single tests: with eleven rows, one in two runs of a
    model without any such relation shows one below 0.05.
    """
    means = dict(country_means(frame).select("country", "error").iter_rows())
    rows = []
    for indicator in figures.rows:
        truths = figures.truths(indicator, rule)
        both = sorted(truths.keys() & means.keys())
        values = [truths[iso3] for iso3 in both]
        rows.append(_correlated(indicator, values, [means[iso3] for iso3 in both]))
    return pl.DataFrame(rows, schema=_correlation_schema())


def consistency(frame: pl.DataFrame) -> pl.DataFrame:
    """Whether answers that vary are wrong: spread over repeats against error (Table 2, right).

    The spread of a question is the standard deviation of its answers over repeats (n − 1 in the
    denominator) divided by their mean; 0 where all are equal. Questions with under two answers, or
    whose different answers average to 0, have none. Then, for each indicator, its correlation over
    countries with the question's mean error. `spread` is the mean spread.
    """
    mean, sd = pl.col("value").mean(), pl.col("value").std()
    asked = frame.group_by("indicator", "country", maintain_order=True).agg(
        pl.when(sd == 0).then(0.0).when(mean != 0).then(sd / mean.abs()).alias("spread"),
        pl.col("error").mean(),
    )
    known = asked.filter(pl.col("spread").is_not_null() & pl.col("error").is_not_null())
    rows = []
    for indicator in frame["indicator"].unique(maintain_order=True):
        part = known.filter(pl.col("indicator") == indicator)
        row = _correlated(indicator, part["spread"].to_numpy(), part["error"].to_numpy())
        rows.append(row | {"spread": part["spread"].mean()})
    return pl.DataFrame(rows, schema=_correlation_schema() | {"spread": pl.Float64})


def _correlation_schema() -> dict[str, Any]:
    numbers = ("pearson", "pearson_p", "spearman", "spearman_p")
    return {"indicator": pl.String} | dict.fromkeys(numbers, pl.Float64) | {"countries": pl.Int64}


def _correlated(indicator: str, x: Values, y: Values) -> dict[str, Any]:
    straight, ranked = pearson(x, y), spearman(x, y)
    return {
        "indicator": indicator,
        "pearson": straight.r,
        "pearson_p": straight.p,
        "spearman": ranked.r,
        "spearman_p": ranked.p,
        "countries": straight.n,
    }


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
    keys = ["indicator", "country", "repeat"]
    answered = with_it.filter(pl.col("error").is_not_null())
    return (
        without.filter(pl.col("error").is_not_null())
        .join(answered.select(*keys, error_with="error"), on=keys, how="inner")
        .with_columns(change=pl.col("error_with") - pl.col("error"))
    )
