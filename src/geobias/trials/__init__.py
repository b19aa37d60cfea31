"""A trial in plain Python: it yields an `Ask`, receives a `Reply`, and returns a `Record`.

This package does no I/O and knows no model, clock or disk.
"""

from geobias.trials.ask import Ask, Outcome, Reply, draw_seed
from geobias.trials.dialogue import Dialogue, Message
from geobias.trials.trial import Record, Steps, Trial

__all__ = [
    "Ask",
    "Dialogue",
    "Message",
    "Outcome",
    "Record",
    "Reply",
    "Steps",
    "Trial",
    "draw_seed",
]
