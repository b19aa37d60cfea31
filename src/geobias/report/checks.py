"""The results of reviewers who checked a run's readings by hand.

An item counts once however many people judged it, and as right only if all of them say so. Samples
are drawn at random over trials, so Wilson's interval applies. The verdict "unsure" does not count.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from geobias.probes.registry import all_probes
from geobias.results.descriptions import Check, CheckQuestion
from geobias.results.formatting import estimate, percents
from geobias.runfile import RunReader, Verdict
from geobias.stats.estimates import Estimate, rate, undefined


class Votes(NamedTuple):
    """Numbers of items that all their reviewers call right, and of items on which
    reviewers differ.
    """

    right: int
    disputed: int


def check_questions() -> list[CheckQuestion]:
    return [question for probe in all_probes().values() for question in probe.showing.checks]


def run_checks(run: RunReader, model: str = "", run_id: str = "") -> list[Check]:
    """Everything that was checked in a run, or an empty list."""
    verdicts = run.verdicts()
    if not verdicts:
        return []
    outcomes = run.done()
    checks = []
    for question in check_questions():
        decided = decided_verdicts(verdicts, question.sample)
        checks.append(_check(question, decided, outcomes.get(question.probe, {}), model, run_id))
    return [check for check in checks if check is not None]


def decided_verdicts(verdicts: Iterable[Verdict], sample: str) -> list[Verdict]:
    """The verdicts on one sample, without "unsure"."""
    return [one for one in verdicts if one.sample == sample and one.verdict not in ("", "unsure")]


def check_estimate(
    question: CheckQuestion, verdicts: Iterable[Verdict], outcomes: Mapping[str, int]
) -> tuple[Estimate, Votes]:
    """The number that a question asks for, and the votes it rests on.

    If it is derived from the share of right items, its interval is derived from that of the share.
    """
    by_item: dict[str, list[bool]] = {}
    for one in verdicts:
        by_item.setdefault(one.item, []).append(question.right(one.verdict))
    right = sum(map(all, by_item.values()))
    disputed = sum(any(votes) and not all(votes) for votes in by_item.values())
    share = rate(right, len(by_item))
    if question.derived is not None and share.value is not None:
        value, low, high = (
            None if end is None else question.derived(end, outcomes)
            for end in (share.value, share.low, share.high)
        )
        share = Estimate(value, low, high, share.n)
    return share, Votes(right, disputed)


def best_pair(verdicts: Sequence[Verdict]) -> list[tuple[str, str]]:
    """The verdicts of the two reviewers who judged the most items in common."""
    words: dict[str, dict[str, str]] = {}
    for verdict in verdicts:
        words.setdefault(verdict.reviewer, {})[verdict.item] = verdict.verdict
    pairs = [
        [(one[item], other[item]) for item in one if item in other]
        for one, other in combinations([words[name] for name in sorted(words)], 2)
    ]
    return max(pairs, key=len, default=[])


def _check(
    question: CheckQuestion,
    verdicts: Sequence[Verdict],
    outcomes: Mapping[str, int],
    model: str,
    run_id: str,
) -> Check | None:
    share, votes = check_estimate(question, verdicts, outcomes)
    if not share.n or share.value is None:
        return None
    agreed = kappa(best_pair(verdicts))
    text = question.sentence.format(n=f"{share.n:,}", share=percent(share))
    if question.derived is None:
        if votes.disputed:
            text += f" Reviewers differ on {votes.disputed:,}."
        if agreed.value is not None:
            text += (
                f" Cohen's kappa between two reviewers "
                f"{estimate(agreed.value, agreed.low, agreed.high)} on {agreed.n:,} items."
            )
    return Check(
        name=question.name,
        probe=question.probe,
        model=model,
        run=run_id,
        label=question.label,
        **{name: getattr(share, name) for name in ("value", "low", "high", "n")},
        **votes._asdict(),
        reviewers=len({one.reviewer for one in verdicts}),
        kappa=agreed.value,
        **{f"kappa_{name}": getattr(agreed, name) for name in ("low", "high", "n")},
        text=text,
    )


def percent(share: Estimate) -> str:
    """A share as text, e.g. "99.4% [98.1, 99.9]"."""
    return percents(share.value, share.low, share.high, 1, "")


def kappa(pairs: Sequence[tuple[Hashable, Hashable]]) -> Estimate:
    """Cohen's kappa (1960) of two people's verdicts on the same `n` items, from statsmodels.

    The 95% interval is the large-sample one of Fleiss, Cohen and Everitt (1969), cut at −1 and 1;
    with few items it is only a rough guide. Undefined without items, and if both gave the same
    verdict to all of them, since chance alone would then agree as well.
    """
    from statsmodels.stats.inter_rater import (
        cohens_kappa,
    )  # loads in two seconds, and only one table needs it

    if not pairs:
        return undefined(0, "no item was judged by both")
    words = sorted({word for pair in pairs for word in pair}, key=repr)
    if len(words) == 1:
        return undefined(len(pairs), "both said the same of every item")
    table = np.zeros((len(words), len(words)))
    for one, other in pairs:
        table[words.index(one), words.index(other)] += 1
    with np.errstate(invalid="ignore"):  # 0 / 0 where one of the two always said the same
        found = cohens_kappa(table)
    value = float(found.kappa)
    if (
        not float(found.std_kappa) > 1e-6
    ):  # full agreement or none, where it would suggest certainty
        return Estimate(value, None, None, len(pairs), "too few differences for an interval")
    ends = max(-1.0, float(found.kappa_low)), min(1.0, float(found.kappa_upp))
    return Estimate(value, *ends, len(pairs))
