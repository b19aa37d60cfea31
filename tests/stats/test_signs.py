from __future__ import annotations

import numpy as np
import pytest

from geobias.stats.crossed import sign_flip_p


def test_units_that_all_lean_one_way_give_the_least_p_there_is() -> None:
    assert sign_flip_p([1, 2, 3, 4]) == 2 / 16


def test_a_lean_and_its_opposite_cancel() -> None:
    assert sign_flip_p([1, -1]) == 1


def test_units_without_a_lean_carry_no_sign() -> None:
    assert sign_flip_p([0, 0, 1, 2, 3]) == sign_flip_p([1, 2, 3])


def test_no_lean_at_all_is_no_test() -> None:
    assert sign_flip_p([0, 0]) is None
    assert sign_flip_p([]) is None


def test_many_units_agree_with_the_exact_answer() -> None:
    leans = np.array([1.0] * 9 + [-1.0] * 4)
    # Two-sided binomial: 9 or more of 13 one way, 2 · P(X ≥ 9).
    assert sign_flip_p(leans) == pytest.approx(0.2668, abs=0.015)


def test_a_true_null_is_rejected_one_time_in_twenty_at_most() -> None:
    dice = np.random.default_rng(1)
    found = [sign_flip_p(dice.normal(size=10)) for _ in range(400)]
    assert np.mean([p is not None and p < 0.05 for p in found]) < 0.075
