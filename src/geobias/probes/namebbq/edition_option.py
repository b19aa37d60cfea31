"""The option that takes an edition of the first names."""

from __future__ import annotations

from typing import get_args

import click

from geobias.atlas.names import LATEST, Edition

EDITION = click.option(
    "--names-edition",
    "edition",
    type=click.Choice(get_args(Edition)),
    default=LATEST,
    show_default=True,
    help="The table of first names; 1 is that of geobias 0.1.",
)
