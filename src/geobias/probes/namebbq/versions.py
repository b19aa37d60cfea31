"""Items and their name versions, from wherever the items come.

Our own items say themselves where a name belongs (`builtin.named_item`); in BBQ's, and in a
user's file, names take the place of nationalities by rules (`substitution`). Both draw the same
names for all items about one pair of people, so that an ambiguous item and its disambiguated
partner differ in nothing but the context.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from geobias.atlas.names import names as shipped_names
from geobias.probes.namebbq.items import Item, bbq_path, item_from, read_items
from geobias.probes.namebbq.substitution import substitute_all
from geobias.probes.namebbq.substitution.drawing import draw_genders, draw_names
from geobias.probes.namebbq.substitution.genders import family_of
from geobias.probes.plan import fingerprint

Names = tuple[str, str, str]
NO_NAMES: Names = ("", "", "")


class Version(msgspec.Struct, frozen=True):
    """An item as it is put to a model: with nationalities (no seed), or with the names of a seed.

    `item` has the texts of this version, and the nationalities in both. `names` stand in the order
    of the answers, "" for the unknown one.
    """

    item: Item
    seed: int | None = None
    names: Names = NO_NAMES


class Source:
    """A set of items, and how to give their people names."""

    def __init__(self, name: str, items: Iterable[Item]) -> None:
        self.name = name
        self.items = tuple(items)
        self.by_id = {item.example_id: item for item in self.items}
        self._families: dict[Any, list[Item]] = {}
        for item in self.items:
            self._families.setdefault(family_of(item), []).append(item)
        self._family_versions = lru_cache(maxsize=64)(self._named_family)

    @staticmethod
    def of(items: str) -> Source:
        """The items called "builtin" or "bbq", or those of a file in BBQ's scheme."""
        if items == "builtin":
            return _Builtin()
        if items == "bbq":
            return Source("bbq", read_items(bbq_path()))
        return Source(Path(items).name, read_items(Path(items)))

    @property
    def digest(self) -> str:
        """Identity of the items: what they say, wherever the file lies."""
        return fingerprint(msgspec.json.encode(self.items).decode())

    @property
    def names_digest(self) -> str:
        """Identity of the table of names."""
        rows = [one.name for cells in shipped_names().values() for c in cells.values() for one in c]
        return fingerprint(" ".join(rows))

    def version(self, item: Item, seed: int | None) -> Version:
        """The item with the names that this seed draws; with nationalities where it is None."""
        if seed is None:
            return Version(item)
        return self._family_versions(family_of(item), seed)[item.example_id]

    def _named_family(self, family: Any, seed: int) -> Mapping[str, Version]:
        """Together, since a pronoun in one item may decide the gender for all of them."""
        found = {}
        for named in substitute_all(self._families[family], seed):
            found[named.item.example_id] = _version(named.item, seed, named.names)
        return found


class _Builtin(Source):
    """Our own items."""

    def __init__(self) -> None:
        from geobias.probes.namebbq.builtin import builtin_items

        self._fields = {str(fields["example_id"]): fields for fields in builtin_items()}
        super().__init__("builtin", map(item_from, self._fields.values()))

    def _named_family(self, family: Any, seed: int) -> Mapping[str, Version]:
        from geobias.probes.namebbq.builtin import named_item

        found = {}
        for item in self._families[family]:
            pair = (item.nationalities[item.people[0]], item.nationalities[item.people[1]])
            genders = draw_genders((item.gender, item.gender), seed, item.template, pair)
            both = draw_names(shipped_names(), genders, seed, item.template, pair)
            texts = named_item(self._fields[item.example_id], *both)
            named = msgspec.structs.replace(
                item,
                context=texts["context"],
                question=texts["question"],
                answers=(texts["ans0"], texts["ans1"], texts["ans2"]),
            )
            found[item.example_id] = _version(named, seed, both)
        return found


def _version(item: Item, seed: int, both: tuple[str, str]) -> Version:
    names = ["", "", ""]
    for place, name in zip(item.people, both, strict=True):
        names[place] = name
    return Version(item, seed, (names[0], names[1], names[2]))
