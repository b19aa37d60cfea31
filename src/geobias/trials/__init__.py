"""A trial in plain Python: it yields an `Ask`, is sent a `Reply`, and returns a `Record`.

Nothing in here does I/O or knows a model, a clock or a disk.
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
