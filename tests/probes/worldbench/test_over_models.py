"""Tables over several models: each model is one unit, whatever it answered."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from geobias.measures.over_models import average_model
from geobias.probes.worldbench.relations import correlations
from geobias.probes.worldbench.scores import ERROR, frame_of, rank_table
from tests.probes.worldbench.answering import row

AFRICA, EUROPE = (
    ("KEN", "UGA", "MLI", "NGA", "GHA", "RWA"),
    ("FRA", "DEU", "ITA", "ESP", "PRT", "NLD"),
)


@pytest.fixture(scope="module")
def frame() -> pl.DataFrame:
    """Four models whose errors are 0.1 larger about Africa; a little noise besides."""
    dice = np.random.default_rng(1)
    return pl.concat(
        frame_of(
            [
                row(
                    place,
                    indicator=name,
                    error=level + 0.1 * (place in AFRICA) + dice.normal(0, 0.01),
                )
                for place in (*AFRICA, *EUROPE)
                for name in ("population", "gdp", "unemployment")
            ],
            model,
        )
        for model, level in {"a": 0.2, "b": 0.3, "c": 0.5, "d": 0.4}.items()
    )


def test_ranks_over_models_have_a_mean_rank_with_its_interval(frame: pl.DataFrame) -> None:
    table = rank_table(frame, "region", "model")
    first = table.row(0, named=True)
    assert (first["group"], first["rank"], first["compared"]) == ("Europe & Central Asia", 1, 4)
    assert first["rank_high"] > 1


def test_the_correlation_of_pairs_has_its_interval(frame: pl.DataFrame) -> None:
    means = dict(
        average_model(frame, ERROR).group_by("country").agg(pl.col("error").mean()).iter_rows()
    )
    found = correlations(frame, {"own": means}).row(0, named=True)
    assert found["pearson"] == pytest.approx(1)
    assert found["pairs"] == 12
    assert found["pair_pearson_low"] < found["pair_pearson"] < found["pair_pearson_high"]


def test_a_converted_answer_and_a_plain_one_answer_the_same_question() -> None:
    """One model said it in kilograms, the other in tonnes."""
    rows = [row(error=0.2), row(error=0.4, converted="kg → tonnes")]
    frame = pl.concat(frame_of([one], model) for one, model in zip(rows, "ab", strict=True))
    average = average_model(frame, ERROR)
    assert average["error"].to_list() == [pytest.approx(0.3)]
