"""The rules against a second opinion: our own items say themselves how they read with names."""

from __future__ import annotations

from functools import cache
from typing import Any

from geobias.probes.namebbq.builtin import builtin_items, named_texts
from geobias.probes.namebbq.items import item_from
from geobias.probes.namebbq.substitution import NamedItem, substitute_all


@cache
def named_items() -> list[tuple[dict[str, Any], NamedItem]]:
    """Every third pair of people and all that have a new nationality, with all their items."""
    families: dict[tuple[str, frozenset[str]], list[dict[str, Any]]] = {}
    for one in builtin_items():
        people = frozenset(one["additional_metadata"]["people"])
        families.setdefault((one["question_index"], people), []).append(one)
    made: list[dict[str, Any]] = []
    seen: set[str] = set()
    for number, ((_, people), family) in enumerate(families.items()):
        if number % 3 == 0 or people - seen:
            made += family
            seen |= people
    return list(zip(made, substitute_all(map(item_from, made), 1), strict=True))


def test_the_rules_write_our_own_items_as_their_templates_do() -> None:
    for fields, named in named_items():
        item = named.item
        called = {
            item.nationalities[index]: name
            for index, name in zip(item.people, named.names, strict=True)
        }
        first, second = fields["additional_metadata"]["people"]
        said = named_texts(fields, called[first], called[second])
        assert item.context == said["context"]
        assert item.question == said["question"]
        assert item.answers == (said["ans0"], said["ans1"], said["ans2"])


def test_the_rules_find_the_gender_our_own_items_state() -> None:
    for fields, named in named_items():
        assert named.gender == fields["gender"]
        assert named.genders[0] == named.genders[1]
