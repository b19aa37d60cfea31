"""The pilot on the command line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from geobias.probes import pilot
from geobias.probes.pilot.scores import score
from geobias.probes.plan import Plan
from geobias.runfile import RunReader

OPTIONS: Sequence[Callable[[Any], Any]] = ()


def make_plan(*, size: str, repeats: int, temperature: float, seed: int, system: str) -> Plan:
    """The pilot is the same at every size."""
    return pilot.plan(repeats=repeats, temperature=temperature, seed=seed, system=system)


def summary(run: RunReader) -> Table:
    """The pilot's scores with their intervals."""
    table = Table(
        title=escape(f"pilot · {run.manifest().models['model']}"),
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
