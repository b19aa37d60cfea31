"""`geobias namebbq prompts`: the prompts in BBQ's scheme, for other people's programs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from geobias.cli.options import FILE, option_of, with_options
from geobias.probes.namebbq.settings import NameBBQSettings

_ASKED = ("size", "items", "names", "names_file", "names_edition")


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
    import msgspec

    from geobias.atlas.names import with_own_names
    from geobias.errors import BadRequest
    from geobias.files import write_whole
    from geobias.probes.namebbq.choosing import choose_items
    from geobias.probes.namebbq.export import prompt_lines
    from geobias.probes.namebbq.versions import ItemSource
    from geobias.probes.settings import settings_from

    settings = settings_from(NameBBQSettings, given, "namebbq").resolved()
    path, edition = settings.names_file, settings.names_edition
    own = None if path is None else with_own_names(path, edition)
    source = ItemSource.of(settings.asked_items, own, edition)
    chosen = choose_items(source.items, settings.asked_size)
    lines = [*map(msgspec.json.encode, prompt_lines(source, chosen, settings.name_seeds))]
    text = b"\n".join([*lines, b""])
    if out is None:
        sys.stdout.buffer.write(text)
    else:
        write_whole(out, text, BadRequest)
        click.echo(f"{out}: {len(lines):,} prompts")


with_options([option_of(NameBBQSettings, name) for name in _ASKED], prompts)
