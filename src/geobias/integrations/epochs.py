"""Inspect's epochs: the same trials again, as draws of their own."""

from __future__ import annotations

from hashlib import blake2b

import msgspec

from geobias.trials import Ask, Record, Steps, Trial
from geobias.trials.dialogue import DIGEST_BYTES


def in_epoch(trial: Trial, epoch: int, repeats: int = 1) -> Trial:
    """The trial as it is asked in an epoch, counted from 1; the first is the trial as it is.

    Its asks are draws apart from those of other epochs. Its record is named for the epoch, and its
    repeats are counted on from those of the epochs before: each has `repeats`.
    """
    if epoch == 1:
        return trial

    def start() -> Steps:
        steps = trial.start()
        try:
            ask = next(steps)
            while True:
                reply = yield msgspec.structs.replace(ask, draw=f"{ask.draw}#{epoch}")
                ask = steps.send(reply)
        except StopIteration as end:
            record: Record = end.value
            return msgspec.structs.replace(
                record,
                trial=f"{record.trial}#{epoch}",
                repeat=record.repeat + (epoch - 1) * repeats,
            )
        finally:
            steps.close()

    return Trial(f"{trial.name}#{epoch}", start)


def digest_in_epoch(ask: Ask, model: str, epoch: int) -> bytes:
    """The ask's digest. Greedy asks name no draw, yet Inspect pays for each epoch's anew."""
    digest = ask.digest(model)
    if epoch == 1 or ask.temperature > 0:
        return digest
    return blake2b(digest + b"#%d" % epoch, digest_size=DIGEST_BYTES).digest()
