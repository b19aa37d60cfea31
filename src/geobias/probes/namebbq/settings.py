"""What Name-BBQ can be asked with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec

from geobias.atlas.names import LATEST, Edition
from geobias.probes.settings import Setting, Settings

Items = Annotated[
    str,
    Setting(
        "geobias' own items (builtin-1: in their first edition), BBQ's (geobias data pull bbq), or "
        "a file in BBQ's JSONL scheme.",
        bears="truth",
        metavar="builtin|bbq|FILE",
    ),
]
NamesFile = Annotated[
    Path | None,
    Setting(
        "Names of your own (CSV, the columns of names.csv): new nationalities are added, known "
        "ones replaced.",
        metavar="FILE",
    ),
]
NamesEdition = Annotated[
    Edition,
    Setting(
        "The table of first names; 1 is that of geobias 0.1, with which older runs were made and "
        "are resumed."
    ),
]


class NameBBQSettings(Settings, frozen=True, kw_only=True):
    """Each item is asked with nationalities and in `names` versions with names, drawn by the seeds
    1, 2, …. `seed` decides the order under `shuffle`, and which draws are made where they are
    sampled."""

    items: Items = "builtin"
    names: Annotated[
        int | None,
        Setting(
            "Versions with names for each item; 0: nationalities only. Default 1 at size quick, "
            "else 3.",
            bears="items",
            metavar="N",
            least=0,
            most=10_000,
        ),
    ] = None
    names_file: NamesFile = None
    names_edition: NamesEdition = LATEST
    recognition: Annotated[
        bool,
        Setting(
            "Ask by itself which nationality each name suggests: one short question a name.",
            bears="items",
        ),
    ] = False
    controls: Annotated[
        bool,
        Setting(
            "Ask each item twice more, as Person X and Person Y and with two names of one "
            "nationality: what is left there is not about nationality.",
            bears="items",
        ),
    ] = False
    shuffle: Annotated[
        bool,
        Setting("Shuffle the answers by --seed, to tell a liking for a letter from a stereotype."),
    ] = False


class NameBBQScoring(msgspec.Struct, frozen=True, kw_only=True):
    """What replies from elsewhere answer."""

    items: Items = "builtin"
    names_edition: NamesEdition = LATEST
