"""Items and their versions with names, for any source of items.

Names replace nationalities by rules (`substitution`). All items about one pair of people get the
same names, so that an ambiguous item and its disambiguated partner differ only in the context.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Literal

import msgspec

from geobias.atlas.table import read_rows
from geobias.probes.namebbq.builtin import builtin_items
from geobias.probes.namebbq.items import Item, bbq_path, read_items
from geobias.probes.namebbq.names import TABLES, NamesByNationality, all_names
from geobias.probes.namebbq.names import names as shipped_names
from geobias.probes.namebbq.substitution import NamedItem, family_of, substitute_all
from geobias.probes.plan import fingerprint
from geobias.reading.choices import Options

Dataset = Literal["nationality", "name"]


class Version(msgspec.Struct, frozen=True):
    """An item as a model sees it: with nationalities (no seed), or with the names of a seed.

    `item` has the texts of this version; its nationalities are the same in every version. `names`
    and the `genders` for which they were drawn are in the order of the answers, "" for the unknown
    one. `wording` is the number of the question's wording.
    """

    item: Item
    seed: int | None = None
    names: tuple[str, str, str] = ("", "", "")
    genders: tuple[str, str, str] = ("", "", "")
    wording: int = 0

    @property
    def dataset(self) -> Dataset:
        return "nationality" if self.seed is None else "name"

    @property
    def words(self) -> str:
        return f"{self.item.context}\n{self.item.question}"

    @property
    def options(self) -> Options:
        people = self.names if any(self.names) else self.item.nationalities
        return Options(self.item.answers, self.item.unknown, people)


class ItemSource:
    """A set of items, with names for their people: the table `names`, or the shipped names."""

    def __init__(
        self,
        name: str,
        items: Iterable[Item],
        names: NamesByNationality | None = None,
    ) -> None:
        self.name = name
        self.own_names = names
        self.items = tuple(items)
        self.by_id = {item.example_id: item for item in self.items}
        self._family_versions = lru_cache(maxsize=512)(self._named_family)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the items without the cache."""
        return ItemSource, (self.name, self.items, self.own_names)

    @staticmethod
    def of(items: str, names: NamesByNationality | None = None) -> ItemSource:
        """The items called "builtin" or "bbq", or those of a file in BBQ's scheme."""
        if items == "builtin":
            return ItemSource("builtin", builtin_items(), names)
        if items == "bbq":
            return ItemSource("bbq", _bbq_items(), names)
        return ItemSource(Path(items).name, read_items(Path(items)), names)

    @cached_property
    def digest(self) -> str:
        """A digest of the items, independent of where the file lies."""
        fields = [msgspec.structs.asdict(item) for item in self.items]
        return fingerprint(msgspec.json.encode(fields).decode())

    @property
    def names_digest(self) -> str:
        """A digest of the names; for a user's table, it covers genders and nationalities too."""
        every = all_names(self.names)
        if self.own_names is None:
            return fingerprint(" ".join(name.name for name in every))
        rows = (f"{name.nationality},{name.iso3},{name.gender},{name.name}" for name in every)
        return fingerprint("\n".join(rows))

    @property
    def names(self) -> NamesByNationality:
        return shipped_names() if self.own_names is None else self.own_names

    def version(self, item: Item, seed: int | None) -> Version:
        """The item with the names that this seed draws, or with nationalities if it is None."""
        if seed is None:
            return Version(item)
        return self._family_versions(family_of(item), seed)[item.example_id]

    @cached_property
    def _families(self) -> Mapping[Any, list[Item]]:
        """Family (see `family_of`) → the items about the same two people."""
        families: dict[Any, list[Item]] = {}
        for item in self.items:
            families.setdefault(family_of(item), []).append(item)
        return families

    def _named_family(self, family: Any, seed: int) -> Mapping[str, Version]:
        """The versions with names of the items about the same two people, by item id.

        They are made together, since a pronoun in one item may decide the gender for all.
        """
        named = substitute_all(self._families[family], seed, self.names)
        return {one.item.example_id: _version(one, seed) for one in named}


def _version(named: NamedItem, seed: int) -> Version:
    item = named.item
    return Version(item, seed, item.in_order(*named.names), genders=item.in_order(*named.genders))


def _bbq_items() -> Iterator[Item]:
    """Yield BBQ's items with the subject of their stereotype, which is only in BBQ's file of
    templates.
    """
    rows = read_rows(TABLES / "bbq_social_values.csv", ("template", "social_value"))
    values = {row["template"]: row["social_value"] for _, row in rows}
    for item in read_items(bbq_path()):
        yield msgspec.structs.replace(item, social_value=values.get(item.template, ""))
