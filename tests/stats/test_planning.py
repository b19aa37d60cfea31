from __future__ import annotations

import math

import msgspec
import numpy as np
import pytest
from statsmodels.stats.power import TTestPower

from geobias.stats import Design, needed, power, smallest_gap, unit_spread

MEAN = Design(test="mean", groups=(25,), items=16, between=0.1, within=0.4)
HALVES = Design(test="two_groups", groups=(60, 110), items=10, between=0.1, within=0.4)
REGIONS = Design(
    test="disparity", groups=(58, 48, 42, 37, 21, 8, 3), items=11, between=0.05, within=0.2
)


def test_the_power_of_a_mean_is_that_of_students_test() -> None:
    sd = math.hypot(MEAN.between, MEAN.within / 4)
    known = TTestPower().power(0.08 / sd, 25, 0.05)
    assert power(MEAN, 0.08, studies=4000) == pytest.approx(known, abs=0.025)


@pytest.mark.parametrize("design", [MEAN, HALVES, REGIONS], ids=lambda design: design.test)
def test_where_nothing_is_one_study_in_twenty_finds_something(design: Design) -> None:
    assert power(design, 0.0, studies=2000) == pytest.approx(0.05, abs=0.02)


@pytest.mark.parametrize("design", [MEAN, HALVES, REGIONS], ids=lambda design: design.test)
def test_a_larger_gap_is_found_more_often(design: Design) -> None:
    found = [power(design, gap, studies=300) for gap in (0.0, 0.05, 0.15, 0.4)]
    assert found == sorted(found)
    assert found[-1] > 0.95


def test_the_items_needed_reach_the_power_and_one_less_does_not() -> None:
    found = needed(HALVES, 0.1, wanted=0.8, studies=500)
    assert found.items is not None
    fewer = msgspec.structs.replace(HALVES, items=found.items - 1)
    exact = msgspec.structs.replace(HALVES, items=found.items)
    assert power(fewer, 0.1, studies=500) < 0.8 <= power(exact, 0.1, studies=500)
    assert found.power == power(exact, 0.1, studies=500)
    assert found.units == 170


def test_units_that_differ_much_hide_a_gap_from_any_number_of_items() -> None:
    stubborn = Design(test="mean", groups=(10,), items=5, between=0.5, within=0.4)
    found = needed(stubborn, 0.05, studies=300)
    assert found.items is None
    assert found.power <= found.best < 0.8


def test_no_more_items_are_asked_for_than_there_are() -> None:
    found = needed(HALVES, 0.1, most_items=2, studies=300)
    assert (found.items, found.power < 0.8) == (None, True)


def test_the_smallest_gap_is_found_as_often_as_wanted() -> None:
    gap = smallest_gap(MEAN, studies=1000)
    assert gap is not None
    assert power(MEAN, gap, studies=1000) == pytest.approx(0.8, abs=0.04)


def test_a_study_of_two_templates_sees_nothing() -> None:
    tiny = Design(test="mean", groups=(2,), items=3, between=0.1, within=0.4)
    assert smallest_gap(tiny, studies=100) is None


def test_spread_is_told_apart_between_and_within_units() -> None:
    dice = np.random.default_rng(0)
    units = np.repeat(np.arange(400), 11)
    values = dice.normal(0, 0.1, 400)[units] + dice.normal(0, 0.3, len(units))
    found = unit_spread(values, units)
    assert found == pytest.approx((0.1, 0.3), abs=0.015)


def test_how_hard_an_item_is_for_all_is_no_luck_of_a_unit() -> None:
    dice = np.random.default_rng(0)
    units, items = np.repeat(np.arange(100), 11), np.tile(np.arange(11), 100)
    values = items / 10 + dice.normal(0, 0.1, len(units))
    without = unit_spread(values, units)
    with_items = unit_spread(values, units, items)
    assert without is not None
    assert with_items is not None
    assert with_items[1] == pytest.approx(0.1, abs=0.01)
    assert without[1] > 0.3


def test_spread_needs_three_units_and_one_with_two_values() -> None:
    assert unit_spread([1, 2, 3, 4], [0, 0, 1, 1]) is None
    assert unit_spread([1, 2, 3], [0, 1, 2]) is None
