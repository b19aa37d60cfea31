from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.stats.estimates import quantile_95, rate, two_sided_p, within


def test_no_trials_give_no_rate() -> None:
    assert rate(0, 0).value is None
    assert str(rate(0, 0)) == "undefined (n = 0; no trials)"


def test_wilsons_interval_agrees_with_the_published_example() -> None:
    # Newcombe (1998), Table I: 81 of 263 gives 0.2553 to 0.3662.
    estimate = rate(81, 263)
    assert estimate.low == pytest.approx(0.2553, abs=5e-5)
    assert estimate.high == pytest.approx(0.3662, abs=5e-5)


def test_more_hits_than_trials_is_refused() -> None:
    with pytest.raises(ValueError, match="3 hits of 2"):
        rate(3, 2)


@given(st.integers(1, 10_000), st.data())
def test_the_interval_holds_the_rate_and_stays_between_0_and_1(n: int, data: st.DataObject) -> None:
    estimate = rate(data.draw(st.integers(0, n)), n)
    assert estimate.low is not None
    assert estimate.value is not None
    assert estimate.high is not None
    assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1


# Any table of Student's t, two-sided 95%.
PRINTED = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 7: 2.365, 30: 2.042, 120: 1.980}


@pytest.mark.parametrize(("df", "printed"), PRINTED.items())
def test_quantiles_are_those_of_the_printed_tables(df: int, printed: float) -> None:
    assert quantile_95(df) == pytest.approx(printed, abs=5e-4)


def test_with_one_degree_of_freedom_it_is_cauchys_distribution() -> None:
    assert within(1.0, 1) == pytest.approx(0.5)


def test_p_of_the_quantile_is_five_percent() -> None:
    assert two_sided_p(quantile_95(9), 9) == pytest.approx(0.05)


@pytest.mark.parametrize("df", [3, 40, 2000, 6.5])
def test_whole_and_other_degrees_of_freedom_are_of_one_distribution(df: float) -> None:
    from scipy.stats import t

    assert quantile_95(df) == pytest.approx(t.ppf(0.975, df), abs=1e-9)
    assert two_sided_p(2.1, df) == pytest.approx(2 * t.sf(2.1, df), abs=1e-12)


def test_the_sign_of_t_does_not_matter() -> None:
    assert two_sided_p(-2.5, 6) == two_sided_p(2.5, 6)


def test_no_degrees_of_freedom_is_an_error() -> None:
    with pytest.raises(ValueError, match="degrees of freedom"):
        within(1.0, 0)
