"""The option that takes an edition of the first names."""

from __future__ import annotations

import click

# Those of `atlas.names`, written out: help is printed without loading the atlas.
EDITIONS, LATEST = ("1", "2", "3"), "3"

EDITION = click.option(
    "--names-edition",
    "edition",
    type=click.Choice(EDITIONS),
    default=LATEST,
    show_default=True,
    help="The table of first names, and how two are drawn from it; 1 is that of geobias 0.1.",
)
