from __future__ import annotations

import numpy as np
import pytest

from geobias.stats.pooling import centred, weights_of_mean


def unit_means(values: object, items: object, units: object) -> tuple[np.ndarray, np.ndarray]:
    """The units in order, and the mean of each one's centred values."""
    names, unit = np.unique(np.asarray(units), return_inverse=True)
    found = centred(np.asarray(values), np.asarray(items), np.asarray(units))
    return names, np.bincount(unit, found) / np.bincount(unit)


def test_where_every_unit_has_every_item_means_are_plain() -> None:
    values = np.array([0.1, 0.5, 0.3, 0.9])
    items, units = np.array(["i", "j", "i", "j"]), np.array(["a", "a", "b", "b"])
    assert unit_means(values, items, units)[1] == pytest.approx([0.3, 0.6])


def test_a_unit_without_the_hard_item_gets_what_it_would_have_had() -> None:
    values = np.array([0.1, 0.5, 0.2, 0.6, 0.3])
    items, units = np.array(list("ijiji")), np.array(list("aabbc"))
    # Item j is harder by 0.4: c would have had 0.7 there.
    assert unit_means(values, items, units)[1] == pytest.approx([0.3, 0.4, 0.5])


def test_additive_values_are_recovered_whatever_is_missing() -> None:
    dice = np.random.default_rng(0)
    hard, own = dice.random(11), dice.random(40)
    item, unit = np.divmod(np.arange(440), 40)
    kept = dice.random(440) < 0.6
    values = hard[item] + own[unit]
    names, means = unit_means(values[kept], item[kept], unit[kept])
    assert means == pytest.approx(own[names] + hard.mean())


def test_units_that_share_no_item_with_the_others_have_no_number() -> None:
    found = centred(np.array([0.1, 0.2, 0.9]), np.array(list("iij")), np.array(list("abc")))
    assert np.isnan(found).tolist() == [False, False, True]


def test_weights_give_the_mean_of_the_units_whatever_is_missing() -> None:
    dice = np.random.default_rng(1)
    item, unit = np.divmod(np.arange(60), 12)
    kept = dice.random(60) < 0.5
    item, unit, values = item[kept], unit[kept], dice.random(60)[kept]
    found = values @ weights_of_mean(item, unit)
    assert found == pytest.approx(unit_means(values, item, unit)[1].mean())


def test_a_unit_apart_from_all_others_weighs_nothing() -> None:
    weights = weights_of_mean(np.array(list("iij")), np.array(list("abc")))
    assert weights == pytest.approx([0.5, 0.5, 0])
