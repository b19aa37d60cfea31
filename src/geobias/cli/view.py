"""`geobias view`: runs in a browser on this machine."""

from __future__ import annotations

from getpass import getuser
from importlib import import_module
from pathlib import Path

import click

from geobias.cli.options import RUNS, run_files
from geobias.errors import BadRunFile, MissingPart
from geobias.results.formatting import one_line
from geobias.running import open_run


@click.command()
@RUNS
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    help="Port to listen on; default: a free one.",
)
@click.option("--reviewer", metavar="NAME", help="Whose verdicts; default: your login name.")
@click.option("--no-browser", is_flag=True, help="Only print the address.")
def view(runs: tuple[Path, ...], port: int, reviewer: str | None, no_browser: bool) -> None:
    """Read what the models said, and check how it was read, in a browser. Ctrl-C ends it.

    \b
    geobias view RUN                      browse, search, check by hand
    geobias view geobias-runs/            all runs of a folder, also new ones
    geobias view RUN --port 8000 --no-browser

    The run file stores your verdicts, and the report shows them. The pages open only with the
    printed address, since it contains a secret. A run can be viewed while it is going on.
    """
    for path in run_files(runs):
        try:
            open_run(path).close()
        except BadRunFile as error:
            if path in runs:
                raise
            click.echo(f"geobias: {one_line(str(error))}", err=True)  # a file of a folder
    try:
        for name in ("starlette", "uvicorn", "python_multipart"):
            import_module(name)
    except ImportError as error:
        raise MissingPart(
            f"geobias view needs {error.name}; install it with: pip install 'geobias[view]'"
        ) from None
    from geobias.view.app import serve  # it needs the extra

    def started(url: str) -> None:
        click.echo(f"{url}  (Ctrl-C to stop)")

    serve(
        runs, port=port, reviewer=reviewer or _login_name(), browser=not no_browser, started=started
    )


def _login_name() -> str:
    try:
        return getuser()
    except (KeyError, OSError):  # an account without a name, as in containers
        return "reviewer"
