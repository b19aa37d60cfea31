"""Items and their name versions, from wherever the items come.

Our own items say themselves where a name belongs (`builtin.named_item`); in BBQ's, and in a
user's file, names take the place of nationalities by rules (`substitution`). Both draw the same
names for all items about one pair of people, so that an ambiguous item and its disambiguated
partner differ in nothing but the context.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any

import msgspec

from geobias.atlas.names import NamesByNationality
from geobias.atlas.names import names as shipped_names
from geobias.atlas.table import read_rows, shipped_table
from geobias.probes.namebbq.items import Item, bbq_path, item_from, read_items
from geobias.probes.namebbq.substitution import substitute_all
from geobias.probes.namebbq.substitution.drawing import draw_genders, draw_names
from geobias.probes.namebbq.substitution.genders import family_of, nationalities_of
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
    """A set of items, and how to give their people names: the shipped ones, or `names`."""

    def __init__(
        self, name: str, items: Iterable[Item], names: NamesByNationality | None = None
    ) -> None:
        self.name = name
        self.own_names = names
        self.items = tuple(items)
        self.by_id = {item.example_id: item for item in self.items}
        self._families: dict[Any, list[Item]] = {}
        for item in self.items:
            self._families.setdefault(self._family(item), []).append(item)
        self._family_versions = lru_cache(maxsize=64)(self._named_family)

    def __reduce__(self) -> tuple[Any, ...]:
        """To another process travel the items alone; the cache is its own."""
        return Source, (self.name, self.items, self.own_names)

    @staticmethod
    def of(items: str, names: NamesByNationality | None = None) -> Source:
        """The items called "builtin" or "bbq", or those of a file in BBQ's scheme."""
        if items == "builtin":
            return _builtin() if names is None else _Builtin(names)
        if items == "bbq":
            return Source("bbq", map(_with_social_value, read_items(bbq_path())), names)
        return Source(Path(items).name, read_items(Path(items)), names)

    @cached_property
    def digest(self) -> str:
        """Identity of the items: what they say, wherever the file lies."""
        return fingerprint(msgspec.json.encode(self.items).decode())

    @property
    def names_digest(self) -> str:
        """Identity of the table of names; of one's own, with what they stand for."""
        rows = [one for cells in self.names.values() for c in cells.values() for one in c]
        if self.own_names is None:
            return fingerprint(" ".join(one.name for one in rows))
        return fingerprint("\n".join(f"{o.nationality},{o.iso3},{o.gender},{o.name}" for o in rows))

    @property
    def names(self) -> NamesByNationality:
        """The names that are drawn from."""
        return shipped_names() if self.own_names is None else self.own_names

    def version(self, item: Item, seed: int | None) -> Version:
        """The item with the names that this seed draws; with nationalities where it is None."""
        if seed is None:
            return Version(item)
        return self._family_versions(self._family(item), seed)[item.example_id]

    def _family(self, item: Item) -> Any:
        """Items of one family are about the same two people."""
        return family_of(item)

    def _named_family(self, family: Any, seed: int) -> Mapping[str, Version]:
        """Together, since a pronoun in one item may decide the gender for all of them."""
        found = {}
        for named in substitute_all(self._families[family], seed, self.names):
            found[named.item.example_id] = _version(named.item, seed, named.names)
        return found


class _Builtin(Source):
    """Our own items. Their templates go by name ("campsite"), which says more than a number."""

    def __init__(self, names: NamesByNationality | None = None) -> None:
        from geobias.probes.namebbq.builtin import builtin_items

        self._fields = {str(fields["example_id"]): fields for fields in builtin_items()}
        super().__init__("builtin", map(_builtin_item, self._fields.values()), names)

    def __reduce__(self) -> tuple[Any, ...]:
        return (_builtin, ()) if self.own_names is None else (_Builtin, (self.own_names,))

    def _family(self, item: Item) -> Any:
        return (item.template, *sorted(nationalities_of(item)))

    def _named_family(self, family: Any, seed: int) -> Mapping[str, Version]:
        from geobias.probes.namebbq.builtin import named_item

        items = self._families[family]
        pair = nationalities_of(items[0])
        genders = draw_genders((items[0].gender, items[0].gender), seed, items[0].template, pair)
        texts = " ".join(text for item in items for text in (item.context, item.question))
        taken = re.findall(r"[^\W\d_]+", texts)
        both = draw_names(self.names, genders, seed, items[0].template, pair, taken=taken)
        called = dict(zip(pair, both, strict=True))
        found = {}
        for item in items:
            fields = self._fields[item.example_id]
            first, second = fields["additional_metadata"]["people"]
            named = named_item(fields, called[first], called[second])
            texts_of = msgspec.structs.replace(
                item,
                context=named["context"],
                question=named["question"],
                answers=(named["ans0"], named["ans1"], named["ans2"]),
            )
            names = tuple(called[word] for word in nationalities_of(item))
            found[item.example_id] = _version(texts_of, seed, (names[0], names[1]))
        return found


@cache
def _builtin() -> Source:
    return _Builtin()


def _builtin_item(fields: Mapping[str, Any]) -> Item:
    return msgspec.structs.replace(
        item_from(fields),
        template=fields["additional_metadata"]["template"],
        social_value=fields["social_value"],
        gender=fields["gender"],
    )


def _with_social_value(item: Item) -> Item:
    """BBQ names what a stereotype is about in its file of templates, not in the items."""
    return msgspec.structs.replace(item, social_value=_social_values().get(item.template, ""))


@cache
def _social_values() -> dict[str, str]:
    rows = read_rows(shipped_table("bbq_social_values.csv"), ("template", "social_value"))
    return {row["template"]: row["social_value"] for _, row in rows}


def _version(item: Item, seed: int, both: tuple[str, str]) -> Version:
    names = ["", "", ""]
    for place, name in zip(item.people, both, strict=True):
        names[place] = name
    return Version(item, seed, (names[0], names[1], names[2]))
