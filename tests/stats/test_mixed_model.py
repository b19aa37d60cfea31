from __future__ import annotations

import numpy as np
import pytest

from geobias.stats.regression import reml


def test_one_kind_of_units_is_fitted_as_by_statsmodels() -> None:
    from statsmodels.regression.mixed_linear_model import MixedLM

    dice = np.random.default_rng(2)
    unit = np.repeat(np.arange(20), 6)
    x = np.column_stack([np.ones(120), dice.normal(size=120)])
    y = x @ [1.0, 0.5] + dice.normal(0, 0.8, 20)[unit] + dice.normal(0, 1, 120)
    found, known = reml(y, x, [unit]), MixedLM(y, x, groups=unit).fit(reml=True)
    assert found.values == pytest.approx(known.fe_params, abs=1e-3)
    assert np.sqrt(found.variances) == pytest.approx(known.bse_fe, rel=0.04)
    assert found.units[0] == pytest.approx(float(known.cov_re[0, 0]), abs=5e-3)


def test_units_that_do_not_differ_have_no_variance_and_two_kinds_are_told_apart() -> None:
    dice = np.random.default_rng(3)
    rows, columns = np.indices((25, 25)).reshape(2, -1)
    y = dice.normal(0, 2, 25)[columns] + dice.normal(0, 1, 625)
    y -= np.array([y[rows == row].mean() for row in range(25)])[rows]
    found = reml(y, np.ones((625, 1)), [rows, columns])
    assert found.units[0] == pytest.approx(0, abs=0.01)
    assert found.units[1] == pytest.approx(float(np.bincount(columns, y).var() / 625), rel=0.2)
