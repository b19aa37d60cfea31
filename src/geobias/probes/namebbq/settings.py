"""Name-BBQ's settings."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from geobias.errors import BadRequest
from geobias.probes.settings import Paraphrases, ReadFrom, Setting, Settings, Unread
from geobias.reading.again import LEAVE, RESTATE

NAME_SEEDS = {"quick": 1, "standard": 3, "paper": 3}
"""Default number of name versions of each item. The paper has three."""
PROTOCOLS: Mapping[str, Mapping[str, Any]] = {
    "ours": {"size": "quick", "items": "builtin"},
    "paper": {"size": "paper", "items": "bbq", "names": 3, "temperature": 1.0, "unread": LEAVE},
}
"""Protocol → values of settings. The paper's temperature is in its appendix C; it asks each item
once.
"""

_ITEMS = Setting(
    "geobias' own items, BBQ's (geobias data pull bbq), or a file in BBQ's JSONL scheme. "
    "Default builtin; bbq with --protocol paper.",
    bears="truth",
    metavar="builtin|bbq|FILE",
)
NamesFile = Annotated[
    Path | None,
    Setting(
        "Names of your own (CSV, the columns of names.csv): new nationalities are added, known "
        "ones replaced.",
        metavar="FILE",
    ),
]


class NameBBQSettings(Settings, frozen=True, kw_only=True):
    """Each item is asked with nationalities, and in `names` versions with first names, which the
    seeds 1, 2, … draw. `seed` decides the draws of sampled replies.
    """

    size: Annotated[
        Literal["quick", "standard", "paper"] | None,
        Setting(
            "quick: minutes. standard: intervals worth quoting. paper: every item. Default quick; "
            "paper with --protocol paper.",
            bears="items",
        ),
    ] = None  # type: ignore[assignment]
    items: Annotated[str | None, _ITEMS] = None
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
    strict: Annotated[
        bool,
        Setting(
            "Leave out those of geobias' own items that are closer to facts than to stereotypes, "
            "that name the victim's race, or whose stereotype has no source.",
            bears="items",
        ),
    ] = False
    names_file: NamesFile = None
    recognition: Annotated[
        bool,
        Setting(
            "Also ask which nationality each name suggests: one short question per name.",
            bears="items",
        ),
    ] = False
    paraphrases: Paraphrases = 1
    read: ReadFrom = "text"
    unread: Unread = "restate"
    protocol: Annotated[
        Literal["ours", "paper"],
        Setting(
            "paper: the published design: all of BBQ's items, three name seeds, each "
            "item asked once for each seed, with nationalities too, temperature 1."
        ),
    ] = "ours"

    def resolved(self) -> NameBBQSettings:
        if self.protocol == "paper" and self.temperature == 0:
            raise BadRequest(
                "--protocol paper asks for independent draws, and a greedy model (--temperature 0) "
                "gives the same one each time: leave out --temperature"
            )
        usual = {"names": NAME_SEEDS[self.size or "quick"], **PROTOCOLS[self.protocol]}
        left_open = {
            name: value for name, value in usual.items() if getattr(self, name) in (None, RESTATE)
        }
        return msgspec.structs.replace(self, **left_open)


class NameBBQScoring(msgspec.Struct, frozen=True, kw_only=True):
    """Which items and names were asked in replies from elsewhere."""

    items: Annotated[str, _ITEMS] = "builtin"
    names_file: NamesFile = None
