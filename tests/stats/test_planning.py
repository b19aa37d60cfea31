from __future__ import annotations

import math

import msgspec
import numpy as np
import pytest

from geobias.stats.planning import Design, needed, power, smallest_gap, unit_spread
from tests.studies import fewest, most, studies

MEAN = Design(test="mean", groups=(25,), items=(16,) * 25, between=0.1, within=0.4)
HALVES = Design(test="two_groups", groups=(60, 110), items=(10,) * 170, between=0.1, within=0.4)
UNEVEN = tuple(1 + i % 11 for i in range(214))
REGIONS = Design(
    test="groups", groups=(58, 48, 42, 37, 21, 8), items=UNEVEN, between=0.05, within=0.2
)
CROSSED = Design(
    test="crossed",
    groups=(20,),
    items=(30,) * 20,
    columns=(20,) * 30,
    cells=(1,) * 600,
    between=0.1,
    within=0.4,
    across=0.05,
)
ALL = pytest.mark.parametrize(
    "design", [MEAN, HALVES, REGIONS, CROSSED], ids=lambda design: design.test
)


def test_the_power_of_a_mean_is_that_of_students_test() -> None:
    from statsmodels.stats.power import TTestPower

    sd = math.hypot(MEAN.between, MEAN.within / 4)
    known = TTestPower().power(0.08 / sd, 25, 0.05)
    assert power(MEAN, 0.08) == pytest.approx(known, abs=1e-6)


def test_the_power_of_two_even_groups_is_that_of_students_test() -> None:
    from statsmodels.stats.power import TTestIndPower

    even = Design(test="two_groups", groups=(40, 40), items=(4,) * 80, between=0.1, within=0.4)
    known = TTestIndPower().power(0.15 / math.hypot(0.1, 0.2), 40, 0.05)
    assert power(even, 0.15) == pytest.approx(known, abs=1e-6)


def test_the_power_between_groups_is_what_welchs_test_finds_in_simulated_studies() -> None:
    from statsmodels.stats.oneway import anova_oneway

    dice = np.random.default_rng(1)
    group = np.repeat(np.arange(6), REGIONS.groups)
    sd = np.hypot(REGIONS.between, REGIONS.within / np.sqrt(UNEVEN))
    found, drawn = 0, studies(300, 3000)
    for _ in range(drawn):
        means = dice.permutation(np.linspace(0, 0.08, 6))[group] + dice.normal(0, sd)
        found += anova_oneway(means, group, use_var="unequal").pvalue < 0.05
    planned = power(REGIONS, 0.08)
    assert fewest(drawn, planned) <= found <= most(drawn, planned)


def test_units_that_are_crossed_with_none_that_differ_count_as_a_plain_mean() -> None:
    alone = msgspec.structs.replace(CROSSED, across=0.0, columns=(1,) * 600)
    plain = Design(test="mean", groups=(20,), items=(30,) * 20, between=0.1, within=0.4)
    assert power(alone, 0.08) == pytest.approx(power(plain, 0.08), abs=0.03)
    assert power(CROSSED, 0.08) < power(alone, 0.08)


@ALL
def test_where_nothing_is_one_study_in_twenty_finds_something(design: Design) -> None:
    assert power(design, 0.0) == pytest.approx(0.05, abs=1e-6)


@ALL
def test_a_larger_gap_is_found_more_often(design: Design) -> None:
    found = [power(design, gap) for gap in (0.0, 0.05, 0.15, 0.4, 4.0)]
    assert found == sorted(found)
    assert found[-2] > 0.95


@ALL
def test_a_stricter_level_finds_less(design: Design) -> None:
    assert power(msgspec.structs.replace(design, level=0.025), 0.07) < power(design, 0.07)


def test_items_that_are_uneven_are_worth_less_than_as_many_even_ones() -> None:
    few_and_many = (2,) * 85 + (18,) * 85
    uneven = msgspec.structs.replace(HALVES, items=few_and_many)
    assert power(uneven, 0.07) < power(HALVES, 0.07)


def test_what_goes_along_with_the_groups_makes_their_gap_harder_to_see() -> None:
    assert power(msgspec.structs.replace(HALVES, inflation=1.5), 0.07) < power(HALVES, 0.07)


def test_a_count_of_items_is_needed_for_each_unit() -> None:
    with pytest.raises(ValueError, match="2 counts of items for 3 units"):
        Design(test="mean", groups=(3,), items=(1, 1), between=0.1, within=0.1)


def test_the_items_needed_reach_the_power_and_one_less_does_not() -> None:
    found = needed(HALVES, 0.1, wanted=0.8)
    assert found.items is not None
    fewer, exact = (
        msgspec.structs.replace(HALVES, items=(items,) * 170)
        for items in (found.items - 1, found.items)
    )
    assert power(fewer, 0.1) < 0.8 <= power(exact, 0.1)
    assert found.power == power(exact, 0.1)
    assert found.units == 170


def test_units_that_differ_much_hide_a_gap_from_any_number_of_items() -> None:
    stubborn = Design(test="mean", groups=(10,), items=(5,) * 10, between=0.5, within=0.4)
    found = needed(stubborn, 0.05)
    assert found.items is None
    assert found.power <= found.best < 0.8


def test_no_more_items_are_asked_for_than_there_are() -> None:
    found = needed(HALVES, 0.1, most_items=2)
    assert (found.items, found.power < 0.8) == (None, True)


@ALL
def test_the_smallest_gap_is_found_as_often_as_wanted(design: Design) -> None:
    gap = smallest_gap(design)
    assert gap is not None
    assert 0.8 <= power(design, gap) < 0.86


def test_a_study_of_two_templates_sees_nothing() -> None:
    tiny = Design(test="mean", groups=(2,), items=(3, 3), between=0.1, within=0.4)
    assert smallest_gap(tiny) is None


@ALL
def test_where_nothing_varies_any_gap_is_seen_and_none_is_not(design: Design) -> None:
    still = msgspec.structs.replace(design, between=0.0, within=0.0, across=0.0)
    assert smallest_gap(still) == 0
    assert power(still, 1e-6) == pytest.approx(1)
    assert power(still, 0.0) == pytest.approx(design.level)


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
