"""`geobias report`: what was found, in the format that is wanted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from geobias.cli.opening import opened
from geobias.cli.options import FILE, RUN_FILE, with_reading
from geobias.cli.suggesting import Word
from geobias.errors import BadRequest
from geobias.files import write_whole
from geobias.report.documents import latex
from geobias.report.findings import collect
from geobias.report.formats import FORMATS, SUFFIXES, TABLES, json_schema
from geobias.report.page import rendered, write_figures


@click.command()
@click.argument("runs", type=RUN_FILE, nargs=-1, metavar="RUN...")
@click.option(
    "--out", type=FILE, help="The file to write; report.html for a page, else standard output."
)
@click.option(
    "--format",
    "kind",
    type=Word(["html", *FORMATS]),
    help="Default: what --out ends in, else html.",
)
@click.option(
    "--save-figures",
    type=FILE,
    metavar="FOLDER",
    help="Also write the page's figures as SVG, PDF, PNG and CSV.",
)
@click.option(
    "--all-tables", is_flag=True, help="LaTeX: every table, not only those that a paper prints."
)
@click.option(
    "--table",
    type=Word(list(dict.fromkeys(name for name, _ in TABLES))),
    help="LaTeX, Markdown: one table alone; summary has models and headline numbers.",
)
@click.option("--schema", is_flag=True, help="Print the JSON Schema of --format json, and stop.")
def report(
    runs: tuple[Path, ...],
    out: Path | None,
    kind: str | None,
    save_figures: Path | None,
    all_tables: bool,
    table: str | None,
    schema: bool,
    **given: Any,
) -> None:
    """What runs found: a page for people, tables for papers, files for other programs.

    \b
    geobias report RUN                                report.html
    geobias report RUN RUN --out two-models.html      several models in one report
    geobias report RUN --save-figures figures/        and every figure as SVG, PDF, PNG and CSV
    geobias report geobias-runs/ --format md          all run files of a folder
    geobias report RUN --out tables.tex               tables for a paper; --all-tables for all
    geobias report RUN RUN --table summary --format md   models and headline numbers alone
    geobias report RUN --format model-card            a section for a model card
    geobias report RUN --format every-eval-ever       the field's common JSON
    geobias report RUN --format junit --out screens.xml
    geobias report RUN --format json | jq '.sections[].metrics[]'

    Every format has the same numbers. Where a model cannot be measured, it says why first.
    """
    if schema:
        click.echo(json_schema(), nl=False)
        return
    if not runs:
        raise click.UsageError("name at least one run file, or a folder with run files")
    wanted = kind or (SUFFIXES.get(out.suffix.lower()) if out else "html")
    if all_tables and wanted != "latex":
        raise BadRequest("--all-tables is for --format latex: other formats have every table")
    if all_tables and table:
        raise click.UsageError("--all-tables and --table contradict each other: give one")
    if wanted is None:
        raise BadRequest(f"--out {out}: give --format, or a name in {', '.join(SUFFIXES)}")
    if table and (table, wanted) not in TABLES:
        able = " or ".join(f"--format {form}" for name, form in TABLES if name == table)
        raise BadRequest(f"--table {table} needs {able}")
    if wanted == "html":
        out = out or Path("report.html")
    with opened(runs) as readers:
        _make_folders_of(out, save_figures)
        findings = collect(readers, given=given)
        if wanted == "html":
            text = rendered(findings, readers)
        else:
            make = TABLES[table, wanted] if table else FORMATS[wanted]
            text = latex(findings, all_tables=True) if all_tables else make(findings)
    if out is None:
        click.echo(text.encode(errors="replace"), nl=False)  # UTF-8 everywhere, as in a file
    else:
        write_whole(out, text.encode(errors="replace"), BadRequest)
        click.echo(out)
    if save_figures is not None:
        files = write_figures(findings, save_figures, BadRequest)
        click.echo(f"{len(files)} files in {save_figures}", err=wanted != "html")


def _make_folders_of(*paths: Path | None) -> None:
    """Before the analysis, which may take minutes."""
    for path in filter(None, paths):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadRequest(f"cannot write {path}: {error.strerror}") from None


with_reading(report)
