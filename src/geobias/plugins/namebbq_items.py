"""`geobias namebbq preview`, `prompts` and `figures`: the items, and the figures of the paper."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from geobias.cli.options import FILE, RUNS, opened, option_of, with_options
from geobias.errors import BadRequest
from geobias.files import write_whole
from geobias.probes.namebbq.items import choose_items
from geobias.probes.namebbq.names import with_own_names
from geobias.probes.namebbq.published import PAPER_FIGURES
from geobias.probes.namebbq.questions import prompt_lines
from geobias.probes.namebbq.settings import NameBBQSettings
from geobias.probes.namebbq.versions import ItemSource
from geobias.probes.settings import settings_from
from geobias.report.findings import collect
from geobias.report.page import write_figures


@click.command()
@click.option(
    "--items",
    default="bbq",
    show_default=True,
    metavar="builtin|bbq|FILE",
    help="Our own items, BBQ's (once pulled), or a file in BBQ's JSONL scheme.",
)
@click.option("--seed", type=int, default=1, show_default=True, help="Which names are drawn.")
@click.option(
    "--n", "count", type=click.IntRange(1), default=20, show_default=True, help="Items to show."
)
def preview(items: str, names_file: Path | None, seed: int, count: int) -> None:
    """Items before and after names take the place of nationalities.

    Spread over the whole file, so that every kind of sentence is seen. No model is asked.

    \b
    geobias namebbq preview --seed 1 --n 20
    geobias namebbq preview --items builtin
    geobias namebbq preview --items mine.jsonl --names-file mine.csv
    """
    source = _source(items, names_file)
    for place in _spread(len(source.items), count):
        before = source.items[place]
        version = source.version(before, seed)
        after = version.item
        names, genders = ([of[p] for p in before.people] for of in (version.names, version.genders))
        click.echo(
            f"item {before.example_id}, template {before.template}, {before.condition}, "
            f"{before.polarity}: {', '.join(names)} ({'/'.join(genders)})"
        )
        for sign, item in (("-", before), ("+", after)):
            click.echo(f"{sign} {item.context}")
            click.echo(f"{sign} {item.question}  {' | '.join(item.answers)}")
        click.echo(
            f"  right: {after.answers[before.label]}; stereotyped answer: "
            f"{after.answers[before.target]} (stereotype about "
            f"{before.nationalities[before.person]})\n"
        )


def _source(items: str, names_file: Path | None) -> ItemSource:
    return ItemSource.of(items, None if names_file is None else with_own_names(names_file))


def _spread(size: int, count: int) -> Sequence[int]:
    """Up to `count` positions among `size`, evenly spaced.

    BBQ writes each pair's four items one after the other, so a step that is a multiple of four
    would show one kind only. Each step therefore begins one further.
    """
    if count >= size:
        return range(size)
    return sorted({(place * size // count + place % 4) % size for place in range(count)})


@click.command()
@click.option(
    "--out", type=FILE, metavar="FILE", help="The file to write; default: standard output."
)
def prompts(out: Path | None, **given: Any) -> None:
    """The prompts of a run as JSON lines in BBQ's scheme. No model is asked.

    \b
    geobias namebbq prompts --size standard --out prompts.jsonl
    geobias namebbq prompts --items bbq --names 3 --size paper | head -1

    Each line has BBQ's own fields (label, polarity, condition, answer_info) and what was drawn:
    target, names, genders, seed, and the prompt as geobias asks it. Add a "reply" to each, and
    `geobias score namebbq --predictions` takes the file.
    """
    settings = settings_from(NameBBQSettings, given, "namebbq").resolved()
    source = _source(settings.asked_items, settings.names_file)
    chosen = choose_items(source.items, settings.asked_size)
    lines = [*map(msgspec.json.encode, prompt_lines(source, chosen, settings.name_seeds))]
    text = b"\n".join([*lines, b""])
    if out is None:
        sys.stdout.buffer.write(text)
    else:
        write_whole(out, text, BadRequest)
        click.echo(f"{out}: {len(lines):,} prompts")


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

    Bars are SDs over name seeds and repeats. The report has the same figures.
    """
    with opened(runs) as readers:
        findings = collect(readers)
    files = write_figures(findings, out, BadRequest, named=PAPER_FIGURES)
    if not files:
        raise BadRequest("these runs hold no Name-BBQ, so there is nothing to draw")
    for path in files:
        click.echo(path)


with_options([option_of(NameBBQSettings, "names_file")], preview)
with_options(
    [option_of(NameBBQSettings, name) for name in ("size", "items", "names", "names_file")], prompts
)
