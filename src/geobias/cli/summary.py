"""What a run ends with on the terminal: results, what was spent, and where everything is."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from geobias.api import Result, open_run
from geobias.probes.pilot.scores import score
from geobias.runfile import RunReader


def print_summary(result: Result) -> None:
    """The results of a finished run, and the next things to do with it."""
    console = Console(highlight=False)
    with open_run(result.path) as run:
        manifest = run.manifest()
        for probe in manifest.probes:
            if probe == "pilot":
                console.print(pilot_table(run))
        print_spending(console, run)
    console.print(f"\nRun file  {result.path}", soft_wrap=True)
    console.print(f"Read on   geobias show {result.path}", soft_wrap=True)
    console.print(f"          geobias replies {result.path}", soft_wrap=True)


def pilot_table(run: RunReader) -> Table:
    """The pilot's scores with their intervals."""
    table = Table(
        title=f"pilot · {run.manifest().models['model']}",
        caption="A pilot shows that a model can be asked. It is too small for conclusions.",
        title_justify="left",
        caption_justify="left",
        box=SIMPLE_HEAD,
    )
    table.add_column("measure")
    table.add_column("share [95% interval]", no_wrap=True)
    table.add_column("n of asked", justify="right", no_wrap=True)
    table.add_column("left out")
    for line in score(run.records("pilot")):
        e = line.estimate
        whole = line.group == "all"
        table.add_row(
            line.measure if whole else f"  {line.group}",
            "undefined" if e.value is None else f"{e.value:.2f} [{e.low:.2f}, {e.high:.2f}]",
            f"{e.n} of {line.asked}",
            line.note,
            style="bold" if whole else "",
        )
    return table


def print_spending(console: Console, run: RunReader) -> None:
    """Calls, tokens and cost of a run so far, over all its sessions."""
    manifest = run.manifest()
    spent = run.spent()
    calls = sum(s.calls for s in spent.values())
    tokens_in = sum(s.tokens_in for s in spent.values())
    tokens_out = sum(s.tokens_out for s in spent.values())
    known = [role for role in spent if role in manifest.prices or "model" in manifest.prices]
    cost = sum(
        (spent[r].tokens_in * price[0] + spent[r].tokens_out * price[1]) / 1e6
        for r in known
        for price in [manifest.prices.get(r) or manifest.prices["model"]]
    )
    money = f"${cost:.4f}" if len(known) == len(spent) else "cost unknown (no price for this model)"
    console.print(f"{calls:,} calls, {tokens_in:,} tokens in, {tokens_out:,} out, {money}")
