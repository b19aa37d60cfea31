"""The probes as the command line knows them: their options, their plans, their summaries.

A probe's module here offers

    OPTIONS                     click options of its own, on top of those all probes share
    make_plan(**options)        the plan for these options (shared ones and its own)
    summary(run)                what rich should print when a run has ended

and, where its main test can be planned for,

    aim(plan, spread)           that test, with how much answers vary (None: the usual)
    spread_of(run)              how much the answers in a run file vary
    expected(plan, items)       calls, tokens in and out, if trials are no single questions: of
                                the plan, or of so many of what its test counts
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, cast

from geobias.probes.audited import AUDITED

if TYPE_CHECKING:
    from rich.console import RenderableType

    from geobias.probes.plan import Plan
    from geobias.runfile import RunReader

PROBES = (*AUDITED, "pilot")
"""Each has a module here, imported when the probe is wanted."""


class ProbeCommands(Protocol):
    """What a module in this folder offers."""

    OPTIONS: Sequence[Callable[[Any], Any]]

    def make_plan(self, **options: Any) -> Plan: ...
    def summary(self, run: RunReader) -> RenderableType: ...


def probe_commands(name: str) -> ProbeCommands:
    """The module of a probe."""
    return cast(ProbeCommands, import_module(f"{__name__}.{name}"))
