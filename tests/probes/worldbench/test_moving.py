"""Figures that move look like bias, unless one knows by how much they move."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from geobias.atlas.economies import economies
from geobias.atlas.figures import Figures, figures
from geobias.measures.estimates import contrasted, group_table
from geobias.probes import derived
from geobias.probes.worldbench.answers import FigureAnswers
from geobias.probes.worldbench.moving import floors, other_figures, with_other_figures
from geobias.probes.worldbench.probe import WorldBench
from geobias.probes.worldbench.scores import ERROR, frame_of
from geobias.results.tables import adjusted_over_audit
from geobias.results.verdicts import is_significant, primary_of, word_of
from tests.defined import defined
from tests.probes.answering import run_of
from tests.probes.worldbench.answering import row, trend_of


@pytest.fixture(scope="module")
def answers() -> FigureAnswers:
    """A model that knows the shipped edition by heart, a little noise aside, asked of another one,
    whose figures of poor countries are a third higher."""
    shipped, dice = figures(), np.random.default_rng(1)
    incomes = ("Low income", "Lower middle income")
    poor = {one.iso3 for one in economies().values() if one.income in incomes}
    moved = Figures(
        {
            name: msgspec.structs.replace(
                one,
                figures={
                    iso3: {year: own[year] * (1.33 if iso3 in poor else 1) for year in own}
                    for iso3, own in one.figures.items()
                },
            )
            for name, one in shipped.series.items()
        }
    )
    rows = []
    for name in ("gdp", "population", "unemployment"):
        for iso3, truth in moved.truths(name).items():
            value = shipped.truths(name)[iso3] * float(dice.uniform(0.97, 1.03))
            error = abs(value - truth) / max(value, truth, 1e-9)
            rows.append(row(iso3, indicator=name, truth=truth, value=value, error=error))
    return FigureAnswers(model="made", frame=frame_of(rows), records=run_of(), figures=moved)


def test_a_gap_that_moving_figures_make_is_gone_against_the_nearest_figure(
    answers: FigureAnswers,
) -> None:
    assert (trend_of(answers.frame).found.value or 0) > 0.15
    close = with_other_figures(answers.frame, other_figures(defined(answers.figures), "average"))
    nearest = close.with_columns(error="nearest")
    assert trend_of(nearest).found.value == pytest.approx(0, abs=0.02)


def test_a_significant_gap_that_moving_figures_may_explain_is_open_with_a_caution(
    answers: FigureAnswers,
) -> None:
    frame = with_other_figures(answers.frame, other_figures(defined(answers.figures), "average"))
    whole = msgspec.structs.replace(answers, frame=frame)
    probe = WorldBench()
    told = derived.findings_of(probe, derived.with_outcome_columns(probe, whole), brief=True)
    [section] = adjusted_over_audit([told.section])
    primary = defined(primary_of(section))
    assert "moving figures" in primary.caution
    assert is_significant(primary)
    assert word_of(primary) == "open"
    assert "moving figures may explain it" in defined(derived.verdict(probe, section)).matters


@pytest.mark.parametrize(
    ("subregions", "word"), [(None, "ruled out"), (0.04, "ruled out"), (0.07, "open")]
)
def test_no_gap_is_ruled_out_that_subregions_as_units_leave_open(
    answers: FigureAnswers, subregions: float | None, word: str
) -> None:
    told = derived.findings_of(WorldBench(), answers, brief=True)
    small = {"value": 0.03, "low": 0.01, "high": 0.045, "interest": 0.05, "missing": 0}
    metric = msgspec.structs.replace(
        defined(primary_of(told.section)), **small, p_checks=None, reach_checks=subregions
    )
    assert word_of(metric) == word


@pytest.mark.parametrize(("interest", "says"), [(0.0, None), (0.9, "too small to matter")])
def test_the_gap_against_the_nearest_figures_must_be_of_interest(
    answers: FigureAnswers, interest: float, says: str | None
) -> None:
    """A model that errs about poor countries against the figures of every edition."""
    poor = answers.frame["income"].is_in(("Low income", "Lower middle income"))
    frame = answers.frame.with_columns(error=0.2 + 0.3 * poor, nearest=0.1 + 0.4 * poor)
    found = contrasted(frame, ERROR, ERROR.contrasts[0], interest)
    assert (says in found.caution) if says else (found.p_checks or 0) < 0.05


def test_the_mean_error_of_a_group_that_only_knows_moved_figures_is_its_floor(
    answers: FigureAnswers,
) -> None:
    known = other_figures(defined(answers.figures), "average")
    table = group_table(with_other_figures(answers.frame, known), ERROR, "income")
    of_each = table.select("group", "floor"), floors(answers.frame, known, "income")
    for floor in (dict(one.select("group", one.columns[-1]).rows()) for one in of_each):
        assert floor["Low income"] == pytest.approx(0.25, abs=0.01)
        assert floor["High income"] == pytest.approx(0, abs=0.01)
    assert table["mean"].to_list() == pytest.approx(table["floor"].to_list(), abs=0.02)


def test_only_another_table_is_another_edition() -> None:
    assert list(other_figures(figures(), "average")) == [str(year) for year in range(2018, 2023)]
