"""Show the progress of runs and other work: live lines on a terminal, a log elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Self

from rich.live import Live
from rich.markup import escape
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)
from rich.text import Text

from geobias.cli.terminal import Console
from geobias.engine import Counts
from geobias.probes.plan import Plan
from geobias.results.formatting import one_line
from geobias.running import Display

LINE_SECONDS, LINES = 5.0, 60
"""Without a terminal there is a line every few seconds. In long runs the interval between lines
grows to a sixtieth of the elapsed time, so that a log of days stays readable.
"""


class Line:
    """The progress of one probe on one model as a line of text.

    `_active` counts the seconds in which answers came. `_seen` has the calls and finished trials at
    the last answer.
    """

    def __init__(self, name: str, usual_calls: float | None = None) -> None:
        self.name = name
        self.state = "waiting"
        self.counts: Counts | None = None
        self._usual_calls = usual_calls
        self._active = 0.0
        self._seen, self._seen_at = (0, 0), 0.0

    def begin(self, counts: Counts, now: float) -> None:
        self.counts, self._seen_at = counts, now

    def text(self, now: float) -> str:
        """Finished and planned trials, speed, time left, cost and failures."""
        counts = self.counts
        if counts is None:
            return f"{self.name}: {self.state}"
        done = counts.done + counts.reused
        words = [f"{self.name}: {done:,} of {counts.planned:,} done"]
        quiet = now - self._seen_at
        if (counts.calls, done) != self._seen:
            # No estimate grows with a time in which no answers came.
            usual = self._active / self._seen[0] if self._seen[0] else quiet
            self._active += min(quiet, max(LINE_SECONDS, 3 * usual))
            self._seen, self._seen_at, quiet = (counts.calls, done), now, 0.0
        if quiet >= LINE_SECONDS and done < counts.planned:
            words.append(f"no answer for {_duration(quiet)}")
        elif counts.calls:
            words.append(f"{counts.calls / max(self._active, 1e-9):,.1f} calls/s")
            if counts.done and done < counts.planned:
                left = self._active * (counts.planned - done) / counts.done
                words.append(f"about {_duration(left)} left")
        failures = (f"{n} × {kind}" for kind, n in counts.failures.most_common(2))
        return ", ".join(filter(None, (*words, _money(counts, self._usual_calls), *failures)))


class RunDisplay(Display):
    """Lines on standard error for each probe and model: live on a terminal, repeated elsewhere."""

    def __init__(self) -> None:
        self.console = Console(stderr=True)
        self._lines: dict[tuple[str, str], Line] = {}
        self._live = Live(get_renderable=self._shown, console=self.console, auto_refresh=False)
        self.began = self._told = time.monotonic()

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        for line in self._lines.values():
            line.state = "not run"
        self._live.stop()

    def expect(self, plans: Sequence[Plan], models: Sequence[str]) -> None:
        """Add a line for each probe that will run, marked as waiting."""
        for model in models:
            whose = f" {one_line(model)[-24:]}" if len(models) > 1 else ""
            for plan in plans:
                usual = plan.usual().values() if plan.usual else ()
                calls = sum(calls for calls, *_ in usual) or None
                self._lines[model, plan.probe] = Line(f"{plan.probe}{whose}", calls)

    def begin(self, model: str, probe: str, counts: Counts) -> None:
        self._lines.setdefault((model, probe), Line(probe)).begin(counts, time.monotonic())

    def refresh(self) -> None:
        if self._live.is_started:
            self._live.refresh()
        else:
            self.tell(time.monotonic())

    def tell(self, now: float) -> None:
        """Print a line about each running probe, if it is time for one."""
        if now - self._told < max(LINE_SECONDS, (now - self.began) / LINES):
            return
        self._told = now
        for line in self._lines.values():
            if (counts := line.counts) and counts.done + counts.reused < counts.planned:
                self.note(line.text(now))

    def _shown(self) -> Text:
        now = time.monotonic()
        return Text("\n".join(line.text(now) for line in self._lines.values()))

    def note(self, sentence: str) -> None:
        self.console.print(one_line(sentence), soft_wrap=True)

    def stopping(self, in_flight: int) -> None:
        if in_flight:
            self.note(f"Finishing {in_flight} calls in flight; Ctrl-C again drops them.")


ENOUGH = 20
"""Calls and finished trials needed to estimate what the rest will cost."""


def _money(counts: Counts, usual_calls: float | None) -> str:
    """The cost so far and, once there are enough answers, the expected total.

    "" if nothing was paid or no price is known. "≤" if the server counts no tokens. The expected
    total includes reasoning and repeated questions. A conversation is assumed to take its
    `usual_calls`, since short conversations end first. Any other trial is assumed to take as many
    asks as the finished trials took on average.
    """
    if not counts.calls or counts.cost is None:
        return ""
    at_most = "" if counts.counted or not counts.cost else "≤ "
    spent = f"{at_most}${counts.cost:.2f}"
    answers = counts.calls
    if usual_calls is not None:
        expected = usual_calls * (1 - counts.reused / max(1, counts.planned))
    elif counts.done >= ENOUGH:
        expected = counts.asks / counts.done * (counts.planned - counts.reused)
        answers += counts.shared + counts.taken  # these cost nothing
    else:
        return spent
    if counts.calls < ENOUGH or expected <= answers or not counts.cost:
        return spent
    return f"{spent} of about ${counts.cost / answers * expected:.2f}"


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


@contextmanager
def amounts(unit: str) -> Iterator[Callable[..., None]]:
    """Show bars of named amounts on a terminal, and yield the function that moves them.

    Its arguments are the amount done, the wanted amount, and the name of the bar. `unit` is what is
    counted: "pages", "queries". With "bytes", sizes and speed are shown.
    """
    amount: list[ProgressColumn] = [MofNCompleteColumn(), TextColumn(unit)]
    if unit == "bytes":
        amount = [DownloadColumn(), TransferSpeedColumn()]
    columns = (TextColumn("{task.description}"), BarColumn(28), *amount, TimeRemainingColumn())
    tasks: dict[str, TaskID] = {}
    with Progress(*columns, console=Console(stderr=True), disable=not sys.stderr.isatty()) as bars:

        def at(here: int, wanted: int, name: str = "") -> None:
            if name not in tasks:
                tasks[name] = bars.add_task(escape(f"{name:<22}" if name else ""))
            bars.update(tasks[name], completed=here, total=wanted)

        yield at
