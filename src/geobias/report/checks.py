"""Results of checks in which reviewers judged by hand how replies were read.

An item counts once however many reviewers judged it, and as right only if all of them say so.
Samples are drawn at random over trials, so Wilson's interval applies. The verdict "unsure" does not
count.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from geobias.probes.registry import all_probes
from geobias.results.descriptions import Check, CheckQuestion
from geobias.results.formatting import percents
from geobias.runfile import RunReader, Verdict
from geobias.stats.estimates import Estimate, rate


class Votes(NamedTuple):
    """Reviewers' votes on the items of a sample.

    right     number of items that all their reviewers call right
    disputed  number of items on which reviewers differ
    """

    right: int
    disputed: int


def check_questions() -> list[CheckQuestion]:
    return [question for probe in all_probes().values() for question in probe.showing.checks]


def run_checks(run: RunReader, model: str = "", run_id: str = "") -> list[Check]:
    """Return the result of every check that reviewers made on a run."""
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
    """The verdicts on one sample, except empty ones and "unsure"."""
    return [one for one in verdicts if one.sample == sample and one.verdict not in ("", "unsure")]


def check_estimate(
    question: CheckQuestion, verdicts: Iterable[Verdict], outcomes: Mapping[str, int]
) -> tuple[Estimate, Votes]:
    """Estimate the number that a check's question asks for, and count the votes behind it.

    If the number is derived from the share of right items, so are the ends of its interval.
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
    text = question.sentence.format(n=f"{share.n:,}", share=percent(share))
    if question.derived is None and votes.disputed:
        text += f" Reviewers differ on {votes.disputed:,}."
    return Check(
        name=question.name,
        probe=question.probe,
        model=model,
        run=run_id,
        label=question.label,
        **{name: getattr(share, name) for name in ("value", "low", "high", "n")},
        **votes._asdict(),
        reviewers=len({one.reviewer for one in verdicts}),
        text=text,
    )


def percent(share: Estimate) -> str:
    """A share as text, e.g. "99.4% [98.1, 99.9]"."""
    return percents(share.value, share.low, share.high, 1, "")
