"""Correlations of errors with properties of countries, and with how much answers vary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from geobias.atlas.figures import Figures, Rule
from geobias.measures.frames import parts_of, schema_of, table_of
from geobias.measures.over_models import average_model, model_questions, models_of, pooled_mean
from geobias.measures.questions import unit_means
from geobias.probes.worldbench.scores import ERROR
from geobias.results.tables import with_adjusted
from geobias.stats.arrays import ROUNDING
from geobias.stats.correlation import pearson
from geobias.stats.over_units import mean_test

Covariates: TypeAlias = Mapping[str, Mapping[str, float]]
"""Name of a covariate → code of an economy → value."""
Values: TypeAlias = Sequence[float] | NDArray[np.float64]


def indicator_values(figures: Figures, rule: Rule = "average") -> Covariates:
    """Every indicator in `figures` as a covariate, including those that a run did not ask about."""
    return {name: figures.truths(name, rule) for name in figures.series}


def correlations(frame: pl.DataFrame, covariates: Covariates) -> pl.DataFrame:
    """The correlation of each covariate with the errors of one model, or of all models of a frame.

    The paper describes its Table 2 in two ways: its caption correlates countries' mean errors, its
    text each pair of model and indicator.

    pearson       correlation with countries' mean errors (averaged over models)
    pair_pearson  correlation with the errors of one model on one indicator, averaged over all such
                  pairs; its interval is over indicators, and over models if there are at least
                  three
    pair_p        mean of the p-values of the pairs, which is not itself a p-value
    """
    means = unit_means(average_model(frame, ERROR), ERROR)
    errors = dict(means.select("country", "value").iter_rows())
    known = model_questions(frame, ERROR).drop_nulls("value")
    by_pair = {
        pair: dict(part.select("country", "value").iter_rows())
        for pair, part in parts_of(known, "model", "indicator").items()
    }
    rows = [
        {"indicator": name} | _correlated(*_paired(values, errors)) | _over_pairs(values, by_pair)
        for name, values in covariates.items()
    ]
    return with_adjusted(table_of(rows), "pearson_p")


def _paired(x: Mapping[str, float], y: Mapping[str, float]) -> tuple[list[float], list[float]]:
    """The values in `x` and in `y` of the countries that have both."""
    both = sorted(x.keys() & y.keys())
    return [x[iso3] for iso3 in both], [y[iso3] for iso3 in both]


def _correlated(x: Values, y: Values) -> dict[str, Any]:
    found = pearson(x, y)
    return {"pearson": found, "pearson_p": found.p, "countries": found.n}


def _over_pairs(
    values: Mapping[str, float], by_pair: Mapping[tuple[str, str], Mapping[str, float]]
) -> dict[str, Any]:
    """Return the columns of `correlations` on pairs of a model and an indicator, for one covariate.

    `values` are the covariate's, by country. `by_pair` holds the errors of each pair, by country.
    """
    each = ((pair, pearson(*_paired(values, errors))) for pair, errors in by_pair.items())
    found = [(*pair, one.value, one.p, one.n) for pair, one in each]
    schema = schema_of(("model", "indicator"), ("r", "p"), ("countries",))
    table = pl.DataFrame(found, schema=schema, orient="row").drop_nulls("r")
    mean = pooled_mean(table, "r", "indicator", (-1, 1)).found
    row = {"pair_pearson": mean, "pair_p": table["p"].mean(), "pairs": table.height}
    return row | {"note": f"per pair: {mean.note}" if mean.note else ""}


def consistency(frame: pl.DataFrame) -> pl.DataFrame:
    """The correlation between the spread of answers over repeats and the error (Table 2, right).

    The spread of a question is the standard deviation of its answers over repeats (n − 1 in the
    denominator) divided by their mean. It is taken within each wording and then averaged, so that
    wordings do not count as inconsistency.
    """
    mean, sd = pl.col("value").mean(), pl.col("value").std()
    worded = frame.group_by("indicator", "country", "wording", maintain_order=True).agg(
        pl.when(sd <= ROUNDING * mean.abs())
        .then(0.0)
        .when(mean != 0)
        .then(sd / mean.abs())
        .alias("spread"),
        pl.col("error").mean(),
    )
    asked = worded.group_by("indicator", "country", maintain_order=True).agg(
        pl.col("spread").mean(), pl.col("error").mean()
    )
    rows = []
    for (indicator,), part in parts_of(asked, "indicator").items():
        known = part.drop_nulls(["spread", "error"])
        row = _correlated(known["spread"].to_numpy(), known["error"].to_numpy())
        rows.append({"indicator": indicator} | row | {"spread": known["spread"].mean()})
    return table_of(rows)


def consistency_over_models(frame: pl.DataFrame) -> pl.DataFrame:
    """The mean over models of the correlation in `consistency`, with its interval and p-value.

    `paper_pearson_p` is the mean of the models' p-values, which is not itself a p-value.
    """
    each = pl.concat(
        consistency(part).with_columns(model=pl.lit(model))
        for model, part in models_of(frame).items()
    )
    rows = []
    for (indicator,), part in parts_of(each, "indicator").items():
        known = part.drop_nulls("pearson")
        found = mean_test(known["pearson"].to_numpy(), bounds=(-1, 1))
        row: dict[str, Any] = {"indicator": indicator, "pearson": found, "pearson_p": found.p}
        row |= {"paper_pearson_p": known["pearson_p"].mean()}
        row |= {"countries": part["countries"].max(), "spread": part["spread"].mean()}
        rows.append(row | {"models": known.height})
    return table_of(rows)
