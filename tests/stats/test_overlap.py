from __future__ import annotations

import numpy as np
import pytest

from geobias.stats.regression import overlap


def test_groups_that_are_alike_overlap_and_groups_far_apart_do_not() -> None:
    dice = np.random.default_rng(0)
    values, second = dice.normal(0, 1, 400), np.repeat([0.0, 1.0], 200)
    assert overlap(values, second) == 1
    assert overlap(values + 9 * second, second) == 0


def test_the_chance_is_that_of_two_normal_distributions() -> None:
    # One SD apart and equally many: the chance is 0.9 where the logit, (x − 1/2), is log 9.
    values = np.concatenate([np.linspace(-2, 2, 41), np.linspace(-1, 3, 41)])
    second = np.repeat([0.0, 1.0], 41)
    variance = float(np.linspace(-2, 2, 41).var())
    within = np.abs((values - 0.5) / variance) <= np.log(9)
    assert overlap(values, second) == pytest.approx(within.mean())


def test_an_empty_group_overlaps_with_nothing() -> None:
    assert overlap(np.ones(3), np.zeros(3)) is None
    assert overlap(np.array([1.0, 1, 2, 2]), np.array([0.0, 0, 1, 1])) is None
