from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as reference

from geobias.stats.estimates import (
    Estimate,
    around,
    gaffke,
    pivot,
    quantile_95,
    rate,
    student,
    two_sided_p,
    unvaried,
    wilson,
)
from tests.defined import defined
from tests.studies import ends


def test_no_trials_give_no_rate() -> None:
    assert rate(0, 0) == Estimate(None, None, None, 0, "no trials")
    with pytest.raises(ValueError, match="3 hits of 2"):
        rate(3, 2)


@given(st.integers(1, 10_000), st.data())
def test_wilsons_interval_is_that_of_statsmodels(n: int, data: st.DataObject) -> None:
    from statsmodels.stats.proportion import proportion_confint

    hits = data.draw(st.integers(0, n))
    found = rate(hits, n)
    known = proportion_confint(hits, n, method="wilson")
    assert (found.low, found.high) == pytest.approx(known, abs=1e-9)
    low, high = ends(found)
    assert 0 <= low <= hits / n <= high <= 1


@pytest.mark.parametrize("df", [1, 3, 40, 2000, 6.5])
def test_students_t_is_scipys(df: float) -> None:
    assert quantile_95(df) == pytest.approx(reference.t.ppf(0.975, df))
    assert two_sided_p(-2.1, df) == two_sided_p(2.1, df)
    assert two_sided_p(2.1, df) == pytest.approx(2 * reference.t.sf(2.1, df))


@given(st.floats(-0.99, 0.99), st.floats(0.01, 1), st.integers(2, 50))
def test_p_is_small_just_where_the_interval_leaves_out_0(
    value: float, error: float, df: int
) -> None:
    for bounds in ((-math.inf, math.inf), (-1.0, 1.0), (-2.0, math.inf)):
        found = student(value, error, df, 9, bounds)
        low, high = ends(found)
        at_0 = min(abs(low), abs(high)) <= 1e-9
        assert at_0 or (defined(found.p) < 0.05) == (not low <= 0 <= high)


def test_intervals_are_laid_out_on_the_scale_of_their_bounds() -> None:
    assert around(1.0, 0.5, (-math.inf, math.inf)) == (0.5, 1.5)
    assert around(1.0, 0.5, (0, math.inf)) == pytest.approx((math.exp(-0.5), math.exp(0.5)))
    # On the logit scale 0.2 ± 0.08 is logit(0.2) ± 0.5.
    logit = math.log(0.25)
    expected = [1 / (1 + math.exp(-end)) for end in (logit - 0.5, logit + 0.5)]
    assert around(0.2, 0.08, (0, 1)) == pytest.approx(expected)
    assert around(0.0, 0.1, (0, 1)) == (0, 0.1)
    with pytest.raises(ValueError, match="outside"):
        around(2.0, 0.1, (0, 1))
    assert pivot(1.0, 0.5, 0.5, (0, math.inf)) == pytest.approx(2 * math.log(2))


def test_parts_that_are_all_alike_are_no_proof_that_all_are() -> None:
    found = unvaried(1.0, 10, (-1, 1))
    assert (found.low, found.high) == pytest.approx((2 * wilson(1.0, 10)[0] - 1, 1))
    assert defined(found.p) < 0.05
    assert unvaried(0.0, 5, (-1, 1)).p == 1
    assert unvaried(0.5, 5, (-math.inf, math.inf)).reason == "no unit differs"


def test_gaffkes_interval_of_nothing_but_zeros_is_the_exact_binomial_one() -> None:
    low, high = gaffke(np.zeros(10), (0.0, 1.0))
    assert low == 0
    assert high == pytest.approx(1 - 0.025 ** (1 / 10), abs=0.01)
