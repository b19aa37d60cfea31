"""The work every contender does: the same questions, the same games, as plain strings."""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass

CONCURRENCY = 32
MAX_TOKENS = 24
PREAMBLE = (
    "I will ask you questions about trains. You will answer as concisely as possible and give "
    "only the number. First read this note on how the timetable is laid out, then answer. Every "
    "line of the timetable stands for one train; the first column is the hour of departure, the "
    "second the minute, the third the platform, and the fourth the number of carriages. Trains "
    "that do not run on Sundays are marked with a cross, trains that need a reservation with a "
    "box, and trains that carry bicycles with a wheel. Where two marks apply, the cross is first. "
)


@dataclass(frozen=True)
class Work:
    """`games` dialogues of `turns` calls each; single questions are games of one turn."""

    games: int
    turns: int

    @property
    def calls(self) -> int:
        return self.games * self.turns


WARM_UP = Work(64, 1)
"""Done before the clock starts, so that imports and first connections count for nobody."""
WORKLOADS = {
    "single": Work(5000, 1),
    "games-150": Work(50, 150),
    "games-10": Work(750, 10),
}


def opening(game: int) -> str:
    """The first question of a game: about 150 tokens, different for every game."""
    return f"{PREAMBLE}How many carriages has train number {game}?"


def follow_up(game: int, turn: int) -> str:
    """What is said after the reply of a turn."""
    return f"And the train {turn} places after train {game}?"


def games(work: Work) -> Iterator[int]:
    return iter(range(work.games))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("workload", choices=WORKLOADS)
    parser.add_argument("url", help="base URL of the server, ending in /v1")
    parser.add_argument("folder", help="where to store what a run stores")
    return parser.parse_args()


class Meter:
    """CPU and wall time from creation; prints the result as one JSON line."""

    def __init__(self) -> None:
        self._wall = time.perf_counter()
        self._cpu = _cpu()

    def report(self, work: Work, stored: int | None = None) -> None:
        result = {
            "calls": work.calls,
            "wall_s": time.perf_counter() - self._wall,
            "cpu_s": _cpu() - self._cpu,
            "rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            "stored_bytes": stored,
        }
        sys.stdout.write("RESULT " + json.dumps(result) + "\n")


def _cpu() -> float:
    """User and system seconds of this process, all threads, and of children it waited for."""
    mine = resource.getrusage(resource.RUSAGE_SELF)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return mine.ru_utime + mine.ru_stime + children.ru_utime + children.ru_stime
