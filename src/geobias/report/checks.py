"""What people found when they checked the readings of a run by hand.

WorldBench's validation (Moayeri et al. 2024, section 3.2 and appendix C) has four parts: how many
replies a number was read from; of those without one, how many have one after all; of those with
one, how many it was read right from; and the same where the error is over 0.85. The first needs no
person, the others are samples that `geobias view` draws. Two more are ours: the judge's answers in
games, and items in which names took the place of nationalities.

An item counts once however many people judged it, and as right only if all of them say so. The
samples are drawn at random over trials, so that Wilson's interval is the fitting one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

import msgspec

from geobias.stats import Estimate, rate
from geobias.stats.agreement import kappa

if TYPE_CHECKING:
    from geobias.runfile import RunReader, Verdict

LARGE_ERROR = 0.85
"""As in the paper."""
UNREAD = ("abstained", "unparsed")
"""Outcomes of WorldBench with text and without a number."""


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that people checked in one run.

    name           worldbench.correctness, …; `probe` its probe
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


class Agreement(msgspec.Struct, frozen=True):
    """Two reviewers and how far they agree on what both judged."""

    one: str
    other: str
    same: int
    kappa: Estimate


class Question(msgspec.Struct, frozen=True):
    """A share that a sample answers: which verdicts count for it."""

    name: str
    sample: str
    label: str
    right: Callable[[str], bool]
    subject: str
    said: str
    """The sentence goes "{subject} checked on n {said}: share right"."""


QUESTIONS = (
    Question(
        "worldbench.correctness",
        "worldbench.parsed",
        "Numbers read right",
        lambda word: word == "right",
        "Parser",
        "replies",
    ),
    Question(
        "worldbench.correctness_large_errors",
        "worldbench.large_error",
        "Numbers read right where the error is over 0.85",
        lambda word: word == "right",
        "Parser",
        "replies with an error over 0.85",
    ),
    Question(
        "worldbench.nothing_missed",
        "worldbench.unparsed",
        "Unread replies that have no number",
        lambda word: word == "none",
        "Parser",
        "replies it read no number from",
    ),
    Question(
        "geo20q.judge_right",
        "geo20q.judge",
        "Judge's answers that are right",
        lambda word: word == "right",
        "Judge",
        "answers",
    ),
    Question(
        "namebbq.names_natural",
        "namebbq.names",
        "Name versions that read naturally",
        lambda word: word in ("good", "other_meaning"),
        "Names",
        "items, natural",
    ),
    Question(
        "namebbq.names_same_meaning",
        "namebbq.names",
        "Name versions that mean the same",
        lambda word: word in ("good", "unnatural"),
        "Names",
        "items, same meaning",
    ),
)
"""A verdict "unsure" counts for nothing: neither right nor wrong."""


def checks(run: RunReader, model: str = "", id_: str = "") -> list[Check]:
    """Everything that was checked in a run; nothing where nobody has."""
    verdicts = run.verdicts()
    found = [
        _check(question, of_sample(verdicts, question.sample), model, id_) for question in QUESTIONS
    ]
    found = [one for one in found if one.n]
    whole = completeness(run, verdicts)
    if whole is not None and whole.value is not None:
        basis = next(one for one in found if one.name == "worldbench.nothing_missed")
        text = f"Of the replies that have a number, it was read from {percent(whole)}."
        place = found.index(basis) + 1
        found.insert(
            place,
            msgspec.structs.replace(
                basis,
                name="worldbench.completeness",
                label="Replies with a number that it was read from",
                value=whole.value,
                low=whole.low,
                high=whole.high,
                text=text,
            ),
        )
    return found


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


def completeness(run: RunReader, verdicts: Sequence[Verdict]) -> Estimate | None:
    """Of the replies that have a number, the share that a number was read from.

    read / (read + unread × share of unread ones that have a number), as in the paper's appendix C.
    The interval is that of the share, carried through. None where no unread reply was judged.
    """
    unread = of_sample(verdicts, "worldbench.unparsed")
    if not unread:
        return None
    outcomes: Mapping[str, int] = run.done().get("worldbench", {})
    read, without = outcomes.get("parsed", 0), sum(outcomes.get(word, 0) for word in UNREAD)
    nothing, _ = share(unread, lambda word: word == "none")
    if nothing.value is None or nothing.low is None or nothing.high is None or not read:
        return None

    def whole(none_there: float) -> float:
        return read / (read + without * (1 - none_there))

    return Estimate(whole(nothing.value), whole(nothing.low), whole(nothing.high), nothing.n)


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


def _check(question: Question, verdicts: Sequence[Verdict], model: str, id_: str) -> Check:
    found, disputed = share(verdicts, question.right)
    pair = next(iter(agreements(verdicts)), None)
    between = pair.kappa if pair else None
    text = f"{question.subject} checked on {found.n:,} {question.said}: {percent(found)} right."
    if question.sample == "namebbq.names":
        subject, _, word = question.said.partition(", ")
        text = f"{question.subject} checked on {found.n:,} {subject}: {percent(found)} {word}."
    if disputed:
        text += f" Reviewers differ on {disputed:,}."
    if between is not None and between.value is not None:
        text += f" Cohen's kappa between two reviewers {_kappa(between)}."
    return Check(
        name=question.name,
        probe=question.sample.partition(".")[0],
        model=model,
        run=id_,
        label=question.label,
        value=found.value,
        low=found.low,
        high=found.high,
        n=found.n,
        right=0 if found.value is None else round(found.value * found.n),
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
    if found.value is None:
        return "undefined"
    if found.low is None or found.high is None:
        return f"{found.value:.1%}"
    return f"{found.value:.1%} [{100 * found.low:.1f}, {100 * found.high:.1f}]"


def _kappa(found: Estimate) -> str:
    bounds = f" [{found.low:.2f}, {found.high:.2f}]" if found.low is not None else ""
    return f"{found.value:.2f}{bounds} on {found.n:,} items"
