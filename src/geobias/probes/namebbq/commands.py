"""What `geobias namebbq` has beside its tables of runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
import msgspec

from geobias.atlas.names import with_own
from geobias.probes.namebbq.items import Item, bbq_path, read_items
from geobias.probes.namebbq.substitution import substitute_all


@click.command()
@click.option(
    "--items",
    "items_file",
    type=click.Path(path_type=Path),
    help="Items in BBQ's JSONL scheme; by default BBQ's own, once pulled.",
)
@click.option(
    "--names-file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Names of your own (CSV, the columns of names.csv).",
)
@click.option("--seed", type=int, default=1, show_default=True, help="Which names are drawn.")
@click.option(
    "--n",
    "count",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="Items to show.",
)
@click.option("--json", "as_json", is_flag=True, help="Machine-readable.")
def preview(
    items_file: Path | None, names_file: Path | None, seed: int, count: int, as_json: bool
) -> None:
    """Items before and after names take the place of nationalities.

    Spread over the whole file, so that every kind of sentence is seen. No model is asked.

    \b
    geobias namebbq preview --seed 1 --n 20
    geobias namebbq preview --items mine.jsonl --n 5 --json
    geobias namebbq preview --items mine.jsonl --names-file mine.csv
    """
    items = read_items(bbq_path() if items_file is None else items_file)
    named = substitute_all(items, seed, None if names_file is None else with_own(names_file))
    places = _spread(len(items), count)
    if as_json:
        rows = [
            {
                "example_id": items[place].example_id,
                "before": _texts(items[place]),
                "after": _texts(named[place].item),
                "names": named[place].names,
                "genders": named[place].genders,
                "evidence": named[place].evidence,
            }
            for place in places
        ]
        click.echo(msgspec.json.encode(rows))
        return
    for place in places:
        item, one = items[place], named[place]
        why = f", {one.evidence}" if one.evidence else ""
        click.echo(
            f"item {item.example_id}, template {item.template}, {item.condition}, "
            f"{item.polarity}: {', '.join(one.names)} ({'/'.join(one.genders)}{why})"
        )
        for sign, each in (("-", item), ("+", one.item)):
            click.echo(f"{sign} {each.context}")
            click.echo(f"{sign} {each.question}  {' | '.join(each.answers)}")
        click.echo()


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
