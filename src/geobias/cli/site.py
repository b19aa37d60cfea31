"""`geobias site`: many runs as a static site."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from geobias.cli.opening import opened
from geobias.cli.options import FILE, RUNS, with_reading
from geobias.errors import BadRequest
from geobias.report.site import write_site
from geobias.results.text import one_line


@click.command()
@RUNS
@click.option(
    "--out", type=FILE, default=Path("geobias-site"), show_default=True, help="The folder to write."
)
def site(runs: tuple[Path, ...], out: Path, **given: Any) -> None:
    """Write a static site of many runs: a table of models, a page for each, comparisons.

    \b
    geobias site geobias-runs/ --out public
    python -m http.server --bind 127.0.0.1 --directory public

    Any web server can serve the folder. The table sorts and filters; each model has its report page
    and its findings as JSON and CSV.
    """
    with opened(runs) as readers:
        files = write_site(
            readers,
            out,
            given=given,
            said=lambda model: click.echo(one_line(model), err=True),
            refusal=BadRequest,
        )
    click.echo(f"{out / 'index.html'}  ({len(files):,} files, {len(readers):,} models)")


with_reading(site)
