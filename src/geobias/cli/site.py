"""`geobias site`: many runs as a static site."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from geobias.cli.opening import open_run, run_files
from geobias.cli.options import FILE, RUNS, with_reading
from geobias.errors import BadRequest
from geobias.process import usable_cores
from geobias.report.site import write_site
from geobias.results.formatting import one_line

MOST_WORKERS = 8
WORTH_A_PROCESS = 6
"""Runs: a process takes as long to start as a page or two."""


@click.command()
@RUNS
@click.option(
    "--out", type=FILE, default=Path("geobias-site"), show_default=True, help="The folder to write."
)
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    help="Processes, with some 300 MB each; default: one for each core, 8 at most.",
)
def site(runs: tuple[Path, ...], out: Path, workers: int | None, **given: Any) -> None:
    """Write a static site of many runs: a table of models, a page for each, comparisons.

    \b
    geobias site geobias-runs/ --out public
    python -m http.server --bind 127.0.0.1 --directory public

    Any web server can serve the folder. The table sorts and filters; each model has its report page
    and its findings as JSON and CSV.
    """
    files, models = run_files(runs), []

    def said(model: str) -> None:
        models.append(model)
        click.echo(one_line(model), err=True)

    written = write_site(
        files,
        out,
        opening=open_run,
        given=given,
        said=said,
        refusal=BadRequest,
        workers=workers or min(usable_cores(), MOST_WORKERS, len(files) // WORTH_A_PROCESS),
    )
    click.echo(f"{out / 'index.html'}  ({len(written):,} files, {len(models):,} models)")


with_reading(site)
