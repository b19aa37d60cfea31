"""The command line: parses arguments, calls the API and prints.

A command's module is imported only when the command is called.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import click
from click.exceptions import NoSuchCommand
from click.shell_completion import shell_complete

from geobias.errors import GeobiasError, meant
from geobias.results.formatting import one_line, printable
from geobias.version import __version__

COMMANDS = {
    "example": "Open the report of a recorded run of a real model.",
    "audit": "Audit one or more models (the embedded one if none is named).",
    "run": "Run one probe on one model.",
    "plan": "Show what a probe would ask, what that costs, and which gaps it could show.",
    "report": "Report what runs found: as a page, as tables for a paper, or as data.",
    "table": "Print a table of one or more runs: a measure by group, or one of the papers' tables.",
    "compare": "Compare the first run with each of the others, on the items that both have.",
    "site": "Write a static site of many runs: a table of models, and a page for each.",
    "gate": "Check a run's metrics against limits.",
    "score": "Score replies that were made elsewhere.",
    "read": "Read replies from a file, and compare the readings with labels, if it has any.",
    "reread": "Read the stored replies of runs again, without a call.",
    "show": "Show what a run asked, how far it got, and what it cost.",
    "replies": "Read what the model actually said.",
    "export": "Write the records (one row per trial) as Parquet, CSV or JSON lines.",
    "view": "Read what the models said, and check how it was read, in a browser.",
    "data": "List and check the shipped figures, and get others.",
    "count": "Count how often each entity occurs in a corpus: the frequency that regressions use.",
    "models": "List the models that can be named, and the keys that are set.",
    "serve": "Serve a simulated model over the OpenAI protocol, on this machine only.",
}
"""The first sentence of each command's help, so that listing the commands imports none of them."""
GROUPS = {
    "Begin": ("example",),
    "Ask": ("audit", "run", "plan", "score"),
    "Read": ("report", "table", "show", "replies", "view", "export", "site"),
    "Check the readers": ("read", "reread"),
    "Compare and decide": ("compare", "gate"),
    "Models, probes, data": ("models", "serve", "data", "count"),
}
"""The commands by purpose, as the help lists them."""
_SHARED_MODULES = {
    "run": "audit",
    "reread": "read",
    **dict.fromkeys(("site", "example"), "report"),
    **dict.fromkeys(("show", "replies", "export"), "runs"),
    "serve": "models",
}
FURTHER_COMMANDS = "geobias.commands"
"""Entry points: commands that packages add."""
PROBES = "geobias.probes"
"""Entry points: probes."""
PROBE_COMMANDS = "geobias.probe_commands"
"""Entry points: commands of one probe, called "PROBE.COMMAND"."""


def module_of(command: str) -> str:
    return f"geobias.cli.{_SHARED_MODULES.get(command, command)}"


TRACEBACK = "GEOBIAS_TRACEBACK"
"""Environment variable: show tracebacks for unexpected errors."""
COMPLETE = "_GEOBIAS_COMPLETE"
"""Environment variable: print what completes a command, for the shell."""


class Word(click.Choice[str]):
    """A choice of words. The error for any other word suggests similar ones."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        return super().get_invalid_choice_message(value, ctx) + meant(str(value), self.choices)


class Suggesting(click.Group):
    """A group that makes a command when it is called, and suggests names for an unknown one."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except NoSuchCommand as error:
            raise NoSuchCommand(
                error.command_name, possibilities=self.list_commands(ctx), ctx=ctx
            ) from None


