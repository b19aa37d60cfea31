"""What people found when they checked the readings of a run by hand.

An item counts once however many people judged it, and as right only if all of them say so. The
samples are drawn at random over trials, so that Wilson's interval is the fitting one. A verdict
"unsure" counts for nothing: neither right nor wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

import msgspec

from geobias.probes.registry import all_probes
from geobias.results.checks import Check, CheckQuestion
from geobias.results.formatting import estimate, percents
from geobias.stats import Estimate, rate
from geobias.stats.agreement import kappa

if TYPE_CHECKING:
    from geobias.runfile import RunReader, Verdict


class Agreement(msgspec.Struct, frozen=True):
    """Two reviewers and how far they agree on what both judged."""

    one: str
    other: str
    same: int
    kappa: Estimate


def questions() -> list[CheckQuestion]:
    """What can be checked, in reading order."""
    return [question for probe in all_probes().values() for question in probe.checks]


def checks(run: RunReader, model: str = "", id_: str = "") -> list[Check]:
    """Everything that was checked in a run; nothing where nobody has."""
    verdicts = run.verdicts()
    if not verdicts:
        return []
    outcomes = run.done()
    found = [
        _check(
            question,
            of_sample(verdicts, question.sample),
            outcomes.get(question.probe, {}),
            model,
            id_,
        )
        for question in questions()
    ]
    return [one for one in found if one is not None]


def of_sample(verdicts: Iterable[Verdict], sample: str) -> list[Verdict]:
    """The verdicts on one sample that say something."""
    return [one for one in verdicts if one.sample == sample and one.verdict not in ("", "unsure")]


def by_item(verdicts: Iterable[Verdict]) -> dict[str, list[Verdict]]:
    """Item → what its reviewers said."""
    found: dict[str, list[Verdict]] = {}
    for one in verdicts:
        found.setdefault(one.item, []).append(one)
    return found


def share(verdicts: Sequence[Verdict], right: Callable[[str], bool]) -> tuple[Estimate, int]:
    """The share of items that all their reviewers call right, and the number that is disputed."""
    items = by_item(verdicts)
    votes = [[right(one.verdict) for one in said] for said in items.values()]
    disputed = sum(any(vote) and not all(vote) for vote in votes)
    return rate(sum(map(all, votes)), len(votes)), disputed


def answered(
    question: CheckQuestion, verdicts: Sequence[Verdict], outcomes: Mapping[str, int]
) -> tuple[Estimate, int]:
    """The number that a question asks for, and how many items are disputed.

    Where it is derived from the share, the interval is that of the share, carried through.
    """
    found, disputed = share(verdicts, question.right)
    if question.derived is None or found.value is None:
        return found, disputed
    ends = [
        None if end is None else question.derived(end, outcomes)
        for end in (found.value, found.low, found.high)
    ]
    return Estimate(ends[0], ends[1], ends[2], found.n), disputed


def agreements(verdicts: Sequence[Verdict]) -> list[Agreement]:
    """Every two reviewers who judged some of the same items, those with the most in common first.

    A wrong reading is a wrong reading, whatever value each would have put in its place.
    """
    said: dict[str, dict[str, str]] = {}
    for verdict in verdicts:
        said.setdefault(verdict.reviewer, {})[verdict.item] = verdict.verdict
    found = []
    for one, other in combinations(sorted(said), 2):
        pairs = [(said[one][item], said[other][item]) for item in said[one] if item in said[other]]
        if pairs:
            found.append(Agreement(one, other, sum(a == b for a, b in pairs), kappa(pairs)))
    return sorted(found, key=lambda pair: -pair.kappa.n)


def _check(
    question: CheckQuestion,
    verdicts: Sequence[Verdict],
    outcomes: Mapping[str, int],
    model: str,
    id_: str,
) -> Check | None:
    found, disputed = answered(question, verdicts, outcomes)
    if not found.n or found.value is None:
        return None
    judged, _ = share(verdicts, question.right)
    pair = next(iter(agreements(verdicts)), None)
    between = pair.kappa if pair else None
    text = question.sentence.format(n=f"{found.n:,}", share=percent(found))
    if question.derived is None:
        if disputed:
            text += f" Reviewers differ on {disputed:,}."
        if between is not None and between.value is not None:
            text += (
                f" Cohen's kappa between two reviewers {kappa_words(between)} on "
                f"{between.n:,} items."
            )
    return Check(
        name=question.name,
        probe=question.probe,
        model=model,
        run=id_,
        label=question.label,
        value=found.value,
        low=found.low,
        high=found.high,
        n=found.n,
        right=0 if judged.value is None else round(judged.value * judged.n),
        disputed=disputed,
        reviewers=len({one.reviewer for one in verdicts}),
        kappa=between.value if between else None,
        kappa_low=between.low if between else None,
        kappa_high=between.high if between else None,
        kappa_n=between.n if between else 0,
        text=text,
    )


def percent(found: Estimate) -> str:
    """E.g. "99.4% [98.1, 99.9]"."""
    return percents(found.value, found.low, found.high, 1, "")


def kappa_words(found: Estimate) -> str:
    """Kappa with its interval, or why it is undefined."""
    if found.value is None:
        return f"undefined: {found.reason}"
    return estimate(found.value, found.low, found.high)
