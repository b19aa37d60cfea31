"""Trials in plain Python: a trial yields asks, receives replies, and returns a record.

This package does no I/O, and uses no model and no clock.
"""

from geobias.trials.ask import Ask, Outcome, Reply, draw_seed
from geobias.trials.dialogue import Dialogue, Message
from geobias.trials.trial import Record, Steps, StoredRecord, StoredSettings, Trial, drive, replayed

__all__ = [
    "Ask",
    "Dialogue",
    "Message",
    "Outcome",
    "Record",
    "Reply",
    "Steps",
    "StoredRecord",
    "StoredSettings",
    "Trial",
    "draw_seed",
    "drive",
    "replayed",
]
