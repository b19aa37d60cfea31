"""Results of checks in which reviewers judged by hand how replies were read.

An item counts once however many reviewers judged it, and as right only if all of them say so.
Samples are drawn at random over trials, so Wilson's interval applies. The verdict "unsure" does not
count.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from geobias.probes.registry import all_probes
from geobias.results.descriptions import Check, CheckQuestion
from geobias.results.formatting import percents
from geobias.runfile import RunReader, Verdict
from geobias.stats.estimates import rate


def check_questions() -> list[CheckQuestion]:
    return [question for probe in all_probes().values() for question in probe.showing.checks]


def run_checks(run: RunReader, questions: Iterable[CheckQuestion]) -> list[Check]:
    verdicts, outcomes = run.verdicts(), run.done()
    checks = (check_of(one, verdicts, outcomes.get(one.probe, {})) for one in questions)
    return [check for check in checks if check is not None]


def check_of(
    question: CheckQuestion, verdicts: Iterable[Verdict], outcomes: Mapping[str, int]
) -> Check | None:
    """Estimate the share that a check asks about, or the number derived from it. None if no item
    was judged.

    A derived number is computed from the share of right items, and the ends of its interval from
    the ends of that share's interval.
    """
    by_item: dict[str, list[bool]] = {}
    reviewers = set()
    for one in verdicts:
        if one.sample == question.sample and one.verdict != "unsure":
            by_item.setdefault(one.item, []).append(question.right(one.verdict))
            reviewers.add(one.reviewer)
    right = sum(map(all, by_item.values()))
    disputed = sum(any(votes) and not all(votes) for votes in by_item.values())
    share = rate(right, len(by_item))
    value, low, high = ends = share.value, share.low, share.high
    if question.derived is not None:
        value, low, high = (
            None if end is None else question.derived(end, outcomes) for end in ends
        )
    if value is None:
        return None
    shown = percents(value, low, high, 1, "")
    text = question.sentence.format(n=f"{share.n:,}", share=shown)
    if question.derived is None and disputed:
        text += f" Reviewers differ on {disputed:,}."
    return Check(
        name=question.name,
        label=question.label,
        value=value,
        low=low,
        high=high,
        n=share.n,
        right=right,
        disputed=disputed,
        reviewers=len(reviewers),
        text=text,
    )