class Commands(Suggesting):
    """The group of all commands. Each is imported only when it is called, so --help is fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names of our commands in the order of use, then names of other packages' commands."""
        return [*COMMANDS, *_entries(PROBES), *_entries(FURTHER_COMMANDS)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        command: click.Command
        if cmd_name in COMMANDS:
            command = getattr(import_module(module_of(cmd_name)), cmd_name)
        elif cmd_name in _entries(PROBES):
            command = import_module("geobias.cli.probes").probe_group(cmd_name)
        elif cmd_name in _entries(FURTHER_COMMANDS):
            command = _entries(FURTHER_COMMANDS)[cmd_name].load()
        else:
            return None
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands. Click would import every command for that."""
        for title, names in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name, COMMANDS[name]) for name in names])
        with formatter.section("Commands of single probes"):
            own = sorted({name.partition(".")[0] for name in _entries(PROBE_COMMANDS)})
            formatter.write_dl([(name, f"geobias {name} --help") for name in own])
        with formatter.section("Further commands"):
            further = _entries(FURTHER_COMMANDS)
            formatter.write_dl([(name, f"geobias {name} --help") for name in further])


def _entries(group: str) -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in sorted(entry_points(group=group))}


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="geobias")
def cli() -> None:
    """Measure what a language model knows, assumes, works out and favours about the whole world.

    \b
    geobias example                       open the report of a recorded run
    geobias audit                         audit the embedded model (needs no key)
    geobias audit openai/gpt-4o-mini      audit a provider's model (export OPENAI_API_KEY first)
    geobias report RUN                    write what was found as a page
    geobias compare RUN RUN               show what changed from one run to another
    geobias show RUN                      show how far a run is and what it cost
    geobias replies RUN --country KEN     print what the model said
    geobias view RUN                      read and check replies in a browser

    To resume a stopped run, enter the same command again.
    Exit codes: 0 success, 1 a check failed, 2 impossible request, 3 stopped (can be resumed), 4 a
    limit is undecided.
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line. Every error becomes one sentence and an exit code."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a ? is better than no result at all
    try:
        if completing := os.environ.get(COMPLETE):
            sys.exit(shell_complete(cli, {}, "geobias", COMPLETE, completing))
        words = sys.argv[1:] if arguments is None else arguments
        with cli.make_context("geobias", list(words)) as context:
            cli.invoke(context)
        sys.stdout.flush()  # a closed pipe must raise here, not at shutdown
        code = 0
    except click.exceptions.Exit as done:
        code = done.exit_code
    except (click.Abort, KeyboardInterrupt):  # click turns one into the other
        click.echo("geobias: stopped", err=True)
        code = 3
    except click.ClickException as error:
        error.show()
        code = 2
    except GeobiasError as error:
        click.echo(f"geobias: {printable(str(error))}", err=True)
        code = error.exit_code
    except BrokenPipeError:
        _discard_output()
        code = 0
    except (OSError, UnicodeError) as error:
        _discard_output()
        with suppress(OSError):
            click.echo(f"geobias: {printable(_message(error))}", err=True)
        code = 2
    except SystemExit:
        raise
    except BaseException as error:  # Polars panics with a BaseException
        if os.environ.get(TRACEBACK):
            raise
        click.echo(f"geobias: {printable(_unforeseen(error))}", err=True)
        code = 2
    sys.exit(code or 0)


def _unforeseen(error: BaseException) -> str:
    what = one_line(f"{type(error).__name__}: {error}")[:200]
    if whose := _package_of(error):
        return f"this is a mistake in {whose} ({what}); {TRACEBACK}=1 shows where it happened"
    return (
        f"a file was changed by another program, or this is a mistake in geobias ({what}); "
        f"{TRACEBACK}=1 shows where it happened"
    )


def _package_of(error: BaseException) -> str:
    """The package of the probe or command that failed. "" for geobias itself."""
    foreign: defaultdict[str, list[str]] = defaultdict(list)
    for group in (PROBES, PROBE_COMMANDS, FURTHER_COMMANDS, "geobias.models"):
        for entry in entry_points(group=group):
            if not entry.value.startswith("geobias."):
                foreign[entry.value.partition(":")[0].partition(".")[0]].append(entry.name)
    found, step = "", error.__traceback__
    while step is not None:
        frame = step.tb_frame
        # A probe's methods may be geobias' own; then the probe is their `self`.
        modules = (frame.f_globals.get("__name__"), type(frame.f_locals.get("self")).__module__)
        for package in {str(one).partition(".")[0] for one in modules} & foreign.keys():
            found = f"{package}, which adds {', '.join(foreign[package])}"
        step = step.tb_next
    return found


def _message(error: OSError | UnicodeError) -> str:
    """Say what could not be read or written: the file that the error names, or else the output."""
    if isinstance(error, UnicodeError):
        return f"cannot read or write this text: {error}"
    why = error.strerror or str(error)
    if error.filename is None:
        return f"cannot write the output: {why}" if error.errno in _NO_ROOM else str(error)
    return f"cannot open {os.fsdecode(error.filename)}: {why}"


_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)


def _discard_output() -> None:
    """Discard output that could not be written, so that Python reports no error at shutdown."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
