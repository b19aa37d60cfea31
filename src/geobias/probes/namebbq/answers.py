"""What one run of Name-BBQ answered: its items, the names by themselves, and the controls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from geobias.probes.probe import Answers

if TYPE_CHECKING:
    import polars as pl


class Assumptions(Answers, frozen=True, kw_only=True):
    """The answers of one model.

    recognition   a row for each name that it was asked about; None where it was asked about none
    controls      a row for each control, as in `frame`; None where there were none
    """

    recognition: pl.DataFrame | None = None
    controls: pl.DataFrame | None = None
