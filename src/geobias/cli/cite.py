"""`geobias cite`: what to cite when a run is published."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from geobias.cli.opening import opened
from geobias.cli.options import RUN_FILE


@click.command()
@click.argument("runs", type=RUN_FILE, nargs=-1, metavar="[RUN...]")
def cite(runs: tuple[Path, ...]) -> None:
    """BibTeX of geobias and of the papers whose benchmarks a run used.

    \b
    geobias cite RUN >> references.bib
    geobias cite                          of every probe that is installed

    Version and year are those of the run.
    """
    from geobias import __version__
    from geobias.probes.registry import all_probes
    from geobias.report.documents import bibtex

    probes, versions = all_probes(), [__version__]
    year = str(datetime.now(UTC).year)
    if runs:
        with opened(runs) as readers:
            manifests = [reader.manifest() for reader in readers]
        used = {name for manifest in manifests for name in manifest.probes}
        probes = {name: probe for name, probe in probes.items() if name in used}
        versions = sorted({manifest.geobias for manifest in manifests})
        year = max(manifest.created for manifest in manifests)[:4]
    papers = [paper for probe in probes.values() for paper in probe.papers]
    click.echo(bibtex(papers, ", ".join(versions), year), nl=False)
