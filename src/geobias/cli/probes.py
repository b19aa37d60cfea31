"""`geobias probes`: what can be run."""

from __future__ import annotations

import click

from geobias.cli.options import JSON, print_json
from geobias.probes.registry import all_probes, broken_probes


@click.command()
@JSON
def probes(as_json: bool) -> None:
    """Which probes are installed, and what they measure.

    \b
    geobias probes
    geobias probes --json

    A package adds a probe by an entry point (docs/extending.md).
    """
    rows = [
        {
            "name": probe.name,
            "title": probe.title,
            "about": probe.about,
            "tables": list(probe.tables),
            "papers": [f"{one.title} ({one.where}), {one.link}" for one in probe.papers],
        }
        for probe in all_probes().values()
    ]
    if as_json:
        print_json(rows)
        return
    for row in rows:
        click.echo(click.style(f"{row['name']:<12}", bold=True) + f" {row['about']}")
        for paper in row["papers"]:
            click.echo(f"{'':<12} {paper}")
    for why in broken_probes().values():
        click.echo(why, err=True)
