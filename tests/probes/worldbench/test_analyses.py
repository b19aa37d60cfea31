from __future__ import annotations

from typing import Any

import pytest

from geobias.atlas.figures import Figures, figures
from geobias.probes.worldbench import plan
from geobias.probes.worldbench.comparison import retrieval_disparities, retrieval_effect
from geobias.probes.worldbench.countries import consistency, correlations, indicator_values
from geobias.probes.worldbench.scores import frame_of
from geobias.probes.worldbench.years import years_fit
from tests.probes.worldbench.answering import row, silent, simulated

GROWING = Figures(
    years=(2020, 2021, 2022),
    editions={},
    rows={
        "population": {
            "KEN": (10.0, 20.0, 40.0),
            "UGA": (5.0, 10.0, 20.0),
            "FRA": (None, 8.0, None),
        }
    },
)


def test_answers_fit_the_year_they_are_from() -> None:
    frame = frame_of([row("KEN", value=20.0), row("UGA", value=10.0)])
    found = years_fit(frame, GROWING)
    (best,) = found.filter(found["best"].fill_null(False)).to_dicts()
    assert (best["against"], best["error_same"], best["share_best"]) == ("2021", 0.0, 1.0)


def test_years_are_compared_on_the_questions_they_share() -> None:
    frame = frame_of([row("KEN", value=20.0), row("FRA", value=800.0)])
    found = {r["against"]: r for r in years_fit(frame, GROWING).to_dicts()}
    assert (found["2021"]["questions"], found["2021"]["questions_same"]) == (2, 1)
    assert found["2021"]["error"] == pytest.approx(0.99 / 2)
    assert found["2021"]["error_same"] == 0.0


def test_a_year_without_figures_has_no_error() -> None:
    found = years_fit(frame_of([row("FRA", value=8.0)]), GROWING)
    assert found.filter(found["against"] == "2020")["error"].to_list() == [None]


def test_the_rules_stand_beside_the_years() -> None:
    assert years_fit(frame_of([]), GROWING)["against"].to_list()[-2:] == ["latest", "average"]


def test_errors_that_grow_as_figures_shrink_correlate_negatively() -> None:
    shipped = figures()
    codes = ("KEN", "UGA", "FRA", "DEU", "IND")
    by_size = sorted(codes, key=lambda c: -(shipped.average("population", c) or 0))
    rows = [row(iso3, error=place / 10) for place, iso3 in enumerate(by_size)]
    found = {
        r["indicator"]: r
        for r in correlations(frame_of(rows), indicator_values(shipped)).to_dicts()
    }
    assert found["population"]["spearman"] == pytest.approx(-1.0)
    assert found["population"]["countries"] == 5


def test_too_few_countries_have_no_correlation() -> None:
    found = correlations(frame_of([row("KEN")]), indicator_values(figures()))
    assert found["pearson"].null_count() == found.height


def test_the_spread_of_equal_answers_is_zero() -> None:
    frame = frame_of([row(repeat=0, value=5.0), row(repeat=1, value=5.0)])
    assert consistency(frame)["spread"].to_list() == [0.0]


def test_the_spread_is_relative_to_the_mean_answer() -> None:
    frame = frame_of([row(repeat=0, value=1.0), row(repeat=1, value=3.0)])
    assert consistency(frame)["spread"].to_list() == [pytest.approx(2**0.5 / 2)]


def test_a_question_answered_once_has_no_spread() -> None:
    frame = frame_of([row(repeat=0, value=1.0), silent(repeat=1)])
    assert consistency(frame)["spread"].to_list() == [None]


def test_a_model_that_recalls_worse_varies_more() -> None:
    made = plan(indicators=["population"], size="standard", repeats=5, temperature=0.8)
    frame = simulated(made, "sim/?recall_sd=0.05&gap=0.4&against=Sub-Saharan Africa")
    assert consistency(frame)["spearman"].to_list()[0] > 0.5


def test_retrieval_is_judged_on_questions_that_both_runs_answered() -> None:
    both = [("KEN", 0.6), ("UGA", 0.8), ("IND", 0.7)]
    without = frame_of([*(row(c, error=e) for c, e in both), silent("FRA")])
    helped = frame_of([*(row(c, error=0.1) for c, _ in both), row("FRA", error=0.0)])
    everything = retrieval_effect(without, helped).to_dicts()[0]
    assert everything["questions"] == 3
    assert everything["difference"] == pytest.approx(-0.6)
    assert everything["difference_low"] < -0.6 < everything["difference_high"]


def test_disparities_without_and_with_retrieval() -> None:
    africa, europe = ("KEN", "UGA", "MLI", "TCD", "BEN"), ("FRA", "DEU", "ITA", "ESP", "AUT")

    def answers(worse: float) -> list[dict[str, Any]]:
        places = [(code, i, worse) for i, code in enumerate(africa)]
        places += [(code, i, 0.0) for i, code in enumerate(europe)]
        return [row(code, error=0.1 + 0.01 * i + more) for code, i, more in places]

    pair = frame_of(answers(0.5)), frame_of(answers(0.0))
    found = retrieval_disparities(*pair).filter(by="region")
    assert found["disparity"].to_list() == [pytest.approx(0.5), pytest.approx(0.0)]
