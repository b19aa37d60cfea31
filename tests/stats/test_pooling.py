from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.stats.pooling import (
    LEAST_GROUPS,
    benjamini_hochberg,
    centred,
    holm,
    pooled_means,
    pooled_rates,
    weights_of_mean,
)
from tests.defined import defined
from tests.studies import ends

COUNTS = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=5, max_size=12)


def test_nine_wins_of_ten_by_luck_do_not_top_the_ranking() -> None:
    """Thirty countries at 40% with 200 games, one lucky with ten, one truly good with 200."""
    hits, trials = [80] * 30 + [9, 120, 0], [200] * 30 + [10, 200, 0]
    lucky, good, centre = [one.value for one in pooled_rates(hits, trials)[30:]]
    assert centre is not None  # the estimate of a country that was not asked about
    assert defined(lucky) < defined(good) < 0.6
    assert (defined(lucky) - centre) / (0.9 - centre) < 0.05
    assert (defined(good) - centre) / (0.6 - centre) > 0.05


def test_a_country_without_games_has_the_estimate_of_a_new_one() -> None:
    found = pooled_rates([3, 4, 5, 3, 4, 0], [10, 10, 10, 10, 10, 0])
    new = found[-1]
    assert new.n == 0
    assert new.value == pytest.approx(0.38, abs=0.02)  # the mean rate
    assert defined(new.low) < defined(found[0].low)


def test_too_few_groups_are_not_pooled() -> None:
    assert [one.value for one in pooled_rates([1, 9], [10, 10])] == [0.1, 0.9]
    means = pooled_means([0.1, math.nan], [0.1, math.nan], [4, 1])
    assert [one.value for one in means] == [0.1, None]


def test_impossible_counts_are_refused() -> None:
    with pytest.raises(ValueError, match="hits lie between"):
        pooled_rates([11], [10])
    with pytest.raises(ValueError, match="above 0"):
        pooled_means([0.1] * 5, [0.0] * 5, [3] * 5)


@given(COUNTS)
def test_a_pooled_rate_lies_between_its_own_and_the_centre(counts: list[tuple[int, int]]) -> None:
    hits = [min(pair) for pair in counts]
    trials = [max(pair) for pair in counts]
    found = pooled_rates([*hits, 0], [*trials, 0])
    if sum(map(bool, trials)) < LEAST_GROUPS:
        return
    centre = defined(found.pop().value)
    for one, won, asked in zip(found, hits, trials, strict=True):
        low, high = ends(one)
        assert 0 <= low <= defined(one.value) <= high <= 1
        if asked:
            # The centre is an average over what is possible: a hair of room.
            least, largest = sorted((won / asked, centre))
            assert least - 0.05 <= defined(one.value) <= largest + 0.05


def test_holm_agrees_with_statsmodels() -> None:
    from statsmodels.stats.multitest import multipletests

    p_values = np.random.default_rng(0).beta(0.3, 1, 40)
    assert holm(p_values.tolist()) == pytest.approx([*multipletests(p_values, method="holm")[1]])


def test_a_test_that_could_not_be_made_counts_for_nothing() -> None:
    assert holm([0.02, None, 0.04]) == [0.04, None, 0.04]
    assert benjamini_hochberg([0.02, None, 0.04]) == [0.04, None, 0.04]


def test_what_is_no_p_value_is_refused() -> None:
    for adjust in (holm, benjamini_hochberg):
        with pytest.raises(ValueError, match="between 0 and 1"):
            adjust([1.5])


def unit_means(values: object, items: object, units: object) -> tuple[np.ndarray, np.ndarray]:
    """The units in order, and the mean of each one's centred values."""
    names, unit = np.unique(np.asarray(units), return_inverse=True)
    found = centred(np.asarray(values), np.asarray(items), np.asarray(units))
    return names, np.bincount(unit, found) / np.bincount(unit)


def test_a_unit_without_the_hard_item_gets_what_it_would_have_had() -> None:
    values = np.array([0.1, 0.5, 0.2, 0.6, 0.3])
    items, units = np.array(list("ijiji")), np.array(list("aabbc"))
    # Item j is harder by 0.4: c would have had 0.7 there.
    assert unit_means(values, items, units)[1] == pytest.approx([0.3, 0.4, 0.5])


def test_weights_give_the_mean_of_the_units_whatever_is_missing() -> None:
    dice = np.random.default_rng(1)
    item, unit = np.divmod(np.arange(60), 12)
    kept = dice.random(60) < 0.5
    item, unit, values = item[kept], unit[kept], dice.random(60)[kept]
    found = values @ weights_of_mean(item, unit)
    assert found == pytest.approx(unit_means(values, item, unit)[1].mean())
