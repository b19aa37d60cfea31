"""Items and their name versions, from wherever the items come.

Our own items say themselves where a name belongs (`builtin.named_texts`); in BBQ's, and in a
user's file, names take the place of nationalities by rules (`substitution`). Both draw the same
names for all items about one pair of people, so that an ambiguous item and its disambiguated
partner differ in nothing but the context.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any, Literal

import msgspec

from geobias.atlas.table import read_rows
from geobias.probes.namebbq.builtin import builtin_items, named_texts
from geobias.probes.namebbq.items import Gender, Item, bbq_path, item_from, read_items
from geobias.probes.namebbq.names import (
    TABLES,
    NamesByNationality,
    NoNames,
    alike,
    all_names,
    dominant_bearer,
    draw_genders,
    draw_names,
    name_key,
    named_in,
)
from geobias.probes.namebbq.names import names as shipped_names
from geobias.probes.namebbq.settings import NAME_SEEDS
from geobias.probes.namebbq.substitution import CannotSubstitute, called, family_of, substitute_all
from geobias.probes.plan import fingerprint

Order = tuple[int, int, int]
"""Of the answers on the page: the data's index o[k] stands at place k."""
IN_ORDER: Order = (0, 1, 2)
Control = Literal["", "none", "same"]
Dataset = Literal["nationality", "name", "none", "same"]


class Version(msgspec.Struct, frozen=True):
    """An item as it is put to a model: with nationalities (no seed), or with the names of a seed.

    `item` has the texts of this version, and the nationalities in both. `names` stand in the order
    of the answers, "" for the unknown one, and so do the `genders` that they were drawn for.
    `order` is that of the answers on the page. `control` is the kind of control that the version is
    (`control_versions`), "" for none.
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


class ItemSource:
    """A set of items, and how to give their people names: the shipped ones, or `names`."""

    def __init__(
        self, name: str, items: Iterable[Item], names: NamesByNationality | None = None
    ) -> None:
        self.name = name
        self.own_names = names
        self.items = tuple(items)
        self.by_id = {item.example_id: item for item in self.items}
        self.families: dict[Any, list[Item]] = {}
        for item in self.items:
            self.families.setdefault(self._family(item), []).append(item)
        self._family_versions = lru_cache(maxsize=512)(self._named_family)

    def __reduce__(self) -> tuple[Any, ...]:
        """To another process travel the items alone; the cache is its own."""
        return ItemSource, (self.name, self.items, self.own_names)

    @staticmethod
    def of(items: str, names: NamesByNationality | None = None) -> ItemSource:
        """The items called "builtin" or "bbq", or those of a file in BBQ's scheme."""
        if items == "builtin":
            return _builtin() if names is None else _Builtin(names)
        if items == "bbq":
            return ItemSource("bbq", _bbq_items(), names)
        return ItemSource(Path(items).name, read_items(Path(items)), names)

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
        return shipped_names() if self.own_names is None else self.own_names

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
        family_items = substitute_all(self.families[family], seed, self.names)
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

    def __init__(self, names: NamesByNationality | None = None) -> None:
        self._fields, items = _own_items()
        super().__init__("builtin", items, names)
        self._family_words = cache(self._words_of)  # every seed asks for them
        self._family_names = lru_cache(maxsize=64)(self.drawn)

    def __reduce__(self) -> tuple[Any, ...]:
        return (_builtin, ()) if self.own_names is None else (_Builtin, (self.own_names,))

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
def _own_items() -> tuple[Mapping[str, Mapping[str, Any]], tuple[Item, ...]]:
    """Our own items by their ids, in BBQ's scheme and as they are asked, whatever the names."""
    by_id = {str(fields["example_id"]): fields for fields in builtin_items()}
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


def pairs_in_prompts(seeds: int) -> Iterator[tuple[str, str]]:
    """The two names of each prompt with names of our own items."""
    source = _builtin()
    for family, items in source.families.items():
        for seed in range(1, seeds + 1):
            yield from [source.drawn(family, seed)[0]] * len(items)


@cache
def _builtin() -> _Builtin:
    return _Builtin()


def _bbq_items() -> Iterator[Item]:
    """BBQ names what a stereotype is about in its file of templates, not in the items."""
    rows = read_rows(TABLES / "bbq_social_values.csv", ("template", "social_value"))
    values = {row["template"]: row["social_value"] for _, row in rows}
    for item in read_items(bbq_path()):
        yield msgspec.structs.replace(item, social_value=values.get(item.template, ""))


# -- controls --------------------------------------------------------------------------------------
#
# The same items with nothing in them about two nationalities: what is left is not about these.
#
# A model may lean to one answer of a template because of how it is written, or because one of two
# names sounds like trouble to it. Two controls ask each item once more:
#
#     none   the two people are Person X and Person Y, in the order in which they are mentioned
#     same   both have first names of the nationality that the stereotype is about
#
# In both, the answer that would be the stereotyped one is still called so, and a lean to it is no
# stereotype about a nationality. Bias less that of the control is what the nationalities add.


