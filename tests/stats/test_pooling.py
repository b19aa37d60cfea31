from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geobias.stats.pooling import pooled_means, pooled_rates

COUNTS = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=5, max_size=12)


def test_nine_wins_of_ten_by_luck_do_not_top_the_ranking() -> None:
    """Thirty countries at 40% with 200 games, one lucky with ten, one truly good with 200."""
    hits, trials = [80] * 30 + [9, 120], [200] * 30 + [10, 200]
    found = pooled_rates(hits, trials)
    lucky, good = found.groups[30].value, found.groups[31].value
    assert lucky is not None
    assert good is not None
    assert lucky < good < 0.6
    assert found.own[30] < 0.05 < found.own[31]


def test_groups_that_differ_by_chance_alone_are_pooled_nearly_to_one_value() -> None:
    hits = np.random.default_rng(0).binomial(10, 0.3, 100)
    found = pooled_rates(hits, [10] * 100)
    assert found.centre == pytest.approx(0.3, abs=0.03)
    values = [one.value or 0 for one in found.groups]
    assert max(values) - min(values) < 0.25 * (max(hits) - min(hits)) / 10


def test_groups_that_differ_widely_keep_their_own_rates() -> None:
    found = pooled_rates([2, 50, 98, 10, 70], [100] * 5)
    for one, own in zip(found.groups, (0.02, 0.5, 0.98, 0.1, 0.7), strict=True):
        assert one.value == pytest.approx(own, abs=0.03)


def test_a_country_without_games_has_the_estimate_of_a_new_one() -> None:
    found = pooled_rates([3, 4, 5, 3, 4, 0], [10, 10, 10, 10, 10, 0])
    new = found.groups[-1]
    assert new.n == 0
    assert new.value == pytest.approx(found.centre)
    assert new.low is not None
    assert found.groups[0].low is not None
    assert new.low < found.groups[0].low


def test_too_few_groups_are_not_pooled_and_say_so() -> None:
    found = pooled_rates([1, 9], [10, 10])
    assert found.reason == "2 groups: too few to pool"
    assert [one.value for one in found.groups] == [0.1, 0.9]
    means = pooled_means([0.1, math.nan], [0.1, math.nan], [4, 1])
    assert means.reason
    assert means.groups[1].value is None


def test_impossible_counts_are_refused() -> None:
    with pytest.raises(ValueError, match="hits lie between"):
        pooled_rates([11], [10])
    with pytest.raises(ValueError, match="above 0"):
        pooled_means([0.1] * 5, [0.0] * 5, [3] * 5)


@given(COUNTS)
def test_a_pooled_rate_lies_between_its_own_and_the_centre(counts: list[tuple[int, int]]) -> None:
    hits = [min(pair) for pair in counts]
    trials = [max(pair) for pair in counts]
    found = pooled_rates(hits, trials)
    if found.centre is None:
        return
    for one, won, asked in zip(found.groups, hits, trials, strict=True):
        assert one.value is not None
        assert one.low is not None
        assert one.high is not None
        assert 0 <= one.low <= one.value <= one.high <= 1
        if asked:
            # The centre is an average over what is possible: a hair of room.
            ends = sorted((won / asked, found.centre))
            assert ends[0] - 0.05 <= one.value <= ends[1] + 0.05


@given(
    st.lists(st.floats(-1, 1).map(lambda x: round(x, 3)), min_size=6, max_size=15),
    st.floats(-10, 10),
)
def test_pooled_means_move_with_the_values(means: list[float], shift: float) -> None:
    errors, counts = [0.2] * len(means), [5] * len(means)
    plain = pooled_means(means, errors, counts)
    moved = pooled_means([m + shift for m in means], errors, counts)
    for one, two in zip(plain.groups, moved.groups, strict=True):
        assert one.value is not None
        assert two.value == pytest.approx(one.value + shift, abs=1e-6)


def test_a_pooled_mean_leans_the_more_the_less_it_knows() -> None:
    means, errors = [0.0, 0.1, -0.1, 0.05, -0.05, 1.0, 1.0], [0.1] * 5 + [0.1, 1.0]
    found = pooled_means(means, errors, [10] * 7)
    sure, unsure = found.groups[5].value, found.groups[6].value
    assert sure is not None
    assert unsure is not None
    assert unsure < sure < 1
