"""Do 95% intervals hold the truth 95% of the time, and do tests keep quiet where nothing is?

    python bench/coverage.py                  all scenarios, 2,000 studies each
    python bench/coverage.py --only rate      those whose name matches "rate"
    python bench/coverage.py --csv FILE       every row as a table
    python bench/coverage.py --worst          the worst row of each family, and all that fail
    python bench/coverage.py --kept FILE      results are kept there; what is there is not run again

Every scenario makes up studies whose truth is known and hands each to the very functions that the
tables and the report call. Exits with 1 where an interval covers under 93%, a test rejects over 6%
where nothing is, or an interval and its test disagree.

There are two sets. `plain_scenarios` try one function each. `real_scenarios` try whole results: the
real countries, templates and entities.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import json
import math
import os
import re
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import reduce
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np

import plain_scenarios
import real_scenarios
from real_scenarios import Scenario

STUDIES = 2000
BLOCK = 50
"""Studies that are run and kept at a time, of one scenario after the other."""
LEAST, MOST_FALSE = 0.93, 0.06
NOMINAL = {"interval": 0.95, "null": 0.05, "contradiction": 0.0}
"""Kinds that can fail, and what they should be."""


class Tally(NamedTuple):
    """Sums over studies: how many there were, how many said something, and of these how many held
    the truth, that squared, how many lay wholly below or above it, their width, how many carried a
    caution, and how many missed without one."""

    studies: float
    given: float
    held: float
    squares: float
    below: float
    above: float
    width: float
    cautioned: float
    silent: float

    @classmethod
    def of(cls, studies: Sequence[Sequence[float]]) -> Tally:
        rows = np.array(studies, dtype=float)
        held, below, above, width, without, cautioned = rows.T
        given = 1 - without
        silent = (given - held) * (cautioned == 0)
        columns = (given, held, held**2, below, above, width, cautioned * given, silent)
        return cls(len(rows), *(float(one.sum()) for one in columns))

    def __add__(self, other: Tally) -> Tally:  # type: ignore[override]
        return Tally(*(a + b for a, b in zip(self, other, strict=True)))


class Row(NamedTuple):
    """How one thing came out in the studies of a scenario.

    value   share of intervals that hold the truth; of all other kinds, share of studies in which
            it is so: the test rejects, interval and test disagree, the screens are passed
    error   Monte Carlo standard error of that
    below, above, cautioned   shares of the intervals; `width` is their mean
    without                   share of studies without an answer
    verdict  ok or fails; cautioned where misses come with a caution; not given; "" where there is
             nothing to fail
    """

    scenario: str
    says: str
    what: str
    kind: str
    studies: int
    value: float
    error: float
    below: float
    above: float
    width: float
    without: float
    cautioned: float
    verdict: str

    @classmethod
    def of(cls, made: Scenario, what: str, tally: Tally) -> Row:
        kind, given = made.kinds[what], tally.given
        shares = [one / given if given else math.nan for one in tally[2:]]
        held, squares, below, above, width, cautioned, silent = shares
        value = held if kind in ("interval", "cannot") else above
        error = math.sqrt(max(squares - held**2, 0.0) / given) if given else math.nan
        without = 1 - given / tally.studies
        verdict = _verdict(kind, value, silent)
        found = (value, error, below, above, width, without, cautioned)
        return cls(made.name, made.says, what, kind, int(tally.studies), *found, verdict)

    @property
    def family(self) -> str:
        """Scenarios of one kind, whatever their size."""
        return f"{re.sub(r' *[0-9].*', '', self.scenario.split(',')[0])}: {self.kind}"

    @property
    def excess(self) -> float:
        """How far it is off, in the direction that fails."""
        off = self.value - NOMINAL[self.kind]
        return -off if self.kind == "interval" else off

    def __str__(self) -> str:
        name = f"{self.scenario}: {self.what}" if self.what else self.scenario
        known = self.kind in NOMINAL and self.excess <= 2 * self.error
        sure = ", within twice that" if known else ""
        return f"{name} ({self.says}): {self.value:.1%} ± {self.error:.1%}{sure}"


def _verdict(kind: str, value: float, silent: float) -> str:
    if math.isnan(value):
        return "not given"
    if kind == "interval" and value < LEAST:
        return "cautioned" if silent <= 1 - LEAST else "fails"
    limits = {"null": MOST_FALSE, "contradiction": 0.0}
    if kind not in NOMINAL:
        return ""
    return "fails" if value > limits.get(kind, math.inf) else "ok"


def table(rows: Sequence[Row]) -> Iterator[str]:
    """All rows, the kinds one after the other."""
    for kind in dict.fromkeys(row.kind for row in rows):
        yield f"\n{kind}"
        yield from (f"  {row.verdict:10}{row}" for row in rows if row.kind == kind)


def worst(rows: Sequence[Row]) -> Iterator[str]:
    """The worst row of each family, and all that fail, as Markdown.

    ± is the Monte Carlo standard error."""
    known = [row for row in rows if row.kind in NOMINAL and row.verdict != "not given"]
    yield "| family | worst row | result | ± |\n|---|---|---:|---:|"
    for _, family in itertools.groupby(sorted(known, key=_family), _family):
        row = max(family, key=lambda one: one.excess)
        name = f"{row.scenario}; {row.says}; {row.what}"
        yield f"| {row.family} | {name} | {row.value:.1%} | {row.error:.1%} |"
    failing = [row for row in known if row.verdict == "fails"]
    yield f"\n{len(failing)} of {len(known)} rows fail:\n"
    yield from (f"- {row.kind}: {row}" for row in failing)


def _family(row: Row) -> str:
    return row.family


def write(rows: Sequence[Row], path: Path) -> None:
    """As CSV, shares with four digits."""
    with path.open("w", encoding="utf-8", newline="") as out:
        lines = csv.writer(out, lineterminator="\n")
        lines.writerow(Row._fields)
        for row in rows:
            lines.writerow(_cell(one) for one in row)


def _cell(value: float | str) -> str:
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.4g}"
    return str(value)


def all_scenarios() -> list[Scenario]:
    return [*plain_scenarios.scenarios(), *real_scenarios.real_scenarios()]


def answer(number: int, block: int, studies: int) -> dict[str, Tally]:
    """What the studies of one block came to, for each thing that they look at."""
    made = all_scenarios()[number]
    first = block * BLOCK
    seed = int.from_bytes(f"{made.name} | {made.says}".encode(), "little")
    told = [
        made.study(np.random.default_rng((2026, seed, i))) for i in range(first, first + studies)
    ]
    return {what: Tally.of([one[what] for one in told]) for what in made.kinds}


Kept: TypeAlias = dict[tuple[str, int], dict[str, Tally]]


def kept(path: Path | None) -> Kept:
    """Whole blocks of earlier runs."""
    if path is None or not path.exists():
        return {}
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return {
        (row["name"], row["block"]): {what: Tally(*sums) for what, sums in row["found"].items()}
        for row in rows
    }


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--studies", type=int, default=STUDIES)
    options.add_argument("--only", default="", help="scenarios whose name matches this pattern")
    options.add_argument("--csv", type=Path, help="file for a table of every row")
    options.add_argument("--worst", action="store_true", help="the worst row of each family alone")
    options.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    options.add_argument("--kept", type=Path, help="file to keep results in, to go on from it")
    options.add_argument("--seconds", type=float, default=math.inf, help="begin no block after")
    chosen = options.parse_args()
    start = time.perf_counter()
    names = [f"{one.name} | {one.says}" for one in all_scenarios()]
    jobs = [i for i, name in enumerate(names) if re.search(chosen.only, name)]
    known = kept(chosen.kept)
    blocks = range(math.ceil(chosen.studies / BLOCK))
    with ProcessPoolExecutor(chosen.workers) as pool:
        waiting = {}
        for block, job in itertools.product(blocks, jobs):
            if (names[job], block) not in known:
                studies = min(BLOCK, chosen.studies - block * BLOCK)
                waiting[pool.submit(answer, job, block, studies)] = (job, block, studies)
        for done in as_completed(waiting):
            job, block, studies = waiting[done]
            found = known[names[job], block] = done.result()
            if chosen.kept and studies == BLOCK:
                row = {"name": names[job], "block": block, "found": found}
                with chosen.kept.open("a", encoding="utf-8") as out:
                    out.write(json.dumps(row) + "\n")
            if time.perf_counter() - start > chosen.seconds:
                pool.shutdown(wait=False, cancel_futures=True)
                break
    made, rows = all_scenarios(), []
    for job in jobs:
        tallies = [known[names[job], block] for block in blocks if (names[job], block) in known]
        for what in made[job].kinds if tallies else ():
            sums = reduce(Tally.__add__, (tally[what] for tally in tallies))
            rows.append(Row.of(made[job], what, sums))
    print("\n".join(worst(rows) if chosen.worst else table(rows)))
    if chosen.csv:
        write(rows, chosen.csv)
    seconds = time.perf_counter() - start
    print(f"\n{len(rows)} rows of {len(jobs)} scenarios: {seconds:.0f} s", file=sys.stderr)
    return int(any(row.verdict == "fails" for row in rows))


if __name__ == "__main__":
    sys.exit(main())
