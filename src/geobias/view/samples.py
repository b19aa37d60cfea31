"""What a reviewer is shown of the samples that probes declare (`results.checks.Sample`).

A sample is the first n of all items it could have, in an order that a hash of their names decides:
random as far as anything about the items goes, the same for every reviewer and on every machine,
and longer by going on. So nothing needs to be stored for two people to judge the same items, or
for one to stop and come back.
"""

from __future__ import annotations

import heapq
from functools import lru_cache
from typing import Any

from geobias.probes.registry import all_probes
from geobias.results.descriptions import Sample
from geobias.view.index import Index
from geobias.view.rows import shuffle

_FROM = "FROM sampled s JOIN trials t ON t.id = s.id WHERE s.sample = ?"


def samples() -> dict[str, Sample]:
    return {one.name: one for probe in all_probes().values() for one in probe.samples}


def population(index: Index, sample: Sample) -> int:
    return index.number(f"SELECT coalesce(sum(s.items), 0) {_FROM}", (sample.name,))


def items(index: Index, sample: Sample, n: int) -> list[str]:
    if sample.shows == "answer":
        return list(_answers(index, sample.name, index.indexed, n))
    rows = index.rows(
        f"SELECT t.trial {_FROM} ORDER BY t.shuffle, t.trial LIMIT ?",
        (sample.name, n),
    )
    return [trial for (trial,) in rows]


@lru_cache(maxsize=8)
def _answers(index: Index, sample: str, count: int, n: int) -> tuple[str, ...]:
    """Single answers of conversations. Every answer has the same chance, also those of long ones.

    `count` is what the index held when it was asked: it tells an old list from a new one.
    """
    rows: list[tuple[Any, ...]] = index.rows(f"SELECT t.trial, s.items {_FROM}", (sample,))
    every = (f"{trial}#{k}" for trial, answers in rows for k in range(1, answers + 1))
    return tuple(heapq.nsmallest(n, every, key=lambda name: (shuffle(name), name)))


def is_item(index: Index, sample: Sample, item: str) -> bool:
    in_parts = sample.shows == "answer"
    trial, _, answer = item.rpartition("#") if in_parts else (item, "", "")
    count = index.number(f"SELECT s.items {_FROM} AND t.trial = ?", (sample.name, trial))
    # Written as `_answers` writes it, so that an answer has one name: 7, not 07 or ٧.
    return answer in map(str, range(1, count + 1)) if in_parts else count > 0
