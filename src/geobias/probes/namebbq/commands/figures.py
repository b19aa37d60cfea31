"""`geobias namebbq figures`: Figures 3 to 8 of the paper, with one's own runs in them."""

from __future__ import annotations

from pathlib import Path

import click

from geobias.cli.opening import opened
from geobias.cli.options import FILE, RUNS


@click.command()
@RUNS
@click.option(
    "--out",
    type=FILE,
    default=Path("figures"),
    show_default=True,
    metavar="FOLDER",
    help="The folder to write to.",
)
def figures(runs: tuple[Path, ...], out: Path) -> None:
    """Figures 3 to 8 of the paper as SVG, PDF, PNG and CSV, with these runs beside its models.

    \b
    geobias namebbq figures RUN
    geobias namebbq figures RUN RUN --out figures/

    Models are sorted by provider and size, as far as their names tell; bars are SDs over name seeds
    and repeats. The report has the same figures.
    """
    from geobias.errors import BadRequest
    from geobias.probes.namebbq.paper_figures import PREFIX
    from geobias.report.findings import collect
    from geobias.report.page import write_figures

    with opened(runs) as readers:
        findings = collect(readers)
    files = write_figures(findings, out, BadRequest, named=PREFIX)
    if not files:
        raise BadRequest("these runs hold no Name-BBQ, so there is nothing to draw")
    for path in files:
        click.echo(path)
