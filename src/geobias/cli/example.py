"""`geobias example`: the report of a recorded run, without asking any model."""

from __future__ import annotations

import shlex
import webbrowser
from pathlib import Path

import click

from geobias.api.example import example as recorded
from geobias.api.example import example_run, packed_page
from geobias.api.running import DEFAULT_FOLDER
from geobias.cli.opening import opened
from geobias.cli.options import FILE
from geobias.errors import BadRequest
from geobias.files import write_whole


@click.command()
@click.option(
    "--out",
    type=FILE,
    default=DEFAULT_FOLDER / "example.html",
    show_default=True,
    help="The page to write.",
)
@click.option("--no-browser", is_flag=True, help="Write the page and do not open it.")
def example(out: Path, no_browser: bool) -> None:
    """Open the report of a recorded run of a real model.

    \b
    geobias example
    geobias example --out example.html --no-browser
    geobias replies example --country KEN     what the model said
    geobias audit --beside example            your model beside it

    Nothing is asked and nothing is fetched: the run comes with geobias. Wherever a command takes a
    run, the word `example` stands for it.
    """
    click.echo(recorded().in_words, err=True)
    run = example_run()
    write_whole(out, packed_page() or _made(run), BadRequest)
    click.echo(f"Report    {out}")
    click.echo(f"Run file  {shlex.quote(str(run))}")
    if not no_browser:
        webbrowser.open(out.resolve().as_uri())


def _made(run: Path) -> bytes:
    from geobias.cli.progress import working
    from geobias.report.findings import collect
    from geobias.report.page import rendered

    with working("Working out what was found …"), opened([run]) as readers:
        return rendered(collect(readers), readers).encode(errors="replace")
