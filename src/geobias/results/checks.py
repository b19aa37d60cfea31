"""Checks by hand: what a probe has people look at, and what they found.

A probe names samples of its trials (`Sample`), the words a reviewer may say of an item (`Key`), and
the shares that these words answer (`CheckQuestion`). `geobias view` shows the items; the report
has the shares (`Check`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

import msgspec


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that people checked in one run.

    name           PROBE.what was checked
    value          the share with its 95% interval, of `n` items judged
    right          how many of them all their reviewers call right
    disputed       items on which reviewers differ; they do not count as right
    kappa          Cohen's, between the two reviewers who share the most items; None where no two do
    text           the same as a sentence
    """

    name: str
    probe: str
    model: str
    run: str
    label: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    right: int
    disputed: int
    reviewers: int
    kappa: float | None
    kappa_low: float | None
    kappa_high: float | None
    kappa_n: int
    text: str


class Key(msgspec.Struct, frozen=True):
    """A verdict and the keys that give it. `asks`: what is typed with it, "" if nothing."""

    keys: str
    verdict: str
    label: str
    asks: str = ""


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of sample.

    items      how many items of the sample a record has: 0 if it is none of them, 1 if the trial is
               one, more if parts of it are (`TRIAL#1`, `TRIAL#2` …)
    shows      the question and its reply; or the item beside its other version, without replies; or
               one answer of a conversation
    published  the size of the paper's own sample, over all its models; 0 where it has none
    usual      how many items a reviewer is offered
    aside      what a reviewer should know about the way it is shown
    """

    name: str
    title: str
    question: str
    keys: tuple[Key, ...]
    items: Callable[[Mapping[str, Any]], int]
    shows: Literal["reply", "versions", "answer"] = "reply"
    published: int = 0
    usual: int = 100
    aside: str = ""

    @property
    def probe(self) -> str:
        """The probe whose trials these are."""
        return self.name.partition(".")[0]


class CheckQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """A share that a sample answers: which verdicts count for it.

    sentence   with {n}, the items judged, and {share}
    derived    from the share and the number of trials by outcome, where the number asked for is not
               the share itself; None where it is undefined
    """

    name: str
    sample: str
    label: str
    right: Callable[[str], bool]
    sentence: str
    derived: Callable[[float, Mapping[str, int]], float | None] | None = None

    @property
    def probe(self) -> str:
        """The probe whose reading is checked."""
        return self.name.partition(".")[0]
