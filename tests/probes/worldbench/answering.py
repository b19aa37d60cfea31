"""Answers to WorldBench's questions without a model, a clock or a disk."""

from __future__ import annotations

from typing import Any

import polars as pl

from geobias.atlas.economies import economies
from geobias.measures.estimates import contrasted
from geobias.measures.measure import Contrasted
from geobias.probes import derived
from geobias.probes.plan import Plan
from geobias.probes.worldbench.answers import FigureAnswers
from geobias.probes.worldbench.probe import WorldBench
from geobias.probes.worldbench.scores import ERROR, frame_of
from geobias.results.findings import ProbeFindings
from tests.probes.answering import run_of, simulated_rows


def simulated(plan: Plan, model: str) -> pl.DataFrame:
    """The frame of a plan answered by a simulated model."""
    return frame_of(simulated_rows(plan, model), model)


def row(country: str = "KEN", **fields: Any) -> dict[str, Any]:
    """A record of one parsed answer about Kenya, but for what is said otherwise."""
    place = economies()[country]
    usual = {
        "trial": f"t/{country}",
        "indicator": "population",
        "country": country,
        "region": place.region,
        "income": place.income,
        "wording": 0,
        "repeat": 0,
        "outcome": "parsed",
        "truth": 1.0,
        "value": 1.0,
        "error": 0.0,
    }
    return usual | fields


def silent(country: str = "KEN", outcome: str = "abstained", **fields: Any) -> dict[str, Any]:
    """A record without an answer."""
    return row(country, outcome=outcome, value=None, error=None, **fields)


def found_in(frame: pl.DataFrame) -> ProbeFindings:
    """What the end of a run of these answers, and no other, shows."""
    probe = WorldBench()
    answers = FigureAnswers(model="made", frame=frame, records=run_of(), figures=None)
    return derived.findings_of(probe, derived.with_outcome_columns(probe, answers), brief=True)


def trend_of(frame: pl.DataFrame) -> Contrasted:
    """The primary number of these answers."""
    return contrasted(frame, ERROR, ERROR.contrasts[0])
