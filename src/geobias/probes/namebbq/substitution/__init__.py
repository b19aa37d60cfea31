"""Names in place of nationalities, by rules over an item's structure: no model, no chance.

`substitute` for one item, `substitute_all` for a set; the rules are in `rewriting`, the words they
know in `words`, whose names may be drawn in `genders`, and which are drawn in `drawing`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

import msgspec

from geobias.atlas.names import NamesByNationality, names
from geobias.errors import BadRequest
from geobias.probes.namebbq.items import Gender, Item
from geobias.probes.namebbq.substitution.drawing import draw_genders, draw_names
from geobias.probes.namebbq.substitution.genders import (
    Requirement,
    answer_nouns,
    requirement,
    requirements,
)
from geobias.probes.namebbq.substitution.rewriting import Rewriter

__all__ = ["CannotSubstitute", "NamedItem", "called", "substitute", "substitute_all"]


class NamedItem(msgspec.Struct, frozen=True, kw_only=True):
    """An item about two people who have names."""

    item: Item
    """With the texts replaced; everything else, the nationalities too, is as it was."""
    names: tuple[str, str]
    """In the order of the answers (`Item.people`)."""
    genders: tuple[Gender, Gender]
    """Of the two names: as required, or as drawn."""
    gender: Gender
    """Required of both; "" where nothing is required, or a man and a woman are."""
    evidence: str
    """The words that say so, e.g. '"woman" in context'; "" where there are none."""


class CannotSubstitute(BadRequest):
    """An item whose sentences the rules do not fit."""


def substitute(
    item: Item,
    seed: int,
    *,
    table: NamesByNationality | None = None,
    required: Requirement | None = None,
    may_be_alike: bool = False,
) -> NamedItem:
    """The item with a name for each of its two nationalities.

    `table` are the names, by default the shipped ones; `required` the genders, by default what
    the item's own words say; `may_be_alike` lets two names through that are like each other, as old
    editions do. The same arguments give the same item, on every machine.
    """
    table = names() if table is None else table
    required = requirement(item) if required is None else required
    people = item.pair
    genders = draw_genders(required.genders, seed, item.template, people)
    both = draw_names(
        table, genders, seed, item.template, people, taken=_words(item), may_be_alike=may_be_alike
    )
    return NamedItem(
        item=called(item, both),
        names=both,
        genders=genders,
        gender=required.gender,
        evidence=required.evidence,
    )


@lru_cache(maxsize=1 << 12)
def _words(item: Item) -> frozenset[str]:
    texts = " ".join((item.context, item.question, *item.answers))
    return frozenset(re.findall(r"[^\W\d_]+", texts))


def called(item: Item, both: tuple[str, str]) -> Item:
    """The item with these names for its two people, in the order of the answers."""
    first, second = (item.answers[index] for index in item.people)
    rewriter = Rewriter(item.pair, both, answer_nouns(item), [first, second])
    # In this order: the context introduces the people to the question and the answers.
    named = msgspec.structs.replace(
        item,
        context=rewriter.context(item.context),
        question=rewriter.mention(item.question),
        answers=item.in_order(
            rewriter.mention(first), rewriter.mention(second), item.answers[item.unknown]
        ),
    )
    _check(named, both)
    return named


def substitute_all(
    items: Iterable[Item],
    seed: int,
    table: NamesByNationality | None = None,
    *,
    may_be_alike: bool = False,
) -> tuple[NamedItem, ...]:
    """Every item with names; items of one template and pair are about the same two people.

    Unlike `substitute` on each, this lets a pronoun that only the disambiguated context has decide
    for the ambiguous one as well, so that the two stay comparable.
    """
    items = tuple(items)
    pairs = zip(items, requirements(items), strict=True)
    return tuple(
        substitute(item, seed, table=table, required=one, may_be_alike=may_be_alike)
        for item, one in pairs
    )


def _check(item: Item, both: tuple[str, str]) -> None:
    """What must hold whatever the sentences were; they may be a user's own."""
    for text in (item.context, item.question, *(item.answers[index] for index in item.people)):
        for nationality in item.pair:
            if nationality not in text:
                continue
            # Also where no rule looks: "Danish-born", "half-Danish".
            if left := re.search(rf"(?<!\w)[\w-]*{re.escape(nationality)}[\w-]*", text):
                raise CannotSubstitute(f"Item {item.example_id}: {left[0]!r} is left in {text!r}.")
    for name, nationality in zip(both, item.pair, strict=True):
        if not _by_itself(name).search(item.context):
            raise CannotSubstitute(
                f"Item {item.example_id}: the context does not speak of the {nationality} person."
            )


@lru_cache(maxsize=1 << 12)
def _by_itself(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
