"""The row a trial leaves behind."""

from __future__ import annotations

import msgspec


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """One flat row per trial; each probe adds columns of its own in a subclass.

    `trial` is unique in a run. `country` is the ISO-3 code of the economy the trial is about
    (empty where it is about none). `outcome` is a word of the probe's own for a trial that was
    read, or the reply's outcome where there was nothing to read; nothing is dropped in silence.
    """

    trial: str
    probe: str
    country: str = ""
    repeat: int = 0
    outcome: str
