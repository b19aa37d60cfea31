from __future__ import annotations

import math

import msgspec
import numpy as np
import pytest

from geobias.stats.contrasts import trend
from geobias.stats.planning import Design, needed, power, smallest_gap
from tests.defined import defined
from tests.studies import fewest, most, studies

MEAN = Design(groups=(25,), weights=(1.0,), items=(16,) * 25, between=0.1, within=0.4)
HALVES = Design(groups=(60, 110), weights=(1.0, -1.0), items=(10,) * 170, between=0.1, within=0.4)
UNEVEN = tuple(1 + i % 11 for i in range(214))
TREND = Design(
    groups=(58, 48, 71, 37), weights=(0.9, 0.3, -0.3, -0.9), items=UNEVEN, between=0.05, within=0.2
)
CROSSED = Design(
    groups=(20,),
    weights=(1.0,),
    items=(30,) * 20,
    columns=(20,) * 30,
    cells=(1,) * 600,
    between=0.1,
    within=0.4,
    across=0.05,
)
ALL = pytest.mark.parametrize(
    "design", [MEAN, HALVES, TREND, CROSSED], ids=("mean", "halves", "trend", "crossed")
)


def test_the_power_of_a_mean_is_that_of_students_test() -> None:
    from statsmodels.stats.power import TTestPower

    sd = math.hypot(MEAN.between, MEAN.within / 4)
    known = TTestPower().power(0.08 / sd, 25, 0.05)
    assert power(MEAN, 0.08) == pytest.approx(known, abs=1e-6)


def test_the_power_of_two_even_groups_is_that_of_students_test() -> None:
    from statsmodels.stats.power import TTestIndPower

    even = Design(groups=(40, 40), weights=(1.0, -1.0), items=(4,) * 80, between=0.1, within=0.4)
    known = TTestIndPower().power(0.15 / math.hypot(0.1, 0.2), 40, 0.05)
    assert power(even, 0.15) == pytest.approx(known, abs=1e-6)


def test_the_power_of_a_trend_is_what_its_test_finds_in_simulated_studies() -> None:
    dice = np.random.default_rng(1)
    names = [name for name, n in zip("abcd", TREND.groups, strict=True) for _ in range(n)]
    place = np.array(["abcd".index(name) for name in names])
    sd = np.hypot(TREND.between, TREND.within / np.sqrt(UNEVEN))
    found, drawn = 0, studies(300, 3000)
    for _ in range(drawn):
        p = trend(0.04 * (1 - place / 3) + dice.normal(0, sd), names, "abcd").p
        found += p is not None and p < 0.05
    planned = power(TREND, 0.04)
    assert fewest(drawn, planned) <= found <= most(drawn, planned)


def test_a_count_of_items_is_needed_for_each_unit() -> None:
    with pytest.raises(ValueError, match="2 counts of items for 3 units"):
        Design(groups=(3,), weights=(1.0,), items=(1, 1), between=0.1, within=0.1)
    with pytest.raises(ValueError, match="1 weights for 2 groups"):
        Design(groups=(1, 1), weights=(1.0,), items=(1, 1), between=0.1, within=0.1)


def test_the_items_needed_reach_the_power_and_one_less_does_not() -> None:
    found = needed(HALVES, 0.1, wanted=0.8)
    fewer, exact = (
        msgspec.structs.replace(HALVES, items=(items,) * 170)
        for items in (defined(found.items) - 1, defined(found.items))
    )
    assert power(fewer, 0.1) < 0.8 <= power(exact, 0.1)
    assert found.power == power(exact, 0.1)
    assert found.units == 170


@ALL
def test_the_smallest_gap_is_found_as_often_as_wanted_and_none_once_in_twenty(
    design: Design,
) -> None:
    assert power(design, 0.0) == pytest.approx(0.05, abs=1e-6)
    gap = defined(smallest_gap(design))
    assert 0.8 <= power(design, gap) < 0.86


@ALL
def test_where_nothing_varies_any_gap_is_seen_and_none_is_not(design: Design) -> None:
    still = msgspec.structs.replace(design, between=0.0, within=0.0, across=0.0)
    assert smallest_gap(still) == 0
    assert power(still, 1e-6) == pytest.approx(1)
    assert power(still, 0.0) == pytest.approx(design.level)


def test_units_with_more_items_may_weigh_more() -> None:
    """Ninety items of one unit are known better than one of each other: their mean gets nearer."""
    items = (90, *[1] * 9) * 2
    design = Design(groups=(10, 10), weights=(1.0, -1.0), items=items, between=0.1, within=0.4)
    equal = msgspec.structs.replace(design, pulls=(3.0,) * 20)
    assert power(equal, 0.3) == pytest.approx(power(design, 0.3))
    precise = tuple(1 / (0.1**2 + 0.4**2 / count) for count in items)
    assert power(msgspec.structs.replace(design, pulls=precise), 0.3) > power(design, 0.3) + 0.02
