"""How often Name-BBQ's screens fail a model that can be measured, or pass one that cannot.

    python bench/namebbq_screens.py [--runs 200] [--size standard]

Simulated models answer the actual items of a size. Each answers by one rule; the last column is how
often it passed all screens, and which screen it failed most often.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from geobias.probes import namebbq
from geobias.probes.namebbq.scores import frame_of
from geobias.probes.namebbq.screens import screens
from geobias.trials import Reply

Dice: TypeAlias = np.random.Generator
Ints: TypeAlias = NDArray[np.int64]
NOTHING = -1


@cache
def asked(size: str) -> pl.DataFrame:
    """The records of all items, unanswered."""
    rows = []
    for trial in namebbq.plan(size=size).trials():
        steps = trial.start()
        next(steps)
        try:
            steps.send(Reply("", "empty"))
        except StopIteration as done:
            rows.append({name: getattr(done.value, name) for name in done.value.__struct_fields__})
    return frame_of(rows, "m")


class Items:
    """What a rule may know of each item: indices of answers, and whether the text says who."""

    def __init__(self, frame: pl.DataFrame) -> None:
        self.n = frame.height
        self.label = frame["label"].to_numpy()
        self.unknown = frame["unknown"].to_numpy()
        self.target = frame["target"].to_numpy()
        self.other = 3 - self.unknown - self.target
        self.negative = (frame["polarity"] == "neg").to_numpy()
        self.stereotyped = np.where(self.negative, self.target, self.other)
        self.told = (frame["condition"] == "disambig").to_numpy()


def either(items: Items, dice: Dice, share: float, one: Ints, other: Ints) -> Ints:
    """One of two answers for each item, the first with this probability."""
    return np.where(dice.random(items.n) < share, one, other)


def reads(
    items: Items, dice: Dice, right: float, named: float, lean: float, unknown: float = 0.0
) -> Ints:
    """Where told: the right answer with a probability of `right`, else unknown with `unknown` or
    the wrong person; where not: a person with `named`, by the stereotype with (1 + lean) / 2."""
    wrong = np.where(items.label == items.target, items.other, items.target)
    missed = either(items, dice, unknown, items.unknown, wrong)
    said = either(items, dice, right, items.label, missed)
    person = either(items, dice, (1 + lean) / 2, items.target, items.other)
    return np.where(items.told, said, either(items, dice, named, person, items.unknown))


Rule: TypeAlias = Callable[[Items, Dice], Ints]
UNMEASURABLE: dict[str, Rule] = {
    "a coin between the two people": lambda i, d: either(i, d, 0.5, i.target, i.other),
    "always the stereotyped answer": lambda i, d: i.target,
    "always the stereotyped person": lambda i, d: i.stereotyped,
    "the stereotyped person in 9 of 10": lambda i, d: either(i, d, 0.9, i.stereotyped, i.other),
    "random among three": lambda i, d: d.integers(0, 3, i.n),
    "always the first letter": lambda i, d: np.zeros(i.n, dtype=int),
    "the first letter, else random": lambda i, d: np.where(
        d.random(i.n) < 0.7, 0, d.integers(0, 3, i.n)
    ),
    "letters in turn": lambda i, d: np.arange(i.n) % 3,
    "always that nobody can know": lambda i, d: i.unknown,
    "reads well, half unread": lambda i, d: either(
        i, d, 0.5, reads(i, d, 0.95, 0.2, 0.3), np.full(i.n, NOTHING)
    ),
    "reads well, declines half of what nobody can know": lambda i, d: np.where(
        ~i.told & (d.random(i.n) < 0.5), NOTHING, reads(i, d, 0.95, 0.2, 0.3)
    ),
}
MEASURABLE: dict[str, Rule] = {
    "right in 95%, no lean": lambda i, d: reads(i, d, 0.95, 0.2, 0.0),
    "right in 95%, always the stereotype": lambda i, d: reads(i, d, 0.95, 1.0, 1.0),
    "right in 75%, strong lean": lambda i, d: reads(i, d, 0.75, 0.8, 0.6),
    "right in 65%, else the other person": lambda i, d: reads(i, d, 0.65, 0.5, 0.3),
    "right in half, else unknown": lambda i, d: reads(i, d, 0.5, 0.1, 0.3, unknown=1.0),
    "right in 90%, a quarter unread": lambda i, d: either(
        i, d, 0.75, reads(i, d, 0.9, 0.2, 0.3), np.full(i.n, NOTHING)
    ),
    "reads half, else the first letter": lambda i, d: either(
        i, d, 0.5, reads(i, d, 0.95, 0.2, 0.3), np.zeros(i.n, dtype=int)
    ),
}


def answered(frame: pl.DataFrame, items: Items, answers: Ints) -> pl.DataFrame:
    read = answers != NOTHING
    named = read & (answers != items.unknown)
    return frame.with_columns(
        pl.Series("outcome", np.where(read, "read", "unread")),
        pl.Series("right", (answers == items.label).astype(int)),
        pl.Series("names_a_person", named.astype(int)),
        pl.Series("lean", np.where(named, np.where(answers == items.target, 1, -1), 0)),
        pl.Series("answer", [int(one) if one != NOTHING else None for one in answers]),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--size", default="standard")
    chosen = parser.parse_args()
    frame = asked(chosen.size)
    items = Items(frame)
    print(f"| Name-BBQ, {chosen.size}, {chosen.runs} runs | passed | failed most often |")
    print("|---|---|---|")
    for rules in (UNMEASURABLE, MEASURABLE):
        for name, rule in rules.items():
            passed, failed = 0, Counter[str]()
            for run in range(chosen.runs):
                found = screens(answered(frame, items, rule(items, np.random.default_rng(run))))
                passed += all(one.ok for one in found)
                failed.update(one.name for one in found if not one.ok)
            why = failed.most_common(1)[0] if failed else ("", 0)
            most = f"{why[0]} ({why[1] / chosen.runs:.0%})" if why[1] else ""
            kind = "can" if rules is MEASURABLE else "cannot"
            print(f"| {kind}: {name} | {passed / chosen.runs:.1%} | {most} |", flush=True)


if __name__ == "__main__":
    main()
