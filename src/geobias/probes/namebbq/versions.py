"""Items and their versions with names, for any source of items.

Names replace nationalities by rules (`substitution`). All items about one pair of people get the
same names, so that an ambiguous item and its disambiguated partner differ only in the context.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Literal

import msgspec

from geobias.atlas.table import read_rows
from geobias.errors import BadRequest
from geobias.probes.namebbq.builtin import builtin_items
from geobias.probes.namebbq.items import Item, bbq_path, read_items
from geobias.probes.namebbq.names import (
    TABLES,
    NamesByNationality,
    all_names,
    draw_genders,
    draw_names,
    read_names,
)
from geobias.probes.namebbq.names import names as shipped_names
from geobias.probes.namebbq.substitution import (
    NEITHER,
    Genders,
    family_of,
    required_genders,
    with_names,
)
from geobias.probes.plan import fingerprint
from geobias.reading.choices import Options

Dataset = Literal["nationality", "name"]


class Version(msgspec.Struct, frozen=True):
    """An item as a model sees it: with nationalities (no seed), or with the names of a seed.

    `item` has the texts of this version. `names` and the `genders` for which they were drawn are in
    the order of the answers, "" for the unknown one.
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
    """A set of items, with a table of names for their people."""

    def __init__(
        self, name: str, items: Iterable[Item], names: NamesByNationality | None = None
    ) -> None:
        self.name = name
        self.items = tuple(items)
        self.names = names or shipped_names()
        self.by_id = {item.example_id: item for item in self.items}

    @staticmethod
    def of(items: str, names_file: Path | None = None) -> ItemSource:
        """The items "builtin", "bbq" or of a file; `names_file` replaces names by nationality."""
        found = _SETS[items]() if items in _SETS else read_items(Path(items))
        source = ItemSource(items if items in _SETS else Path(items).name, found)
        if names_file is None:
            return source
        own = read_names(names_file)
        if {word for item in source.items for word in item.nationalities}.isdisjoint(own):
            raise BadRequest(
                f"{names_file.name} changes nothing: no item is about {' or '.join(own)}. Give "
                "items that are, with --items FILE."
            )
        return ItemSource(source.name, source.items, {**source.names, **own})

    @cached_property
    def digest(self) -> str:
        """A digest of the items, independent of where the file lies."""
        fields = [msgspec.structs.asdict(item) for item in self.items]
        return fingerprint(msgspec.json.encode(fields).decode())

    @property
    def names_digest(self) -> str:
        """A digest of the names; for a user's table, it covers genders and nationalities too."""
        every = all_names(self.names)
        if self.names == shipped_names():
            return fingerprint(" ".join(name.name for name in every))
        rows = (f"{name.nationality},{name.iso3},{name.gender},{name.name}" for name in every)
        return fingerprint("\n".join(rows))

    def version(self, item: Item, seed: int | None) -> Version:
        if seed is None:
            return Version(item)
        lot = (seed, item.template, item.pair)
        genders = draw_genders(self.genders(item), *lot)
        both = draw_names(self.names, genders, *lot, taken=_words_of(item))
        named = with_names(item, both)
        return Version(named, seed, item.in_order(*both), item.in_order(*genders))

    def genders(self, item: Item) -> Genders:
        """The genders that the item requires, or else those of another item about the same people.

        The ambiguous context is the beginning of the disambiguated one: both need the same names.
        """
        told = map(required_genders, (item, *self._families[family_of(item)]))
        return next((one for one in told if one != NEITHER), NEITHER)

    @cached_property
    def _families(self) -> Mapping[tuple[str, str, str], list[Item]]:
        families: dict[tuple[str, str, str], list[Item]] = {}
        for item in self.items:
            families.setdefault(family_of(item), []).append(item)
        return families


@lru_cache(maxsize=1 << 13)
def _words_of(item: Item) -> frozenset[str]:
    texts = " ".join((item.context, item.question, *item.answers))
    return frozenset(re.findall(r"[^\W\d_]+", texts))


def _bbq_items() -> Iterator[Item]:
    """Yield BBQ's items with their social value, which is only in BBQ's file of templates."""
    rows = read_rows(TABLES / "bbq_social_values.csv", ("template", "social_value"))
    values = {row["template"]: row["social_value"] for _, row in rows}
    for item in read_items(bbq_path()):
        yield msgspec.structs.replace(item, social_value=values.get(item.template, ""))


_SETS: Mapping[str, Callable[[], Iterable[Item]]] = {"builtin": builtin_items, "bbq": _bbq_items}
