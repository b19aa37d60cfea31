"""Which kinds of countries have large errors, and whether varying answers are wrong.

The paper's Table 2 can be read in two ways. Its caption names the mean error of a country; its text
says that correlations are computed "for each (LLM, indicator) pair separately" and averaged. Both
are given, each under its own name (`correlations`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from geobias.atlas.figures import Figures, Rule
from geobias.measures.frames import parts_of, schema_of
from geobias.measures.over_models import average_model, model_questions, models_of, pooled_mean
from geobias.measures.questions import unit_means
from geobias.probes.worldbench.scores import ERROR
from geobias.results.tables import with_adjusted
from geobias.stats.correlation import fisher_interval, partial, pearson, spearman
from geobias.stats.over_units import mean_test

Values: TypeAlias = Sequence[float] | NDArray[np.float64]

Covariates: TypeAlias = Mapping[str, Mapping[str, float]]
"""Name of a covariate → economy's code → its number."""


def bounds_of(name: str) -> tuple[str, str, str]:
    """Columns of an estimate and of its interval."""
    return name, f"{name}_low", f"{name}_high"


_CORRELATED = schema_of(
    ("indicator",),
    (*bounds_of("pearson"), "pearson_p", "spearman", "spearman_p"),
    ("countries",),
)


def indicator_values(figures: Figures, rule: Rule = "average") -> Covariates:
    """The indicators of a table of figures as covariates, asked for or not."""
    return {name: figures.truths(name, rule) for name in figures.rows}


def correlations(frame: pl.DataFrame, covariates: Covariates) -> pl.DataFrame:
    """The correlation of each covariate with the errors, in one model or over all models of the
    frame.

    Over all, its correlation with the mean error of a country (averaged over models):

    pearson, spearman   with p of single tests: with eleven unrelated rows, every second table has
                        one below 0.05. Pearson's has Fisher's interval over countries
    given_income        Pearson's among countries of one income group (a partial correlation)
    …_adjusted          those p-values adjusted for the number of rows (Holm)

    Per pair, as in the paper's text, its correlation with the errors of each model at each
    indicator, averaged over all pairs:

    pair_pearson        that mean; its interval is over indicators, and over models if there are at
                        least three
    pair_p              the mean of the pairs' p-values, as the paper prints it; not a p-value, and
                        given only for comparison with the paper's
    pairs               number of pairs
    """
    means = unit_means(average_model(frame, ERROR), ERROR)
    errors = dict(means.select("country", "value").iter_rows())
    incomes = dict(means.select("country", "income").iter_rows())
    known = model_questions(frame, ERROR).drop_nulls("value")
    by_pair = {
        pair: dict(part.select("country", "value").iter_rows())
        for pair, part in parts_of(known, "model", "indicator").items()
    }
    rows = []
    for name, values in covariates.items():
        both = sorted(values.keys() & errors.keys())
        x, y = [values[iso3] for iso3 in both], [errors[iso3] for iso3 in both]
        row = _correlated(name, x, y)
        within = [incomes[iso3] for iso3 in both]
        given = partial(x, y, within)
        groups = len({group for group in within if group is not None})
        low, high = fisher_interval(given, max(0, groups - 1))
        row |= {"given_income": given.r, "given_income_low": low, "given_income_high": high}
        row |= {"given_income_p": given.p}
        rows.append(row | _over_pairs(values, by_pair))
    numbers = (*bounds_of("given_income"), "given_income_p", *bounds_of("pair_pearson"))
    schema = _CORRELATED | schema_of((), (*numbers, "pair_p"), ("pairs",)) | schema_of(("note",))
    table = pl.DataFrame(rows, schema=schema)
    return with_adjusted(table, "pearson_p", "spearman_p", "given_income_p")


