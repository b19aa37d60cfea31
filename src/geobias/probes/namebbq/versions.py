"""Items and their name versions, from wherever the items come.

Our own items say themselves where a name belongs (`builtin.named_item`); in BBQ's, and in a
user's file, names take the place of nationalities by rules (`substitution`). Both draw the same
names for all items about one pair of people, so that an ambiguous item and its disambiguated
partner differ in nothing but the context.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any, Literal
from weakref import WeakValueDictionary

import msgspec

from geobias.atlas.names import LATEST, Edition, NamesByNationality, all_names
from geobias.atlas.names import names as shipped_names
from geobias.atlas.table import read_rows, shipped_table
from geobias.probes.namebbq.builtin import EDITION, builtin_items, named_texts
from geobias.probes.namebbq.items import Gender, Item, bbq_path, item_from, read_items
from geobias.probes.namebbq.questions import IN_ORDER, Order
from geobias.probes.namebbq.substitution import CannotSubstitute, called, substitute_all
from geobias.probes.namebbq.substitution.drawing import (
    MAY_BE_ALIKE,
    NoNames,
    draw_genders,
    draw_names,
)
from geobias.probes.namebbq.substitution.genders import family_of
from geobias.probes.plan import fingerprint

Control = Literal["", "none", "same"]
Dataset = Literal["nationality", "name", "none", "same"]


class Version(msgspec.Struct, frozen=True):
    """An item as it is put to a model: with nationalities (no seed), or with the names of a seed.

    `item` has the texts of this version, and the nationalities in both. `names` stand in the order
    of the answers, "" for the unknown one, and so do the `genders` that they were drawn for.
    `order` is that of the answers on the page. `control` is the kind of control that the version is
    (`controls`), "" for none.
    """

    item: Item
    seed: int | None = None
    names: tuple[str, str, str] = ("", "", "")
    order: Order = IN_ORDER
    genders: tuple[str, str, str] = ("", "", "")
    control: Control = ""

    @property
    def dataset(self) -> Dataset:
        return self.control or ("nationality" if self.seed is None else "name")


_READ: WeakValueDictionary[str, ItemSource] = WeakValueDictionary()


class ItemSource:
    """A set of items, and how to give their people names: those of an edition, or `names`."""

    def __init__(
        self,
        name: str,
        items: Iterable[Item],
        names: NamesByNationality | None = None,
        edition: Edition = LATEST,
    ) -> None:
        self.name = name
        self.own_names = names
        self.edition: Edition = edition
        self.items = tuple(items)
        self.by_id = {item.example_id: item for item in self.items}
        self.families: dict[Any, list[Item]] = {}
        for item in self.items:
            self.families.setdefault(self._family(item), []).append(item)
        self._family_versions = lru_cache(maxsize=512)(self._named_family)

    def __reduce__(self) -> tuple[Any, ...]:
        """To another process travel the items alone; the cache is its own."""
        return ItemSource, (self.name, self.items, self.own_names, self.edition)

    @staticmethod
    def of(
        items: str, names: NamesByNationality | None = None, edition: Edition = LATEST
    ) -> ItemSource:
        """The items called "builtin" or "bbq", or those of a file in BBQ's scheme.

        "builtin-1" are our own in their first edition; `edition` is that of the names.
        """
        if items in OWN_ITEMS:
            wording = OWN_ITEMS[items]
            return (
                _builtin(wording, edition) if names is None else _Builtin(wording, names, edition)
            )
        if items == "bbq":
            return ItemSource("bbq", _bbq_items(), names, edition)
        source = ItemSource(Path(items).name, read_items(Path(items)), names, edition)
        _READ[source.digest] = source
        return source

    @staticmethod
    def with_digest(digest: str) -> ItemSource | None:
        """The items of a file that somebody has read: a plan knows them by their digest alone."""
        return _READ.get(digest)

    @cached_property
    def digest(self) -> str:
        """Identity of the items: what they say, wherever the file lies."""
        return fingerprint(msgspec.json.encode([*map(_identity, self.items)]).decode())

    @property
    def categories(self) -> str:
        """BBQ's other categories among the items, by commas; "" for nationality alone."""
        return ", ".join(sorted({item.category for item in self.items} - {""}))

    def why_not_named(self, item: Item) -> str:
        """Why names cannot take the place of what tells the two people; "" where they can."""
        try:
            self.version(item, 1)
        except (NoNames, CannotSubstitute) as error:
            return str(error)
        return ""

    @property
    def names_digest(self) -> str:
        """Identity of the table of names; of one's own, with what they stand for."""
        every = all_names(self.names)
        if self.own_names is None:
            return fingerprint(" ".join(name.name for name in every))
        rows = (f"{name.nationality},{name.iso3},{name.gender},{name.name}" for name in every)
        return fingerprint("\n".join(rows))

    @property
    def names(self) -> NamesByNationality:
        return shipped_names(self.edition) if self.own_names is None else self.own_names

    @property
    def may_be_alike(self) -> bool:
        """Whether two names of an item may be like each other, as old editions drew them."""
        return self.edition in MAY_BE_ALIKE

    def version(self, item: Item, seed: int | None) -> Version:
        """The item with the names that this seed draws; with nationalities where it is None."""
        if seed is None:
            return Version(item)
        return self._family_versions(self._family(item), seed)[item.example_id]

    def called(self, item: Item, both: tuple[str, str]) -> Item:
        """The item with these names, in the order of its answers."""
        return called(item, both)

    def _family(self, item: Item) -> Any:
        """Items of one family are about the same two people."""
        return family_of(item)

    def _named_family(self, family: Any, seed: int) -> Mapping[str, Version]:
        """Together, since a pronoun in one item may decide the gender for all of them."""
        family_items = substitute_all(
            self.families[family], seed, self.names, may_be_alike=self.may_be_alike
        )
        return {
            named.item.example_id: Version(
                named.item,
                seed,
                named.item.in_order(*named.names),
                genders=named.item.in_order(*named.genders),
            )
            for named in family_items
        }


