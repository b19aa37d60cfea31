"""Geo20Q+'s answers: the games of a run, and what its judge said to known facts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from geobias.atlas.entities import load_entities
from geobias.atlas.views import read_views, with_views
from geobias.corpus.results import read_counts, with_frequency
from geobias.probes.geo20q.judge_scores import judge_frame_of
from geobias.probes.geo20q.judging import JUDGE_RECORDS
from geobias.probes.geo20q.scores import frame_of, limits_of
from geobias.probes.probe import Answers, RunRecords

if TYPE_CHECKING:
    import polars as pl

    from geobias.probes.geo20q.settings import Geo20QReading


class Games(Answers, frozen=True, kw_only=True):
    """`frame` has the games, `judge` the judge's answers to known facts."""

    judge: pl.DataFrame


def read_games(run: RunRecords, reading: Geo20QReading) -> Games:
    """A run's games. Trials end in whatever order; sums of floats must not depend on it."""
    known = load_entities(reading.entities)
    if reading.views is not None:
        known = with_views(known, read_views(reading.views))
    if reading.frequency is not None:
        known = with_frequency(known, read_counts(reading.frequency))
    limits = limits_of(run.settings)
    judge = run.models.get("judge", run.model)
    return Games(
        model=run.model,
        frame=frame_of(run.rows("geo20q"), run.model, known, limits).sort("trial"),
        judge=judge_frame_of(run.rows(JUDGE_RECORDS), judge).sort("trial"),
        records=run,
    )
