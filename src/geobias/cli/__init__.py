"""The command line: parse arguments, call the API, print. Heavy imports stay inside functions."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import click

from geobias import __version__
from geobias.errors import GeobiasError

COMMANDS = {
    "audit": "geobias.cli.audit",
    "run": "geobias.cli.audit",
    "plan": "geobias.cli.audit",
    "report": "geobias.cli.report",
    "compare": "geobias.cli.compare",
    "gate": "geobias.cli.gate",
    "score": "geobias.cli.score",
    "show": "geobias.cli.runs",
    "replies": "geobias.cli.runs",
    "export": "geobias.cli.runs",
    "view": "geobias.cli.view",
    "worldbench": "geobias.cli.worldbench",
    "namebbq": "geobias.cli.namebbq",
    "geo20q": "geobias.cli.geo20q",
    "play": "geobias.cli.play",
    "data": "geobias.cli.data",
    "entities": "geobias.cli.entities",
    "names": "geobias.cli.names",
    "count": "geobias.cli.count",
    "models": "geobias.cli.models",
    "serve": "geobias.cli.models",
}
"""Command → module that defines it under its own name; loaded when it is called."""


class Commands(click.Group):
    """Commands by name, each imported only when it is wanted, so that --help answers at once."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order in which people meet them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module that has the command."""
        if cmd_name not in COMMANDS:
            return None
        from importlib import import_module

        command: click.Command = getattr(import_module(COMMANDS[cmd_name]), cmd_name)
        return command


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="geobias")
def cli() -> None:
    """What does a language model know, assume and work out about every part of the world?

    \b
    geobias audit                         the embedded model, no key needed
    geobias audit openai/gpt-4o-mini      a provider's model (export OPENAI_API_KEY first)
    geobias report RUN                    what was found, as a page
    geobias compare RUN RUN               what changed from one run to another
    geobias show RUN                      how far a run is and what it cost
    geobias replies RUN --country KEN     what the model actually said
    geobias view RUN                      read and check replies in a browser

    A run that was stopped, killed or cut off is resumed by the same command.
    Exit codes: 0 fine, 1 a check says no, 2 impossible request, 3 stopped (resume to go on).
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; every error the user can meet is one sentence and an exit code."""
    try:
        code = cli.main(args=arguments, prog_name="geobias", standalone_mode=False)
        sys.stdout.flush()  # here, where a reader that has gone away can still be told apart
    except click.exceptions.Exit as done:
        code = done.exit_code
    except click.Abort:  # what click makes of Ctrl-C
        click.echo("geobias: stopped", err=True)
        code = 3
    except click.ClickException as error:
        error.show()
        code = 2
    except GeobiasError as error:
        click.echo(f"geobias: {error}", err=True)
        code = error.exit_code
    except BrokenPipeError:
        # The reader (head, less) has seen enough. Keep Python from complaining at shutdown.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except KeyboardInterrupt:
        click.echo("geobias: stopped", err=True)
        code = 3
    sys.exit(code or 0)
