"""`geobias report`, `site` and `example`: write results as pages and files."""

from __future__ import annotations

import shlex
import webbrowser
from pathlib import Path
from typing import Any

import click

from geobias.api.example import example as recorded
from geobias.api.example import example_run, packed_page
from geobias.cli import Word
from geobias.cli.options import FILE, RUN_FILE, RUNS, open_run, opened, run_files, with_reading
from geobias.errors import BadRequest
from geobias.files import write_whole
from geobias.report.findings import collect
from geobias.report.formats import FORMATS, SUFFIXES, json_schema
from geobias.report.page import FIGURE_FORMATS, one_figure, rendered, write_figures
from geobias.report.records import Given
from geobias.report.site import write_site
from geobias.results.formatting import one_line
from geobias.running import DEFAULT_FOLDER


@click.command()
@click.argument("runs", type=RUN_FILE, nargs=-1, metavar="RUN...")
@click.option(
    "--out", type=FILE, help="The file to write; report.html for a page, else standard output."
)
@click.option(
    "--format",
    "kind",
    type=Word(["html", *FORMATS]),
    help="The format; default: by the ending of --out, else html.",
)
@click.option(
    "--save-figures",
    type=FILE,
    metavar="FOLDER",
    help="Also write the page's figures as SVG, PDF, PNG and CSV.",
)
@click.option("--figure", metavar="NAME", help="Write only this figure, as NAME.svg or to --out.")
@click.option("--bare", is_flag=True, help="Leave out the figure's title, note and source.")
@click.option("--schema", is_flag=True, help="Print the JSON Schema of --format json, and stop.")
def report(
    runs: tuple[Path, ...],
    out: Path | None,
    kind: str | None,
    save_figures: Path | None,
    figure: str | None,
    bare: bool,
    schema: bool,
    **given: Any,
) -> None:
    """Report what runs found: as a page, as tables for a paper, or as data.

    \b
    geobias report RUN                                report.html
    geobias report RUN RUN --out two-models.html      several models in one report
    geobias report RUN --save-figures figures/        also every figure as SVG, PDF, PNG and CSV
    geobias report geobias-runs/ --format md          all run files of a folder
    geobias report RUN --out tables.tex               tables for a paper
    geobias report RUN --figure worldbench-error-map --bare --out map.pdf
    geobias report RUN --format json | jq '.sections[].metrics[]'

    All formats have the same numbers. If a model cannot be measured, the reason comes first.
    """
    if schema:
        click.echo(json_schema(), nl=False)
        return
    if not runs:
        raise click.UsageError("name at least one run file, or a folder with run files")
    if figure is not None:
        if kind or save_figures:
            raise click.UsageError("--figure writes one figure: leave out --format, --save-figures")
        _write_figure(runs, figure, out or Path(f"{figure}.svg"), bare, given)
        return
    if bare:
        raise click.UsageError("--bare needs --figure NAME")
    wanted = _wanted(out, kind)
    if wanted == "html":
        out = out or Path("report.html")
    with opened(runs) as readers:
        _make_folders_of(out, save_figures)
        findings = collect(readers, given=given)
        text = rendered(findings, readers) if wanted == "html" else FORMATS[wanted](findings)
    if out is None:
        click.echo(text.encode(errors="replace"), nl=False)  # UTF-8, as in a file
    else:
        write_whole(out, text.encode(errors="replace"), BadRequest)
        click.echo(out)
    if save_figures is not None:
        files = write_figures(findings, save_figures)
        click.echo(f"{len(files)} files in {save_figures}", err=wanted != "html")


def _wanted(out: Path | None, kind: str | None) -> str:
    """The report's format: `kind` if given, or else by the ending of the file."""
    wanted = kind or (SUFFIXES.get(out.suffix.lower()) if out else "html")
    if wanted is None:
        raise BadRequest(f"--out {out}: give --format, or a name in {', '.join(SUFFIXES)}")
    return wanted


def _write_figure(runs: tuple[Path, ...], name: str, out: Path, bare: bool, given: Given) -> None:
    ending = out.suffix.lower().removeprefix(".")
    if ending not in FIGURE_FORMATS:
        raise BadRequest(f"--out {out}: a figure ends in .{', .'.join(FIGURE_FORMATS)}")
    with opened(runs) as readers:
        findings = collect(readers, given=given)
    write_whole(out, one_figure(findings, name, ending, bare=bare), BadRequest)
    click.echo(out)


def _make_folders_of(*paths: Path | None) -> None:
    """Create the files' folders early, since the analysis may take minutes."""
    for path in filter(None, paths):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadRequest(f"cannot write {path}: {error.strerror}") from None


with_reading(report)


@click.command()
@RUNS
@click.option(
    "--out", type=FILE, default=Path("geobias-site"), show_default=True, help="The folder to write."
)
def site(runs: tuple[Path, ...], out: Path, **given: Any) -> None:
    """Write a static site of many runs: a table of models, and a page for each.

    \b
    geobias site geobias-runs/ --out public
    python -m http.server --bind 127.0.0.1 --directory public

    Any web server can serve the folder. The table can be sorted and filtered.
    """
    files, models = run_files(runs), []

    def said(model: str) -> None:
        models.append(model)
        click.echo(one_line(model), err=True)

    written = write_site(files, out, opening=open_run, given=given, said=said)
    click.echo(f"{out / 'index.html'}  ({len(written):,} files, {len(models):,} models)")


with_reading(site)


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
    geobias report RUN example                your model beside it

    The run comes with geobias, so no model is asked and nothing is downloaded. Every command that
    takes a run accepts the word `example`.
    """
    click.echo(recorded().in_words, err=True)
    run = example_run()
    write_whole(out, packed_page(), BadRequest)
    click.echo(f"Report    {out}")
    click.echo(f"Run file  {shlex.quote(str(run))}")
    if not no_browser:
        webbrowser.open(out.resolve().as_uri())
