"""The live lines of a run, and of work that comes in parts."""

from __future__ import annotations

import io
import re
from contextlib import redirect_stderr

import pytest

from geobias.cli.progress import Line, RunDisplay, amounts
from geobias.engine import Counts
from geobias.engine.budget import Paid
from geobias.probes.registry import find_probe, plan_of


def line(counts: Counts) -> str:
    """What the display shows of these counts."""
    shown = Line("worldbench")
    shown.begin(counts, 0.0)
    return shown.text(1.0)


@pytest.mark.parametrize(
    ("calls", "said"),
    [
        ([Paid(10, 5, None, True)], "calls/s"),
        ([Paid(10, 5, 0.75, True), Paid(10, 5, 0.5, True)], "$1.25"),
        ([Paid(10, 5, 0.75, True), Paid(10, 5, 0.5, False)], "≤ $1.25"),
    ],
    ids=["no price is known", "all is known", "tokens are not told"],
)
def test_the_line_names_what_was_paid(calls: list[Paid], said: str) -> None:
    counts = Counts(planned=2)
    for call in calls:
        counts.calls += 1
        counts.add(call)
    assert said in line(counts)
    assert ("$" in line(counts)) == ("$" in said)
    assert ("≤" in line(counts)) == ("≤" in said)


def test_the_whole_costs_as_many_calls_a_trial_as_the_trials_that_are_done() -> None:
    counts = Counts(planned=100, done=40, asks=60, calls=64, cost=6.4)
    assert "about $15.00" in line(counts)
    counts = Counts(planned=100, done=40, asks=60, calls=30, shared=34, cost=3.0)
    assert "about $7.03" in line(counts), "shared answers cost nothing"
    counts = Counts(planned=100, done=19, asks=30, calls=64, cost=6.4)
    assert "of about" not in line(counts)


def lines_in_a_log(counts: Counts, *seconds: float) -> RunDisplay:
    """What stands on a standard error that is no terminal, looked at so long after the start."""
    display = RunDisplay()
    display.begin("sim/fair", "worldbench", counts)
    for at in seconds:
        display.tell(display.began + at)
    return display


def test_where_nobody_watches_a_line_says_how_far_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    counts = Counts(planned=81, done=27, calls=27, cost=None)
    lines_in_a_log(counts, 6)
    said = capsys.readouterr().err
    assert said.startswith("worldbench: 27 of")
    assert "12 s left" in said


def test_lines_come_every_few_seconds_and_fewer_in_a_long_run(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines_in_a_log(Counts(planned=81), 1, 4, 6, 8, 12, 3600, 3630, 3700)
    assert len(capsys.readouterr().err.splitlines()) == 4


def test_a_time_without_answers_is_said_and_does_not_grow_the_estimate(
    capsys: pytest.CaptureFixture[str],
) -> None:
    counts = Counts(planned=81, done=27, calls=27, cost=None)
    display = lines_in_a_log(counts, 6, 12, 18, 24)
    waits = capsys.readouterr().err.splitlines()[1:]
    assert ["no answer" in one and "left" not in one for one in waits] == [True] * 3
    counts.done = counts.calls = 54
    display.tell(display.began + 30)
    assert "5 s left" in capsys.readouterr().err


def test_what_is_done_has_no_line(capsys: pytest.CaptureFixture[str]) -> None:
    lines_in_a_log(Counts(planned=2, done=1, reused=1), 6)
    assert capsys.readouterr().err == ""


class Terminal(io.StringIO):
    """A terminal as standard error."""

    def isatty(self) -> bool:
        return True

    @property
    def shown(self) -> str:
        """What it has shown, without what moves the cursor."""
        return re.sub(r"\x1b\[[\d;?]*\w", "", self.getvalue())


@pytest.fixture(autouse=True)
def _terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "200")


@pytest.mark.parametrize(
    ("unit", "said"), [("bytes", "1.5/3.0 kB"), ("queries", "1500/3000 queries")]
)
def test_amounts_are_shown_in_their_unit(unit: str, said: str) -> None:
    with redirect_stderr(Terminal()) as terminal, amounts(unit) as at:
        at(1500, 3000)
    assert said in terminal.shown


def test_several_things_have_a_line_each() -> None:
    with redirect_stderr(Terminal()) as terminal, amounts("pages") as at:
        at(1, 3, "SP.POP.TOTL")
        at(2, 4, "[red]NY.GDP")
        at(3, 3, "SP.POP.TOTL")
    first, second = terminal.shown.strip().splitlines()[-2:]
    assert "SP.POP.TOTL " in first
    assert "3/3 pages" in first
    assert "[red]NY.GDP " in second


def test_on_a_terminal_every_line_is_kept_up_to_date() -> None:
    plan, counts = plan_of(find_probe("worldbench"), {}), Counts(planned=81)
    with redirect_stderr(Terminal()) as terminal:
        with RunDisplay() as display:
            display.expect([plan], ["sim/fair", "sim/biased"])
            display.begin("sim/fair", "worldbench", counts)
            display.refresh()
            assert "worldbench sim/biased: waiting" in terminal.shown
            counts.done = counts.calls = 27
            display.refresh()
            assert "worldbench sim/fair: 27 of 81 done" in terminal.shown
        assert "worldbench sim/biased: not run" in terminal.shown