def _over_pairs(
    values: Mapping[str, float], by_pair: Mapping[tuple[str, str], Mapping[str, float]]
) -> dict[str, Any]:
    """The mean over pairs of model and indicator of the correlation with that pair's errors."""
    found = []
    for (model, indicator), errors in by_pair.items():
        both = sorted(values.keys() & errors.keys())
        one = pearson([values[iso3] for iso3 in both], [errors[iso3] for iso3 in both])
        if one.r is not None:
            found.append({"model": model, "indicator": indicator, "r": one.r, "p": one.p})
    table = pl.DataFrame(found, schema=schema_of(("model", "indicator"), ("r", "p")))
    mean = pooled_mean(table, "r", "indicator", (-1, 1)).found.estimate
    row = mean.columns("pair_pearson") | {"pair_p": table["p"].mean(), "pairs": table.height}
    return row | {"note": f"per pair: {mean.note}" if mean.note else ""}


def consistency(frame: pl.DataFrame) -> pl.DataFrame:
    """Whether varying answers are wrong: spread over repeats against error (Table 2, right).

    The spread of a question is the standard deviation of its answers over repeats (n − 1 in the
    denominator) divided by their mean; 0 if all are equal. It is undefined for fewer than two
    answers, and for different answers with mean 0. For each indicator, its correlation over
    countries with the question's mean error follows. `spread` is the mean spread. Differences
    between wordings are no inconsistency: each wording counts by itself, and their mean is the
    question's.
    """
    mean, sd = pl.col("value").mean(), pl.col("value").std()
    worded = frame.group_by("indicator", "country", "wording", maintain_order=True).agg(
        pl.when(sd == 0).then(0.0).when(mean != 0).then(sd / mean.abs()).alias("spread"),
        pl.col("error").mean(),
    )
    asked = worded.group_by("indicator", "country", maintain_order=True).agg(
        pl.col("spread").mean(), pl.col("error").mean()
    )
    known = asked.filter(pl.col("spread").is_not_null() & pl.col("error").is_not_null())
    rows = []
    for indicator in frame["indicator"].unique(maintain_order=True):
        part = known.filter(pl.col("indicator") == indicator)
        row = _correlated(indicator, part["spread"].to_numpy(), part["error"].to_numpy())
        rows.append(row | {"spread": part["spread"].mean()})
    return pl.DataFrame(rows, schema=_CORRELATED | schema_of((), ("spread",)))


def consistency_over_models(frame: pl.DataFrame) -> pl.DataFrame:
    """The mean over models of each one's correlation, with its interval over models and its
    p-value.

    `paper_pearson_p` is the mean of the models' p-values, as in the paper's Table 2, which is not a
    p-value. With fewer than three models there is no interval.
    """
    each = pl.concat(
        consistency(part).with_columns(model=pl.lit(model))
        for model, part in models_of(frame).items()
    )
    rows = []
    for (indicator,), part in parts_of(each, "indicator").items():
        known = part.drop_nulls("pearson")
        row: dict[str, Any] = {"indicator": indicator, "countries": part["countries"].max()}
        for name in ("pearson", "spearman"):
            found, p = mean_test(known[name].to_numpy(), bounds=(-1, 1))
            row |= found.columns(name) | {f"{name}_p": p}
            row |= {f"paper_{name}_p": known[f"{name}_p"].mean()}
        rows.append(row | {"spread": part["spread"].mean(), "models": known.height})
    numbers = ("spearman_low", "spearman_high", "spread", "paper_pearson_p", "paper_spearman_p")
    return pl.DataFrame(rows, schema=_CORRELATED | schema_of((), numbers, ("models",)))


def _correlated(name: str, x: Values, y: Values) -> dict[str, Any]:
    straight, ranked = pearson(x, y), spearman(x, y)
    low, high = fisher_interval(straight)
    return {
        "indicator": name,
        "pearson": straight.r,
        "pearson_low": low,
        "pearson_high": high,
        "pearson_p": straight.p,
        "spearman": ranked.r,
        "spearman_p": ranked.p,
        "countries": straight.n,
    }
