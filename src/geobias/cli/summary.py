"""What a run ends with on the terminal: results, what was spent, and where everything is."""

from __future__ import annotations

from rich.console import Console

from geobias.api import Result, open_run
from geobias.cli.probes import probe_commands
from geobias.runfile import RunReader


def print_summary(result: Result) -> None:
    """The results of a finished run, and the next things to do with it."""
    console = Console(highlight=False)
    with open_run(result.path) as run:
        manifest = run.manifest()
        for probe in manifest.probes:
            console.print(probe_commands(probe).summary(run))
        print_spending(console, run)
    for line in (
        f"\nRun file  {result.path}",
        f"Read on   geobias show {result.path}",
        f"          geobias replies {result.path}",
    ):
        console.print(line, soft_wrap=True, markup=False)


def print_spending(console: Console, run: RunReader) -> None:
    """Calls, tokens and cost of a run so far, over all its sessions."""
    manifest = run.manifest()
    spent = run.spent()
    calls = sum(s.calls for s in spent.values())
    tokens_in = sum(s.tokens_in for s in spent.values())
    tokens_out = sum(s.tokens_out for s in spent.values())
    costs = [manifest.cost(role, s.tokens_in, s.tokens_out) for role, s in spent.items()]
    known = [price for price in costs if price is not None]
    money = f"${sum(known):.4f}" if len(known) == len(costs) else "cost unknown: no price is known"
    console.print(f"{calls:,} calls, {tokens_in:,} tokens in, {tokens_out:,} out, {money}")