CONTROL_RECORDS = "namebbq_control"
CONTROLS: Mapping[Control, str] = {"none": "no signal", "same": "two names of one nationality"}
"""What a version is called in a record → in words."""
PEOPLE = ("Person X", "Person Y")
"""Not A and B, which are letters of answers: "B" could mean either."""
OWN_CONTROL: Mapping[str, Control] = {"nationality": "none", "name": "same"}
"""What people are told by → the control that differs from it in nothing but the two nations."""


def control_versions(source: ItemSource, item: Item) -> Iterator[Version]:
    """The item as each of the controls, in their order."""
    pairs: tuple[tuple[Control, tuple[str, str]], ...] = (
        ("none", _no_signal(item)),
        ("same", _same_nation(source, item)),
    )
    for control, both in pairs:
        yield Version(source.called(item, both), names=item.in_order(*both), control=control)


def _no_signal(item: Item) -> tuple[str, str]:
    """Person X is who is mentioned first, so that either is the stereotyped one equally often."""
    first, second = (_place(item.context, nationality) for nationality in item.pair)
    return PEOPLE if first <= second else (PEOPLE[1], PEOPLE[0])


def _place(text: str, nationality: str) -> int:
    found = _beginning(nationality).search(text)
    return found.start() if found else len(text)


@cache
def _beginning(nationality: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(nationality)}")


def _same_nation(source: ItemSource, item: Item) -> tuple[str, str]:
    """The stereotyped person's name of the first seed, and another of the same nationality.

    Genders are those of the version with names, which knows what the item's pronouns say.
    """
    drawn = source.version(item, 1)
    groups = {group.strip().casefold() for group in item.stereotyped}
    first, second = item.people
    person, other = (
        (first, second) if item.nationalities[first].casefold() in groups else (second, first)
    )
    cells = _cells(source, item.nationalities[person])
    gender = _gender(_cells(source, item.nationalities[other]), drawn.names[other])
    words = {name_key(word) for word in re.findall(r"[^\W\d_]+", item.context)}
    words.add(name_key(drawn.names[person]))
    free = [one.name for one in cells[gender] if name_key(one.name) not in words]
    if not free:
        raise NoNames(f"There is no second name for {item.nationalities[person]} ({gender}).")
    free = [name for name in free if not alike(name, drawn.names[person])] or free
    lot = f"{item.template} {sorted(item.pair)}".encode()
    another = min(free, key=lambda name: hashlib.sha256(lot + name.encode()).digest())
    name_of = {person: drawn.names[person], other: another}
    return name_of[first], name_of[second]


def _cells(source: ItemSource, nationality: str) -> Mapping[str, Any]:
    return source.names[named_in(source.names, nationality) or nationality]


def _gender(cells: Mapping[str, Any], name: str) -> str:
    return next(g for g, cell in cells.items() if name in [one.name for one in cell])


class NameEvidence(msgspec.Struct, frozen=True):
    """Counts of names, and of the built-in items' prompts with names at size paper.

    citable       a list can be cited that has the name for this country
    counted       how common it is in the country, or in the region around it, was counted
    gender_cited  a list says that it is a woman's, or a man's
    one_person    prompts in which a name is one public figure to most readers
    alike         prompts whose two names are alike (`names.alike`)
    """

    names: int
    citable: int
    counted: int
    gender_cited: int
    prompts: int
    one_person: int
    alike: int

    def in_words(self) -> dict[str, Any]:
        of_names = {
            "names that can be cited": self.citable,
            "frequency counted": self.counted,
            "gender cited": self.gender_cited,
        }
        of_prompts = {"prompts with one public figure": self.one_person, "two alike": self.alike}
        return {
            **{word: f"{n / self.names:.1%}" for word, n in of_names.items()},
            **{word: f"{n / self.prompts:.1%}" for word, n in of_prompts.items()},
        }


@cache
def name_evidence() -> NameEvidence:
    """What the shipped names rest on, and what their draws put into the prompts."""
    every = all_names(shipped_names())
    drawn = list(pairs_in_prompts(NAME_SEEDS["paper"]))
    figures = {one.name for one in every if dominant_bearer(one.name)}
    return NameEvidence(
        names=len(every),
        citable=sum(one.citable for one in every),
        counted=sum(one.has_frequency for one in every),
        gender_cited=sum(one.has_gender_evidence for one in every),
        prompts=len(drawn),
        one_person=sum(not figures.isdisjoint(both) for both in drawn),
        alike=sum(alike(*both) for both in drawn),
    )
