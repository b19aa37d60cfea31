"""`geobias namebbq preview`, `prompts` and `figures`: the items, and the figures of the paper."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click
import msgspec

from geobias.cli.options import FILE, JSON, RUNS, opened, option_of, with_options
from geobias.errors import BadRequest
from geobias.files import write_whole
from geobias.probes.namebbq.items import Item, bbq_path, choose_items, read_items
from geobias.probes.namebbq.names import NamesByNationality, names, with_own_names
from geobias.probes.namebbq.published import PREFIX
from geobias.probes.namebbq.questions import prompt_lines
from geobias.probes.namebbq.settings import NameBBQSettings
from geobias.probes.namebbq.substitution import substitute_all
from geobias.probes.namebbq.versions import ItemSource
from geobias.probes.settings import settings_from
from geobias.report.findings import collect
from geobias.report.page import write_figures


@click.command()
@click.option(
    "--items",
    "source",
    default="bbq",
    show_default=True,
    metavar="builtin|bbq|FILE",
    help="Our own items, BBQ's (once pulled), or a file in BBQ's JSONL scheme.",
)
@click.option(
    "--names-file",
    type=FILE,
    metavar="FILE",
    help="Names of your own (CSV, the columns of names.csv).",
)
@click.option("--seed", type=int, default=1, show_default=True, help="Which names are drawn.")
@click.option(
    "--n", "count", type=click.IntRange(1), default=20, show_default=True, help="Items to show."
)
@JSON
def preview(
    source: str,
    names_file: Path | None,
    seed: int,
    count: int,
    as_json: bool,
) -> None:
    """Items before and after names take the place of nationalities.

    Spread over the whole file, so that every kind of sentence is seen. No model is asked.

    \b
    geobias namebbq preview --seed 1 --n 20
    geobias namebbq preview --items builtin
    geobias namebbq preview --items mine.jsonl --n 5 --json
    geobias namebbq preview --items mine.jsonl --names-file mine.csv
    """
    table = names() if names_file is None else with_own_names(names_file)
    before_and_after = _own if source == "builtin" else _of_file
    shown = before_and_after(source, table, seed, count)
    if as_json:
        rows = [
            {
                "example_id": before.example_id,
                "before": _texts(before),
                "after": _texts(after),
                "names": called,
                "genders": genders,
                "evidence": evidence,
                "condition": before.condition,
                "polarity": before.polarity,
                "label": before.label,
                "target": before.target,
                "unknown": before.unknown,
                "stereotyped": before.nationalities[before.person],
            }
            for before, after, called, genders, evidence in shown
        ]
        click.echo(msgspec.json.encode(rows))
        return
    for before, after, called, genders, evidence in shown:
        why = f", {evidence}" if evidence else ""
        click.echo(
            f"item {before.example_id}, template {before.template}, {before.condition}, "
            f"{before.polarity}: {', '.join(called)} ({'/'.join(genders)}{why})"
        )
        for sign, item in (("-", before), ("+", after)):
            click.echo(f"{sign} {item.context}")
            click.echo(f"{sign} {item.question}  {' | '.join(item.answers)}")
        answers = after.answers
        click.echo(
            f"  right: {answers[before.label]}; stereotyped answer: {answers[before.target]} "
            f"({_POLARITY[before.polarity]} question, stereotype about "
            f"{before.nationalities[before.person]})"
        )
        click.echo()


class _Shown(NamedTuple):
    """An item before and after; `evidence` are the words that decide the genders."""

    before: Item
    after: Item
    names: Sequence[str]
    genders: Sequence[str]
    evidence: str


def _of_file(source: str, table: NamesByNationality, seed: int, count: int) -> list[_Shown]:
    items = read_items(bbq_path() if source == "bbq" else Path(source))
    named = substitute_all(items, seed, table)
    return [
        _Shown(items[place], one.item, one.names, one.genders, one.evidence)
        for place in _spread(len(items), count)
        for one in [named[place]]
    ]


def _own(source: str, table: NamesByNationality, seed: int, count: int) -> list[_Shown]:
    """Our own items say by themselves which gender they are about: no words have to decide it."""
    ours = ItemSource.of(source, table)
    shown = []
    for place in _spread(len(ours.items), count):
        item = ours.items[place]
        version = ours.version(item, seed)
        names, genders = ([of[p] for p in item.people] for of in (version.names, version.genders))
        shown.append(_Shown(item, version.item, names, genders, ""))
    return shown


_POLARITY = {"neg": "negative", "nonneg": "non-negative"}


def _spread(size: int, count: int) -> Sequence[int]:
    """Up to `count` places among `size`, evenly apart.

    BBQ writes each pair's four items one after the other; steps of their number would show one
    kind only, so each step begins one further.
    """
    if count >= size:
        return range(size)
    return sorted({(place * size // count + place % 4) % size for place in range(count)})


def _texts(item: Item) -> dict[str, object]:
    return {"context": item.context, "question": item.question, "answers": item.answers}


_PROMPT_SETTINGS = ("size", "items", "names", "names_file")


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
    path = settings.names_file
    own = None if path is None else with_own_names(path)
    source = ItemSource.of(settings.asked_items, own)
    chosen = choose_items(source.items, settings.asked_size)
    lines = [*map(msgspec.json.encode, prompt_lines(source, chosen, settings.name_seeds))]
    text = b"\n".join([*lines, b""])
    if out is None:
        sys.stdout.buffer.write(text)
    else:
        write_whole(out, text, BadRequest)
        click.echo(f"{out}: {len(lines):,} prompts")


with_options([option_of(NameBBQSettings, name) for name in _PROMPT_SETTINGS], prompts)


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
    with opened(runs) as readers:
        findings = collect(readers)
    files = write_figures(findings, out, BadRequest, named=PREFIX)
    if not files:
        raise BadRequest("these runs hold no Name-BBQ, so there is nothing to draw")
    for path in files:
        click.echo(path)
