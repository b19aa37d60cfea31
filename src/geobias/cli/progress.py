"""Show the progress of runs and other work, as bars on a terminal and as lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Event, Thread
from typing import Self

import click
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

LINE_SECONDS, LINES = 5.0, 60
"""Without a terminal there is a line every few seconds. In long runs the interval between lines
grows to a sixtieth of the elapsed time, so that a log of days stays readable.
"""


@contextmanager
def working(words: str) -> Iterator[None]:
    """Print on standard error what is being done, repeatedly until it is done."""
    done, began = Event(), time.monotonic()

    def go_on() -> None:
        while not done.wait(LINE_SECONDS):
            click.echo(f"{words} {time.monotonic() - began:.0f} s", err=True)

    click.echo(words, err=True)
    line = Thread(target=go_on, daemon=True)
    line.start()
    try:
        yield
    finally:
        done.set()
        line.join()


class _Display:
    """Bars shown on a terminal while a block runs."""

    def __init__(self, *columns: ProgressColumn) -> None:
        self.console = Console(stderr=True)
        self._bars = Progress(
            *columns,
            console=self.console,
            refresh_per_second=4,
            disable=not sys.stderr.isatty(),
        )

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()


class RunDisplay(_Display):
    """A `geobias.api.Display` with a line for each probe and model.

    It shows finished and planned trials, calls per second, cost and time left.
    """

    def __init__(self) -> None:
        super().__init__(
            TextColumn("[bold]{task.description:<11}"),
            BarColumn(bar_width=28),
            MofNCompleteColumn(),
            TextColumn("{task.fields[speed]}"),
            TextColumn("{task.fields[cost]}"),
            TimeRemainingColumn(),
            TextColumn("[yellow]{task.fields[trouble]}"),
        )
        self._expected: dict[tuple[str, str], TaskID] = {}
        self._watched: list[tuple[TaskID, Counts, float]] = []
        self._seen: dict[TaskID, tuple[int, int]] = {}
        self._idle: dict[TaskID, float] = {}
        self._usual_calls: dict[TaskID, float] = {}
        self.began = self._told = time.monotonic()

    def __exit__(self, *_: object) -> None:
        self.refresh()
        for task in self._expected.values():  # tasks that never began
            self._bars.update(task, speed="not run")
        super().__exit__()

    def expect(self, plans: Sequence[Plan], model: str, shown: str | None) -> None:
        """Add a line for each probe that will run, marked as waiting."""
        for plan in plans:
            whose = one_line(model if shown is None else shown)[-24:]
            name = escape(f"{plan.probe} {whose}".strip())
            task = self._bars.add_task(
                name, start=False, total=plan.count, speed="waiting", cost="", trouble=""
            )
            if plan.usual:
                self._usual_calls[task] = sum(calls for calls, *_ in plan.usual(None).values())
            self._expected[model, plan.probe] = task

    def of(self, model: str) -> _ModelLines:
        """Return a display of one model's run, which shows its lines in this display."""
        return _ModelLines(self, model)

    def begin(self, probe: str, counts: Counts, model: str = "") -> None:
        task = self._expected.pop((model, probe), None)
        if task is None:
            task = self._bars.add_task(probe, total=counts.planned, speed="", cost="", trouble="")
        else:
            self._bars.start_task(task)
        self._watched.append((task, counts, time.monotonic()))

    def refresh(self) -> None:
        for task, counts, began in self._watched:
            done = counts.done + counts.reused
            if done and done >= counts.planned and self._bars.tasks[task].finished:
                continue
            seconds = max(time.monotonic() - began, 1e-9)
            self._bars.update(
                task,
                completed=done,
                speed=f"{counts.calls / seconds:,.1f} calls/s",
                cost=_money(counts, self._usual_calls.get(task)),
                trouble=", ".join(f"{n} × {kind}" for kind, n in counts.failures.most_common(2)),
            )
        if self._bars.disable:
            self.tell(time.monotonic())

    def tell(self, now: float) -> None:
        """Print a line about each running probe, if it is time for one."""
        if now - self._told < max(LINE_SECONDS, (now - self.began) / LINES):
            return
        since, self._told = now - self._told, now
        for task, counts, began in self._watched:
            done = counts.done + counts.reused
            if done >= counts.planned:
                continue
            line = self._bars.tasks[task]
            words = [
                f"{Text.from_markup(line.description).plain}: {done:,} of {counts.planned:,} done"
            ]
            if (counts.calls, done) == self._seen.get(task):
                # No estimate while no answers came.
                self._idle[task] = self._idle.get(task, 0.0) + since
                words.append(f"no answer for {_duration(since)}")
            elif counts.calls:
                seconds = max(now - began - self._idle.get(task, 0.0), 1e-9)
                words.append(f"{counts.calls / seconds:,.1f} calls/s")
                if counts.done:
                    left = seconds * (counts.planned - done) / counts.done
                    words.append(f"about {_duration(left)} left")
            self._seen[task] = counts.calls, done
            words += [_money(counts, self._usual_calls.get(task)), line.fields["trouble"]]
            self.note(", ".join(filter(None, words)))

    def note(self, sentence: str) -> None:
        """Print an event, such as a batch that is submitted."""
        self.console.print(one_line(sentence), soft_wrap=True)

    def stopping(self, in_flight: int) -> None:
        if not in_flight:
            return
        self.console.print(f"Finishing {in_flight} calls in flight; Ctrl-C again drops them.")


class _ModelLines:
    """A display of one model's run, which shows its lines in the display of all models."""

    def __init__(self, display: RunDisplay, model: str) -> None:
        self._display = display
        self._model = model
        self.refresh = display.refresh
        self.stopping = display.stopping

    def begin(self, probe: str, counts: Counts) -> None:
        self._display.begin(probe, counts, self._model)

    def note(self, sentence: str) -> None:
        whose = "" if sentence.startswith(self._model) else f"{self._model}: "
        self._display.note(f"{whose}{sentence}")


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


class AmountDisplay(_Display):
    """Progress bars of named amounts, each with the amount done, the total and the time left.

    `unit` is what is counted: "pages", "queries". With "bytes", sizes and speed are shown.
    """

    def __init__(self, unit: str) -> None:
        amount: list[ProgressColumn] = [MofNCompleteColumn(), TextColumn(unit)]
        if unit == "bytes":
            amount = [DownloadColumn(), TransferSpeedColumn()]
        super().__init__(
            TextColumn("{task.description}"),
            BarColumn(bar_width=28),
            *amount,
            TimeRemainingColumn(),
        )
        self._tasks: dict[str, TaskID] = {}

    def at(self, here: int, wanted: int, name: str = "") -> None:
        """Set the done and the wanted amount of the bar called `name`."""
        if name not in self._tasks:
            self._tasks[name] = self._bars.add_task(escape(f"{name:<22}" if name else ""))
        self._bars.update(self._tasks[name], completed=here, total=wanted)