class _Builtin(ItemSource):
    """Our own items. Their templates go by name ("campsite"), which says more than a number."""

    def __init__(
        self, wording: int, names: NamesByNationality | None = None, edition: Edition = LATEST
    ) -> None:
        self._wording = wording
        self._fields, items = _own_items(wording)
        super().__init__("builtin", items, names, edition)
        self._family_words = cache(self._words_of)  # every seed asks for them
        self._family_names = lru_cache(maxsize=64)(self.drawn)

    def __reduce__(self) -> tuple[Any, ...]:
        if self.own_names is None:
            return _builtin, (self._wording, self.edition)
        return _Builtin, (self._wording, self.own_names, self.edition)

    def _family(self, item: Item) -> Any:
        return (item.template, *sorted(item.pair))

    def _words_of(self, family: Any) -> frozenset[str]:
        """The words of a family's items, each once."""
        texts = (text for item in self.families[family] for text in (item.context, item.question))
        return frozenset(re.findall(r"[^\W\d_]+", " ".join(texts)))

    def drawn(self, family: Any, seed: int) -> tuple[tuple[str, str], tuple[Gender, Gender]]:
        """The names of a family's two people and their genders, in the order of its first item."""
        item = self.families[family][0]
        genders = draw_genders((item.gender, item.gender), seed, item.template, item.pair)
        names = draw_names(
            self.names,
            genders,
            seed,
            item.template,
            item.pair,
            taken=self._family_words(family),
            may_be_alike=self.may_be_alike,
        )
        return names, genders

    def version(self, item: Item, seed: int | None) -> Version:
        """As of any source; an item of our own takes its names without the rest of its family."""
        if seed is None:
            return Version(item)
        family = self._family(item)
        names, genders = self._family_names(family, seed)
        pair = self.families[family][0].pair
        name_of = dict(zip(pair, names, strict=True))
        gender_of = dict(zip(pair, genders, strict=True))
        first, second = (name_of[person] for person in item.pair)
        return Version(
            self.called(item, (first, second)),
            seed,
            item.in_order(first, second),
            genders=item.in_order(*(gender_of[person] for person in item.pair)),
        )

    def called(self, item: Item, both: tuple[str, str]) -> Item:
        name_of = dict(zip(item.pair, both, strict=True))
        fields = self._fields[item.example_id]
        people = fields["additional_metadata"]["people"]
        named = named_texts(fields, *(name_of[person] for person in people))
        return msgspec.structs.replace(
            item,
            context=named["context"],
            question=named["question"],
            answers=(named["ans0"], named["ans1"], named["ans2"]),
        )


@cache
def _own_items(wording: int) -> tuple[Mapping[str, Mapping[str, Any]], tuple[Item, ...]]:
    """Our own items by their ids, in BBQ's scheme and as they are asked, whatever the names."""
    by_id = {str(fields["example_id"]): fields for fields in builtin_items(wording)}
    items = (
        msgspec.structs.replace(
            item_from(fields), template=fields["additional_metadata"]["template"]
        )
        for fields in by_id.values()
    )
    return by_id, tuple(items)


def _identity(item: Item) -> dict[str, Any]:
    """The item as files of nationality have always been known: without what other files add."""
    later = {"category": "", "groups": ("", "", "")}
    fields = msgspec.structs.asdict(item)
    return {name: one for name, one in fields.items() if one != later.get(name)}


OWN_ITEMS = {"builtin": EDITION, "builtin-1": 1}
"""Names of our own items, and the edition of their wording."""


def pairs_in_prompts(edition: Edition, seeds: int) -> Iterator[tuple[str, str]]:
    """The two names of each prompt with names of our own items."""
    source = _builtin(EDITION, edition)
    for family, items in source.families.items():
        for seed in range(1, seeds + 1):
            yield from [source.drawn(family, seed)[0]] * len(items)


@cache
def _builtin(wording: int, edition: Edition) -> _Builtin:
    return _Builtin(wording, edition=edition)


def _bbq_items() -> Iterator[Item]:
    """BBQ names what a stereotype is about in its file of templates, not in the items."""
    rows = read_rows(shipped_table("bbq_social_values.csv"), ("template", "social_value"))
    values = {row["template"]: row["social_value"] for _, row in rows}
    for item in read_items(bbq_path()):
        yield msgspec.structs.replace(item, social_value=values.get(item.template, ""))
