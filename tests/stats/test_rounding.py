"""Values that differ by rounding alone count as equal.

Which sums are exactly equal depends on the processor.
"""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from geobias.measures.wordings import crossed_components
from geobias.stats.correlation import pearson
from geobias.stats.estimates import undefined, wilson
from geobias.stats.over_units import share_over_units
from geobias.stats.planning import smallest_gap
from geobias.stats.pooling import lent_errors
from geobias.stats.regression import difference_at_equal, overlap, slope_over_clusters
from tests.stats.test_planning import HALVES
from tests.studies import ends

EQUAL = np.array([0.3, 0.1 + 0.2] * 30)
UNITS = np.repeat(np.arange(12), 5)
ORDER = np.arange(60.0)


def test_there_is_no_correlation() -> None:
    assert pearson(ORDER, EQUAL) == undefined(60, "")


def test_there_is_no_slope() -> None:
    assert slope_over_clusters(EQUAL, ORDER, UNITS).reason == "the outcome does not vary"
    second = (UNITS % 2).astype(float)
    assert difference_at_equal(EQUAL, second, {}, UNITS, most=1).p == 1
    assert overlap(EQUAL + second, second) is None


def test_rows_whose_differences_cancel_in_each_cluster_give_no_interval() -> None:
    found = slope_over_clusters(
        [0.1, 0.7, 0.1, 0.7] * 15, (UNITS // 2).astype(float), np.arange(60) // 2
    )
    assert found.reason == "no row differs from the fit"


def test_no_spread_is_known() -> None:
    assert np.isnan(lent_errors([1e-17] * 6, [5] * 6)).all()
    assert smallest_gap(msgspec.structs.replace(HALVES, between=1e-17, within=1e-17)) == 0
    low, high = ends(share_over_units([1.0, 1 - 1e-16, 1.0, 1.0], [5] * 4))
    assert (low, high) == pytest.approx(wilson(1.0, 20, 3.182446), abs=1e-6)
    cells = np.indices((1, 12, 5)).reshape(3, -1)
    assert crossed_components(EQUAL, *cells).share.reason == "all values are equal"
