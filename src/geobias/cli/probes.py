"""Groups of commands for probes.

A group has either a command for each probe (`geobias COMMAND PROBE`) or the commands of one probe
(`geobias PROBE COMMAND`).
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import entry_points

import click

from geobias.cli import PROBE_COMMANDS, Suggesting
from geobias.probes.registry import AnyProbe, all_probes, find_probe, probe_names


def group_per_probe(
    command_of: Callable[[AnyProbe], click.Command],
) -> Callable[[Callable[[], None]], click.Group]:
    """Decorate a function as a group. `command_of` makes a probe's command when it is called."""

    class PerProbe(Suggesting):
        def list_commands(self, ctx: click.Context) -> list[str]:
            return [*all_probes(), *super().list_commands(ctx)]

        def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
            if cmd_name not in probe_names():
                return super().get_command(ctx, cmd_name)
            return command_of(find_probe(cmd_name))

    return click.group(cls=PerProbe)


def probe_group(name: str) -> click.Group:
    """The group of commands that belong to one probe. Its tables are in `geobias table`."""
    probe = find_probe(name)
    group = click.Group(name, help=f"{probe.about}\n\ngeobias table RUN lists its tables.")
    for entry in entry_points(group=PROBE_COMMANDS):
        if entry.name.startswith(f"{name}."):
            group.add_command(entry.load())
    return group
