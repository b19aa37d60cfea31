"""The order of trials for a model that remembers the dialogue it read last in each of its slots.

Such a model reads only what is new in a dialogue, so those that begin alike are asked one after
another, and each worker has a stretch of its own: two that share a stretch would make the model
read its beginning twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from geobias.trials import Trial


def by_beginning(trials: Iterable[Trial]) -> list[Trial]:
    """Sorted by what their first asks say, so that neighbours share as much as they can.

    Trials that ask the same first, as games do, keep their order.
    """
    return sorted(trials, key=_first_words)


def _first_words(trial: Trial) -> list[str]:
    steps = trial.start()
    try:
        return [message.content for message in next(steps).dialogue]
    except StopIteration:  # it needs no model
        return []
    finally:
        steps.close()


def lanes(trials: Sequence[Trial], number: int) -> list[Iterator[Trial]]:
    """A stretch of neighbours for each worker.

    Whoever has done a stretch takes the second half of the longest one that is left.
    """
    ends = [len(trials) * i // number for i in range(number + 1)]
    stretches = [[first, end] for first, end in pairwise(ends)]
    return [_lane(trials, stretches, own) for own in range(number)]


def _lane(trials: Sequence[Trial], stretches: list[list[int]], own: int) -> Iterator[Trial]:
    mine = stretches[own]
    while True:
        while mine[0] < mine[1]:
            mine[0] += 1
            yield trials[mine[0] - 1]
        longest = max(stretches, key=lambda one: one[1] - one[0])
        middle = (longest[0] + longest[1]) // 2
        if longest[0] == longest[1]:
            return
        mine[:] = middle, longest[1]
        longest[1] = middle
