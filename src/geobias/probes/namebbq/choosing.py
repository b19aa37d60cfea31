"""Which items each size asks about.

The unit of this probe is the template, so a small sample has as many templates as it can, each
with as many ambiguous items as disambiguated ones, and negative and non-negative questions in turn.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from hashlib import blake2b
from itertools import count

from geobias.probes.namebbq.items import Item

SIZES = {"quick": 60, "standard": 600, "paper": None}
"""About how many items; None is all."""
NAME_SEEDS = {"quick": 1, "standard": 3, "paper": 3}
"""How many name versions of each item, where nobody says otherwise. The paper has three."""

_CELLS = (("ambig", "neg"), ("disambig", "neg"), ("ambig", "nonneg"), ("disambig", "nonneg"))
_CIRCLE = 8
"""Turns after which a template has given each kind of item equally often, revealed persons too."""
_FAR = 1 / 6


def choose_items(items: Sequence[Item], size: str) -> list[Item]:
    """The items of a size, in the order of the data; the same for everybody.

    Templates give in whole circles of eight items, as many circles as come nearest to the size; a
    template that has run out gives no more. Where not even one circle is wanted, or whole circles
    come out more than a sixth off the size, they give an ambiguous and a disambiguated item at a
    time; and where that is too much as well, fewer templates give, chosen so that every social
    value has its turn.

    Half of the disambiguated items reveal the stereotyped answer. A sample in which more do would
    give a bias to a model that is always right.
    """
    wanted = SIZES[size]
    if wanted is None or wanted >= len(items):
        return list(items)
    cells: dict[str, dict[tuple[str, str], list[Item]]] = {}
    for item in items:
        own = cells.setdefault(item.template, {cell: [] for cell in _CELLS})
        own[item.condition, item.polarity].append(item)
    templates = _templates_in_turn(items)[: max(1, wanted // 2)]
    share = wanted / len(templates)
    turns = _CIRCLE * round(share / _CIRCLE)
    if share < _CIRCLE or abs(turns - share) > _FAR * share:
        turns = 2 * max(1, round(share / 2))
    chosen: set[str] = set()
    for number, template in enumerate(templates):
        drawn = {cell: _draw_order(own, number % 2) for cell, own in cells[template].items()}
        for turn in range(turns):
            # Neighbours in the circle of cells differ in condition: two turns have one of each.
            cell = drawn[_CELLS[(number + turn) % len(_CELLS)]]
            if turn // len(_CELLS) < len(cell):
                chosen.add(cell[turn // len(_CELLS)].example_id)
    return [item for item in items if item.example_id in chosen]


def _draw_order(items: Sequence[Item], first: int) -> list[Item]:
    """By lot, but those that reveal the stereotyped answer and those that do not in turn."""
    drawn = sorted(items, key=_lot)
    kinds = [[i for i in drawn if (i.label != i.target) == kind] for kind in (first, 1 - first)]
    in_turn = [item for pair in zip(*kinds, strict=False) for item in pair]
    given = {item.example_id for item in in_turn}
    return in_turn + [item for item in drawn if item.example_id not in given]


def _templates_in_turn(items: Sequence[Item]) -> list[str]:
    """The templates: the first of every social value, then the second of each, and so on."""
    values = {item.template: item.social_value for item in items}
    numbers = defaultdict[str, "count[int]"](count)
    turns = {template: next(numbers[value]) for template, value in values.items()}
    return sorted(turns, key=turns.__getitem__)


def _lot(item: Item) -> bytes:
    """A place in line that has nothing to do with what the item says."""
    return blake2b(item.example_id.encode(), digest_size=8).digest()
