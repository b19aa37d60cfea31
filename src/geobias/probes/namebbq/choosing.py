"""Which items each size asks about.

The unit of this probe is the template, so a small sample has every template, each with as many
ambiguous items as disambiguated ones, and negative and non-negative questions in turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

from geobias.probes.namebbq.items import Item

SIZES = {"quick": 60, "standard": 600, "paper": None}
"""About how many items; None is all."""
NAME_SEEDS = {"quick": 1, "standard": 3, "paper": 3}
"""How many name versions of each item, where nobody says otherwise. The paper has three."""

_CELLS = (("ambig", "neg"), ("disambig", "neg"), ("ambig", "nonneg"), ("disambig", "nonneg"))


def choose_items(items: Sequence[Item], size: str) -> list[Item]:
    """The items of a size, in the order of the data; the same for everybody.

    Templates give in rounds of two items, one ambiguous and one disambiguated, until the rounds
    come nearest to the size, at least one. A template that has run out gives no more. The sample of
    a smaller size is part of the sample of a larger one.
    """
    wanted = SIZES[size]
    if wanted is None or wanted >= len(items):
        return list(items)
    cells: dict[str, dict[tuple[str, str], list[Item]]] = {}
    for item in items:
        own = cells.setdefault(item.template, {cell: [] for cell in _CELLS})
        own[item.condition, item.polarity].append(item)
    chosen: set[str] = set()
    rounds = 2 * max(1, round(wanted / (2 * len(cells))))
    for number, own in enumerate(cells.values()):
        dealt = {cell: sorted(found, key=_lot) for cell, found in own.items()}
        for turn in range(rounds):
            # Neighbours in the circle of cells differ in condition: two turns have one of each.
            found = dealt[_CELLS[(number + turn) % len(_CELLS)]]
            if turn // len(_CELLS) < len(found):
                chosen.add(found[turn // len(_CELLS)].example_id)
    return [item for item in items if item.example_id in chosen]


def _lot(item: Item) -> bytes:
    """A place in line that has nothing to do with what the item says."""
    return blake2b(item.example_id.encode(), digest_size=8).digest()
