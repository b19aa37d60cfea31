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
    console.print(f"\nRun file  {result.path}", soft_wrap=True)
    console.print(f"Read on   geobias show {result.path}", soft_wrap=True)
    console.print(f"          geobias replies {result.path}", soft_wrap=True)


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
