"""`geobias namebbq preview`: items before and after names take the place of nationalities."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import click
import msgspec

from geobias.atlas.names import Edition, NamesByNationality, names, with_own_names
from geobias.cli.options import FILE, JSON
from geobias.probes.namebbq.edition_option import EDITION
from geobias.probes.namebbq.items import Item, bbq_path, read_items
from geobias.probes.namebbq.substitution import substitute_all
from geobias.probes.namebbq.versions import OWN_ITEMS, ItemSource


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
@EDITION
@click.option("--seed", type=int, default=1, show_default=True, help="Which names are drawn.")
@click.option(
    "--n", "count", type=click.IntRange(1), default=20, show_default=True, help="Items to show."
)
@JSON
def preview(
    source: str,
    names_file: Path | None,
    edition: Edition,
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
    table = names(edition) if names_file is None else with_own_names(names_file, edition)
    before_and_after = _own if source in OWN_ITEMS else _of_file
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
