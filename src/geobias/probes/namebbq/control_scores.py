"""Bias less that of the controls: what is left has to do with nationality."""

from __future__ import annotations

from typing import TYPE_CHECKING

from geobias.probes.namebbq.controls import CONTROLS
from geobias.probes.namebbq.scores import DATASETS, SCORES, bias_difference, estimate
from geobias.probes.tables import schema_of

if TYPE_CHECKING:
    import polars as pl


def over_controls(frame: pl.DataFrame, controls: pl.DataFrame) -> pl.DataFrame:
    """Ambiguous bias with nationalities and with names, less that of each control.

    `bias` and `control` are over the items that both have answers to, and so is `difference`, with
    its interval over templates and nationalities and the p-value of no difference. `read` and
    `control_read` are the answers behind the two.
    """
    import polars as pl

    score = SCORES["bias_ambiguous"]
    rows = []
    for dataset in DATASETS:
        for control in CONTROLS:
            told = frame.filter(condition="ambig", dataset=dataset, read=1)
            bare = controls.filter(condition="ambig", dataset=control, read=1)
            told, bare = (
                told.join(bare, on="item", how="semi"),
                bare.join(told, on="item", how="semi"),
            )
            found = bias_difference(told, bare)
            rows.append(
                {"dataset": dataset, "control": control}
                | {"bias": estimate(told, score).estimate.value}
                | estimate(bare, score).estimate.columns("control_bias")
                | found.estimate.columns("difference")
                | {
                    "p": found.p,
                    "read": told.height,
                    "control_read": bare.height,
                    "templates": found.units[0],
                    "nationalities": found.units[1],
                    "note": found.estimate.note,
                }
            )
    ends = ("", "_low", "_high")
    numbers = ("bias", *(f"{n}{end}" for n in ("control_bias", "difference") for end in ends), "p")
    counts = ("read", "control_read", "templates", "nationalities")
    schema = schema_of(("dataset", "control"), numbers, counts) | {"note": pl.String}
    made = pl.DataFrame(rows, schema)
    return made.filter(pl.col("read") > 0)
