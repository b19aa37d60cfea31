"""Name-BBQ's settings."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import msgspec

from geobias.errors import BadRequest
from geobias.probes.settings import Paraphrases, ReadFrom, Setting, Settings, Unread

NAME_SEEDS = {"quick": 1, "standard": 3, "paper": 3}
"""Default number of name versions of each item. The paper has three."""
PAPER_TEMPERATURE = 1.0
"""The temperature in the paper (Pelosio et al. 2025, appendix C)."""

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
    """The settings of a Name-BBQ run.

    Each item is asked with nationalities, and in `names` versions with first names, which the seeds
    1, 2, … draw. `seed` decides the draws of sampled replies.
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
        """The settings with the protocol's values, and defaults for settings that the user left
        open.

        Values that the user gives for `size`, `items`, `names` and `temperature` hold in the
        paper's protocol too.
        """
        chosen: dict[str, object] = {
            "size": self.asked_size,
            "items": self.asked_items,
            "names": self.name_seeds,
        }
        if self.protocol == "paper":
            if self.temperature == 0:
                raise BadRequest(
                    "--protocol paper asks for independent draws, and a greedy model "
                    "(--temperature 0) gives the same one each time: leave out --temperature"
                )
            if self.temperature is None:
                chosen["temperature"] = PAPER_TEMPERATURE
            if self.unread == "restate":
                chosen["unread"] = "leave"  # the paper asks each item once
        return msgspec.structs.replace(self, **chosen)

    @property
    def asked_size(self) -> str:
        return self.size or ("paper" if self.protocol == "paper" else "quick")

    @property
    def asked_items(self) -> str:
        return self.items or ("bbq" if self.protocol == "paper" else "builtin")

    @property
    def name_seeds(self) -> int:
        """Number of versions with names of each item."""
        if self.names is not None:
            return self.names
        return NAME_SEEDS["paper" if self.protocol == "paper" else self.asked_size]

    @property
    def nationality_draws(self) -> int:
        """Number of draws of each item with nationalities, in each repeat."""
        return max(1, self.name_seeds) if self.protocol == "paper" else 1


class NameBBQScoring(msgspec.Struct, frozen=True, kw_only=True):
    """The settings to score replies from elsewhere: which items and names were asked."""

    items: Annotated[str, _ITEMS] = "builtin"
    names_file: NamesFile = None
